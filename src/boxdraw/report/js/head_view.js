/* The head of the page: in a sentence what the rules do, and what is always at hand: undo, redo, download, print. */

import { el } from "./dom.js";
import { rates } from "./evaluate.js";
import { count, percent, percentRange, plural, shareOfRows, short, signed } from "./format.js";
import { presentSets, soughtText } from "./names.js";
import { keepDrawn } from "./patch.js";
import { download, modelFile } from "./save.js";
import { boxName } from "./edits.js";
import { changeWords, dataNotes } from "./summary_view.js";
import { printable, ruleText } from "./text.js";

const MOST_MOVING = 4;

/** Draw what the rules do: in large on rows that they were not learned from, beside it in small on those they were. */
export function mountHead(root, store) {
  const learned = store.now().counts;
  const parts = () => [
    el("div", { class: "head" }, verdict(store), el("div", { class: "row head-actions" }, takeAway(store))),
    ...dataNotes(store),
    el("div", { class: "changes", "aria-live": "polite", "data-key": "changes" }, changeNotes(store, learned)),
  ];
  // A line more here would move all that is below from under the pointer; the bar has the figures meanwhile.
  keepDrawn(root, store, parts, { still: true });
}

function verdict(store) {
  const sets = presentSets(store);
  const main = sets.at(-1);
  const rest = sets.slice(0, -1).map(({ title, evaluation }) => `${title}: ${verdictWords(store, evaluation)}.`);
  return el(
    "div",
    { class: "verdict" },
    el("p", { class: "verdict-main" }, verdictWords(store, main.evaluation, store.report.days), "."),
    el("p", { class: "verdict-more" }, `${main.title} rows${weightWords(main.evaluation.table)}. `, alarmWords(main.evaluation)),
    rest.map((text) => el("p", { class: "verdict-more" }, text)),
  );
}

/** Say in plain words what is caught and what is a false alarm; of how many days, if that is known. */
export function verdictWords({ report }, { counts, table }, days = null) {
  const { truePositives, falseNegatives, falsePositives, trueNegatives } = counts;
  const number = (value) => count(value, table.sampled);
  const positives = truePositives + falseNegatives;
  const about = table.sampled ? "about " : "";
  const alarms = plural(falsePositives, "false alarm", "false alarms", table.sampled);
  const rows = (number) => `${about}${plural(number, "row", printable(report.noun ?? "rows"), table.sampled)}`;
  const daily = days === null || !falsePositives ? "" : `, ${dailyWords(falsePositives / days)}`;
  const among = `${alarms} among ${rows(positives + falsePositives + trueNegatives)}${daily}`;
  if (!positives) return `No row has ${soughtText(report)}; ${among}`;
  const caught = `${number(truePositives)} ${number(truePositives) === "1" ? "is" : "are"} caught`;
  return `Of ${rows(positives)} with ${soughtText(report)}, ${caught}; ${among}`;
}

/** Say how many there are a day, or in how many days there is one. */
function dailyWords(rate) {
  return rate < 1 ? `1 in ${count(1 / rate, true)} days` : `${rate < 10 ? short(rate, 2) : count(rate, true)} a day`;
}

/** Say that rows count by their weights; those of a sample only make up for rows that are left out. */
function weightWords({ weight, sampled }) {
  return weight === null || sampled ? "" : ", counted by their weights";
}

/** Say how much work the alarms are, and how many of them are right. */
function alarmWords({ counts }) {
  const { flagged, precision, precisionLow, precisionHigh } = rates(counts);
  if (!flagged) return "No row is flagged.";
  const all = flagged + counts.falseNegatives + counts.trueNegatives;
  const range = percentRange(precisionLow, precisionHigh, 0);
  return `Flagged: ${shareOfRows(flagged / all)}; ${percent(precision, 0)} of them are right (95% interval ${range}).`;
}

/** Say in words what the changes did. */
function changeNotes(store, learned) {
  // The line is there in any case: what stands below it would move under a hand that draws.
  if (!store.edited) return el("p", {}, "The rules are as they were learned.");
  const texts = presentSets(store)
    .toReversed()
    .map(({ title, key, evaluation }) => `${title}: ${changeWords(learned[key], evaluation.counts, store.price)}`);
  return el("p", {}, "Against the learned rules. ", texts.join(". "), ".");
}

/** Draw what the page is about and how it came to be, at its end. */
export function mountAbout(root, { report }) {
  const { train, test } = report.data;
  const facts = [
    ["Looks for", soughtText(report)],
    ["Learned by", learnerText(report)],
    ...(report.goal?.text ? [["Goal", report.goal.text]] : []),
    ["Training rows", rowFacts(train)],
    ["Test rows", test === null ? "none" : rowFacts(test)],
    ["Made", report.made],
    ["boxdraw", report.boxdraw],
  ];
  const list = facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)));
  root.append(el("dl", { class: "facts" }, list));
}

