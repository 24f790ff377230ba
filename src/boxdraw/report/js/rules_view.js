/* The rules in words, what matters first, each with what it catches; and the editor of the chosen one. */

import { boxEditor } from "./box_editor.js";
import { el } from "./dom.js";
import { boxName } from "./edits.js";
import { boxFigures } from "./evaluate.js";
import { count, percent, percentRange, plural, short } from "./format.js";
import { sameBox } from "./model.js";
import { presentSets } from "./names.js";
import { newBoxForm } from "./new_box.js";
import { boxOrder, limitOrder } from "./order.js";
import { keepDrawn } from "./patch.js";
import { isLimited, limitText, pointsText, shortLimitText } from "./text.js";

// A rule this long is read at a glance; of a longer one the limits that do most come first, the others fold.
const MOST_LIMITS = 6;
// Of many boxes each has less room: all of them, and the picture, are to be seen at first.
const MANY_BOXES = 4;
const FEW_LIMITS = 3;

/** Draw the rules. */
export function mountRules(root, store) {
  const drafts = new Map();
  const start = {};
  const shared = { drafts, cards: new Map(), unfolded: new Set(), redraw: () => redraw() };
  store.subscribe((what) => {
    if (what === "log") drafts.clear();
  });
  const redraw = keepDrawn(root, store, () => [
    ruleIntroduction(store),
    ...boxLists(store, (k) => boxCard(store, k, shared)),
    newBoxForm(store, start, () => redraw()),
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

/** List the boxes that do most; those that add little can be unfolded. */
function boxLists(store, card) {
  const { major, minor } = boxOrder(store);
  const list = (boxes, key) => el("ol", { class: "boxes", "data-key": key }, boxes.map(card));
  if (!minor.length) return [list(major, "boxes")];
  const { held, table, member } = presentSets(store).at(-1).evaluation;
  const added = new Set(minor.flatMap((k) => [...held[k]].filter((i) => !major.some((other) => member[other][i]))));
  const mass = (label) =>
    [...added].reduce((sum, i) => sum + (table.positive[i] === label ? table.weight?.[i] ?? 1 : 0), 0);
  const effect = `${count(mass(1), table.sampled)} more caught, ${plural(mass(0), "false alarm", "false alarms", table.sampled)}`;
  const summary = `${plural(minor.length, "more box", "more boxes")}${store.model.threshold === null ? `: ${effect}` : ""}`;
  return [
    list(major, "boxes"),
    el("details", { class: "minor", "data-key": "minor" }, el("summary", {}, summary), list(minor, "minor-boxes")),
  ];
}

/** Draw a box; where nothing about it changed, a stand-in tells that its card may stay as it is. */
function boxCard(store, k, { drafts, redraw, cards, unfolded }) {
  const box = store.model.boxes[k];
  const chosen = store.selected === k;
  const open = chosen && store.editing;
  const figures = presentSets(store).map(({ evaluation }) => figuresOf(evaluation, k));
  const state = JSON.stringify([chosen, open, unfolded.has(k), box.points, figures, boxNotes(store, k)]);
  const [known, now] = [cards.get(k), [box.limits, boxOrder(store), state]];
  cards.set(k, now);
  if (!open && known?.every((part, i) => part === now[i])) {
    return Object.assign(el("li", { "data-key": k }), { unchanged: true });
  }
  return el(
    "li",
    { class: chosen ? "box chosen" : "box", "data-key": k },
    el(
      "div",
      { class: "box-head" },
      el("h3", {}, chooseButton(store, k, open)),
      box.points === null ? null : el("span", { class: "badge" }, pointsText(box.points)),
    ),
    ruleSentence(store.report.features, box, limitOrder(store, k), {
      most: store.model.boxes.length > MANY_BOXES ? FEW_LIMITS : MOST_LIMITS,
      open: unfolded.has(k),
      ontoggle: (event) => {
        if (event.target.open) unfolded.add(k);
        else unfolded.delete(k);
        redraw();
      },
    }),
    el("p", { class: "box-counts" }, catchText(store, k)),
    open ? boxFigureTable(store, k) : null,
    el(
      "ul",
      { class: "notes", "data-key": "notes" },
      boxNotes(store, k).map((note) => el("li", {}, note)),
    ),
    open ? boxEditor(store, k, drafts, redraw) : null,
  );
}

function chooseButton(store, k, open) {
  return el(
    "button",
    {
      type: "button",
      class: "link choose",
      id: `box-${k}`,
      "aria-expanded": String(open),
      onclick: () => store.edit(k),
    },
    boxName(k),
    el("span", { class: "hint" }, open ? "close" : "edit"),
  );
}

/** Say what a box catches: on test rows, and smaller on training rows. */
function catchText(store, k) {
  const words = ({ evaluation }) => {
    const { truePositives, falsePositives } = figuresOf(evaluation, k);
    const { sampled } = evaluation.table;
    return `${count(truePositives, sampled)} caught, ${plural(falsePositives, "false alarm", "false alarms", sampled)}`;
  };
  const [main, ...rest] = presentSets(store).toReversed();
  const more = rest.map((set) => el("span", { class: "range" }, `${set.title}: ${words(set)}`));
  return [`${main.title}: ${words(main)} `, ...more];
}

/** Write a rule as ruleText does, with each condition as a piece of its own, and what matters least folded. */
export function ruleSentence(features, box, order = box.limits.keys(), fold = null) {
  const asked = [...order].filter((j) => isLimited(box.limits[j]));
  const pieces = (some, first) =>
    some.flatMap((j, i) => [
      i || !first ? el("span", { class: "and" }, " and ") : null,
      el("span", { class: "condition", title: limitText(features[j], box.limits[j]) }, shortLimitText(features[j], box.limits[j])),
    ]);
  const most = fold?.most ?? MOST_LIMITS;
  const shown = asked.length > most + 1 ? asked.slice(0, most) : asked;
  const rest = asked.slice(shown.length);
  const sentence = el("p", { class: "rule" }, asked.length ? pieces(shown, true) : "every row");
  if (!rest.length) return el("div", { "data-key": "rule" }, sentence);
  const summary = el("summary", {}, `and ${rest.length} limits that keep out less`);
  // While nobody looks, what is folded is not made: with many boxes that takes most of a drag.
  const folded = fold !== null && !fold.open;
  const all = folded ? null : el("p", { class: "rule" }, pieces(rest, false));
  const more = el("details", { "data-key": "more", ontoggle: fold?.ontoggle ?? (() => {}) }, summary, all);
  return el("div", { "data-key": "rule" }, sentence, more);
}

const COLUMNS = [
  ["Rows", "rows of the set that are in the box", ({ support }, { sampled }) => count(support, sampled)],
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
      COLUMNS.map(([, , write]) => el("td", {}, write(figures, evaluation.table))),
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
  const shared = store.editing && store.selected === k ? sharedRows(train, k) : [];
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
