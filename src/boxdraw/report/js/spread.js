/* Where the values of a feature lie: what an axis must show, and what a histogram counts. */

import { MISSING, UNSEEN } from "./data.js";
import { bending } from "./scale.js";

const ROOM = 0.04;
const MOST_SORTED = 5000;
const MOST_COUNTED = 20000;
const FAR = 30; // units: what is farther out than that is hard to see on a straight axis
const SPREADS = new WeakMap();

/** List the tables of a page that a choice, "train", "test" or "both", means. */
export function chosenTables(store, choice) {
  const { train, test } = store.report.data;
  return [choice === "test" ? null : train, choice === "train" ? null : test].filter(
    (table) => table !== null,
  );
}

/** Describe the values of a feature over all rows of the page. */
export function spreadOf(store, j) {
  if (!SPREADS.has(store)) SPREADS.set(store, new Map());
  const known = SPREADS.get(store);
  if (!known.has(j)) {
    const columns = chosenTables(store, "both").map((table) => table.columns[j]);
    known.set(j, store.report.features[j].kind === "numeric" ? numberSpread(columns) : codeSpread(columns));
  }
  return known.get(j);
}

function numberSpread(columns) {
  let [low, high, missing] = [Infinity, -Infinity, false];
  for (const column of columns) {
    for (const value of column) {
      if (Number.isNaN(value)) missing = true;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high
    ? { low: 0, high: 1, missing, skewed: false, unit: 0 }
    : { low, high, missing, ...skewOf(sortedSample(columns), low) };
}

/** Say whether a log scale may help, and up to which unit it is straight, where values are not all above zero. */
function skewOf(values, low) {
  const quantile = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))];
  const [bottom, middle, top] = [0.01, 0.5, 0.99].map((share) => quantile(values, share));
  if (low > 0) return { skewed: top / bottom > 8 && top - middle > 3 * (middle - bottom), unit: 0 };
  const sizes = values.filter((value) => value !== 0).map(Math.abs).sort();
  if (!sizes.length) return { skewed: false, unit: 0 };
  const unit = quantile(sizes, 0.25);
  return { skewed: Math.max(-bottom, top) > FAR * unit, unit };
}

function sortedSample(columns) {
  const every = Math.ceil(columns.reduce((sum, column) => sum + column.length, 0) / MOST_SORTED);
  return Float64Array.from(columns.flatMap((column) => everyNth(column, every).filter(Number.isFinite))).sort();
}

function everyNth(column, every) {
  return Array.from({ length: Math.ceil(column.length / every) }, (_, i) => column[i * every]);
}

function codeSpread(columns) {
  const has = (code) => columns.some((column) => column.includes(code));
  return { missing: has(MISSING), unseen: has(UNSEEN), skewed: false };
}

/** Return the ends of an axis: the range of the rows and of the limits, and some room. */
export function axisRange(store, j, log) {
  const spread = spreadOf(store, j);
  const limits = store.model.boxes.flatMap(({ limits: all }) =>
    all[j] === null ? [] : [all[j].lower, all[j].upper],
  );
  // A range beyond the largest number has no straight axis.
  if (spread.high - spread.low === Infinity) log = true;
  const unit = log ? spread.unit : 0;
  const shown = limits.filter((value) => Number.isFinite(value) && (!log || unit || value > 0));
  const [low, high] = [Math.min(spread.low, ...shown), Math.max(spread.high, ...shown)];
  if (log) {
    const [bend, unbend] = bending({ log, unit });
    const more = ROOM * (bend(high) - bend(low)) || ROOM;
    const finite = (value) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
    return { low: finite(unbend(bend(low) - more)), high: finite(unbend(bend(high) + more)), log, unit };
  }
  const room = ROOM * (high - low) || ROOM * Math.abs(high) || 1;
  return { low: low - room, high: high + room, log };
}

/** Count, by weight, the rows of each class in bins; each class sums to one. Also counts missing values. */
export function classHistogram(tables, j, nBins, binOf) {
  const bins = [new Float64Array(nBins), new Float64Array(nBins)];
  const total = [0, 0];
  for (const { columns, positive, weight } of tables) {
    const column = columns[j];
    for (let i = 0; i < column.length; i += 1) {
      const mass = weight === null ? 1 : weight[i];
      const bin = binOf(column[i]);
      total[positive[i]] += mass;
      if (bin >= 0 && bin < nBins) bins[positive[i]][bin] += mass;
    }
  }
  const [negative, positive] = bins.map((some, label) => some.map((mass) => mass / (total[label] || 1)));
  return { negative, positive };
}

/** Return the two features of numbers whose limits keep the most rows out, as BoxesDisplay shows them. */
export function mostLimited(store, boxes) {
  const { features, data } = store.report;
  const scores = features.map((feature, j) => {
    const limits = boxes.map((box) => box.limits[j]).filter((limit) => limit !== null);
    const sides = limits.flatMap(({ lower, upper }) => [lower, upper]).filter(Number.isFinite).length;
    const out = limits.reduce((sum, limit) => sum + keptOut(data.train.columns[j], limit), 0);
    return { j, categorical: feature.kind === "numeric" ? 0 : 1, out, sides };
  });
  scores.sort((a, b) => a.categorical - b.categorical || b.out - a.out || b.sides - a.sides || a.j - b.j);
  return scores
    .slice(0, 2)
    .map(({ j }) => j)
    .sort((a, b) => a - b);
}

function keptOut(column, { lower, upper }) {
  const every = Math.ceil(column.length / MOST_COUNTED);
  let out = 0;
  for (let i = 0; i < column.length; i += every) if (column[i] < lower || column[i] > upper) out += 1;
  return out;
}
