/* What a model does on labelled rows: who is in which box, and the counts that people judge it by. */

import { UNSEEN } from "./data.js";

const Z2 = 1.959963984540054 ** 2;

const TRIED_ROWS = 250;
const EVERY_ROW = new WeakMap();

function everyRow(table) {
  if (!EVERY_ROW.has(table)) EVERY_ROW.set(table, new Int32Array(table.n).map((_, i) => i));
  return EVERY_ROW.get(table);
}

/** List which of some rows, by default of all, meet limits; each limit looks only at what the ones before left. */
export function rowsInside(limits, table, rows = everyRow(table)) {
  return strictestFirst(limits, table, rows).reduce((left, j) => rowsWithin(limits[j], j, table, left), rows);
}

/** List which of some rows meet one limit. */
function rowsWithin(limit, j, table, rows) {
  const [column, feature] = [table.columns[j], table.features[j]];
  return feature.kind === "categorical" ? keepCodes(rows, column, limit, feature) : keepNumbers(rows, column, limit);
}

/** Put the limits that keep out most of a few rows first: the others then have fewer rows to look at. */
function strictestFirst(limits, table, rows) {
  const asked = limits.flatMap((limit, j) => (limit === null ? [] : [j]));
  if (asked.length < 2 || rows.length < 4 * TRIED_ROWS) return asked;
  const step = rows.length / TRIED_ROWS;
  const tried = Int32Array.from({ length: TRIED_ROWS }, (_, i) => rows[Math.floor(i * step)]);
  const left = new Map(asked.map((j) => [j, rowsWithin(limits[j], j, table, tried).length]));
  return asked.sort((a, b) => left.get(a) - left.get(b));
}

function keepNumbers(rows, column, { lower, upper, missing }) {
  const kept = new Int32Array(rows.length);
  let n = 0;
  for (let r = 0; r < rows.length; r += 1) {
    const value = column[rows[r]];
    // A missing value, NaN, is the only one that differs from itself.
    if (value === value ? value < lower || value > upper : !missing) continue;
    kept[n] = rows[r];
    n += 1;
  }
  return kept.subarray(0, n);
}

function keepCodes(rows, column, { codes, missing }, feature) {
  const n = feature.categories.length;
  const admitted = new Uint8Array(n + 2); // at the end: missing, unseen
  if (codes === null) admitted.fill(1, 0, n);
  else for (const code of codes) admitted[code] = 1;
  admitted[n] = missing ? 1 : 0;
  admitted[n + 1] = codes === null ? 1 : 0;
  return rows.filter((i) => admitted[column[i] >= 0 ? column[i] : column[i] === UNSEEN ? n + 1 : n]);
}

/** Evaluate a model; rows are looked at again only for boxes that are not those of the evaluation before. */
export function evaluate(model, table, before = null) {
  const known = new Map(before === null ? [] : before.boxes.map((box, k) => [box.limits, k]));
  let moving = null;
  const [held, member] = [[], []];
  model.boxes.forEach(({ limits }, k) => {
    const same = known.get(limits);
    moving = same === undefined ? movingLimit(limits, k, table, before) : moving;
    held[k] = same === undefined ? rowsMoving(limits, table, moving) : before.held[same];
    member[k] = same === undefined ? marksOf(held[k], table.n) : before.member[same];
  });
  const depth = new Uint16Array(table.n);
  const score = new Int32Array(table.n);
  held.forEach((rows, k) => {
    const points = model.boxes[k].points ?? 1;
    for (let r = 0; r < rows.length; r += 1) {
      depth[rows[r]] += 1;
      score[rows[r]] += points;
    }
  });
  const threshold = model.threshold ?? 1;
  const flagged = new Uint8Array(table.n);
  for (let i = 0; i < flagged.length; i += 1) flagged[i] = score[i] >= threshold ? 1 : 0;
  const counts = confusion(flagged, table);
  return { boxes: model.boxes, held, member, depth, score, flagged, counts, table, moving };
}

