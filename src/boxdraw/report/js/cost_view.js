/* One knob for the whole model: what a false alarm costs, for which the boxes are drawn anew from the closed
   form as it moves; for a scorecard, the points from which a row is flagged. */

import { el } from "./dom.js";
import { numberField, readNumber } from "./field.js";
import { short } from "./format.js";
import { sameModel, withThreshold } from "./model.js";
import { keepDrawn } from "./patch.js";
import { drawAt, readForm } from "./path.js";
import { Gesture, sliderInput } from "./slider.js";
import { pointsText } from "./text.js";

const STOPS = 240;

/** Draw the knob that this model has. */
export function mountCost(root, store) {
  const { scorecard, closed_form: form, closed_form_absent: why } = store.report;
  if (scorecard !== null) {
    root.querySelector("h2").textContent = "Threshold";
    mountThreshold(root, store);
  } else if (form !== null) mountSlider(root, store, readForm(form));
  else root.append(el("p", { class: "quiet-text" }, why ?? "This model has no closed form."));
}

function mountSlider(root, store, form) {
  const state = { store, form, stops: costStops(form), drawn: new Map(), draft: {} };
  state.gesture = new Gesture(
    (place) => previewCost(state, state.stops[place]),
    () => keepCost(state),
  );
  store.subscribe((what) => {
    if (what === "log") state.draft = {};
  });
  document.addEventListener("boxdraw:cost", (event) => setCost(state, event.detail.cost));
  state.redraw = keepDrawn(root, store, () => costParts(state));
}

/** List the costs that the slider stops at, rising evenly by ratio, with that of the learned model. */
export function costStops({ costs, range: [least, most], negativeWeight }) {
  if (costs !== null) return [...new Set(costs)].sort((a, b) => a - b);
  const even = Array.from({ length: STOPS + 1 }, (_, i) => least * (most / least) ** (i / STOPS));
  const inRange = even.map((cost) => Math.min(Math.max(Number(cost.toPrecision(3)), least), most));
  return [...new Set([...inRange, negativeWeight])].sort((a, b) => a - b);
}

/** Draw the boxes of a cost, each only once. */
function boxesAt({ store, form, drawn }, cost) {
  if (cost === form.negativeWeight) return store.report.learned;
  if (!drawn.has(cost)) {
    if (drawn.size > 500) drawn.clear();
    drawn.set(cost, drawAt(form, store.report.features, cost));
  }
  return drawn.get(cost);
}

function previewCost(state, cost) {
  state.from ??= state.store.cost;
  state.store.preview(boxesAt(state, cost), cost);
}

function keepCost(state) {
  const { store, from } = state;
  state.from = undefined;
  if (from === undefined) return;
  const moved = `Cost of a false alarm: ${short(from)} → ${short(store.cost)}`;
  store.commit(from === store.cost ? `Boxes drawn anew for a cost of ${short(from)}` : moved);
}

function typeCost(state, text) {
  const [least, most] = [state.stops[0], state.stops.at(-1)];
  const { value, error } = readNumber(text);
  const outside =
    value < least || value > most ? `Type a cost from ${short(least)} to ${short(most)}.` : null;
  const wrong = error ?? outside;
  state.draft = wrong === null ? {} : { text, error: wrong };
  if (wrong !== null) return state.redraw();
  return setCost(state, value);
}

/** Draw the boxes of a cost, or of the nearest one on offer, as one step. */
function setCost(state, cost) {
  previewCost(state, state.form.costs === null ? cost : state.stops[nearestStop(state.stops, cost)]);
  keepCost(state);
}

/** Find the stop that is nearest by ratio. */
function nearestStop(stops, cost) {
  const far = (stop) => Math.abs(Math.log(stop) - Math.log(cost));
  return stops.reduce((best, stop, i) => (far(stop) < far(stops[best]) ? i : best), 0);
}

