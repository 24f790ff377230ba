// The boxes of Fast Boxes at any cost of a false alarm, from the closed form (boxdraw.learners.fast.expand, .path and
// boxdraw.tables.encoding): the very limits that Python draws, moved to round numbers between the training rows.
//
// On mirrored axes every edge is a lower one. A scaled value y is inside the edge of a box exactly when
//   c <= t (R+ t + expansion) / R-,  t = exp(y - tight + 1),
// which is computed in the same steps here as there, so the least such y is the same too.

import { decodeArray } from "./data.js";
import { exponential } from "./exponential.js";
import { clipNumber, justAbove, justBelow, middleFloat } from "./numbers.js";
import { GRID, lowerStop, rawValue, roundInterval, scaledValue, upperStop } from "./stops.js";

/** Decodes the closed form that a page holds, once. */
export function readForm(json) {
  return {
    negativeWeight: json.negative_weight,
    expansion: json.expansion,
    growth: json.growth,
    costs: json.costs && decodeArray(json.costs),
    range: json.range,
    shape: json.shape,
    tight: decodeArray(json.tight),
    positive: decodeArray(json.positive),
    negative: decodeArray(json.negative),
    columns: json.columns.map(readColumn),
  };
}

/** Decodes a column of the learner's matrix. */
function readColumn(json) {
  const first = decodeArray(json.first);
  const column = {
    ...json,
    first,
    last: json.last === null ? first : decodeArray(json.last),
    positives: decodeArray(json.positives),
    places: json.places && decodeArray(json.places),
  };
  const [scaledLow, scaledHigh] = [scaledValue(column, json.low), scaledValue(column, json.high)];
  return { ...column, scaledLow, scaledHigh };
}

/** Returns the model at cost c; `features` are those of the page. */
export function drawAt(form, features, c) {
  const boxes = [];
  for (let k = 0; k < form.shape[1]; k += 1) {
    const limits = boxLimits(form, features, intervalsOf(form, k, c));
    if (limits !== null) boxes.push({ limits, points: null });
  }
  return { boxes, threshold: null };
}

/** Returns the lower and upper limit of a box in each column. */
function intervalsOf(form, k, c) {
  const [, nBoxes, nColumns] = form.shape;
  return form.columns.map((column, p) => {
    const lowerEdge = k * nColumns + p;
    const upperEdge = (nBoxes + k) * nColumns + p;
    const [low, high] = [column.scaledLow, column.scaledHigh];
    const lower = edgeTarget(form, lowerEdge, low, high, c);
    const upper = edgeTarget(form, upperEdge, -high, -low, c);
    return { column, ...rawInterval(form.growth, column, lower, upper) };
  });
}

/** Returns the raw limits for targets on the mirrored axes. */
function rawInterval(growth, column, lower, upper) {
  const stops = growth === "nearest_negative";
  const lowerLimit = stops ? lowerStop(column, lower) : null;
  const upperLimit = stops ? upperStop(column, -upper) : null;
  return {
    lower: lowerLimit === null ? firstRawValue(column, 1, lower) : lowerLimit,
    upper: upperLimit === null ? -firstRawValue(column, -1, upper) : upperLimit,
  };
}

/** Returns the least scaled, mirrored value inside an edge at cost c, between the ends of the data. */
function edgeTarget(form, edge, low, high, c) {
  const { expansion, growth } = form;
  const [tight, positive, negative] = [form.tight[edge], form.positive[edge], form.negative[edge]];
  const isInside = (tick) => {
    const t = exponential(tick * GRID - tight + 1);
    return ((positive * t + expansion) * t) / negative >= c;
  };
  const start = Math.ceil(minimiser(tight, positive, negative, expansion, c) / GRID);
  const target = leastTick(isInside, start, low / GRID, high / GRID) * GRID;
  return growth === "free" ? target : Math.min(target, tight);
}

/** Returns where the loss of an edge is least, but for rounding; -Infinity if nothing is beyond it. */
function minimiser(tight, positive, negative, expansion, c) {
  if (!(negative > 0)) return -Infinity;
  const logPull = Math.log(c) + Math.log(negative);
  const logExpansion = Math.log(expansion);
  const logRoot = logAddExp(2 * logExpansion, Math.log(4) + Math.log(positive) + logPull) / 2;
  return tight - 1 + Math.LN2 + logPull - logAddExp(logExpansion, logRoot);
}

