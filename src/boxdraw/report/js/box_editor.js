/* The editor of one box: each limit as fields, checked as they are typed, shown at once, kept when left. */

import { el } from "./dom.js";
import {
  boxName,
  withCode,
  commitLimit,
  commitPoints,
  dropBox,
  duplicateBox,
  limitAround,
  sideLimit,
} from "./edits.js";
import { numberField, readNumber } from "./field.js";
import { count, short } from "./format.js";
import { withLimit } from "./model.js";
import { categoryText, formatNumber, isKnown, isOnlyMissing, printable } from "./text.js";

const MOST_CODES = 60;

/** Draw the fields of a box; `drafts` holds what was typed and is no number, by field. */
export function boxEditor(store, k, drafts, redraw) {
  const box = store.model.boxes[k];
  const context = { store, k, drafts, redraw };
  const used = box.limits.flatMap((limit, j) => (limit === null ? [] : [j]));
  return el(
    "div",
    { class: "editor", "data-key": `editor-${k}`, role: "group", "aria-label": `Change ${boxName(k)}` },
    box.points === null ? null : pointsField(context),
    used.length
      ? null
      : el("p", { class: "warning", "data-key": "open" }, "This box has no limit: every row is in it."),
    used.length ? limitHeads() : null,
    el(
      "ul",
      { class: "limits", "data-key": "limits" },
      used.map((j) => limitItem(context, j)),
    ),
    el("div", { class: "row", "data-key": "more" }, addLimit(context), wholeBoxButtons(context)),
  );
}

function limitHeads() {
  const names = ["Feature", "From and to", "Missing values", "Training rows"];
  return el(
    "div",
    { class: "limit-heads", "aria-hidden": "true", "data-key": "heads" },
    names.map((name) => el("span", {}, name)),
  );
}

function limitItem(context, j) {
  const { store, k } = context;
  const feature = store.report.features[j];
  const limit = store.model.boxes[k].limits[j];
  const name = printable(feature.name);
  return el(
    "li",
    { "data-key": j, id: `limit-${k}-${j}`, "aria-label": name },
    el("span", { class: "name" }, name),
    feature.kind === "categorical" ? categoryBoxes(context, j) : intervalFields(context, j),
    missingToggle(context, j),
    el("span", { class: "limit-note" }, limitNote(store, j, limit)),
    dropButton(context, j, name),
  );
}

function dropButton({ store, k }, j, name) {
  const act = (event) => {
    const item = event.target.closest("li");
    const next = item.nextElementSibling ?? item.previousElementSibling;
    const then = next?.querySelector("button.drop") ?? item.closest(".editor").querySelector("select");
    commitLimit(store, k, j, null);
    then?.focus();
  };
  const label = `Drop the limit on ${name}`;
  return el(
    "button",
    { type: "button", class: "quiet drop", "aria-label": label, title: label, onclick: act },
    "Drop",
  );
}

function intervalFields(context, j) {
  const limit = context.store.model.boxes[context.k].limits[j];
  const [lower, upper] = isOnlyMissing(limit) ? [-Infinity, Infinity] : [limit.lower, limit.upper];
  return el(
    "div",
    { class: "interval" },
    sideField(context, j, "lower", lower),
    el("span", { class: "to" }, "to"),
    sideField(context, j, "upper", upper),
  );
}

function sideField(context, j, side, value) {
  const { store, k, drafts, redraw } = context;
  const key = `${k}-${j}-${side}`;
  const draft = drafts.get(key);
  const name = printable(store.report.features[j].name);
  const forget = () => {
    drafts.delete(key);
    store.cancel();
    redraw();
  };
  const field = numberField({
    key,
    label: `${side === "lower" ? "Least" : "Greatest"} ${name} in ${boxName(k)}`,
    hidden: true,
    text: draft?.text ?? (Number.isFinite(value) ? formatNumber(value) : ""),
    error: draft?.error ?? null,
    placeholder: "no limit",
    oninput: (text) => typeSide(context, j, side, text),
    onchange: (text) => leaveSide(context, j, side, text),
    onescape: forget,
  });
  return el("div", { class: "side" }, field);
}

/** Read what was typed on one side of an interval, against the other side. */
function readSide({ store, k }, j, side, text) {
  const limit = (store.started?.model ?? store.model).boxes[k].limits[j];
  const { value, error } = readNumber(text, { empty: side === "lower" ? -Infinity : Infinity });
  if (error) return { error };
  const next = sideLimit(limit, side, value);
  if (next.lower <= next.upper) return { next };
  if (side === "lower") return { error: `The least must not be above ${formatNumber(next.upper)}.` };
  return { error: `The greatest must not be below ${formatNumber(next.lower)}.` };
}

/** Show what a number that is being typed would do; an empty field may be on its way to another number. */
function typeSide(context, j, side, text) {
  const { store, k, drafts } = context;
  drafts.set(`${k}-${j}-${side}`, { text, error: null });
  const { next, error } = readSide(context, j, side, text);
  if (error || text.trim() === "") store.cancel();
  else store.preview(withLimit(store.model, k, j, next));
}

function leaveSide(context, j, side, text) {
  const { store, k, drafts, redraw } = context;
  const { next, error } = readSide(context, j, side, text);
  if (error) {
    drafts.set(`${k}-${j}-${side}`, { text, error });
    store.cancel();
  } else {
    drafts.delete(`${k}-${j}-${side}`);
    commitLimit(store, k, j, next);
  }
  redraw();
}