/** Say how the rules were found, in words: "Exact Boxes, proven best". */
export function learnerText({ learner, fit }) {
  const words = learner.replace(/Classifier(CV)?$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
  return fit?.status === "optimal" ? `${words}, proven best` : words;
}

function rowFacts({ total }) {
  return `${count(total.rows)} (${count(total.positives)} positive)`;
}

function takeAway(store) {
  return [
    el(
      "button",
      { type: "button", "data-key": "download", onclick: () => downloadModel(store) },
      "Download model",
    ),
    el("button", { type: "button", "data-key": "print", onclick: () => window.print() }, "Print summary"),
  ];
}

/** Let the browser save the model as it is now, with its log. */
export function downloadModel(store) {
  download(`${fileStem(store.report.title)}.json`, modelFile(store));
  document.dispatchEvent(new CustomEvent("boxdraw:saved"));
}

/** Make a name of a file out of a title. */
export function fileStem(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["model"];
  return words.join("-").slice(0, 60);
}

/** Draw what stays at the top: where one is in the changes, the results in one line, and the rule that moves. */
export function mountBar(root, store) {
  keepDrawn(root, store, () => [digest(store), editedMark(store), ...stepButtons(store), movingRule(store)]);
  const status = el("p", { class: "hidden-text", role: "status" });
  root.append(status);
  document.addEventListener("keydown", (event) => onStepKey(event, store));
  let before = store.steps.length;
  store.subscribe((what) => {
    if (what === "log") status.textContent = stepStatus(store, before);
    before = store.steps.length;
  });
}

/** Write the results in a line; while something moves, with what that does to them. */
function digest(store) {
  const { key, title, evaluation } = presentSets(store).at(-1);
  const { counts, table } = evaluation;
  const change = (name) => {
    const by = store.started === undefined ? 0 : counts[name] - store.started.counts[key][name];
    return signed(by) === "±0" ? "" : ` (${signed(by)})`;
  };
  const positives = counts.truePositives + counts.falseNegatives;
  const caught = `${count(counts.truePositives, table.sampled)} of ${count(positives, table.sampled)} caught`;
  const alarms = plural(counts.falsePositives, "false alarm", "false alarms", table.sampled);
  const text = `${title}: ${caught}${change("truePositives")}, ${alarms}${change("falsePositives")}`;
  return el("p", { class: "digest" }, text);
}

/** Show the rules that are being changed, wherever on the page that happens. */
function movingRule({ started, model, report }) {
  if (started === undefined || started.model === model) return null;
  const same = (k) => model.boxes[k].limits === started.model.boxes[k]?.limits;
  const changed = [...model.boxes.keys()].filter((k) => !same(k));
  const rule = (k) => el("p", {}, el("b", {}, `${boxName(k)}: `), ruleText(report.features, model.boxes[k]));
  const rest = changed.length - MOST_MOVING;
  return el(
    "div",
    { class: "moving-rule", "data-key": "moving" },
    changed.slice(0, MOST_MOVING).map(rule),
    rest > 0 ? el("p", {}, `and ${plural(rest, "more box", "more boxes")}`) : null,
  );
}

function editedMark(store) {
  if (!store.edited) return el("p", { class: "mark" }, "As learned");
  // While an edge or the slider moves there may be no step yet.
  const steps = store.steps.length ? `, ${plural(store.steps.length, "change")}` : "";
  return el("p", { class: "mark edited" }, `Edited${steps}`);
}

function stepButtons(store) {
  const button = (name, keys, steps, act) => {
    const what = steps.length
      ? `${name}: ${steps.at(-1).what} (${keys})`
      : `Nothing to ${name.toLowerCase()}`;
    return el(
      "button",
      { type: "button", "data-key": name, title: what, disabled: !steps.length, onclick: act },
      name,
    );
  };
  return [
    button("Undo", "Ctrl+Z", store.steps, () => store.undo()),
    button("Redo", "Ctrl+Shift+Z", store.undone, () => store.redo()),
  ];
}

function stepStatus(store, before) {
  if (store.steps.length < before) return `Undone: ${store.undone.at(-1).what}`;
  return store.steps.length > before ? `Done: ${store.steps.at(-1).what}` : "";
}

/** Undo and redo by keyboard, unless a field is being typed in, which has an undo of its own. */
function onStepKey(event, store) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) store.redo();
  else store.undo();
}

/** Say whether a field holds text that is not yet taken over; once it is, undo means the step it made. */
function isTyping(element) {
  if (element.isContentEditable) return true;
  return (
    ["INPUT", "TEXTAREA"].includes(element.tagName) &&
    element.value !== element.defaultValue &&
    element.type !== "range"
  );
}
