/* How much to read: the best rules of each length that the learner found, to choose from. */

import { countLimits } from "./choices.js";
import { el } from "./dom.js";
import { evaluate } from "./evaluate.js";
import { count, plural, short } from "./format.js";
import { sameModel, usedFeatures } from "./model.js";
import { presentSets } from "./names.js";
import { keepDrawn } from "./patch.js";
import { printable } from "./text.js";

/** List the lengths, if the learner found several. */
export function mountFrontier(root, store) {
  const points = store.report.found.frontier.map((point) => ({ score: null, ...point }));
  if (points.length < 2) return;
  const best = points.reduce((one, other) => (other.score > one.score ? other : one));
  for (const point of points) point.near = point.score >= best.score - best.error;
  const results = new Map();
  const start = { open: false };
  const ontoggle = (event) => {
    start.open = event.target.open;
    redraw();
  };
  const redraw = keepDrawn(root, store, () => {
    const table = start.open ? frontierTable(store, points, results) : null;
    const title = `How much to read: ${points.length} choices`;
    return el("details", { class: "frontier", "data-key": "frontier", ontoggle }, el("summary", {}, title), table);
  });
}

/** Evaluate a choice on the rows that are shown in front, once. */
function resultOf(store, point, results) {
  const { table } = presentSets(store).at(-1).evaluation;
  if (!results.has(point)) results.set(point, evaluate(point.model, table).counts);
  const { truePositives, falsePositives } = results.get(point);
  const alarms = plural(falsePositives, "false alarm", "false alarms", table.sampled);
  return `${count(truePositives, table.sampled)} caught, ${alarms}`;
}

function frontierTable(store, points, results) {
  const { title } = presentSets(store).at(-1);
  const measure = store.report.scorecard === null ? "Held-out score" : "Held-out AUC";
  const heads = ["To read", measure, `${title} rows`, "Features", ""];
  const line = (point, i) =>
    el(
      "tr",
      { class: sameModel(point.model, store.model) ? "now" : null, "data-key": i },
      el("th", { scope: "row" }, sizeText(point)),
      el("td", {}, scoreText(point)),
      el("td", {}, resultOf(store, point, results)),
      el("td", {}, featureText(store, point)),
      el("td", {}, useButton(store, point)),
    );
  const cells = heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td")));
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rules of each length" },
    el("p", { class: "quiet-text" }, "Those with ≈ are within one standard error of the best: choose among them by what they ask."),
    el("table", {}, el("thead", {}, el("tr", {}, cells)), el("tbody", {}, points.map(line))),
  );
}

function sizeText({ model }) {
  return `${plural(countLimits(model), "limit")} in ${plural(model.boxes.length, "box", "boxes")}`;
}

function scoreText({ score, error, near }) {
  return score === null ? "–" : `${near ? "≈ " : ""}${short(score, 3)} ± ${short(error, 1)}`;
}

function featureText({ report }, { model }) {
  return usedFeatures(model)
    .map((j) => printable(report.features[j].name))
    .join(", ");
}

function useButton(store, point) {
  if (sameModel(point.model, store.model)) return "now";
  const act = () => store.commit(`Rules with ${sizeText(point)}`, point.model);
  return el("button", { type: "button", class: "link", onclick: act }, "Use", el("span", { class: "hidden-text" }, ` ${sizeText(point)}`));
}