function categoryBoxes(context, j) {
  const { store, k } = context;
  const feature = store.report.features[j];
  const { codes } = store.model.boxes[k].limits[j];
  const draft = context.drafts.get(`${k}-${j}-codes`);
  const { shown, find } = foundCodes(context, j, codes);
  const boxes = shown.map((code) =>
    el(
      "label",
      { class: "check", "data-key": code },
      el("input", {
        type: "checkbox",
        checked: codes === null || codes.includes(code),
        onchange: (event) => toggleCode(context, j, code, event.target.checked),
      }),
      categoryText(feature.categories[code]),
    ),
  );
  return el(
    "div",
    { class: "codes" },
    find,
    boxes,
    draft ? el("p", { class: "error", role: "alert" }, draft.error) : null,
  );
}

/** List the categories to choose from: of many those in the box or, once something is typed, those that have it. */
function foundCodes({ store, k, drafts, redraw }, j, codes) {
  const { categories, name } = store.report.features[j];
  const all = [...categories.keys()];
  if (all.length <= MOST_CODES) return { shown: all, find: null };
  const key = `${k}-${j}-find`;
  const wanted = (drafts.get(key) ?? "").toLowerCase();
  const found = all.filter((code) => categoryText(categories[code]).toLowerCase().includes(wanted));
  const inside = (code) => (codes === null || codes.includes(code) ? 0 : 1);
  const shown = found.sort((a, b) => inside(a) - inside(b) || a - b).slice(0, MOST_CODES);
  const rest = found.length - shown.length;
  const oninput = (event) => {
    drafts.set(key, event.target.value);
    redraw();
  };
  const field = el("input", { type: "search", "aria-label": `Find a category of ${printable(name)}`, placeholder: "Find", value: drafts.get(key) ?? "", oninput });
  return { shown, find: [field, rest ? el("span", { class: "quiet-text" }, `and ${count(rest)} more`) : null] };
}

function toggleCode(context, j, code, isIn) {
  const { store, k, drafts, redraw } = context;
  const next = withCode(store.model.boxes[k].limits[j], store.report.features[j], code, isIn);
  if (next.codes.length || next.missing) {
    drafts.delete(`${k}-${j}-codes`);
    commitLimit(store, k, j, next);
  } else {
    drafts.set(`${k}-${j}-codes`, { error: "At least one category must stay; or drop the box." });
    redraw();
  }
}

function missingToggle({ store, k }, j) {
  const limit = store.model.boxes[k].limits[j];
  const only = isOnlyMissing(limit);
  const act = (event) => {
    commitLimit(store, k, j, { ...store.model.boxes[k].limits[j], missing: event.target.checked });
  };
  return el(
    "label",
    { class: "check" },
    el("input", { type: "checkbox", checked: limit.missing, disabled: only, onchange: act }),
    only ? "only these are inside" : "inside",
    el("span", { class: "hidden-text" }, ": missing values"),
  );
}

/** Say what the training rows have, to judge a limit by. */
function limitNote(store, j, limit) {
  if (isKnown(limit)) return "every known value is inside";
  if (store.report.features[j].kind === "categorical") return null;
  const [least, most] = columnRange(store.report.data.train, j);
  return least > most ? null : `${short(least, 4)} to ${short(most, 4)}`;
}

const RANGES = new WeakMap();

/** Find the least and the greatest number of a column, once. */
export function columnRange(table, j) {
  const column = table.columns[j];
  if (!RANGES.has(column)) {
    let [least, most] = [Infinity, -Infinity];
    for (const value of column) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
    RANGES.set(column, [least, most]);
  }
  return RANGES.get(column);
}

function pointsField({ store, k, drafts, redraw }) {
  const key = `${k}-points`;
  const draft = drafts.get(key);
  const onchange = (text) => {
    const { value, error: wrong } = readNumber(text, { whole: true });
    const error = value === 0 ? "A box of no points does nothing: drop it instead." : wrong;
    if (error) drafts.set(key, { text, error });
    else drafts.delete(key);
    if (!error && value !== store.model.boxes[k].points) commitPoints(store, k, value);
    redraw();
  };
  const field = numberField({
    key,
    label: `Points of ${boxName(k)}`,
    text: draft?.text ?? String(store.model.boxes[k].points),
    error: draft?.error ?? null,
    onchange,
  });
  return el("div", { class: "row points", "data-key": "points" }, field);
}

function addLimit({ store, k }) {
  const { features } = store.report;
  const id = `add-limit-${k}`;
  const act = () => {
    const j = Number(document.getElementById(id).value);
    commitLimit(store, k, j, limitAround(store, k, j));
    document.querySelector(`#limit-${k}-${j} input`)?.focus();
  };
  const free = features.flatMap((_, j) => (store.model.boxes[k].limits[j] === null ? [j] : []));
  const options = free.map((j) => el("option", { value: j, "data-key": j }, printable(features[j].name)));
  return el(
    "div",
    { class: "row add", "data-key": "add" },
    el("label", { for: id }, "Limit on"),
    el("select", { id, disabled: !free.length }, options),
    el("button", { type: "button", disabled: !free.length, onclick: act }, "Add limit"),
  );
}

function wholeBoxButtons({ store, k }) {
  const drop = () => {
    dropBox(store, k);
    document.getElementById(`box-${Math.min(k, store.model.boxes.length - 1)}`)?.focus();
  };
  const copy = () => {
    duplicateBox(store, k);
    document.getElementById(`box-${store.selected}`)?.focus();
  };
  return [
    el("button", { type: "button", "data-key": "copy", onclick: copy }, "Duplicate box"),
    el("button", { type: "button", "data-key": "drop", onclick: drop }, "Drop box"),
  ];
}
