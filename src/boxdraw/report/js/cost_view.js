/* One knob for what false alarms cost: how the rules do at that price, and, where the learner has a path, a slider over
   it that says what each place on it would do, with the cheapest marked. */

import { pathCurve, scoreCurve } from "./curves.js";
import { el, svg } from "./dom.js";
import { totalCost } from "./evaluate.js";
import { numberField, readNumber } from "./field.js";
import { count, short } from "./format.js";
import { sameModel, withThreshold } from "./model.js";
import { presentSets } from "./names.js";
import { keepDrawn } from "./patch.js";
import { drawAt, readForm } from "./path.js";
import { countsAt, curveOf } from "./roc.js";
import { Gesture, sliderInput } from "./slider.js";
import { changeWords } from "./summary_view.js";
import { pointsText } from "./text.js";

const STOPS = 240;

/** Draw the knob that this model has. */
export function mountCost(root, store) {
  const knob = knobOf(store);
  if (store.report.scorecard !== null) root.querySelector("h2").textContent = "Threshold and cost";
  const learned = store.now().counts;
  const draft = {};
  const parts = () => [
    knob === null ? null : sliderPart(store, knob, learned),
    priceField(store, draft),
    costText(store),
    knob === null ? null : handNote(store, knob),
  ];
  const redraw = keepDrawn(root, store, parts);
  if (knob === null) return;
  knob.redraw = redraw;
  knob.gesture = new Gesture(
    (place) => preview(store, knob, place),
    () => keep(store, knob),
  );
  redraw();
  document.addEventListener("boxdraw:cost", (event) => {
    preview(store, knob, knob.nearest(event.detail.cost));
    keep(store, knob);
  });
}

/** Return what the slider goes over: its stops, the model at each, what it would count, and the words for it. */
function knobOf(store) {
  if (store.report.scorecard !== null) return thresholdKnob(store);
  if (store.report.closed_form !== null) return costKnob(store, formPath(store));
  return store.report.found.path.length ? costKnob(store, drawnPath(store)) : null;
}

function mainSet(store) {
  return presentSets(store).at(-1);
}

/** The path of Fast Boxes: boxes at any cost, drawn from the closed form. */
function formPath(store) {
  const form = readForm(store.report.closed_form);
  const { table } = mainSet(store).evaluation;
  const curve = table.critical === null ? null : curveOf(table);
  const drawn = new Map();
  return { stops: costStops(form), curve, model: (cost) => boxesAt({ store, form, drawn }, cost) };
}

/** The path of Sparse Boxes: a drawing for each of some costs. */
function drawnPath(store) {
  const { path } = store.report.found;
  const model = (cost) => path.find((step) => step.cost === cost).model;
  return { stops: path.map(({ cost }) => cost), curve: pathCurve(path, mainSet(store).evaluation.table), model };
}

function costKnob(store, { stops, curve, model }) {
  return {
    id: "cost-slider",
    name: "Larger or smaller boxes",
    ends: ["flags more", "flags less"],
    stops: () => stops,
    nearest: (cost) => nearestStop(stops, cost),
    place: () => nearestStop(stops, store.cost),
    show: (cost) => store.preview(model(cost), cost),
    counts: () => (cost) => (curve === null ? null : countsAt(curve, cost)),
    text: (cost) => `a false alarm weighs ${short(cost)} of a miss in the fit`,
    step: (from) =>
      from.cost === store.cost
        ? `Boxes drawn anew for a cost of ${short(store.cost)}`
        : `Cost of a false alarm: ${short(from.cost)} → ${short(store.cost)}`,
    byHand: () => !sameModel(store.model, model(store.cost)),
  };
}

function thresholdKnob(store) {
  return {
    id: "threshold-slider",
    name: "Flag a row from so many points on",
    ends: ["flags more", "flags less"],
    stops: () => {
      const [least, most] = thresholdRange(store.model);
      return Array.from({ length: most - least + 1 }, (_, i) => least + i);
    },
    nearest: (threshold) => threshold - thresholdRange(store.model)[0],
    place: () => store.model.threshold - thresholdRange(store.model)[0],
    show: (threshold) => store.preview(withThreshold(store.model, threshold)),
    counts: () => {
      const curve = scoreCurve(mainSet(store).evaluation);
      return (threshold) => (curve === null ? null : countsAt(curve, threshold));
    },
    text: (threshold) => `from ${pointsText(threshold)} on`,
    step: (from) => `Threshold: ${from.model.threshold} → ${store.model.threshold}`,
    byHand: () => false,
  };
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

/** Find the stop that is nearest by ratio. */
function nearestStop(stops, cost) {
  const far = (stop) => Math.abs(Math.log(stop) - Math.log(cost));
  return stops.reduce((best, stop, i) => (far(stop) < far(stops[best]) ? i : best), 0);
}

/** Return the least and the most points that the slider offers; below 1 only where some are negative. */
export function thresholdRange({ boxes, threshold }) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const most = sum(boxes.map((box) => Math.max(box.points, 0)));
  const least = sum(boxes.map((box) => Math.min(box.points, 0))) + 1;
  return [Math.min(least, threshold), Math.max(most, threshold, 1)];
}

