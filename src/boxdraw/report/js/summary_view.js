/* What the model does: its counts on training and test rows side by side, and what edits did to them. */

import { el } from "./dom.js";
import { rates, totalCost } from "./evaluate.js";
import { count, percent, percentRange, plural, short, signed } from "./format.js";
import { classNames, presentSets } from "./names.js";
import { numberField, readNumber } from "./field.js";
import { keepDrawn } from "./patch.js";

/** Draw the results. */
export function mountSummary(root, store) {
  const learned = { train: store.train.counts, test: store.test?.counts };
  const draft = {};
  keepDrawn(root, store, () => [
    ...dataNotes(store),
    resultTable(store, learned),
    priceField(store, draft),
    el(
      "div",
      { class: "changes", "aria-live": "polite", "data-key": "changes" },
      changeNotes(store, learned),
    ),
  ]);
}

/** Say what the figures stand on: no test rows, or a sample. */
export function dataNotes(store) {
  const notes = presentSets(store)
    .filter(({ evaluation }) => evaluation.table.sampled)
    .map(sampleNote);
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
  const number = count(evaluation.counts[name]);
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
    line("Flagged", ({ flagged }) => count(flagged)),
    line("Precision", (figures) => [el("b", {}, percent(figures.precision)), intervalNote(figures)]),
    line("Recall", ({ recall }) => el("b", {}, percent(recall))),
    line("False-alarm rate", ({ falseAlarmRate }) => percent(falseAlarmRate)),
    line("Total cost", (_, { counts }) => el("b", {}, count(totalCost(counts, store.price)))),
  ];
}

function intervalNote({ precisionLow, precisionHigh }) {
  return [" ", el("span", { class: "range" }, percentRange(precisionLow, precisionHigh))];
}

/** Let the reader say what a false alarm costs in the total. */
function priceField(store, draft) {
  const field = numberField({
    key: "price",
    label: "Cost in misses, with a false alarm at",
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

/** Say in words what the changes did. */
function changeNotes(store, learned) {
  if (!store.edited) return [el("p", { class: "quiet-text" }, "The model is as it was learned.")];
  const sets = presentSets(store);
  const texts = sets.map(({ title, key, evaluation }) => {
    return el("li", {}, `${title}: ${changeWords(learned[key], evaluation.counts, store.price)}`);
  });
  return [el("h3", {}, "Against the learned model"), el("ul", {}, texts)];
}

/** Write the difference of two counts: "3 more caught, 12 fewer false alarms, cost −9". */
export function changeWords(before, after, price) {
  const caught = after.truePositives - before.truePositives;
  const alarms = after.falsePositives - before.falsePositives;
  const cost = totalCost(after, price) - totalCost(before, price);
  const texts = [
    moreOrFewer(caught, "caught", "caught"),
    moreOrFewer(alarms, "false alarm"),
    `cost ${signed(cost)}`,
  ];
  return texts.join(", ");
}

function moreOrFewer(value, one, many) {
  if (signed(value) === "±0") return `as many ${many ?? `${one}s`}`;
  const [number, ...words] = plural(Math.abs(value), one, many).split(" ");
  return `${number} ${value > 0 ? "more" : "fewer"} ${words.join(" ")}`;
}
