/* Edits by hand: what they do to the model, and the words that the log keeps of them. */

import { MISSING } from "./data.js";
import { KNOWN, interval, withBox, withLimit, withPoints, withThreshold, withoutBox } from "./model.js";
import { isLimited, isOnlyMissing, limitText, pointsText, ruleText } from "./text.js";

/** Name a box as the rules do, from 1. */
export function boxName(k) {
  return `Box ${k + 1}`;
}

/** Say what became of a limit: "Box 1: age ≥ 30 → age ≥ 32". */
export function limitStep(feature, k, before, after) {
  if (before === null) return `${boxName(k)}: ${limitText(feature, after)} added`;
  if (after === null) return `${boxName(k)}: ${limitText(feature, before)} dropped`;
  return `${boxName(k)}: ${limitText(feature, before)} → ${limitText(feature, after)}`;
}

/** Change what a box asks of a feature, as one step. */
export function commitLimit(store, k, j, limit) {
  const before = (store.started?.model ?? store.model).boxes[k].limits[j];
  const after = isLimited(limit) ? limit : null;
  if (before === after) return store.cancel();
  return store.commit(
    limitStep(store.report.features[j], k, before, after),
    withLimit(store.model, k, j, after),
  );
}

/** Set one side of an interval; where only missing values were inside, numbers join them. */
export function sideLimit(limit, side, value) {
  const start = limit === null ? KNOWN : isOnlyMissing(limit) ? { ...KNOWN, missing: true } : limit;
  return { ...start, [side]: value };
}

/** Put a category in or take it out. */
export function withCode(limit, feature, code, isIn) {
  const all = feature.categories.map((_, i) => i);
  const rest = (limit?.codes ?? all).filter((other) => other !== code);
  const codes = isIn ? [...rest, code].sort((a, b) => a - b) : rest;
  return { ...(limit ?? KNOWN), codes };
}

/** Drop a box, as one step. */
export function dropBox(store, k) {
  const text = ruleText(store.report.features, store.model.boxes[k]);
  store.commit(`${boxName(k)} dropped: ${text}`, withoutBox(store.model, k));
}

/** Add a box at the end, as one step, and choose it. */
export function addBox(store, limits, points = store.model.threshold === null ? null : 1, how = "added") {
  const model = withBox(store.model, limits, points);
  const k = model.boxes.length - 1;
  store.commit(`${boxName(k)} ${how}: ${ruleText(store.report.features, model.boxes[k])}`, model);
  store.select(k);
}

/** Add the same box once more, to change one of the two. */
export function duplicateBox(store, k) {
  const { limits, points } = store.model.boxes[k];
  addBox(store, [...limits], points, `copied from ${boxName(k)}`);
}

/** Change the points of a box, as one step; without negative points a threshold below 1 flags every row. */
export function commitPoints(store, k, points) {
  const model = withPoints(store.model, k, points);
  const isOpen = model.threshold < 1 && model.boxes.every((box) => box.points > 0);
  const change = `${boxName(k)}: ${pointsText(store.model.boxes[k].points)} → ${pointsText(points)}`;
  store.commit(isOpen ? `${change}, threshold 1` : change, isOpen ? withThreshold(model, 1) : model);
}

/** Choose training rows: the first kind of which there are any. */
function firstRows(n, ...tests) {
  for (const test of tests) {
    const rows = Array.from({ length: n }, (_, i) => i).filter(test);
    if (rows.length) return rows;
  }
  return [];
}

/** Draw a first limit of a box on a feature: it keeps all positives that the box holds. */
export function limitAround(store, k, j) {
  const { table, member } = store.train;
  const held = (i) => member[k][i] === 1;
  const rows = firstRows(
    table.n,
    (i) => held(i) && table.positive[i] === 1,
    held,
    () => true,
  );
  return limitOfRows(table, j, rows, 0);
}

/** Draw a first range for a new box: the middle half of the positives that are missed, or else of all. */
export function limitOfMissed({ train: { table, flagged } }, j) {
  const isPositive = (i) => table.positive[i] === 1;
  const rows = firstRows(
    table.n,
    (i) => isPositive(i) && flagged[i] === 0,
    isPositive,
    () => true,
  );
  return { ...limitOfRows(table, j, rows, 0.25), missing: false };
}

function limitOfRows(table, j, rows, cut) {
  const column = table.columns[j];
  if (table.features[j].kind === "categorical") {
    const codes = [...new Set(rows.map((i) => column[i]).filter((code) => code >= 0))].sort((a, b) => a - b);
    return { ...KNOWN, codes, missing: rows.some((i) => column[i] === MISSING) };
  }
  const values = rows
    .map((i) => column[i])
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const missing = values.length < rows.length;
  if (!values.length) return interval(Infinity, -Infinity, true);
  return interval(
    values[Math.floor(cut * values.length)],
    values[Math.ceil((1 - cut) * values.length) - 1],
    missing,
  );
}

/** Change the points from which rows are flagged, as one step. */
export function commitThreshold(store, threshold) {
  store.commit(`Threshold: ${store.model.threshold} → ${threshold}`, withThreshold(store.model, threshold));
}
