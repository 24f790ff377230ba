// The trade-off over all costs: the ROC curve of critical weights, its hull (as boxdraw.metrics.roc_hull has
// it), and precision and recall.

import { countWhile } from "./numbers.js";

// Rates are rounded fractions: a point this close to a line cannot be told from a point on it.
const COLLINEAR = 4 * Number.EPSILON;
const FEW_POINTS = 64;

/**
 * Adds up the weights of the rows at or above each critical weight, from the highest one down.
 * `weight` is null for rows of weight 1. Without both classes there is no curve, and the result is null.
 */
export function rocCurve(critical, positive, weight) {
  const order = Uint32Array.from(critical, (_, i) => i).sort((a, b) => critical[b] - critical[a] || a - b);
  const curve = { critical: [], truePositives: [], falsePositives: [] };
  let [truePositives, falsePositives] = [0, 0];
  order.forEach((row, i) => {
    const mass = weight === null ? 1 : weight[row];
    if (positive[row]) truePositives += mass;
    else falsePositives += mass;
    if (i + 1 < order.length && critical[order[i + 1]] === critical[row]) return;
    curve.critical.push(critical[row]);
    curve.truePositives.push(truePositives);
    curve.falsePositives.push(falsePositives);
  });
  if (!(truePositives > 0 && falsePositives > 0)) return null;
  return { ...curve, positives: truePositives, negatives: falsePositives };
}

const CURVES = new WeakMap();

/** Returns the curve of a table with critical weights, computed once for all views. */
export function curveOf(table) {
  if (!CURVES.has(table)) CURVES.set(table, rocCurve(table.critical, table.positive, table.weight));
  return CURVES.get(table);
}

/** Returns what the boxes at cost c flag: weights and rates of positives and negatives. */
export function ratesAt(curve, c) {
  const flagged = countWhile(curve.critical, (value) => value >= c);
  const truePositives = flagged ? curve.truePositives[flagged - 1] : 0;
  const falsePositives = flagged ? curve.falsePositives[flagged - 1] : 0;
  return {
    truePositives,
    falsePositives,
    tpr: truePositives / curve.positives,
    fpr: falsePositives / curve.negatives,
  };
}

/** Returns the four counts of the boxes at cost c. */
export function countsAt(curve, c) {
  const { truePositives, falsePositives } = ratesAt(curve, c);
  const { positives, negatives } = curve;
  return {
    truePositives,
    falsePositives,
    falseNegatives: positives - truePositives,
    trueNegatives: negatives - falsePositives,
  };
}

/** Returns the rates at each critical weight, from the highest one down, behind those of no boxes. */
export function rocPoints(curve) {
  return {
    fpr: [0, ...curve.falsePositives.map((mass) => mass / curve.negatives)],
    tpr: [0, ...curve.truePositives.map((mass) => mass / curve.positives)],
  };
}

/** Returns recall and precision at each critical weight, from the highest one down. */
export function precisionRecall(curve) {
  return {
    recall: curve.truePositives.map((mass) => mass / curve.positives),
    precision: curve.truePositives.map((mass, i) => mass / (mass + curve.falsePositives[i])),
  };
}

/** Returns the upper hull of ROC points, with (0, 0) and (1, 1), from left to right. */
export function rocHull(fpr, tpr) {
  const order = Array.from(fpr, (_, i) => i).sort((a, b) => fpr[a] - fpr[b] || tpr[b] - tpr[a]);
  const points = [[0, 0]];
  let highest = 0;
  for (const i of order) {
    if (tpr[i] > highest) points.push([fpr[i], tpr[i]]); // the others are right of a point as high
    highest = Math.max(highest, tpr[i]);
  }
  points.push([1, 1]);
  const hull = scanHull(thinned(points));
  return { fpr: hull.map(([x]) => x), tpr: hull.map(([, y]) => y) };
}

/** Drops points on or under the line between their neighbours, all at once, as long as that drops many. */
function thinned(points) {
  while (points.length > FEW_POINTS) {
    const kept = points.filter((point, i) => i === 0 || i === points.length - 1 || turn(points, i) > 0);
    const few = kept.length > points.length - Math.floor(points.length / 8);
    points = kept;
    if (few) break;
  }
  return points;
}

/** Returns a number above 0 if the points turn right at the i-th. */
function turn(points, i) {
  const [[x0, y0], [x1, y1], [x2, y2]] = [points[i - 1], points[i], points[i + 1]];
  const [up, down] = [(y1 - y0) * (x2 - x1), (y2 - y1) * (x1 - x0)];
  return up > down ? 1 : 0;
}

/** Returns the vertices of the upper hull of points that are sorted from left to right. */
function scanHull(points) {
  const hull = [];
  for (const point of points) {
    const [x2, y2] = point;
    while (hull.length > 1) {
      const [x1, y1] = hull[hull.length - 1];
      const [x0, y0] = hull[hull.length - 2];
      const slack = COLLINEAR * (x2 - x0 + Math.abs(y1 - y0) + Math.abs(y2 - y1));
      if ((y1 - y0) * (x2 - x1) - (y2 - y1) * (x1 - x0) > slack) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

/** Returns the area under straight lines between points from (0, 0) to (1, 1), sorted from left to right. */
export function areaUnder(fpr, tpr) {
  let twice = 0;
  for (let i = 1; i < fpr.length; i += 1) twice += (fpr[i] - fpr[i - 1]) * (tpr[i - 1] + tpr[i]);
  return twice / 2;
}
