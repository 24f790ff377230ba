/* The rules in words, each with what it does on training and test rows, and the editor of the chosen one. */

import { boxEditor } from "./box_editor.js";
import { el } from "./dom.js";
import { boxName } from "./edits.js";
import { boxFigures } from "./evaluate.js";
import { count, percent, percentRange, plural, short } from "./format.js";
import { sameBox, usedFeatures } from "./model.js";
import { presentSets } from "./names.js";
import { newBoxForm } from "./new_box.js";
import { keepDrawn } from "./patch.js";
import { isLimited, limitText, pointsText, printable } from "./text.js";

/** Draw the rules. */
export function mountRules(root, store) {
  const drafts = new Map();
  const start = {};
  store.subscribe((what) => {
    if (what === "log") drafts.clear();
  });
  const redraw = keepDrawn(root, store, () => [
    ruleIntroduction(store),
    el(
      "ol",
      { class: "boxes", "data-key": "boxes" },
      store.model.boxes.map((_, k) => boxCard(store, k, drafts, () => redraw())),
    ),
    newBoxForm(store, start, () => redraw()),
    missedNote(store),
    unusedNote(store),
  ]);
}

function ruleIntroduction({ model, report }) {
  if (!model.boxes.length)
    return el("p", { class: "warning", "data-key": "intro" }, "There is no box: no row is flagged.");
  const text =
    report.scorecard === null
      ? `A row is flagged if it is in ${model.boxes.length === 1 ? "this box" : "any of these boxes"}.`
      : `A row gets the points of its boxes, and is flagged from ${pointsText(model.threshold)} on.`;
  return el("p", { class: "quiet-text", "data-key": "intro" }, text);
}

function boxCard(store, k, drafts, redraw) {
  const box = store.model.boxes[k];
  const chosen = store.selected === k;
  return el(
    "li",
    { class: chosen ? "box chosen" : "box", "data-key": k },
    el(
      "div",
      { class: "box-head" },
      el("h3", {}, chooseButton(store, k, chosen)),
      box.points === null ? null : el("span", { class: "badge" }, pointsText(box.points)),
    ),
    ruleSentence(store.report.features, box),
    boxFigureTable(store, k),
    el(
      "ul",
      { class: "notes", "data-key": "notes" },
      boxNotes(store, k).map((note) => el("li", {}, note)),
    ),
    chosen ? boxEditor(store, k, drafts, redraw) : null,
  );
}

function chooseButton(store, k, chosen) {
  return el(
    "button",
    {
      type: "button",
      class: "link choose",
      id: `box-${k}`,
      "aria-expanded": String(chosen),
      onclick: () => store.select(store.selected === k ? null : k),
    },
    boxName(k),
    el("span", { class: "hint" }, chosen ? "close" : "edit"),
  );
}

/** Write a rule as ruleText does, with each condition as a piece of its own. */
export function ruleSentence(features, box) {
  const texts = box.limits.flatMap((limit, j) => (isLimited(limit) ? [limitText(features[j], limit)] : []));
  const pieces = texts.flatMap((text, i) => [
    i ? el("span", { class: "and" }, " and ") : null,
    el("span", { class: "condition" }, text),
  ]);
  return el("p", { class: "rule", "data-key": "rule" }, texts.length ? pieces : "every row");
}

const COLUMNS = [
  ["Rows", "rows of the set that are in the box", ({ support }) => count(support)],
  ["Precision", "share of them that are positive, with its 95% interval", precisionCell],
  ["Recall", "share of all positives that are in the box", ({ recall }) => percent(recall)],
  [
    "Only here",
    "share of all positives that are in this box alone",
    ({ uniqueRecall }) => percent(uniqueRecall),
  ],
  ["Lift", "precision over the share of positives in all rows", ({ lift }) => times(lift)],
  ["Overlap", "share of its rows that are in another box too", ({ overlap }) => percent(overlap)],
];

function times(lift) {
  return Number.isFinite(lift) ? `${short(lift, 2)}×` : "–";
}

function precisionCell({ precision, precisionLow, precisionHigh }) {
  return [percent(precision), " ", el("span", { class: "range" }, percentRange(precisionLow, precisionHigh))];
}

