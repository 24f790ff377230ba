/* Drawing no more often than the screen shows it, and only what changed. */

import { svg } from "./dom.js";

/** Return a function that asks for a drawing in the next frame, once however often it is called. */
export function oncePerFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** Return the width there is to draw on; hidden pictures, as in print, have none, but are drawn all the same. */
export function widthOf(element) {
  return Math.floor(element.clientWidth) || 240;
}

/** Call a function when there is more or less width to draw on, and once at the start. */
export function onWidthChange(element, listener) {
  let width = null;
  new ResizeObserver(() => {
    // What is drawn changes the height: an answer to that would draw for ever.
    if (width === widthOf(element)) return;
    width = widthOf(element);
    listener();
  }).observe(element);
}

/** Draw a part after every change; while an edge is dragged, only if it is on the screen. */
export function drawWhenSeen(element, store, draw) {
  let [seen, missed] = [true, false];
  new IntersectionObserver((entries) => {
    seen = entries.at(-1).isIntersecting;
    // Only what it missed: a drawing for nothing would take away what is just being typed.
    if (seen && missed) draw();
    missed &&= !seen;
  }).observe(element);
  store.subscribe((what) => {
    missed = !seen && store.started !== undefined;
    if (!missed) draw(what);
  });
}

/** Call a function when the colours of the page change. */
export function onColourChange(listener) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
}

/** Shapes by key: an element stays the same while it moves, so that it keeps focus and pointer. */
export class Layer {
  constructor(group) {
    this.group = group;
    this.shapes = new Map();
  }

  /** Show these shapes, [{key, tag, text, ...attributes}], in this order, and no others. */
  draw(shapes) {
    const wanted = new Set(shapes.map(({ key }) => key));
    for (const [key, shape] of this.shapes) {
      if (wanted.has(key)) continue;
      shape.element.remove();
      this.shapes.delete(key);
    }
    shapes.forEach((shape, i) => this.place(shape, i));
  }

  place({ key, tag, ...attributes }, i) {
    if (!this.shapes.has(key)) this.shapes.set(key, { element: svg(tag), shown: {} });
    const { element, shown } = this.shapes.get(key);
    for (const name of new Set([...Object.keys(shown), ...Object.keys(attributes)])) {
      if (shown[name] !== attributes[name]) setShapeAttribute(element, name, attributes[name]);
    }
    this.shapes.get(key).shown = attributes;
    // Moving an element takes its focus away: only those that are out of order are moved.
    if (this.group.children[i] !== element) this.group.insertBefore(element, this.group.children[i] ?? null);
  }
}

function setShapeAttribute(element, name, value) {
  if (name === "text") element.textContent = value;
  else if (value === undefined || value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Note how long a drag took to reach the screen, from the pointer's move to the end of the next frame. */
export function measureDrag(start) {
  requestAnimationFrame(() => {
    // A task after the frame, when its drawing is done.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.measure("boxdraw-drag", { start, end: performance.now() });
    channel.port2.postMessage(null);
  });
}
