/* Drawing a new box: a rectangle dragged over the picture, seen at once, kept on release. */

import { measureDrag } from "./frame.js";
import { interval, KNOWN, withBox } from "./model.js";
import { ruleText } from "./text.js";

const LEAST = 6;
const BORDER = 3;

/** Lets people draw a box on two axes while its mode is on. */
export class DrawBox {
  /** `axes()` are the two axes as they are now; `onEnd` is called when the mode ends by itself. */
  constructor(root, store, axes, onEnd) {
    Object.assign(this, { root, store, axes, onEnd });
    this.on = false;
    this.corner = null;
    root.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", () => this.release());
    root.addEventListener("pointercancel", () => this.leave());
    window.addEventListener("keydown", (event) => this.key(event));
  }

  setMode(on) {
    this.on = on;
    this.corner = null;
    this.root.classList.toggle("drawing", on);
  }

  placeOf(event) {
    const { left, top } = this.root.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  press(event) {
    if (!this.on || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation(); // edges under the pointer stay where they are
    this.root.setPointerCapture(event.pointerId);
    this.corner = this.placeOf(event);
    this.origin = this.store.model;
    this.limits = null;
  }

  move(event) {
    if (this.corner === null) return;
    const place = this.placeOf(event);
    if (place.some((p, i) => Math.abs(p - this.corner[i]) < LEAST)) return;
    measureDrag(event.timeStamp);
    this.show(this.corner, place);
  }

  /** Show the model with a box between two corners. */
  show(corner, place) {
    const limits = this.store.report.features.map(() => null);
    this.axes().forEach((axis, i) => {
      limits[axis.j] = stretchLimit(axis, corner[i], place[i]);
    });
    this.limits = limits;
    this.store.preview(withBox(this.origin, limits, this.origin.threshold === null ? null : 1));
  }

  release() {
    if (this.corner === null) return;
    this.corner = null;
    if (this.limits === null) return;
    const k = this.origin.boxes.length;
    const text = ruleText(this.store.report.features, { limits: this.limits });
    this.store.commit(`Box ${k + 1} added: ${text}`);
    this.store.select(k);
    this.setMode(false);
    this.onEnd();
  }

  leave() {
    if (!this.on) return;
    if (this.corner !== null) this.store.cancel();
    this.setMode(false);
    this.onEnd();
  }

  /** Escape leaves; Enter puts a box in the middle, for people without a pointer. */
  key(event) {
    if (!this.on) return;
    if (event.key === "Escape") this.leave();
    if (event.key !== "Enter" || this.corner !== null || event.target.closest("input, select, textarea"))
      return;
    event.preventDefault();
    this.origin = this.store.model;
    const at = (share) => this.axes().map(({ start, to }) => start + (to - start) * share);
    this.show(at(0.35), at(0.65));
    this.corner = at(0.35);
    this.release();
  }
}

/** Return the limit that a stretch of an axis means; an end at the border of the picture is none. */
function stretchLimit(axis, a, b) {
  if (axis.categorical) {
    const codes = axis.codesBetween(a, b);
    return codes === null || codes.length === 0 ? null : { ...KNOWN, codes };
  }
  const towards = Math.sign(axis.to - axis.start);
  const [first, last] = (b - a) * towards > 0 ? [a, b] : [b, a];
  const lower = (first - axis.start) * towards < BORDER ? -Infinity : axis.valueAt(first, "lower");
  const upper = (axis.to - last) * towards < BORDER ? Infinity : axis.valueAt(last, "upper");
  return lower === -Infinity && upper === Infinity ? null : interval(lower, upper);
}
