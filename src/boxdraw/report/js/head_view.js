/* The head of the page: what the model is, and what is always at hand: undo, redo, download, print. */

import { el } from "./dom.js";
import { count, plural } from "./format.js";
import { presentSets, soughtText } from "./names.js";
import { keepDrawn } from "./patch.js";
import { download, modelFile } from "./save.js";

/** Draw the facts under the title, with what to take away from the page. */
export function mountHead(root, store) {
  keepDrawn(root, store, () => [
    el("div", { class: "head" }, factList(store), el("div", { class: "row head-actions" }, takeAway(store))),
  ]);
}

function factList({ report }) {
  const { train, test } = report.data;
  const facts = [
    ["Looks for", soughtText(report)],
    ["Learned by", report.learner],
    ["Training rows", rowFacts(train)],
    ["Test rows", test === null ? "none" : rowFacts(test)],
    ["Made", report.made],
    ["boxdraw", report.boxdraw],
  ];
  return el(
    "dl",
    { class: "facts" },
    facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text))),
  );
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
}

/** Make a name of a file out of a title. */
export function fileStem(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["model"];
  return words.join("-").slice(0, 60);
}

/** Draw what stays at the top: where one is in the changes, and the results in one line for small screens. */
export function mountBar(root, store) {
  keepDrawn(root, store, () => [digest(store), editedMark(store), ...stepButtons(store)]);
  const status = el("p", { class: "hidden-text", role: "status" });
  root.append(status);
  document.addEventListener("keydown", (event) => onStepKey(event, store));
  let before = store.steps.length;
  store.subscribe((what) => {
    if (what === "log") status.textContent = stepStatus(store, before);
    before = store.steps.length;
  });
}

function digest(store) {
  const { title, evaluation } = presentSets(store).at(-1);
  const { truePositives, falseNegatives, falsePositives } = evaluation.counts;
  const caught = `${count(truePositives)} of ${count(truePositives + falseNegatives)} caught`;
  return el("p", { class: "digest" }, `${title}: ${caught}, ${plural(falsePositives, "false alarm")}`);
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
