/* The results in figures: counts on training and test rows side by side, and what edits did to them. */

import { el } from "./dom.js";
import { rates, totalCost } from "./evaluate.js";
import { count, percent, percentRange, plural, signed } from "./format.js";
import { usedFeatures } from "./model.js";
import { classNames, presentSets } from "./names.js";
import { keepDrawn } from "./patch.js";
import { printable } from "./text.js";

/** Draw the results. */
export function mountSummary(root, store) {
  const learned = store.now().counts;
  keepDrawn(root, store, () => [resultTable(store, learned), missedNote(store), unusedNote(store)]);
}

const COUNTS_NOTE =
  "This page holds no rows, only how many lie between the same limits: figures are right for the learned limits, and rough for others.";

/** Say what the figures stand on: no test rows, or a sample. */
export function dataNotes(store) {
  const notes = presentSets(store)
    .filter(({ evaluation }) => evaluation.table.sampled)
    .map(sampleNote);
  if (store.report.counts_only) notes.unshift(COUNTS_NOTE);
  if (store.test === null) {
    notes.unshift("No test rows: the model is judged on the rows that it was drawn on, which flatters it.");
  }
  return notes.map((note) => el("p", { class: "warning", "data-key": note.slice(0, 30) }, note));
}

function sampleNote({ title, evaluation }) {
  const { n, total } = evaluation.table;
  const size = `${count(n)} of ${count(total.rows)} rows`;
  return `${title} figures are estimates from a sample of ${size}; the intervals leave that out of account.`;
}

/** Draw the confusion matrices of all sets side by side, and below them what follows from the counts. */
function resultTable(store, learned) {
  const sets = presentSets(store);
  const heads = sets.map(({ title }) => el("th", { colspan: 2, scope: "colgroup" }, title));
  const kinds = sets.flatMap(() => ["flagged", "passed"].map((text) => el("th", { scope: "col" }, text)));
  return el(
    "table",
    { class: "results", "data-key": "results" },
    el(
      "caption",
      { class: "hidden-text" },
      "Rows by class and by what the model says, and what follows from that",
    ),
    el("thead", {}, el("tr", {}, el("td"), heads), el("tr", {}, el("td"), kinds)),
    el("tbody", { class: "confusion" }, confusionLines(store, sets, learned)),
    el("tbody", {}, figureLines(store, sets)),
  );
}

function confusionLines(store, sets, learned) {
  const [negative, positive] = classNames(store.report);
  const line = (name, cells) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      sets.flatMap((set) => cells.map((cell) => confusionCell(set, cell, learned[set.key]))),
    );
  return [
    line(positive, [
      ["truePositives", "caught", 1],
      ["falseNegatives", "missed", -1],
    ]),
    line(negative, [
      ["falsePositives", "false alarms", -1],
      ["trueNegatives", "let pass", 1],
    ]),
  ];
}

function confusionCell({ evaluation }, [name, label, good], learned) {
  const change = evaluation.counts[name] - learned[name];
  const gain = change * good > 0 ? "change better" : "change worse";
  const number = count(evaluation.counts[name], evaluation.table.sampled);
  return el(
    "td",
    {},
    el("b", { class: number.length > 6 ? "long" : null }, number),
    signed(change) === "±0" ? null : [" ", el("span", { class: gain }, signed(change))],
    el("span", { class: "label" }, label),
  );
}

function figureLines(store, sets) {
  const line = (name, write) => {
    const cells = sets.map(({ evaluation }) =>
      el("td", { colspan: 2 }, write(rates(evaluation.counts), evaluation)),
    );
    return el("tr", {}, el("th", { scope: "row" }, name), cells);
  };
  return [
    line("Flagged", ({ flagged }, { table }) => count(flagged, table.sampled)),
    line("Precision", (figures) => [el("b", {}, percent(figures.precision)), intervalNote(figures)]),
    line("Recall", ({ recall }) => el("b", {}, percent(recall))),
    line("False-alarm rate", ({ falseAlarmRate }) => percent(falseAlarmRate)),
    line("Total cost", (_, { counts }) => el("b", {}, count(totalCost(counts, store.price)))),
  ];
}

function intervalNote({ precisionLow, precisionHigh }) {
  return [" ", el("span", { class: "range" }, percentRange(precisionLow, precisionHigh))];
}

/** Write the difference of two counts, at a price with that of costs: "3 more caught, 12 fewer false alarms, cost −9". */
export function changeWords(before, after, price) {
  const caught = after.truePositives - before.truePositives;
  const alarms = after.falsePositives - before.falsePositives;
  const texts = [moreOrFewer(caught, "caught", "caught"), moreOrFewer(alarms, "false alarm")];
  if (price !== null) texts.push(`cost ${signed(totalCost(after, price) - totalCost(before, price))}`);
  return texts.join(", ");
}

function moreOrFewer(value, one, many) {
  if (signed(value) === "±0") return `as many ${many ?? `${one}s`}`;
  const [number, ...words] = plural(Math.abs(value), one, many).split(" ");
  return `${number} ${value > 0 ? "more" : "fewer"} ${words.join(" ")}`;
}

/** Count the positives that no rule catches, with a way to see them. */
function missedNote(store) {
  const parts = presentSets(store).map(({ key, title, evaluation }) => {
    const { falseNegatives, truePositives } = evaluation.counts;
    const all = plural(falseNegatives + truePositives, "positive", "positives", evaluation.table.sampled);
    const { sampled } = evaluation.table;
    const missed = `missed ${count(falseNegatives, sampled)} of ${all}. `;
    const text = falseNegatives ? missed : `none of ${all} is missed.`;
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
