/* Edits that are not lost: kept in the browser until they are undone, and a question before the page is left. */

import { el } from "./dom.js";
import { plural } from "./format.js";

const PREFIX = "boxdraw draft ";

/** Keep the steps of this model in the browser, and offer those that were kept. */
export function mountDraft(root, store) {
  const key = PREFIX + (store.report.digest || JSON.stringify(store.report.boxes));
  offer(root, store, key);
  let saved = null;
  store.subscribe((what) => {
    if (what === "log") keepDraft(key, store);
  });
  document.addEventListener("boxdraw:saved", () => {
    saved = store.model;
  });
  window.addEventListener("beforeunload", (event) => {
    if (store.edited && store.model !== saved) event.preventDefault();
  });
}

function offer(root, store, key) {
  const steps = read(key);
  if (!steps?.length) return;
  const answer = (act) => () => {
    note.remove();
    act();
  };
  const when = new Date(steps.at(-1).time).toLocaleString();
  const note = el(
    "div",
    { class: "warning row draft", role: "status" },
    `This browser keeps ${plural(steps.length, "change")} to these rules, the last of ${when}.`,
    el("button", { type: "button", onclick: answer(() => store.restore(steps)) }, "Take them up"),
    el("button", { type: "button", onclick: answer(() => forget(key)) }, "Discard"),
  );
  root.append(note);
}

function keepDraft(key, { steps }) {
  if (steps.length) inStorage((storage) => storage.setItem(key, JSON.stringify(steps, withInfinity)));
  else forget(key);
}

function read(key) {
  return inStorage((storage) => JSON.parse(storage.getItem(key), asRead));
}

function forget(key) {
  inStorage((storage) => storage.removeItem(key));
}

/** Use what the browser keeps; a page in a frame of a notebook has none, and it may be full or broken. */
function inStorage(use) {
  try {
    return use(window.localStorage);
  } catch {
    return null;
  }
}

/** JSON has no infinity, which open limits are. */
function withInfinity(name, value) {
  return value === Infinity || value === -Infinity ? { infinite: Math.sign(value) } : value;
}

function asRead(name, value) {
  return value?.infinite === undefined ? value : value.infinite * Infinity;
}
