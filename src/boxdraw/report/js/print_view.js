/* What is printed: one page that says what the model does and what was changed, to be signed. */

import { el } from "./dom.js";
import { boxName } from "./edits.js";
import { boxFigures, rates, totalCost } from "./evaluate.js";
import { count, percent, percentRange, short } from "./format.js";
import { classNames, presentSets, soughtText } from "./names.js";
import { patch } from "./patch.js";
import { modelFile } from "./save.js";
import { pointsText, ruleText } from "./text.js";
import { learnerText, verdictWords } from "./head_view.js";
import { dataNotes } from "./summary_view.js";

// With more, the picture would push the lines to sign onto another page.
const FEW_RULES = 4;

/** Write the sheet after every step; while an edge is dragged nobody prints. */
export function mountSheet(root, store) {
  const sheet = { picture: null, hash: null };
  const write = () => patch(root, [el("div", { class: `sheet ${sheetSize(store)}` }, sheetParts(store, sheet))]);
  const writeAll = () => {
    write();
    hashOf(modelFile(store)).then((hash) => {
      sheet.hash = hash;
      write();
    });
  };
  writeAll();
  store.subscribe((what) => {
    if (what !== "model") writeAll();
  });
  window.addEventListener("beforeprint", () => {
    sheet.picture = pictureOf(document.querySelector(".plot"));
    write();
  });
}

