/* Why a row is flagged, or what keeps it out of the nearest box: what boxdraw.model.explain says, word for word. */

import { MISSING, UNSEEN } from "./data.js";
import { categoryText, formatNumber, isKnown, isLimited, isOnlyMissing } from "./text.js";
import { limitText, printable } from "./text.js";

/** List the values of a row, by feature: numbers, NaN for missing ones, and codes of categories. */
export function rowValues(table, i) {
  return table.columns.map((column) => column[i]);
}

/** Say whether a value is missing. */
export function isMissingValue(feature, value) {
  return feature.kind === "categorical" ? value === MISSING : Number.isNaN(value);
}

/** Write a value. */
export function valueText(feature, value) {
  if (isMissingValue(feature, value)) return "a missing value";
  if (feature.kind !== "categorical") return formatNumber(value + 0);
  return value === UNSEEN ? "a category that training never saw" : categoryText(feature.categories[value]);
}

/** Return how far outside a limit a value is: 0 inside, NaN outside without a distance. */
export function outsideBy(feature, limit, value) {
  if (isMissingValue(feature, value)) return limit.missing ? 0 : NaN;
  if (feature.kind === "categorical") return limit.codes === null || limit.codes.includes(value) ? 0 : NaN;
  if (limit.lower > limit.upper) return NaN; // only missing values are inside
  const low = limit.lower > -Infinity ? limit.lower - value : 0;
  const high = limit.upper < Infinity ? value - limit.upper : 0;
  return Math.max(low, high, 0);
}

/** Say whether a box holds a row. */
export function holdsRow(features, box, values) {
  return box.limits.every((limit, j) => limit === null || outsideBy(features[j], limit, values[j]) === 0);
}

/** Return how far a row is from a box: a category or a missing value that is not inside counts 1. */
export function distanceTo(features, limits, values) {
  let total = 0;
  limits.forEach((limit, j) => {
    if (limit === null) return;
    const by = outsideBy(features[j], limit, values[j]);
    total += Number.isNaN(by) ? 1 : by / features[j].scale;
  });
  return total;
}

/** Say for each limit of a box what it asks, what the row has, and whether that is enough. */
export function checkLimits(features, limits, values) {
  return limits.flatMap((limit, j) => {
    if (!isLimited(limit)) return [];
    const by = outsideBy(features[j], limit, values[j]);
    const has = valueText(features[j], values[j]);
    const met = by === 0;
    const text = met
      ? limitText(features[j], limit)
      : neededText(features[j], unmetPart(limit, values[j]));
    return [{ feature: j, text, has, met, by: Number.isNaN(by) ? null : by }];
  });
}

/** Return the one of two limits that a value is beyond. */
function unmetPart(limit, value) {
  if (limit.codes !== null || !(limit.lower < limit.upper)) return limit;
  if (value < limit.lower) return { ...limit, upper: Infinity };
  return value > limit.upper ? { ...limit, lower: -Infinity } : limit;
}

function neededText(feature, limit) {
  if (isKnown(limit)) return `${printable(feature.name)} known`;
  if (isOnlyMissing(limit)) return `${printable(feature.name)} missing`;
  return limitText(feature, limit);
}

/** Write what a box asks of a row that it holds, or the limits that keep the row out. */
export function whyText(checks, held) {
  const told = held ? checks : checks.filter((check) => !check.met);
  const texts = told.map(({ text, has }) => (held ? `${text} (has ${has})` : `needs ${text}, has ${has}`));
  return texts.join(held ? " and " : "; ") || "every row";
}

/** Find the first box that holds a row, or else the nearest one; all numbers of boxes are from 0. */
function nearestBox(model, features, values) {
  const held = model.boxes.flatMap((box, k) => (holdsRow(features, box, values) ? [k] : []));
  if (held.length) return { held, box: held[0], distance: 0 };
  let [box, distance] = [null, Infinity];
  model.boxes.forEach(({ limits }, k) => {
    const far = distanceTo(features, limits, values);
    if (box === null || far < distance) [box, distance] = [k, far];
  });
  return { held, box, distance };
}

/**
 * Say whether a row is flagged, which boxes hold it, and why; or which is nearest and what keeps the row out.
 *
 * Boxes are numbered from 0. A scorecard flags who has the points; without one, each box is worth 1.
 */
export function explainRow(model, features, table, i) {
  const values = rowValues(table, i);
  const { held, box, distance } = nearestBox(model, features, values);
  const checks = box === null ? [] : checkLimits(features, model.boxes[box].limits, values);
  const violations = checks.filter((check) => !check.met);
  const points = held.reduce((sum, k) => sum + (model.boxes[k].points ?? 1), 0);
  return {
    flagged: points >= (model.threshold ?? 1),
    box,
    boxes: held,
    checks,
    violations,
    distance,
    points,
    why: box === null ? "there are no boxes" : whyText(checks, held.length > 0),
  };
}
