/* How much the learned model moves when it is learned again, as Python wrote it; edits change nothing about it. */

import { el } from "./dom.js";

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
