/* The shadows of boxes on two features: what they cover, their edges, and the handles of the chosen one. */

import { edgeAttributes } from "./edges.js";

const HANDLE = { long: 26, wide: 9 };
const TAG = { width: 48, height: 16 };

/** List the shapes of a box: what it covers, and a line on each side that has a limit with its number. */
export function boxShapes(model, axes, k, chosen, tags) {
  const limits = axes.map(({ j }) => model.boxes[k].limits[j]);
  // Boxes without a limit here would cover all of the picture and say nothing.
  if (!chosen && limits.every((limit) => limit === null)) return { fills: [], lines: [] };
  const pieces = axes.map((axis, i) => axis.pieces(limits[i]));
  const look = chosen ? "chosen" : "other";
  const [fills, lines] = [[], []];
  for (const [m, across] of pieces[0].entries()) {
    for (const [n, up] of pieces[1].entries()) {
      fills.push(fillShape(`${k}:${m}:${n}`, look, across, up));
      lines.push(...lineShapes(axes, [across, up], k, `${k}:${m}:${n}`, look));
    }
  }
  const tag = tagShape(k, look, pieces, tags);
  return { fills, lines: tag === null ? lines : [...lines, tag] };
}

function fillShape(key, look, across, up) {
  const [x, y] = [across, up].map(({ a, b }) => Math.min(a, b));
  const [width, height] = [across, up].map(({ a, b }) => Math.abs(b - a));
  return { key: `${key}:fill`, tag: "rect", class: `shadow ${look}`, x, y, width, height };
}

function lineShapes(axes, pieces, k, key, look) {
  return axes.flatMap((axis, i) =>
    ["lower", "upper"].flatMap((side) => {
      if (!pieces[i][side]) return [];
      const line = lineAt(i, side === "lower" ? pieces[i].a : pieces[i].b, pieces[1 - i]);
      const seen = { key: `${key}:${i}:${side}`, tag: "line", class: `edge ${look}`, ...line };
      if (axis.categorical) return [seen];
      const grip = { "data-box": k, "data-feature": axis.j, "data-side": side };
      return [
        seen,
        { key: `${key}:${i}:${side}:grip`, tag: "line", class: `grip ${direction(i)}`, ...line, ...grip },
      ];
    }),
  );
}

function direction(i) {
  return i === 0 ? "sideways" : "upwards";
}

/** Place a line across one axis, along a piece of the other. */
function lineAt(i, place, { a, b }) {
  return i === 0 ? { x1: place, x2: place, y1: a, y2: b } : { y1: place, y2: place, x1: a, x2: b };
}

/** Put the number of a box at a corner where it hides no other; without one, only the box in front has a number. */
function tagShape(k, look, pieces, tags) {
  const [across, up] = pieces.map((some) => some.find(({ main }) => main) ?? some[0]);
  if (across === undefined || up === undefined) return null;
  const corners = [up.b, up.a].flatMap((y, below) =>
    [across.a, across.b].map((x, right) => ({
      right,
      x: x + (right ? -6 : 6),
      y: y + (below ? -7 : 16),
      left: x + (right ? -6 - TAG.width : 6),
    })),
  );
  const isFree = ({ left, y }) =>
    tags.every((tag) => Math.abs(tag.left - left) >= TAG.width || Math.abs(tag.y - y) >= TAG.height);
  const best = corners.find(isFree) ?? (look === "chosen" ? corners[0] : null);
  if (best === null) return null;
  tags.push(best);
  return {
    key: `${k}:tag`,
    tag: "text",
    class: `tag ${look}`,
    x: best.x,
    y: best.y,
    "text-anchor": best.right ? "end" : "start",
    "data-pick": k,
    text: `Box ${k + 1}`,
  };
}

/** List the handles of the chosen box: one for each side, also for those without a limit. */
export function handleShapes(store, axes, k) {
  const limits = axes.map(({ j }) => store.model.boxes[k].limits[j]);
  const pieces = axes.map((axis, i) => axis.pieces(limits[i]));
  return axes.flatMap((axis, i) => {
    const own = pieces[i].find(({ main }) => main);
    const along = pieces[1 - i].find(({ main }) => main) ?? pieces[1 - i][0];
    if (axis.categorical || own === undefined || along === undefined) return [];
    return ["lower", "upper"].map((side) => handleShape(store, axis, i, { k, side, own, along }));
  });
}

function handleShape(store, axis, i, { k, side, own, along }) {
  const place = side === "lower" ? own.a : own.b;
  const [width, height] = i === 0 ? [HANDLE.wide, HANDLE.long] : [HANDLE.long, HANDLE.wide];
  const [x, y] = i === 0 ? [place, (along.a + along.b) / 2] : [(along.a + along.b) / 2, place];
  return {
    key: `${axis.j}:${side}`,
    tag: "rect",
    class: `handle ${direction(i)} ${own[side] ? "limit" : "open"}`,
    x: x - width / 2,
    y: y - height / 2,
    width,
    height,
    rx: HANDLE.wide / 2,
    ...edgeAttributes(store, { k, j: axis.j, side }, axis),
    "aria-orientation": i === 0 ? "horizontal" : "vertical",
  };
}