/** Returns log(exp(a) + exp(b)). */
function logAddExp(a, b) {
  return a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}

/** Returns the least whole number from low to high that is inside, and so are all above; or high + 1. */
function leastTick(isInside, start, low, high) {
  const reaches = (tick) => tick > high || isInside(tick);
  // The start is a step or two off at most as a rule; were it more, doubling steps would still be few.
  let outside = low - 1;
  let inside = high + 1;
  const at = clipNumber(start, low, high + 1);
  if (reaches(at)) {
    inside = at;
    for (let step = 1; inside - step > outside && outside === low - 1; step *= 2) {
      if (isInside(inside - step)) inside -= step;
      else outside = inside - step;
    }
  } else {
    outside = at;
    for (let step = 1; outside + step < inside && inside === high + 1; step *= 2) {
      if (isInside(outside + step)) inside = outside + step;
      else outside += step;
    }
  }
  while (inside - outside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (reaches(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

/** Returns the least mirrored raw number whose scaled value reaches the target; infinite past the data. */
function firstRawValue(column, sign, target) {
  const [low, high] = sign > 0 ? [column.low, column.high] : [-column.high, -column.low];
  const scaled = (value) => sign * scaledValue(column, sign * value);
  if (target <= scaled(low)) return -Infinity;
  if (target > scaled(high)) return Infinity;
  let outside = low;
  let inside = high;
  const narrow = (value) => {
    if (scaled(value) >= target) inside = value;
    else outside = value;
  };
  // It should be half a step of the grid below, but for rounding: most often between a little to each side.
  const near = (steps) => sign * rawValue(column, sign * (target + steps * GRID));
  narrow(clipNumber(justBelow(justBelow(near(-0.5 - 1 / 64))), outside, inside));
  narrow(clipNumber(justAbove(justAbove(near(-0.5 + 1 / 64))), outside, inside));
  for (;;) {
    const middle = middleFloat(outside, inside);
    if (middle === outside || middle === inside) return inside;
    narrow(middle);
  }
}

/** Translates intervals on the matrix to limits on the features; null if nothing can be in the box. */
function boxLimits(form, features, intervals) {
  const limits = features.map(() => null);
  for (let p = 0; p < intervals.length; p += 1) {
    const interval = intervals[p];
    const { feature, what } = interval.column;
    if (what === "missing") continue; // belongs to the column before it
    const next = intervals[p + 1];
    const flag = next && next.column.what === "missing" ? next : null;
    const limit = what === "codes" ? codeLimit(interval, features[feature]) : numberLimit(interval, flag);
    if (limit === undefined) return null;
    limits[feature] = limit;
  }
  return limits;
}

/** Says whether some number can be between the limits. */
function hasRoom({ lower, upper }) {
  return lower <= upper && lower < Infinity && upper > -Infinity;
}

/** Returns the limit on a feature of numbers; null for none, undefined if nothing is inside. */
function numberLimit(interval, flag) {
  const { column } = interval;
  let [lower, upper] = [interval.lower + 0, interval.upper + 0];
  let missing = lower === -Infinity && upper === Infinity;
  if (flag === null) {
    if (!hasRoom(interval)) return undefined;
  } else {
    missing = flag.upper >= 1;
    const known = hasRoom(interval) && flag.lower <= 0;
    if (!hasRoom(flag) || (!known && !missing)) return undefined;
    if (!known) [lower, upper] = [Infinity, -Infinity];
  }
  if (missing && lower === -Infinity && upper === Infinity) return null;
  [lower, upper] = roundInterval(column, lower, upper);
  return { lower, upper, codes: null, missing };
}

/** Returns the limit on a feature of categories; null for none, undefined if nothing is inside. */
function codeLimit({ column, lower, upper }, feature) {
  const codes = [];
  let cuts = false;
  column.places.forEach((place, code) => {
    if (lower <= place && place <= upper) codes.push(code);
    else if (Number.isFinite(place)) cuts = true;
  });
  if (!codes.length) return undefined;
  if (!cuts) return null;
  const nKnown = feature.categories.length;
  return {
    lower: -Infinity,
    upper: Infinity,
    codes: codes.filter((code) => code < nKnown),
    missing: codes.includes(nKnown),
  };
}
