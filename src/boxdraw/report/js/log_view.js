/* What was changed by hand, why, and how the model now differs from the learned one. */

import { difference } from "./diff.js";
import { el } from "./dom.js";
import { boxName } from "./edits.js";
import { fileStem, downloadModel } from "./head_view.js";
import { keepDrawn } from "./patch.js";
import { download } from "./save.js";
import { ruleText } from "./text.js";

/** Draw the log. */
export function mountLog(root, store) {
  const typed = new Map();
  keepDrawn(root, store, () => [
    stepList(store, typed),
    differenceList(store),
    el("div", { class: "row", "data-key": "actions" }, logButtons(store)),
  ]);
}

function stepList(store, typed) {
  if (!store.steps.length && !store.undone.length) {
    const text = "Nothing has been changed yet. Each change is listed here, with room for its reason.";
    return el("p", { class: "quiet-text", "data-key": "none" }, text);
  }
  const done = store.steps.map((step, i) => stepItem(store, step, i, typed));
  const undone = store.undone.toReversed().map((step, i) => undoneItem(step, store.steps.length + i));
  return el("ol", { class: "steps", "data-key": "steps" }, done, undone);
}

function stepItem(store, step, i, typed) {
  const id = `reason-${i}`;
  return el(
    "li",
    { "data-key": step.time + i },
    el("div", { class: "step" }, timeOf(step), el("span", {}, step.what)),
    el("label", { class: "hidden-text", for: id }, `Reason for: ${step.what}`),
    el("input", {
      id,
      type: "text",
      class: "reason",
      placeholder: "Reason",
      autocomplete: "off",
      value: typed.get(step) ?? step.reason,
      oninput: (event) => typed.set(step, event.target.value),
      onchange: (event) => {
        typed.delete(step);
        store.explainStep(store.steps.indexOf(step), event.target.value.trim());
      },
    }),
  );
}

function undoneItem(step, i) {
  return el(
    "li",
    { class: "undone", "data-key": step.time + i },
    el(
      "div",
      { class: "step" },
      timeOf(step),
      el("span", {}, step.what),
      el("span", { class: "badge" }, "undone"),
    ),
  );
}

function timeOf({ time }) {
  const text = new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return el("time", { datetime: time }, text);
}

/** Write the difference to the learned model; "changed" and the like come in words, not only as a colour. */
function differenceList(store) {
  const changes = difference(store.report.features, store.report.learned, store.model);
  if (!changes.length) return null;
  const items = changes.map(({ kind, text }) =>
    el("li", {}, el("span", { class: `badge ${kind}` }, kind), " ", text),
  );
  return el(
    "div",
    { "data-key": "difference" },
    el("h3", {}, "Difference to the learned model"),
    el("ul", { class: "difference" }, items),
  );
}

function logButtons(store) {
  const { title } = store.report;
  const { learned, closed_form: form } = store.report;
  const reset = () => store.commit("Back to the learned model", learned, form?.negative_weight ?? null);
  const saveLog = () => download(`${fileStem(title)}-log.txt`, logText(store), "text/plain");
  return [
    el(
      "button",
      { type: "button", class: "main", "data-key": "model", onclick: () => downloadModel(store) },
      "Download model",
    ),
    el("button", { type: "button", "data-key": "log", onclick: saveLog }, "Download log"),
    el("button", { type: "button", "data-key": "print", onclick: () => window.print() }, "Print summary"),
    el(
      "button",
      { type: "button", "data-key": "reset", disabled: !store.edited, onclick: reset },
      "Back to the learned model",
    ),
  ];
}

/** Write the log as plain text, with the rules as they are now. */
export function logText(store) {
  const { report, steps, model } = store;
  const lines = steps.map(
    ({ time, what, reason }) => `${time}  ${what}${reason ? `\n    Reason: ${reason}` : ""}`,
  );
  const rules = model.boxes.map((box, k) => `${boxName(k)}: ${ruleText(report.features, box)}`);
  return [
    `${report.title} (boxdraw ${report.boxdraw}, ${report.learner}, page of ${report.made})`,
    "",
    "Changes",
    ...(lines.length ? lines : ["none"]),
    "",
    "Rules now",
    ...(rules.length ? rules : ["No boxes: no row is flagged"]),
    "",
  ].join("\n");
}
