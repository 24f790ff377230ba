/* What a model does on labelled rows: who is in which box, and the counts that people judge it by. */

import { UNSEEN } from "./data.js";

const Z2 = 1.959963984540054 ** 2;

/** Say for each row whether a box holds it. */
export function inside(box, table) {
  const member = new Uint8Array(table.n).fill(1);
  box.limits.forEach((limit, j) => {
    if (limit === null) return;
    if (table.features[j].kind === "categorical") keepCodes(member, table.columns[j], limit, table.features[j]);
    else keepNumbers(member, table.columns[j], limit);
  });
  return member;
}

function keepNumbers(member, column, { lower, upper, missing }) {
  for (let i = 0; i < member.length; i += 1) {
    const value = column[i];
    // A missing value, NaN, is the only one that differs from itself.
    if (value === value ? value < lower || value > upper : !missing) member[i] = 0;
  }
}

function keepCodes(member, column, { codes, missing }, feature) {
  const n = feature.categories.length;
  const admitted = new Uint8Array(n + 2); // at the end: missing, unseen
  if (codes === null) admitted.fill(1, 0, n);
  else for (const code of codes) admitted[code] = 1;
  admitted[n] = missing ? 1 : 0;
  admitted[n + 1] = codes === null ? 1 : 0;
  for (let i = 0; i < member.length; i += 1) {
    const code = column[i];
    if (!admitted[code >= 0 ? code : code === UNSEEN ? n + 1 : n]) member[i] = 0;
  }
}

/** Evaluate a model; rows are looked at again only for boxes that are not those of the evaluation before. */
export function evaluate(model, table, before = null) {
  const known = new Map(before === null ? [] : before.boxes.map((box, k) => [box.limits, before.member[k]]));
  const member = model.boxes.map((box) => known.get(box.limits) ?? inside(box, table));
  const depth = new Uint16Array(table.n);
  const score = new Int32Array(table.n);
  member.forEach((rows, k) => {
    const points = model.boxes[k].points ?? 1;
    for (let i = 0; i < rows.length; i += 1) {
      depth[i] += rows[i];
      score[i] += rows[i] * points;
    }
  });
  const threshold = model.threshold ?? 1;
  const flagged = new Uint8Array(table.n);
  for (let i = 0; i < flagged.length; i += 1) flagged[i] = score[i] >= threshold ? 1 : 0;
  return { boxes: model.boxes, member, depth, score, flagged, counts: confusion(flagged, table), table };
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

/** Describe one box as box_table does. */
export function boxFigures(evaluation, k) {
  const { table, depth } = evaluation;
  const rows = evaluation.member[k];
  let [support, caught, alone, caughtAlone, all, positives] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < rows.length; i += 1) {
    const mass = table.weight === null ? 1 : table.weight[i];
    all += mass;
    positives += table.positive[i] * mass;
    if (!rows[i]) continue;
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
