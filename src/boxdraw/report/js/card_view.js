/* A scorecard as people use it: what each threshold would mean, and the boxes that it amounts to. */

import { el } from "./dom.js";
import { commitThreshold } from "./edits.js";
import { confusion, rates } from "./evaluate.js";
import { count, percent } from "./format.js";
import { presentSets } from "./names.js";
import { keepDrawn } from "./patch.js";
import { ruleSentence } from "./rules_view.js";
import { pointsText } from "./text.js";
import { unionOf, whyNoUnion } from "./union.js";

const MOST_THRESHOLDS = 30;
const MOST_UNION_BOXES = 20;

/** Draw the parts that only a scorecard has. */
export function mountCard(root, store) {
  if (store.report.scorecard === null) return;
  const open = new Set();
  const parts = [
    ["threshold-fold", "What each threshold means", thresholdTable],
    ["union-fold", "The same as a union of boxes", unionPart],
  ];
  // What is folded is not worked out, which takes time at every change.
  const fold = ([key, title, part]) => {
    const ontoggle = (event) => {
      if (event.target.open) open.add(key);
      else open.delete(key);
      redraw();
    };
    return el("details", { "data-key": key, ontoggle }, el("summary", {}, title), open.has(key) ? part(store) : null);
  };
  const redraw = keepDrawn(root, store, () => parts.map(fold));
}

/** List the scores that rows reach, the highest first: other thresholds mean the same as one of these. */
export function reachedScores(store) {
  const scores = new Set(presentSets(store).flatMap(({ evaluation }) => [...new Set(evaluation.score)]));
  return [...scores].filter((score) => score > 0).sort((a, b) => b - a);
}

function thresholdTable(store) {
  const sets = presentSets(store);
  const scores = reachedScores(store);
  const shown = scores.slice(0, MOST_THRESHOLDS);
  const now = scores.filter((score) => score >= store.model.threshold).at(-1);
  return el(
    "div",
    {
      class: "scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "What each threshold means",
      "data-key": "thresholds",
    },
    el(
      "table",
      { class: "figures thresholds" },
      el("caption", {}, "If rows were flagged from so many points on"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          sets.map(({ title }) => el("th", { colspan: 4, scope: "colgroup" }, title)),
          el("td"),
        ),
        el("tr", {}, el("th", { scope: "col" }, "From"), sets.map(thresholdHeads), el("td")),
      ),
      el(
        "tbody",
        {},
        shown.map((score) => thresholdLine(store, sets, score, score === now)),
      ),
    ),
  );
}

function thresholdHeads() {
  return ["Caught", "False alarms", "Precision", "Recall"].map((name) => el("th", { scope: "col" }, name));
}

function thresholdLine(store, sets, score, isNow) {
  const cells = sets.flatMap(({ evaluation }) => {
    const counts = confusion(
      evaluation.score.map((points) => (points >= score ? 1 : 0)),
      evaluation.table,
    );
    const { precision, recall } = rates(counts);
    return [count(counts.truePositives), count(counts.falsePositives), percent(precision), percent(recall)];
  });
  const choose = el(
    "button",
    { type: "button", class: "link", onclick: () => commitThreshold(store, score) },
    `Use ${score}`,
  );
  return el(
    "tr",
    { class: isNow ? "now" : null, "data-key": score },
    el("th", { scope: "row" }, pointsText(score)),
    cells.map((text) => el("td", {}, text)),
    el("td", {}, isNow ? "now" : choose),
  );
}

function unionPart({ model, report }) {
  const union = unionOf(model, report.features);
  const parts =
    union === null
      ? [el("p", { class: "quiet-text" }, whyNoUnion(model))]
      : unionList(union, report.features);
  return el(
    "div",
    { class: "stack union", "data-key": "union" },
    parts,
  );
}

function unionList(union, features) {
  if (!union.length)
    return [el("p", { class: "quiet-text" }, "No row can reach the threshold: no row is flagged.")];
  const rest = union.length - MOST_UNION_BOXES;
  return [
    el("p", { class: "quiet-text" }, "A row reaches the threshold exactly if it is in one of these:"),
    el(
      "ol",
      { class: "union-boxes" },
      union.slice(0, MOST_UNION_BOXES).map((box) => el("li", {}, ruleSentence(features, box))),
    ),
    rest > 0 ? el("p", { class: "quiet-text" }, `and in ${rest} more.`) : null,
  ];
}
