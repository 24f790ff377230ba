/* The shapes of the trade-off: curves with as many points as can be seen, and the signs of models. */

import { rates } from "./evaluate.js";
import { percent } from "./format.js";
import { areaUnder, precisionRecall, rocHull, rocPoints } from "./roc.js";

const GOALS = {
  min_recall: (value) => `goal: recall ${percent(value)}`,
  min_precision: (value) => `goal: precision ${percent(value)}`,
  max_alarm_rate: (value) => `goal: ${percent(value)} flagged`,
};
const SHARES = [0, 0.25, 0.5, 0.75, 1];
// No picture is so large that smaller steps would show.
const FINEST = 0.001;
const DERIVED = new WeakMap();

/** The two pictures and the names of their axes. */
export const CURVE_KINDS = {
  roc: {
    title: "Caught against false alarms",
    across: "share of the others flagged",
    up: "share of positives caught",
  },
  precision: {
    title: "Precision against recall",
    across: "share of positives caught (recall)",
    up: "share right of all flagged (precision)",
  },
};

/** Return what the pictures show of a curve, computed once: with many rows it takes longer than a frame. */
export function derived(curve) {
  if (!DERIVED.has(curve)) {
    const { fpr, tpr } = rocPoints(curve);
    const { recall, precision } = precisionRecall(curve);
    // Before the first positive is caught there is no recall, and the precision of a row or two says nothing.
    const first = Math.max(recall.findIndex((share) => share > 0), 0);
    const hull = rocHull(fpr, tpr);
    const few = (xs, ys) => visiblePoints(xs, ys, FINEST);
    const areas = [areaUnder(fpr, tpr), areaUnder(hull.fpr, hull.tpr)];
    DERIVED.set(curve, {
      roc: few(fpr, tpr),
      hull: few(hull.fpr, hull.tpr),
      precision: few(recall.slice(first), precision.slice(first)),
      areas,
    });
  }
  return DERIVED.get(curve);
}

/** List the lines of a curve. */
export function curveShapes(kind, part, shown, scales) {
  const line = (name, points) => ({
    key: `${part}:${name}`,
    tag: "path",
    class: `curve ${name} ${part}`,
    d: pathOf(points, scales),
  });
  return kind === "roc"
    ? [line("hull", shown.hull), line("roc", shown.roc)]
    : [line("precision", shown.precision)];
}

/** Return the line on which a goal is just kept, as two points; `share` is that of the positives in all rows. */
export function goalLine(kind, { name, value }, share) {
  const odds = share / (1 - share);
  const clipped = (slope) => [[0, 0], slope > 1 ? [1 / slope, 1] : [1, slope]];
  if (name === "min_recall") return kind === "roc" ? [[0, value], [1, value]] : [[value, 0], [value, 1]];
  if (name === "min_precision") {
    return kind === "roc" ? clipped(value / (1 - value) / odds) : [[0, value], [1, value]];
  }
  if (kind === "precision") return clipped(share / value);
  // share · recall + (1 − share) · false-alarm rate is the alarm rate.
  const at = (recall) => (value - share * recall) / (1 - share);
  const least = at(1) < 0 ? [0, value / share] : [at(1), 1];
  return [least, [Math.min(at(0), 1), at(0) > 1 ? (value - 1 + share) / share : 0]];
}

/** Draw a goal as a line with its name. */
export function goalShapes(kind, goal, share, scales) {
  const points = goalLine(kind, goal, share);
  const [x, y] = points.at(-1).map((value, i) => scales[i].place(value));
  const anchor = points.at(-1)[0] > 0.5 ? "end" : "start";
  return [
    { key: "goal", tag: "path", class: "goal", d: pathOf(points, scales) },
    { key: "goal:name", tag: "text", class: "goal-name", x, y: y - 4, "text-anchor": anchor, text: GOALS[goal.name](goal.value) },
  ];
}

/** Return where four counts lie in a picture; NaN where there is nothing to divide by. */
export function spotOf(kind, counts) {
  const { falseAlarmRate, recall, precision } = rates(counts);
  return kind === "roc" ? [falseAlarmRate, recall] : [recall, precision];
}

/** Leave out points that are too near to the one before to be seen; the first and the last stay. */
function visiblePoints(xs, ys, apart) {
  const kept = [];
  let [lastX, lastY] = [-Infinity, -Infinity];
  for (let i = 0; i < xs.length; i += 1) {
    if (!Number.isFinite(ys[i])) continue;
    if (i < xs.length - 1 && Math.abs(xs[i] - lastX) < apart && Math.abs(ys[i] - lastY) < apart) continue;
    kept.push([xs[i], ys[i]]);
    [lastX, lastY] = kept.at(-1);
  }
  return kept;
}

function pathOf(points, scales) {
  const places = points.map((point) => point.map((value, i) => scales[i].place(value).toFixed(1)).join(" "));
  return places.length ? `M ${places.join(" L ")}` : "";
}

/** The signs of the model, training a diamond and test a square, and of costs, a small cross. */
export function markShape(look, x, y) {
  const at = (d) => ({ class: `spot ${look}`, d, transform: `translate(${x} ${y})` });
  if (look === "paper") return at("M -3 0 H 3 M 0 -3 V 3");
  if (look === "learned") return at("M -5 0 A 5 5 0 1 1 5 0 A 5 5 0 1 1 -5 0 Z");
  return at(look.endsWith("test") ? "M -4 -4 H 4 V 4 H -4 Z" : "M 0 -6 L 6 0 L 0 6 L -6 0 Z");
}

/** List the grid, the line of chance and the names of the axes. */
export function frameShapes(kind, [across, up], width, height) {
  const grid = [0, 1].flatMap((i) =>
    SHARES.flatMap((value) => {
      const place = (i ? up : across).place(value);
      const line = i
        ? { x1: across.from, x2: across.to, y1: place, y2: place }
        : { x1: place, x2: place, y1: up.to, y2: up.from };
      const spot = i
        ? { x: across.from - 6, y: place + 4, "text-anchor": "end" }
        : { x: place, y: up.from + 16, "text-anchor": "middle" };
      return [
        { key: `${i}:${value}:line`, tag: "line", class: "grid", ...line },
        {
          key: `${i}:${value}:text`,
          tag: "text",
          class: "tick",
          ...spot,
          text: `${Math.round(100 * value)}%`,
        },
      ];
    }),
  );
  const diagonal = {
    key: "chance",
    tag: "line",
    class: "chance",
    x1: across.from,
    y1: up.from,
    x2: across.to,
    y2: up.to,
  };
  const names = [
    {
      key: "across",
      tag: "text",
      class: "axis-name",
      x: (across.from + across.to) / 2,
      y: height - 6,
      "text-anchor": "middle",
      text: CURVE_KINDS[kind].across,
    },
    {
      key: "up",
      tag: "text",
      class: "axis-name",
      x: 11,
      y: (up.from + up.to) / 2,
      "text-anchor": "middle",
      transform: `rotate(-90 11 ${(up.from + up.to) / 2})`,
      text: CURVE_KINDS[kind].up,
    },
  ];
  return [...grid, ...(kind === "roc" ? [diagonal] : []), ...names];
}
