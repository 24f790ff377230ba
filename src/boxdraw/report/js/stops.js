// The negatives that stop a growing edge (boxdraw.learners.fast.stops), one column of the learner's matrix at a time.
//
// A column has sorted spans of negatives, from first[i] to last[i], with none between them, and the sorted
// values of the positives. The spans at minus and plus infinity that Python keeps are understood.

import {
  countBelow,
  countUpTo,
  countWhile,
  justAbove,
  justBelow,
  rint,
  shortestBetween,
} from "./numbers.js";

// Scaled values are whole multiples of it (boxdraw.learners.scaling).
export const GRID = 2 ** -44;

/** Returns a raw value on the scale of a column. */
export function scaledValue(column, value) {
  return rint((value * column.prescale - column.middle) * column.steps) * GRID;
}

/** Undoes it, but for rounding. */
export function rawValue(column, scaled) {
  return (scaled / GRID / (column.steps > 0 ? column.steps : Infinity) + column.middle) / column.prescale;
}

/** Returns the widest raw lower limit that keeps out every stop below a scaled target; null within a span. */
export function lowerStop(column, target) {
  const place = countWhile(column.first, (value) => scaledValue(column, value) < target) - 1;
  if (place < 0) return -Infinity;
  return scaledValue(column, column.last[place]) < target ? justAbove(column.last[place]) : null;
}

/** Returns the widest raw upper limit that keeps out every stop above a scaled target; null within a span. */
export function upperStop(column, target) {
  const place = countWhile(column.last, (value) => scaledValue(column, value) <= target);
  if (place === column.first.length) return Infinity;
  return scaledValue(column, column.first[place]) > target ? justBelow(column.first[place]) : null;
}

/** Returns the roundest limits that leave every training row on its side of each; those that would cross stay. */
export function roundInterval(column, lower, upper) {
  if (!(lower < upper)) return [lower, upper];
  const round = [roundLower(column, lower), roundUpper(column, upper)];
  return round[0] < round[1] || (column.whole && round[0] === round[1]) ? round : [lower, upper];
}

/** Returns the roundest number for a lower limit. */
function roundLower(column, limit) {
  if (!Number.isFinite(limit)) return limit;
  if (column.whole) return Math.ceil(limit) + 0;
  const place = countBelow(column.last, limit);
  const next = place < column.first.length ? column.first[place] : Infinity;
  const before = next < limit ? justBelow(limit) : place > 0 ? column.last[place - 1] : -Infinity;
  const [below, above] = valuesAround(column.positives, countBelow(column.positives, limit));
  const low = justAbove(Math.max(before, below));
  const high = Math.min(Math.max(next, limit), above);
  return shortestBetween(stepInto(limit, high), low, high) + 0;
}

/** Returns the roundest number for an upper limit. */
function roundUpper(column, limit) {
  if (!Number.isFinite(limit)) return limit;
  if (column.whole) return Math.floor(limit) + 0;
  const place = countUpTo(column.first, limit);
  const before = place > 0 ? column.last[place - 1] : -Infinity;
  const next = place < column.first.length ? column.first[place] : Infinity;
  const [below, above] = valuesAround(column.positives, countUpTo(column.positives, limit));
  const low = Math.max(Math.min(before, limit), below);
  const high = justBelow(Math.min(before > limit ? justAbove(limit) : next, above));
  return shortestBetween(stepInto(limit, low), low, high) + 0;
}

/** Returns the values before and at a place of a sorted array; infinite where there are none. */
function valuesAround(values, place) {
  return [place > 0 ? values[place - 1] : -Infinity, place < values.length ? values[place] : Infinity];
}

/** Moves a limit a little towards an end of its room, if it is tiny beside that, as 5e-324 is. */
function stepInto(limit, end) {
  const step = 1e-3 * (end - limit);
  return Number.isFinite(step) && Math.abs(step) > 1e6 * Math.abs(limit) ? limit + step : limit;
}