function costParts(state) {
  const { store, form, stops, draft } = state;
  const text = `${short(store.cost)} of a miss`;
  return [
    el(
      "p",
      { class: "quiet-text" },
      "The boxes are drawn for this cost: the cheaper a false alarm, the larger they are.",
    ),
    el(
      "div",
      { class: "slider" },
      el(
        "label",
        { class: "hidden-text", for: "cost-slider" },
        "Cost of a false alarm that the boxes are drawn for",
      ),
      sliderInput({
        id: "cost-slider",
        least: 0,
        most: stops.length - 1,
        place: nearestStop(stops, store.cost),
        text,
        gesture: state.gesture,
      }),
      el(
        "div",
        { class: "ends", "aria-hidden": "true" },
        endText(stops[0], "large boxes"),
        endText(stops.at(-1), "small boxes"),
      ),
    ),
    el("div", { class: "row" }, costField(state, draft), learnedButton(state)),
    form.costs === null
      ? null
      : el("p", { class: "quiet-text" }, `The slider has the ${stops.length} costs that were fitted.`),
    priceNote(state),
    handNote(state),
  ];
}

/** Say so if the results are counted with another price than the weight that the boxes were learned with. */
function priceNote({ store, form }) {
  if (store.price === form.negativeWeight) return null;
  const price = short(store.price);
  const words = `This is the weight in the fit. The price in the results, ${price}, is a number of its own.`;
  return el("p", { class: "quiet-text", "data-key": "price-note" }, words);
}

function endText(cost, words) {
  return el("span", {}, `${short(cost)} (${words})`);
}

function costField(state, draft) {
  const { store } = state;
  return el(
    "div",
    { class: "row", "data-key": "typed" },
    numberField({
      key: "cost",
      label: "It weighs",
      after: "of a miss",
      text: draft.text ?? short(store.cost, 4),
      error: draft.error ?? null,
      onchange: (text) => typeCost(state, text),
      onescape: () => {
        state.draft = {};
        state.redraw();
      },
    }),
  );
}

function learnedButton(state) {
  const { store, form } = state;
  const act = () => {
    previewCost(state, form.negativeWeight);
    keepCost(state);
  };
  const title = `Draw the boxes for ${short(form.negativeWeight)}, as they were learned`;
  return el(
    "button",
    { type: "button", "data-key": "learned", title, disabled: !store.edited, onclick: act },
    "As learned",
  );
}

/** Warn that the slider draws over what was changed by hand. */
function handNote(state) {
  const { store } = state;
  if (state.from !== undefined || sameModel(store.model, boxesAt(state, store.cost))) return null;
  return el(
    "p",
    { class: "warning", "data-key": "by-hand" },
    "The boxes were changed by hand. The slider draws them anew without that; undo brings the changes back.",
  );
}

function mountThreshold(root, store) {
  const gesture = new Gesture(
    (threshold) => store.preview(withThreshold(store.model, threshold)),
    () =>
      store.commit(
        `Threshold: ${store.started?.model.threshold ?? store.model.threshold} → ${store.model.threshold}`,
      ),
  );
  keepDrawn(root, store, () => thresholdParts(store, gesture));
}

/** Return the least and the most points that the slider offers; below 1 only where some are negative. */
export function thresholdRange({ boxes, threshold }) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const most = sum(boxes.map((box) => Math.max(box.points, 0)));
  const least = sum(boxes.map((box) => Math.min(box.points, 0))) + 1;
  return [Math.min(least, threshold), Math.max(most, threshold, 1)];
}

function thresholdParts(store, gesture) {
  const { threshold } = store.model;
  const [least, most] = thresholdRange(store.model);
  const text = pointsText(threshold);
  return [
    el(
      "label",
      { for: "threshold-slider" },
      "Flag a row from ",
      el("output", { class: "strong" }, text),
      " on",
    ),
    el(
      "div",
      { class: "slider" },
      sliderInput({ id: "threshold-slider", least, most, place: threshold, text, gesture }),
      el(
        "div",
        { class: "ends", "aria-hidden": "true" },
        el("span", {}, `${least} (flags more)`),
        el("span", {}, `${most} (fewer)`),
      ),
    ),
    el("p", { class: "quiet-text" }, store.report.closed_form_absent),
  ];
}
