/* What is known of the learned model whatever is edited: what was proven, and how much it moves when it is learned again. */

import { el } from "./dom.js";
import { short } from "./format.js";

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
