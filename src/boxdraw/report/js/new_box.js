/* A new box starts from one feature and a range on it: a box without limits would flag every row. */

import { el } from "./dom.js";
import { addBox, limitOfMissed } from "./edits.js";
import { numberField, readNumber } from "./field.js";
import { interval, usedFeatures } from "./model.js";
import { categoryText, formatNumber, printable } from "./text.js";

const NOTHING_TYPED = Object.freeze({ lower: undefined, upper: undefined, codes: undefined });

/** Propose a range to start from, in numbers that are short to read. */
function proposedLimit(store, j) {
  const limit = limitOfMissed(store, j);
  const round = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)) : value);
  return limit.codes === null ? interval(round(limit.lower), round(limit.upper)) : limit;
}

/** Draw the form for a new box; `start` holds what is chosen so far, and whether the form is open. */
export function newBoxForm(store, start, redraw) {
  start.j ??= usedFeatures(store.model)[0] ?? 0;
  const toggle = (event) => {
    start.open = event.target.open;
    redraw();
  };
  return el(
    "details",
    { class: "new-box", "data-key": "new-box", ontoggle: toggle },
    el("summary", {}, "Add a box"),
    // Nothing is proposed while nobody looks: that takes time at every change of many rows.
    start.open ? el("div", { class: "stack" }, formParts(store, start, redraw)) : null,
  );
}

function formParts(store, start, redraw) {
  const options = store.report.features.map(({ name }, j) => {
    return el("option", { value: j, selected: j === start.j }, printable(name));
  });
  const choose = (event) => {
    Object.assign(start, { j: Number(event.target.value), error: null }, NOTHING_TYPED);
    redraw();
  };
  const help =
    "Choose a feature and a range to start from: proposed is the middle half of the missed positives.";
  return [
    el("p", { class: "quiet-text" }, help),
    el(
      "div",
      { class: "row", "data-key": "choose" },
      el("label", { for: "new-box-feature" }, "Feature"),
      el("select", { id: "new-box-feature", onchange: choose }, options),
    ),
    startFields(store, start, redraw),
    start.error ? el("p", { class: "error", role: "alert", "data-key": "error" }, start.error) : null,
    el("div", { "data-key": "add" }, addButton(store, start, redraw)),
  ];
}

function startFields(store, start, redraw) {
  const proposed = proposedLimit(store, start.j);
  const feature = store.report.features[start.j];
  if (feature.kind === "categorical") return startCodes(feature, start, proposed, redraw);
  const side = (name, label, value) =>
    numberField({
      key: `new-${name}`,
      label,
      text: start[name] ?? (Number.isFinite(value) ? formatNumber(value) : ""),
      placeholder: "no limit",
      onchange: (text) => {
        start[name] = text;
      },
    });
  return el(
    "div",
    { class: "row", "data-key": `range-${start.j}` },
    side("lower", "from", proposed.lower),
    side("upper", "to", proposed.upper),
  );
}

function startCodes(feature, start, proposed, redraw) {
  const chosen = start.codes ?? proposed.codes;
  const act = (code) => (event) => {
    const rest = (start.codes ?? proposed.codes).filter((other) => other !== code);
    start.codes = event.target.checked ? [...rest, code].sort((a, b) => a - b) : rest;
    redraw();
  };
  const boxes = feature.categories.map((value, code) =>
    el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", checked: chosen.includes(code), onchange: act(code) }),
      categoryText(value),
    ),
  );
  return el("div", { class: "codes", "data-key": `codes-${start.j}` }, boxes);
}

function addButton(store, start, redraw) {
  const act = () => {
    const { limit, error } = startLimit(store, start);
    start.error = error ?? null;
    if (error) return redraw();
    const limits = store.report.features.map((_, j) => (j === start.j ? limit : null));
    Object.assign(start, NOTHING_TYPED);
    addBox(store, limits);
    return document.getElementById(`box-${store.selected}`)?.focus();
  };
  return el("button", { type: "button", class: "main", onclick: act }, "Add box");
}

/** Read the form. */
function startLimit(store, start) {
  const proposed = proposedLimit(store, start.j);
  if (store.report.features[start.j].kind === "categorical") {
    const codes = start.codes ?? proposed.codes;
    return codes.length ? { limit: { ...proposed, codes } } : { error: "Choose at least one category." };
  }
  const lower =
    start.lower === undefined ? { value: proposed.lower } : readNumber(start.lower, { empty: -Infinity });
  const upper =
    start.upper === undefined ? { value: proposed.upper } : readNumber(start.upper, { empty: Infinity });
  if (lower.error || upper.error) return { error: lower.error ?? upper.error };
  if (lower.value > upper.value) return { error: "The least must not be above the greatest." };
  if (lower.value === -Infinity && upper.value === Infinity) return { error: "Type at least one limit." };
  return { limit: interval(lower.value, upper.value) };
}