function marksOf(rows, n) {
  const marks = new Uint8Array(n);
  for (let r = 0; r < rows.length; r += 1) marks[rows[r]] = 1;
  return marks;
}

/** Find the one limit in which a box differs from before, with the rows that meet all the others; or null. */
function movingLimit(limits, k, table, before) {
  const old = before?.boxes[k]?.limits;
  if (old === undefined) return null;
  const changed = limits.flatMap((limit, j) => (limit === old[j] ? [] : [j]));
  if (changed.length !== 1) return null;
  const [j] = changed;
  if (before.moving?.k === k && before.moving.j === j) return before.moving;
  return { k, j, others: rowsInside(limits.with(j, null), table) };
}

/** List the rows in a box; while one of its limits moves, only what the others let in is looked at. */
function rowsMoving(limits, table, moving) {
  if (moving === null) return rowsInside(limits, table);
  return rowsInside(limits.map((limit, j) => (j === moving.j ? limit : null)), table, moving.others);
}

/** Count caught, missed and false alarms, by weight. */
export function confusion(flagged, { positive, weight }) {
  const cells = [0, 0, 0, 0];
  for (let i = 0; i < flagged.length; i += 1) {
    cells[2 * positive[i] + flagged[i]] += weight === null ? 1 : weight[i];
  }
  const [trueNegatives, falsePositives, falseNegatives, truePositives] = cells;
  return { truePositives, falsePositives, falseNegatives, trueNegatives };
}

/** Compute the shares that people read off four counts; NaN where there is nothing to divide by. */
export function rates({ truePositives, falsePositives, falseNegatives, trueNegatives }) {
  const flagged = truePositives + falsePositives;
  const [low, high] = wilson(truePositives, flagged);
  return {
    precision: truePositives / flagged,
    precisionLow: low,
    precisionHigh: high,
    recall: truePositives / (truePositives + falseNegatives),
    falseAlarmRate: falsePositives / (falsePositives + trueNegatives),
    flagged,
  };
}

const TOTALS = new WeakMap();

/** Sum up the weights of all rows, and of the positives, once. */
function totalsOf(table) {
  if (!TOTALS.has(table)) {
    let [all, positives] = [0, 0];
    for (let i = 0; i < table.n; i += 1) {
      const mass = table.weight === null ? 1 : table.weight[i];
      all += mass;
      positives += table.positive[i] * mass;
    }
    TOTALS.set(table, { all, positives });
  }
  return TOTALS.get(table);
}

/** Describe one box as box_table does. */
export function boxFigures({ table, depth, held }, k) {
  const { all, positives } = totalsOf(table);
  let [support, caught, alone, caughtAlone] = [0, 0, 0, 0];
  for (const i of held[k]) {
    const mass = table.weight === null ? 1 : table.weight[i];
    support += mass;
    caught += table.positive[i] * mass;
    if (depth[i] !== 1) continue;
    alone += mass;
    caughtAlone += table.positive[i] * mass;
  }
  const [precisionLow, precisionHigh] = wilson(caught, support);
  return {
    support,
    truePositives: caught,
    falsePositives: support - caught,
    precision: caught / support,
    precisionLow,
    precisionHigh,
    recall: caught / positives,
    uniqueRecall: caughtAlone / positives,
    lift: caught / support / (positives / all),
    overlap: 1 - alone / support,
  };
}

/** Return the Wilson 95% interval of a share. */
export function wilson(hits, total) {
  const share = hits / total;
  const centre = (share + Z2 / (2 * total)) / (1 + Z2 / total);
  const half = Math.sqrt(Z2 * ((share * (1 - share)) / total + Z2 / (4 * total ** 2))) / (1 + Z2 / total);
  return [Math.max(centre - half, 0), Math.min(centre + half, 1)];
}

/** Return what the misses and false alarms cost, in misses. */
export function totalCost(counts, falseAlarmCost) {
  return counts.falseNegatives + falseAlarmCost * counts.falsePositives;
}