function preview(store, knob, place) {
  knob.from ??= store.started ?? store.now();
  knob.show(knob.stops()[place]);
}

function keep(store, knob) {
  const { from } = knob;
  knob.from = undefined;
  if (from !== undefined) store.commit(knob.step(from));
}

/** Find the stop that costs least on the rows that are shown in front; null where nothing can be counted. */
function cheapest(store, knob) {
  const countsOf = knob.counts();
  const costs = knob.stops().map((stop) => {
    const counts = countsOf(stop);
    return counts === null ? Infinity : totalCost(counts, store.price);
  });
  const place = costs.indexOf(Math.min(...costs));
  return costs[place] === Infinity ? null : { place, counts: countsOf(knob.stops()[place]) };
}

function sliderPart(store, knob, learned) {
  const stops = knob.stops();
  const place = knob.place();
  const set = mainSet(store);
  // While the slider moves, its mark stays.
  if (store.started === undefined || knob.best === undefined) knob.best = cheapest(store, knob);
  const outcome = outcomeText(learned[set.key], set.evaluation.counts);
  const text = `${outcome}; ${knob.text(stops[place])}`;
  const slider = { id: knob.id, least: 0, most: stops.length - 1, place, text, gesture: knob.gesture };
  return el(
    "div",
    { class: "slider", "data-key": "slider" },
    el("label", { for: knob.id }, knob.name),
    el("output", { class: "outcome", for: knob.id }, `${outcome} `, el("span", { class: "range" }, `${set.title} rows; ${knob.text(stops[place])}`)),
    knob.gesture === undefined ? null : sliderInput(slider),
    knob.best === null || stops.length < 2 ? null : markOf(knob.best.place / (stops.length - 1)),
    el("div", { class: "ends", "aria-hidden": "true" }, knob.ends.map((end) => el("span", {}, end))),
    bestButton(store, knob, set, place),
  );
}

/** Say what a model does that another does not. */
function outcomeText(before, after) {
  const words = changeWords(before, after, null);
  return /^as many .* as many /.test(words) ? "Catches what the learned rules catch." : `${words} than as learned.`;
}

/** Mark a share of the way along the slider, whose thumb is 16 pixels wide. */
function markOf(share) {
  const anchor = share < 0.2 ? "start" : share > 0.8 ? "end" : "middle";
  const x = `${(100 * share).toFixed(1)}%`;
  const text = svg("text", { x, y: 11, "text-anchor": anchor }, "▲ cheapest");
  return svg("svg", { class: "cheapest", height: 14, "aria-hidden": "true" }, text);
}

function bestButton(store, knob, set, place) {
  if (knob.best === null || store.price === 0) return null;
  if (place === knob.best.place) return el("p", { class: "quiet-text" }, `This is the cheapest point on ${set.title.toLowerCase()} rows.`);
  const act = () => {
    preview(store, knob, knob.best.place);
    keep(store, knob);
  };
  const words = changeWords(set.evaluation.counts, knob.best.counts, null);
  return el("button", { type: "button", "data-key": "cheapest", onclick: act }, `Go to the cheapest: about ${words}`);
}

/** Let the reader say what a false alarm costs. */
function priceField(store, draft) {
  const field = numberField({
    key: "price",
    label: "A false alarm costs",
    after: "of a miss",
    text: draft.text ?? short(store.price, 4),
    error: draft.error ?? null,
    onchange: (text) => {
      const read = readNumber(text, { least: 0 });
      Object.assign(draft, read.error ? { text, error: read.error } : { text: undefined, error: undefined });
      store.setPrice(read.error ? store.price : read.value);
    },
  });
  return el("div", { class: "price", "data-key": "price" }, field);
}

function costText(store) {
  const texts = presentSets(store)
    .toReversed()
    .map(({ title, evaluation }) => `${count(totalCost(evaluation.counts, store.price))} on ${title.toLowerCase()} rows`);
  const text = `At that the rules cost as much as so many misses: ${texts.join(", ")}.`;
  return el("p", { class: "quiet-text", "data-key": "cost" }, text);
}

/** Warn that the slider draws over what was changed by hand. */
function handNote(store, knob) {
  if (knob.from !== undefined || !knob.byHand()) return null;
  return el(
    "p",
    { class: "warning", "data-key": "by-hand" },
    "The boxes were changed by hand. The slider draws them anew without that; undo brings the changes back.",
  );
}
