/* The pictures: two features, limits over distributions, and the trade-off, all of the same rows and box. */

import { mountCurves } from "./curves.js";
import { el } from "./dom.js";
import { mountLimits } from "./limits.js";
import { mountScatter } from "./scatter.js";

const CHOICES = { train: "training", test: "test", both: "both" };

/** Show the pictures, and what they have in common: which rows, and which box is in front. */
export function mountPictures(root, store) {
  const look = makeLook();
  const bar = el("div", { class: "controls shared" });
  if (store.report.data.test !== null) bar.append(rowsChoice(look));
  bar.append(boxChoice(store));
  root.append(picture("scatter"), bar);
  const [curves, limits] = ["trade-off", "spread"].map((id) => document.getElementById(id));
  curves.append(picture("trade-off"));
  limits.append(picture("limits-picture"));
  mountScatter(root.firstElementChild, store, look);
  mountCurves(curves.lastElementChild, store);
  mountLimits(limits.lastElementChild, store, look);
}

function picture(name) {
  return el("div", { class: `picture ${name}` });
}

/** Which rows the pictures show, and who wants to know. */
function makeLook() {
  const listeners = [];
  return {
    rows: "train",
    subscribe: (listener) => listeners.push(listener),
    choose(rows) {
      this.rows = rows;
      for (const listener of listeners) listener();
    },
  };
}

function choiceGroup(name, legend, options) {
  const buttons = options.map(({ value, text, checked, pick }) => {
    const input = el("input", { type: "radio", name, value, checked, onchange: pick });
    return el("label", {}, input, el("span", {}, text));
  });
  return el("fieldset", { class: "choice" }, el("legend", {}, legend), ...buttons);
}

function rowsChoice(look) {
  const options = Object.entries(CHOICES).map(([value, text]) => {
    return { value, text, checked: value === look.rows, pick: () => look.choose(value) };
  });
  return choiceGroup("picture-rows", "Rows", options);
}

/** Let people choose the box in front; the buttons follow when boxes come and go. */
function boxChoice(store) {
  const holder = el("div", { class: "box-choice" });
  let made = -1;
  const draw = () => {
    const number = store.model.boxes.length;
    if (number !== made) {
      const options = store.model.boxes.map((_, k) => {
        return { value: k, text: String(k + 1), checked: k === store.selected, pick: () => store.select(k) };
      });
      holder.replaceChildren(number ? choiceGroup("picture-box", "Box in front", options) : "");
      made = number;
    }
    holder.querySelectorAll("input").forEach((input, k) => {
      input.checked = k === store.selected;
    });
  };
  store.subscribe((what) => what !== "log" && draw());
  draw();
  return holder;
}
