/* The page starts here: read what is embedded, then let each view draw its part. */

import { mountCard } from "./card_view.js";
import { mountCost } from "./cost_view.js";
import { readReport } from "./data.js";
import { mountDraft } from "./draft.js";
import { mountFrontier } from "./frontier_view.js";
import { mountAbout, mountBar, mountHead } from "./head_view.js";
import { mountLog } from "./log_view.js";
import { mountPictures } from "./pictures.js";
import { mountSheet } from "./print_view.js";
import { mountRows } from "./rows_view.js";
import { mountRules } from "./rules_view.js";
import { mountProof, mountRisk, mountStability } from "./stability_view.js";
import { Store } from "./store.js";
import { mountSummary } from "./summary_view.js";

/** The parts of the page: where each stands, and what draws it. */
const VIEWS = [
  ["top", mountHead],
  ["top", mountDraft],
  ["bar", mountBar],
  ["rules", mountRules],
  ["rules", mountCard],
  ["rules", mountProof],
  ["rules", mountRisk],
  ["rules", mountStability],
  ["picture", mountPictures],
  ["cost", mountCost],
  ["cost", mountFrontier],
  ["summary", mountSummary],
  ["rows", mountRows],
  ["log", mountLog],
  ["about", mountAbout],
  ["sheet", mountSheet],
];

/** Start the page; tests reach its state as `window.boxdraw`. */
function start() {
  const payload = JSON.parse(document.getElementById("boxdraw-data").textContent);
  const store = new Store(readReport(payload));
  for (const [id, mount] of VIEWS) mount(document.getElementById(id), store);
  window.boxdraw = { store };
}

start();
