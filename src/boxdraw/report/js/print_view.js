/* What is printed: one page that says what the model does and what was changed, to be signed. */

import { el } from "./dom.js";
import { boxName } from "./edits.js";
import { rates, totalCost } from "./evaluate.js";
import { count, percent, percentRange, short } from "./format.js";
import { classNames, presentSets, soughtText } from "./names.js";
import { patch } from "./patch.js";
import { pointsText, ruleText } from "./text.js";
import { learnerText, verdictWords } from "./head_view.js";
import { dataNotes } from "./summary_view.js";

/** Write the sheet after every step; while an edge is dragged nobody prints. */
export function mountSheet(root, store) {
  const write = () => patch(root, [el("div", { class: `sheet ${sheetSize(store)}` }, sheetParts(store))]);
  write();
  store.subscribe((what) => {
    if (what !== "model") write();
  });
}

function sheetParts(store) {
  const { report } = store;
  return [
    el("h1", {}, report.title),
    sheetVerdict(store),
    el("h2", {}, store.edited ? "Rules, as changed by hand" : "Rules, as learned"),
    ruleList(store),
    el("h2", {}, "Results"),
    sheetTable(store),
    ...dataNotes(store),
    el("h2", {}, "Changes to the learned model"),
    sheetChanges(store),
    el("p", { class: "sheet-facts", "data-key": "facts" }, sheetFacts(store)),
    signatures(),
  ];
}

/** Say what the rules do as the page does: on test rows first, on training rows in small. */
function sheetVerdict(store) {
  const [main, ...rest] = presentSets(store).toReversed();
  const more = rest.map(({ title, evaluation }) => ` ${title}: ${verdictWords(store, evaluation)}.`);
  const words = el("b", {}, `${verdictWords(store, main.evaluation)}.`);
  return el("p", { "data-key": "verdict" }, words, el("span", { class: "sheet-facts" }, ` ${main.title} rows.`, more));
}

function sheetFacts({ report }) {
  const sentences = [
    `Looks for ${soughtText(report)}`,
    `${learnerText(report)}, boxdraw ${report.boxdraw}`,
    presentRows(report.data),
    `Page made ${report.made}, printed ${new Date().toISOString().slice(0, 10)}`,
  ];
  return sentences.map((sentence) => `${sentence}.`).join(" ");
}

function presentRows({ train, test }) {
  const text = ({ total }, name) => `${count(total.rows)} ${name} rows (${count(total.positives)} positive)`;
  return test === null
    ? `${text(train, "training")}, no test rows`
    : `${text(train, "training")}, ${text(test, "test")}`;
}

function ruleList({ model, report }) {
  if (!model.boxes.length) return el("p", { "data-key": "rules" }, "No boxes: no row is flagged.");
  const points = (box) => (box.points === null ? "" : ` (${pointsText(box.points)})`);
  const items = model.boxes.map((box, k) =>
    el("li", {}, el("b", {}, `${boxName(k)}${points(box)}: `), ruleText(report.features, box)),
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
      ...[truePositives, falseNegatives, falsePositives, trueNegatives].map((value) => count(value)),
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
