/* What is known of the learned model whatever is edited: what was proven, and how much it moves when it is learned again. */

import { el } from "./dom.js";
import { count, percent, percentRange, short } from "./format.js";

/** Say what a search has proven of the learned rules; null of those that were found without a proof. */
export function proofText({ status, objective, bound }) {
  if (typeof objective !== "number") return null;
  const found = `the learned rules reach ${short(objective, 6)} on the training rows`;
  if (status === "optimal") return `Proven best: ${found}, in positives less what false alarms, boxes and limits cost, and no other rules reach more.`;
  const most = typeof bound === "number" ? `no rules reach more than ${short(bound, 6)}` : "how far other rules can reach is not known";
  return `Not proven best: the search ended early. In positives less what false alarms, boxes and limits cost, ${found}; ${most}.`;
}

/** Show the proof, if there is one. */
export function mountProof(root, { report }) {
  const text = proofText(report.fit);
  if (text !== null) root.append(el("p", { class: "quiet-text proof" }, text));
}

/** List the risk in each region, if the model has one: its points, or its drawings from tight to loose. */
export function mountRisk(root, { report: { risk } }) {
  if (!risk) return;
  const heads = ["Rows", "Share positive", "95% interval", "Counted"].map((name) => el("th", { scope: "col" }, name));
  const line = (region) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, region.of),
      el("td", {}, percent(region.risk)),
      el("td", {}, percentRange(region.low, region.high)),
      el("td", {}, `${count(region.positives)} of ${count(region.rows)}`),
    );
  const table = el("table", { class: "figures" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, risk.map(line)));
  const note = "Of the learned rules, as it was counted for the model file: a row belongs to the first line that fits it.";
  root.append(
    el(
      "details",
      { class: "risk" },
      el("summary", {}, "Risk in each region"),
      el("p", { class: "quiet-text" }, note),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Risk in each region" }, table),
    ),
  );
}

/** List the rules with their intervals, if there are any; the last line is about all of them. */
export function mountStability(root, { report: { stability } }) {
  if (!stability) return;
  const lines = stability.slice(0, -1).map((line) => el("li", {}, line));
  root.append(
    el(
      "div",
      { class: "stack" },
      el("h3", {}, "Learned again from samples of the rows"),
      el("ul", { class: "union-boxes" }, lines),
      el("p", { class: "quiet-text" }, stability.at(-1)),
    ),
  );
}