/** Return the hash of a file as Python abbreviates it; null where the browser does not offer any. */
async function hashOf(text) {
  if (!window.crypto?.subtle) return null;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Copy the picture of two features as it is now. */
function pictureOf(plot) {
  if (plot === null) return null;
  const copy = plot.cloneNode(true);
  const image = el("img", { src: plot.querySelector("canvas").toDataURL(), alt: plot.querySelector("canvas").ariaLabel });
  copy.querySelector("canvas").replaceWith(image);
  return el("div", { class: "picture sheet-picture" }, copy);
}

function sheetParts(store, { picture, hash }) {
  const { report } = store;
  return [
    el("h1", {}, report.title),
    sheetVerdict(store),
    el("h2", {}, store.edited ? "Rules, as changed by hand" : "Rules, as learned"),
    ruleList(store),
    store.model.boxes.length > FEW_RULES ? null : picture,
    el("h2", {}, "Results"),
    sheetTable(store),
    ...dataNotes(store),
    el("h2", {}, "Changes to the learned model"),
    sheetChanges(store),
    el("p", { class: "sheet-facts", "data-key": "facts" }, sheetFacts(store, hash)),
    signatures(),
  ].filter((part) => part !== null);
}

/** Say what the rules do as the page does: on test rows first, on training rows in small. */
function sheetVerdict(store) {
  const [main, ...rest] = presentSets(store).toReversed();
  const more = rest.map(({ title, evaluation }) => ` ${title}: ${verdictWords(store, evaluation)}.`);
  const words = el("b", {}, `${verdictWords(store, main.evaluation, store.report.days)}.`);
  return el("p", { "data-key": "verdict" }, words, el("span", { class: "sheet-facts" }, ` ${main.title} rows.`, more));
}

function sheetFacts({ report }, hash) {
  const sentences = [
    `Looks for ${soughtText(report)}`,
    `${learnerText(report)}, boxdraw ${report.boxdraw}`,
    presentRows(report.data),
    ...(report.digest ? [`The page was made from the model file with the hash ${report.digest}`] : []),
    ...(hash === null ? [] : [`The model file that this page saves now has the hash ${hash} (SHA-256)`]),
    `Page made ${report.made}, printed ${new Date().toISOString().slice(0, 10)}`,
  ];
  return sentences.map((sentence) => `${sentence}.`).join(" ");
}

function presentRows({ train, test }) {
  const text = ({ total, source }, name) =>
    `${count(total.rows)} ${name} rows${source === null ? "" : ` of ${source}`} (${count(total.positives)} positive)`;
  return test === null
    ? `${text(train, "training")}, no test rows`
    : `${text(train, "training")}, ${text(test, "test")}`;
}

/** Say how many of the rows in a box are right, with the interval of that share. */
function boxResults(store, k) {
  const texts = presentSets(store)
    .toReversed()
    .map(({ title, evaluation }) => {
      const { truePositives, support, precision, precisionLow, precisionHigh } = boxFigures(evaluation, k);
      const { sampled } = evaluation.table;
      if (!support) return `${title}: no rows`;
      const share = `${percent(precision, 0)}, ${percentRange(precisionLow, precisionHigh, 0)}`;
      return `${title}: ${count(truePositives, sampled)} of ${count(support, sampled)} right (${share})`;
    });
  return `[${texts.join("; ")}]`;
}

function ruleList(store) {
  const { model, report } = store;
  if (!model.boxes.length) return el("p", { "data-key": "rules" }, "No boxes: no row is flagged.");
  const points = (box) => (box.points === null ? "" : ` (${pointsText(box.points)})`);
  const items = model.boxes.map((box, k) =>
    el(
      "li",
      {},
      el("b", {}, `${boxName(k)}${points(box)}: `),
      ruleText(report.features, box),
      el("span", { class: "sheet-facts" }, ` ${boxResults(store, k)}`),
    ),
  );
  const needed = model.threshold === null ? "in any of" : `with ${pointsText(model.threshold)} or more of`;
  const intro = `Flagged is a row ${needed}:`;
  return el("div", { "data-key": "rules" }, el("p", {}, intro), el("ul", {}, items));
}

/** Draw both confusion matrices and what follows from them as one table, a line per set. */
function sheetTable(store) {
  const [negative, positive] = classNames(store.report);
  const classes = `Caught and missed: rows of ${positive}; false alarms and let pass: ${negative}.`;
  const caption = `${classes} Cost in misses, a false alarm at ${short(store.price)}.`;
  const counted = ["Caught", "Missed", "False alarms", "Let pass"];
  const heads = [...counted, "Precision (95%)", "Recall", "False-alarm rate", "Cost"];
  const line = ({ title, evaluation }) => {
    const { truePositives, falseNegatives, falsePositives, trueNegatives } = evaluation.counts;
    const { flagged, precision, precisionLow, precisionHigh, recall, falseAlarmRate } = rates(
      evaluation.counts,
    );
    const texts = [
      ...[truePositives, falseNegatives, falsePositives, trueNegatives].map((value) => count(value, evaluation.table.sampled)),
      flagged ? `${percent(precision)} (${percentRange(precisionLow, precisionHigh)})` : "–",
      percent(recall),
      percent(falseAlarmRate),
      count(totalCost(evaluation.counts, store.price)),
    ];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, title),
      texts.map((text) => el("td", {}, text)),
    );
  };
  return el(
    "table",
    { "data-key": "results" },
    el("caption", {}, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        heads.map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el("tbody", {}, presentSets(store).map(line)),
  );
}

function sheetChanges(store) {
  if (!store.steps.length) return el("p", { "data-key": "changes" }, "None.");
  const steps = store.steps.map(({ time, what, reason }) =>
    el(
      "li",
      {},
      `${time.slice(0, 16).replace("T", " ")} UTC: ${what}. `,
      el("i", {}, reason ? `Reason: ${reason}` : "No reason given."),
    ),
  );
  return el("ol", { "data-key": "changes" }, steps);
}

/** Write smaller where there is more to say, so that it fits a page as long as it can be read. */
function sheetSize({ steps, model, report }) {
  const rules = model.boxes.map((box) => ruleText(report.features, box));
  const length = [...rules, ...steps.map(({ what, reason }) => what + reason)].join("").length;
  return length < 1800 ? "usual" : length < 4500 ? "small" : "smaller";
}

function signatures() {
  const line = (name) => el("div", {}, el("span", {}, name));
  return el(
    "div",
    { class: "signatures", "data-key": "signatures" },
    line("Name"),
    line("Date"),
    line("Signature"),
  );
}
