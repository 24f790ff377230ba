/* The frame of the picture of two features: ticks, names, and categories that can be let in or kept out. */

import { admitsCode } from "./flips.js";
import { printable } from "./text.js";

const LETTER = 6.6;
const LONGEST = 26;

/** Leave room for ticks and names. */
export function marginsFor(axes, width) {
  const [, up] = axes;
  const texts = [...(up.names ?? up.ticks.map(({ text }) => text)), up.strip === null ? "" : "missing"];
  const marks = up.categorical || up.strip !== null ? 2 : 0;
  const longest = Math.max(...texts.map((text) => text.length));
  const left = Math.min(32 + (longest + marks) * LETTER, width * 0.32);
  return { left: Math.round(left), right: 14, top: 12, bottom: 46 };
}

/** Cut a text to so many letters. */
export function cutText(text, letters) {
  const most = Math.max(Math.floor(letters), 3);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** List the shapes of the frame. */
export function axisShapes(store, axes, { width, height }) {
  const [across, up] = axes;
  const area = { left: across.from, right: across.to, top: up.to, bottom: up.from };
  const frame = {
    key: "frame",
    tag: "rect",
    class: "frame",
    x: area.left,
    y: area.top,
    width: area.right - area.left,
    height: area.bottom - area.top,
  };
  return [
    frame,
    ...stripShapes(axes, area),
    ...across.ticks.flatMap((tick, n) => tickShapes(store, across, 0, tick, n, area)),
    ...up.ticks.flatMap((tick, n) => tickShapes(store, up, 1, tick, n, area)),
    ...axes.flatMap((axis, i) => missingShapes(store, axis, i, area)),
    nameShape(across, 0, { x: (area.left + area.right) / 2, y: height - 6, letters: (width - 40) / 8 }),
    nameShape(up, 1, { x: 13, y: (area.top + area.bottom) / 2, letters: (area.bottom - area.top) / 8 }),
  ];
}

/** Missing values lie on a strip of their own, set apart by a line. */
function stripShapes(axes, { left, right, top, bottom }) {
  return axes.flatMap((axis, i) => {
    if (axis.strip === null) return [];
    const place = (axis.strip.b + axis.start) / 2;
    const line = i
      ? { y1: place, y2: place, x1: left, x2: right }
      : { x1: place, x2: place, y1: top, y2: bottom };
    return [{ key: `strip:${i}`, tag: "line", class: "strip", ...line }];
  });
}

function tickShapes(store, axis, i, { place, text, code }, n, area) {
  const line = i
    ? { x1: area.left, x2: area.right, y1: place, y2: place }
    : { x1: place, x2: place, y1: area.top, y2: area.bottom };
  const grid = { key: `${i}:${n}:grid`, tag: "line", class: "grid", ...line };
  const label = labelShape(axis, i, { key: `${i}:${n}`, place, text }, area);
  if (code === undefined || code < 0) return axis.categorical ? [label] : [grid, label];
  return [toggleShape(store, axis, code, label)];
}

function labelShape(axis, i, { key, place, text }, area) {
  const letters = i ? (area.left - 26) / LETTER : (axis.room ?? 1e3) / LETTER;
  const spot = i
    ? { x: area.left - 7, y: place + 4, "text-anchor": "end" }
    : { x: place, y: area.bottom + 17, "text-anchor": "middle" };
  return { key: `${key}:text`, tag: "text", class: "tick", ...spot, text: cutText(text, letters) };
}

/** Make a label a switch that lets a category, or missing values, into the chosen box. */
function toggleShape(store, axis, code, label) {
  if (store.selected === null) return label;
  const admitted = admitsCode(store.model.boxes[store.selected].limits[axis.j], code);
  const name = code === null ? "missing" : printable(String(axis.feature.categories[code]));
  return {
    ...label,
    class: `tick toggle ${admitted ? "in" : "out"}`,
    role: "checkbox",
    tabindex: 0,
    "aria-checked": String(admitted),
    "aria-label": `${printable(axis.feature.name)}: ${name} in box ${store.selected + 1}`,
    "data-flip": code ?? "missing",
    "data-feature": axis.j,
    text: cutText(`${admitted ? "✓" : "✗"} ${label.text}`, LONGEST),
  };
}

function missingShapes(store, axis, i, area) {
  if (axis.strip === null) return [];
  const place = (axis.strip.a + axis.strip.b) / 2;
  const label = labelShape({}, i, { key: `missing:${i}`, place, text: "missing" }, area);
  // Under the axis, there would be no room beside the first tick.
  const moved = i ? label : { ...label, x: area.left, y: area.bottom + 32, "text-anchor": "start" };
  return [toggleShape(store, axis, null, moved)];
}

function nameShape(axis, i, { x, y, letters }) {
  const log = axis.log ? " (log scale)" : "";
  const turn = i ? { transform: `rotate(-90 ${x} ${y})` } : {};
  const text = cutText(printable(axis.feature.name), letters) + log;
  return { key: `name:${i}`, tag: "text", class: "axis-name", x, y, "text-anchor": "middle", ...turn, text };
}
