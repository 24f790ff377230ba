/* The shapes of a row of limits: the histogram of both classes, and a bar for each box. */

import { edgeAttributes } from "./edges.js";
import { percent } from "./format.js";
import { admitsCode } from "./flips.js";
import { categoryText, printable } from "./text.js";

const HALF_HEIGHT = 26;
const MIDDLE = 28;
const BARS = MIDDLE + HALF_HEIGHT + 8;
const TICKS = 16;
const BIN = 9;
const MOST_NAMED = 5;

/** Return how far apart bars lie: closer where there are many boxes. */
function barPitch(number) {
  return number > 5 ? 11 : 13;
}

/** Return the height of a row with these limits: boxes that do not look at the feature take no room. */
export function limitRowHeight(limits) {
  const number = limits.filter((limit) => limit !== null).length;
  return BARS + number * barPitch(number) + TICKS;
}

/** Return the places between the bins of an axis; bins of whole numbers hold equally many of them. */
export function binEdges({ scale, feature }) {
  const { from, to, low, high } = scale;
  const bins = Math.max(Math.round((to - from) / BIN), 8);
  if (!feature.whole || scale.log)
    return Array.from({ length: bins + 1 }, (_, i) => from + ((to - from) * i) / bins);
  const step = Math.max(Math.ceil((high - low) / bins), 1);
  const first = Math.ceil(low) - 0.5;
  const number = Math.ceil((high - first) / step);
  return Array.from({ length: number + 1 }, (_, i) => scale.place(first + i * step));
}

/** Draw the positives up and the others down from one line, each as a share of its class. */
export function histogramShapes({ scale }, { edges, positive, negative }) {
  const most = Math.max(...positive, ...negative, 1e-12);
  const width = edges[1] - edges[0];
  const column = (share, i, up) => {
    const height = (share / most) * HALF_HEIGHT;
    const [x, y] = [edges[i], up ? MIDDLE - height : MIDDLE];
    const look = up ? "positive" : "negative";
    return {
      key: `${look}:${i}`,
      tag: "rect",
      class: look,
      x: x + 0.5,
      y,
      width: Math.max(width - 1, 1),
      height,
    };
  };
  const columns = (shares, up) =>
    Array.from(shares, (share, i) => [share, i])
      .filter(([share]) => share > 0)
      .map(([share, i]) => column(share, i, up));
  const base = {
    key: "base",
    tag: "line",
    class: "base",
    x1: scale.from,
    x2: scale.to,
    y1: MIDDLE,
    y2: MIDDLE,
  };
  return [...columns(positive, true), ...columns(negative, false), base];
}

/** Draw the numbers under a row. */
export function tickRowShapes({ ticks, log, scale }, height) {
  const texts = ticks.map(({ place, text }, i) => ({
    key: `tick:${i}`,
    tag: "text",
    class: "tick",
    x: place,
    y: height - 3,
    "text-anchor": "middle",
    text,
  }));
  const lines = ticks.map(({ place }, i) => ({
    key: `grid:${i}`,
    tag: "line",
    class: "grid",
    x1: place,
    x2: place,
    y1: 2,
    y2: height - TICKS,
  }));
  const note = {
    key: "log",
    tag: "text",
    class: "tick note",
    x: scale.to,
    y: 10,
    "text-anchor": "end",
    text: "log scale",
  };
  return [...lines, ...texts, ...(log ? [note] : [])];
}

/** Draw the bar of each box that looks at the feature, with handles at both ends of the chosen one's. */
export function barShapes(store, axis, limits) {
  const looking = limits.flatMap((limit, k) => (limit === null ? [] : [k]));
  const pitch = barPitch(looking.length);
  const bars = looking.flatMap((k, lane) => {
    const piece = axis.pieces(limits[k]).find(({ main }) => main);
    const y = BARS + lane * pitch;
    if (piece === undefined) return [];
    return [...oneBar(k, piece, y, pitch, k === store.selected), ...barEnds(store, axis, k, piece, y, pitch)];
  });
  // A feature that the chosen box does not look at has no bar, but ends to pull in.
  if (store.selected === null || limits[store.selected] !== null) return bars;
  const open = { a: axis.start, b: axis.to, lower: false, upper: false };
  return [...bars, ...barEnds(store, axis, store.selected, open, MIDDLE - 5, 13)];
}

function oneBar(k, { a, b, lower, upper }, y, pitch, chosen) {
  const thick = pitch - 4;
  const look = chosen ? "chosen" : "other";
  const bar = {
    key: `${k}:bar`,
    tag: "rect",
    class: `bar ${look}`,
    x: a,
    y,
    width: Math.max(b - a, 1),
    height: thick,
    "data-pick": k,
  };
  const name = {
    key: `${k}:name`,
    tag: "text",
    class: `bar-name ${look}`,
    x: 0,
    y: y + thick - 1,
    text: String(k + 1),
    "data-pick": k,
  };
  const open = (side, x, turn) => ({
    key: `${k}:${side}:on`,
    tag: "path",
    class: `bar-open ${look}`,
    d: arrow(x, y, thick, turn),
  });
  return [bar, name, ...(lower ? [] : [open("lower", a, -1)]), ...(upper ? [] : [open("upper", b, 1)])];
}

/** An arrow says that the box goes on beyond the picture. */
function arrow(x, y, thick, turn) {
  return `M ${x} ${y - 1} L ${x + turn * 6} ${y + thick / 2} L ${x} ${y + thick + 1} Z`;
}

function barEnds(store, axis, k, piece, y, pitch) {
  const chosen = k === store.selected;
  const thick = pitch - 4;
  return ["lower", "upper"].flatMap((side) => {
    if (!chosen && !piece[side]) return [];
    const place = side === "lower" ? piece.a : piece.b;
    const size = chosen
      ? { x: place - 4, y: y - 3, width: 8, height: thick + 6, rx: 3 }
      : { x: place - 5, y: y - 2, width: 10, height: thick + 4 };
    const data = { "data-box": k, "data-feature": axis.j, "data-side": side };
    const look = chosen ? `handle ${piece[side] ? "limit" : "open"}` : "grip-end";
    const more = chosen ? edgeAttributes(store, { k, j: axis.j, side }, axis) : data;
    // Handles have keys without the box, so that one keeps the focus when another box is chosen.
    return [
      {
        key: chosen ? `handle:${side}` : `${k}:${side}`,
        tag: "rect",
        class: `${look} sideways`,
        ...size,
        ...more,
      },
    ];
  });
}

/** Say who admits a category, or missing values where the code is null. */
export function chipText(feature, limits, selected, code, shares) {
  const name = code === null ? "missing" : categoryText(feature.categories[code]);
  const pressed = selected !== null && admitsCode(limits[selected], code);
  const who = limits.flatMap((limit, k) => (admitsCode(limit, code) ? [k + 1] : []));
  const named = who.length > MOST_NAMED ? `${who.length} of ${limits.length} boxes` : `box ${who.join(", ")}`;
  const boxes = who.length === limits.length ? "all boxes" : who.length ? named : "no box";
  const spread =
    shares === null ? "" : `; ${percent(shares[0])} of the positives, ${percent(shares[1])} of the others`;
  const own = selected === null ? "" : `${pressed ? "in" : "not in"} box ${selected + 1}; `;
  return {
    pressed,
    boxes,
    title: `${printable(feature.name)}, ${name}: ${own}admitted by ${boxes}${spread}`,
  };
}
