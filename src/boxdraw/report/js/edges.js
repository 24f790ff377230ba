/* Moving the edge of a box: by pointer or by key, seen at once, kept on release, taken back by Escape. */

import { el } from "./dom.js";
import { measureDrag } from "./frame.js";
import { KNOWN, withLimit, withSide } from "./model.js";
import { limitText, printable } from "./text.js";

const KEY_PAUSE = 600;
const LARGE_STEP = 10;
const DIRECTION = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
const ENDS = { Home: "low", End: "high" };
const ABOVE_POINTER = 18; // pixels between a pointer, or the middle of a handle, and the number above it

/** Write what a change of a limit was, for the log. */
export function changeText(features, k, j, before, after) {
  const text = (limit) =>
    limit === null ? `any ${printable(features[j].name)}` : limitText(features[j], limit);
  return `Box ${k + 1}: ${text(before)} → ${text(after)}`;
}

/** Say in words where an edge is. */
export function edgeText(feature, limit, side) {
  const value = limit === null ? Infinity : limit[side];
  if (!Number.isFinite(value)) return `no ${side} limit`;
  return limitText(feature, { ...KNOWN, [side]: value });
}

/** The attributes that make a shape the edge of a box, which people can move. */
export function edgeAttributes(store, { k, j, side }, range) {
  const feature = store.report.features[j];
  const limit = store.model.boxes[k].limits[j];
  const value = limit?.[side] ?? Infinity;
  return {
    "data-box": k,
    "data-feature": j,
    "data-side": side,
    role: "slider",
    tabindex: 0,
    "aria-orientation": "horizontal",
    "aria-label": `Box ${k + 1}, ${printable(feature.name)}, ${side} limit`,
    "aria-valuemin": range.low,
    "aria-valuemax": range.high,
    "aria-valuenow": Number.isFinite(value) ? value : side === "lower" ? range.low : range.high,
    "aria-valuetext": edgeText(feature, limit, side),
  };
}

function isHandle(element) {
  return element.closest("[data-side]") !== null;
}

/** Lets people move the shapes with data-side in an element. */
export class EdgeControl {
  /**
   * `valueAt(edge, event)` is the value under the pointer, infinite outside; `stepAt(edge, value, steps)` is
   * the value so many steps on; `rangeOf(j)` has the ends from which an open side is pulled in.
   */
  constructor(root, store, { valueAt, stepAt, rangeOf }) {
    Object.assign(this, { root, store, valueAt, stepAt, rangeOf });
    this.edge = null;
    this.busy = false;
    this.next = null;
    this.bubble = el("output", { class: "bubble", "aria-hidden": "true" });
    root.addEventListener("pointerdown", (event) => this.press(event));
    // A finger on a handle moves it along its axis, and nowhere else; the page does not scroll along.
    root.addEventListener("touchstart", (event) => isHandle(event.target) && event.preventDefault(), { passive: false });
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", () => this.keep());
    root.addEventListener("pointercancel", () => this.drop());
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("keyup", () => this.pause());
    root.addEventListener("focusout", () => this.byKey && this.keep());
    window.addEventListener("keydown", (event) => event.key === "Escape" && this.drop());
  }

  /** Start to move an edge from the model as it is. */
  start(element, byKey) {
    const { box, feature, side } = element.dataset;
    this.edge = { k: Number(box), j: Number(feature), side };
    this.origin = this.store.model;
    this.byKey = byKey;
    if (this.store.selected !== this.edge.k) this.store.select(this.edge.k);
  }

  press(event) {
    const element = event.target.closest("[data-side]");
    if (element === null || event.button !== 0) return;
    this.keep();
    event.preventDefault();
    this.start(element, false);
    this.root.setPointerCapture(event.pointerId);
    this.root.classList.add("moving");
    const { box, feature, side } = element.dataset;
    const same = `[role=slider][data-box="${box}"][data-feature="${feature}"][data-side="${side}"]`;
    this.root.querySelector(same)?.focus({ preventScroll: true });
  }

