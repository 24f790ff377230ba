/* What it would take: the least change that gets a row flagged, and the limits to cross not to be flagged. */

import { MISSING } from "./data.js";
import { checkLimits, distanceTo, holdsRow, isMissingValue, outsideBy, valueText } from "./explain.js";
import { categoriesText, formatNumber, isKnown, isLimited, isOnlyMissing, printable } from "./text.js";

/** The most sets of boxes that are tried; if there are more, the best one found so far is told. */
const MOST_TRIED = 20000;

/** Return what both of two limits admit, null for everything, undefined for nothing. */
export function bothLimits(a, b) {
  if (a === null || b === null) return a ?? b;
  const [low, high] = [a.lower >= b.lower ? a : b, a.upper <= b.upper ? a : b];
  const codes = bothCodes(a.codes, b.codes);
  const missing = a.missing && b.missing;
  if (low.lower > high.upper || codes?.length === 0) {
    if (!missing) return undefined;
    const none = { lower: Infinity, upper: -Infinity };
    return codes === null ? { ...none, codes, missing } : { ...a, codes: [], missing };
  }
  return { lower: low.lower, upper: high.upper, codes, missing };
}

function bothCodes(a, b) {
  return a === null || b === null ? a ?? b : a.filter((code) => b.includes(code));
}

/** Return the limits that two boxes have together; null if no row meets them. */
function bothBoxes(limits, others) {
  const joint = limits.map((limit, j) => bothLimits(limit, others[j]));
  return joint.includes(undefined) ? null : joint;
}

/** Move a row to the nearest place that limits admit. */
function movedInside(features, limits, values) {
  return limits.map((limit, j) => {
    if (limit === null || outsideBy(features[j], limit, values[j]) === 0) return values[j];
    if (features[j].kind === "categorical") return limit.codes === null ? 0 : limit.codes[0] ?? MISSING;
    if (limit.lower > limit.upper) return NaN;
    if (!Number.isNaN(values[j])) return values[j] < limit.lower ? limit.lower : limit.upper;
    return limit.lower > -Infinity ? limit.lower : limit.upper < Infinity ? limit.upper : 0;
  });
}

/** Add up the points of the boxes that hold a row; 1 for each where there is no scorecard. */
export function pointsOf(model, features, values) {
  return model.boxes.reduce((sum, box) => sum + (holdsRow(features, box, values) ? box.points ?? 1 : 0), 0);
}

/**
 * Find the cheapest set of boxes such that a row inside all of them is flagged; null if there is none.
 *
 * Being in several boxes means meeting the limits of all of them, so a set costs the distance to what they
 * have in common. A box more never makes that less, which spares most of the sets. What is found is checked
 * on the moved row, as it may have come into boxes that take points away.
 */
export function wayIn(model, features, values) {
  const needed = model.threshold ?? 1;
  const candidates = wayInCandidates(model, features, values);
  const search = { best: null, tried: 0 };
  const visit = (place, limits, gained, chosen) => {
    search.tried += 1;
    const distance = distanceTo(features, limits, values);
    if (search.tried > MOST_TRIED || (search.best !== null && distance >= search.best.distance)) return;
    if (gained >= needed) {
      const points = pointsOf(model, features, movedInside(features, limits, values));
      if (points >= needed) {
        search.best = { boxes: chosen, limits, distance, points };
        return;
      }
    }
    for (let at = place; at < candidates.length && gained + candidates[at].rest >= needed; at += 1) {
      const { box, points, limits: asked } = candidates[at];
      const joint = bothBoxes(limits, asked);
      if (joint !== null) visit(at + 1, joint, gained + points, [...chosen, box]);
    }
  };
  visit(0, features.map(() => null), 0, []);
  return search.best === null ? null : tellWayIn(search, features, values);
}

/** List the boxes that give points, the nearest first, with the points that they and all after them give. */
function wayInCandidates(model, features, values) {
  const found = model.boxes.flatMap(({ limits, points }, box) => {
    if ((points ?? 1) <= 0) return [];
    return [{ box, limits, points: points ?? 1, distance: distanceTo(features, limits, values) }];
  });
  found.sort((a, b) => a.distance - b.distance || b.points - a.points || a.box - b.box);
  let rest = 0;
  for (const candidate of found.toReversed()) candidate.rest = rest += candidate.points;
  return found;
}