const KNOWN_FIGURES = new WeakMap();

/** Describe a box once per evaluation: it takes a look at every row. */
function figuresOf(evaluation, k) {
  if (!KNOWN_FIGURES.has(evaluation)) KNOWN_FIGURES.set(evaluation, []);
  const known = KNOWN_FIGURES.get(evaluation);
  known[k] ??= boxFigures(evaluation, k);
  return known[k];
}

function boxFigureTable(store, k) {
  const lines = presentSets(store).map(({ title, evaluation }) => {
    const figures = figuresOf(evaluation, k);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, title),
      COLUMNS.map(([, , write]) => el("td", {}, write(figures))),
    );
  });
  const heads = COLUMNS.map(([name, meaning]) => el("th", { scope: "col", title: meaning }, name));
  return el(
    "div",
    {
      class: "scroll",
      "data-key": "figures",
      tabindex: "0",
      role: "group",
      "aria-label": `Figures of ${boxName(k)}`,
    },
    el("table", { class: "figures" }, el("thead", {}, el("tr", {}, el("td"), heads)), el("tbody", {}, lines)),
  );
}

/** Say what is odd about a box: empty, twice there, or superfluous. */
export function boxNotes(store, k) {
  const { model, train } = store;
  const figures = figuresOf(train, k);
  const twin = model.boxes.findIndex((box, other) => other !== k && sameBox(box, model.boxes[k]));
  const notes = [];
  if (twin !== -1) notes.push(`The same as ${boxName(twin)}.`);
  if (!figures.support) notes.push("No training row is in it.");
  else if (twin === -1 && figures.overlap === 1 && model.threshold === null) {
    notes.push("All its training rows are in other boxes too: without it the same ones are flagged.");
  }
  const shared = sharedRows(train, k);
  if (twin === -1 && shared.length) notes.push(`Shares training rows: ${shared.join(", ")}.`);
  return notes;
}

function sharedRows({ held, member, depth, table }, k) {
  const mass = new Float64Array(member.length);
  for (const i of held[k]) {
    if (depth[i] < 2) continue;
    const one = table.weight === null ? 1 : table.weight[i];
    for (let other = 0; other < mass.length; other += 1) mass[other] += member[other][i] * one;
  }
  return [...mass].flatMap((shared, other) =>
    other !== k && shared ? [`${count(shared)} with ${boxName(other)}`] : [],
  );
}

/** Count the positives that no rule catches, with a way to see them. */
function missedNote(store) {
  const parts = presentSets(store).map(({ key, title, evaluation }) => {
    const { falseNegatives, truePositives } = evaluation.counts;
    const all = plural(falseNegatives + truePositives, "positive");
    const text = falseNegatives ? `missed ${count(falseNegatives)} of ${all}. ` : `none of ${all} is missed.`;
    const act = () => showRows({ set: key, kind: "missed" });
    const button = el(
      "button",
      { type: "button", class: "link", onclick: act },
      `Show the missed ${title.toLowerCase()} rows`,
    );
    return el("li", { "data-key": key }, `${title}: ${text}`, falseNegatives ? button : null);
  });
  return el(
    "div",
    { class: "missed", "data-key": "missed" },
    el("h3", {}, "What the rules miss"),
    el("ul", {}, parts),
  );
}

/** Lead the reader to certain rows in the list of rows. */
export function showRows(detail) {
  document.dispatchEvent(new CustomEvent("boxdraw:filter", { detail }));
  const section = document.getElementById("rows");
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function unusedNote({ model, report }) {
  const used = new Set(usedFeatures(model));
  const names = report.features.flatMap(({ name }, j) => (used.has(j) ? [] : [printable(name)]));
  if (!names.length)
    return el("p", { class: "quiet-text", "data-key": "unused" }, "Every feature is used by some box.");
  const title = `${plural(names.length, "feature")} used by no box`;
  return el(
    "details",
    { "data-key": "unused" },
    el("summary", {}, title),
    el("p", { class: "quiet-text" }, names.join(", ")),
  );
}