  move(event) {
    if (this.edge === null || this.byKey) return;
    if (this.busy) {
      this.next = event;
      return;
    }
    this.busy = true;
    measureDrag(event.timeStamp);
    this.show(this.valueAt(this.edge, event));
    this.tell(event.clientX, event.clientY);
    requestAnimationFrame(() => this.afterFrame());
  }

  afterFrame() {
    const event = this.next;
    this.busy = false;
    this.next = null;
    if (event !== null) this.move(event);
  }

  /** Show the model with the edge at a value; the edges of a box never cross. */
  show(value) {
    const { k, j, side } = this.edge;
    const limit = this.origin.boxes[k].limits[j];
    const { lower, upper } = limit ?? KNOWN;
    const bounded = side === "lower" ? Math.min(value, upper) : Math.max(value, lower);
    if (bounded === (this.store.model.boxes[k].limits[j] ?? KNOWN)[side]) return;
    // An edge that is back where it began is what it was, with the number that people read.
    const back = bounded === (limit ?? KNOWN)[side];
    this.store.preview(withLimit(this.origin, k, j, back ? limit : withSide(limit, side, bounded)));
  }

  /** Write beside the edge where it is now. */
  tell(x, y) {
    const { k, j, side } = this.edge;
    const text = edgeText(this.store.report.features[j], this.store.model.boxes[k].limits[j], side);
    this.bubble.textContent = text;
    // Through the object model, since the page's policy forbids styles in attributes.
    this.bubble.style.left = `${Math.min(Math.max(x, 60), window.innerWidth - 60)}px`;
    this.bubble.style.top = `${Math.max(y - ABOVE_POINTER, 30)}px`;
    if (!this.bubble.isConnected) document.body.append(this.bubble);
  }

  key(event) {
    const element = event.target.closest("[data-side]");
    if (element === null) return;
    const open = event.key === "Delete" || event.key === "Backspace";
    if (!(event.key in DIRECTION) && !(event.key in ENDS) && !open) {
      if (event.key !== "Shift" && event.key !== "Escape") this.keep();
      return;
    }
    event.preventDefault();
    clearTimeout(this.timer);
    if (this.edge === null) this.start(element, true);
    const outside = this.edge.side === "lower" ? -Infinity : Infinity;
    if (open) this.show(outside);
    else if (event.key in ENDS) this.show(this.endOf(ENDS[event.key]));
    else this.show(this.stepped(DIRECTION[event.key] * (event.shiftKey ? LARGE_STEP : 1)));
    const { left, width, top } = element.getBoundingClientRect();
    this.tell(left + width / 2, top);
  }

  /** Return the value at an end of the axis; an edge that is as far out as it goes is no limit. */
  endOf(end) {
    const { j, side } = this.edge;
    if ((side === "lower") === (end === "low")) return side === "lower" ? -Infinity : Infinity;
    return this.stepAt(this.edge, this.rangeOf(j)[end], 0);
  }

  /** Return the value a step from where the edge is; an open side starts at the end of the axis. */
  stepped(steps) {
    const { k, j, side } = this.edge;
    const { low, high } = this.rangeOf(j);
    const now = (this.store.model.boxes[k].limits[j] ?? KNOWN)[side];
    const from = Math.min(Math.max(now, low), high);
    const value = this.stepAt(this.edge, from, steps);
    if (side === "lower") return value < low ? -Infinity : Math.min(value, high);
    return value > high ? Infinity : Math.max(value, low);
  }

  pause() {
    if (!this.byKey || this.edge === null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), KEY_PAUSE);
  }

  /** Write the move down as one step. */
  keep() {
    if (this.edge === null) return;
    if (this.next !== null) this.show(this.valueAt(this.edge, this.next));
    const { k, j } = this.edge;
    const [before, after] = [this.origin, this.store.model].map((model) => model.boxes[k].limits[j]);
    this.end();
    this.store.commit(changeText(this.store.report.features, k, j, before, after));
  }

  drop() {
    if (this.edge === null) return;
    this.end();
    this.store.cancel();
  }

  end() {
    clearTimeout(this.timer);
    this.edge = null;
    this.next = null;
    this.bubble.remove();
    this.root.classList.remove("moving");
  }
}