function tellWayIn({ best, tried }, features, values) {
  const changes = checkLimits(features, best.limits, values).filter((check) => !check.met);
  const boxes = best.boxes.toSorted((a, b) => a - b);
  return { boxes, distance: best.distance, points: best.points, changes, complete: tried <= MOST_TRIED };
}

/** Return how far a row is from the nearest way out of a limit that it meets. */
export function exitDistance(feature, limit, value) {
  if (isKnown(limit) || isOnlyMissing(limit) || limit.codes !== null) return 1;
  if (isMissingValue(feature, value)) return 1;
  return Math.min(aboveLower(limit, value), belowUpper(limit, value)) / feature.scale;
}

function aboveLower({ lower }, value) {
  return lower > -Infinity ? value - lower : Infinity;
}

function belowUpper({ upper }, value) {
  return upper < Infinity ? upper - value : Infinity;
}

/** Find the limit that a row is nearest to, of a box that holds it; null if the box has none. */
export function nearestExit(features, limits, values) {
  let [best, distance] = [null, Infinity];
  limits.forEach((limit, j) => {
    if (!isLimited(limit)) return;
    const far = exitDistance(features[j], limit, values[j]);
    if (best === null || far < distance) [best, distance] = [j, far];
  });
  if (best === null) return null;
  const [feature, limit, value] = [features[best], limits[best], values[best]];
  return { feature: best, text: exitText(feature, limit, value), has: valueText(feature, value), distance };
}

/** Write what a value would have to be to leave a limit, at the end that is nearer. */
function exitText(feature, limit, value) {
  const name = printable(feature.name);
  const absent = isMissingValue(feature, value);
  if (isKnown(limit)) return `${name} missing`;
  if (isOnlyMissing(limit)) return `${name} known`;
  if (limit.codes !== null) {
    return `${name} ${absent ? "known and " : ""}other than ${categoriesText(feature, limit.codes)}`;
  }
  const { lower, upper } = limit;
  const [low, high] = [aboveLower(limit, value), belowUpper(limit, value)];
  const [below, above] = [`${name} < ${formatNumber(lower + 0)}`, `${name} > ${formatNumber(upper + 0)}`];
  if (absent && lower > -Infinity && upper < Infinity) return `${below} or ${above}`;
  if (absent) return lower > -Infinity ? below : above;
  return low <= high ? below : above;
}

/**
 * Say how a flagged row could be no longer flagged: which boxes it has to leave, and by which limit of each.
 *
 * Without a scorecard it has to leave all that hold it; with one, those that cost least such that the points
 * no longer reach the threshold. Null is returned if leaving boxes is not enough, as for one without limits.
 */
export function wayOut(model, features, values) {
  const held = model.boxes.flatMap(({ limits, points }, box) => {
    if ((points ?? 1) <= 0 || !holdsRow(features, model.boxes[box], values)) return [];
    return [{ box, points: points ?? 1, exit: nearestExit(features, limits, values) }];
  });
  const spare = model.threshold === null ? null : pointsOf(model, features, values) - model.threshold + 1;
  const leave = spare === null ? held : cheapestSet(held, spare);
  return leave === null || leave.some(({ exit }) => exit === null) ? null : leave;
}

/** Find the boxes with at least so many points whose exits cost least in all; null if all have too few. */
function cheapestSet(held, points) {
  const boxes = held.filter(({ exit }) => exit !== null).sort((a, b) => a.exit.distance - b.exit.distance);
  const search = { best: null, cost: Infinity, tried: 0 };
  const visit = (place, left, cost, chosen) => {
    search.tried += 1;
    if (search.tried > MOST_TRIED || (search.best !== null && cost >= search.cost)) return;
    if (left <= 0) {
      [search.best, search.cost] = [chosen, cost];
      return;
    }
    for (let at = place; at < boxes.length; at += 1) {
      visit(at + 1, left - boxes[at].points, cost + boxes[at].exit.distance, [...chosen, boxes[at]]);
    }
  };
  visit(0, points, 0, []);
  return search.best?.toSorted((a, b) => a.box - b.box) ?? null;
}
