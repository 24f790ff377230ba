/* Which rows are listed, and in which order. Lists are arrays of row numbers, so that many stay quick. */

import { confusion } from "./evaluate.js";
import { outsideBy, valueText } from "./explain.js";
import { short } from "./format.js";
import { usedFeatures } from "./model.js";
import { categoryText, formatNumber, printable } from "./text.js";
import { exitDistance } from "./what_if.js";

/** The kinds of rows, in the order in which they are offered. */
export const ROW_KINDS = Object.freeze({
  missed: "Missed (false negatives)",
  alarms: "False alarms (false positives)",
  caught: "Caught (true positives)",
  passed: "Rightly not flagged (true negatives)",
  all: "All rows",
});
const KIND_WORDS = {
  missed: "missed",
  alarms: "false alarm",
  caught: "caught",
  passed: "rightly not flagged",
};

/** Say what kind of row this is. */
export function kindOfRow({ flagged, table }, i) {
  if (table.positive[i]) return flagged[i] ? "caught" : "missed";
  return flagged[i] ? "alarms" : "passed";
}

/** Count the rows of each kind: rows, not weights, because it is rows that are listed. */
export function countKinds({ flagged, table }) {
  const { truePositives, falseNegatives, falsePositives, trueNegatives } = confusion(flagged, {
    positive: table.positive,
    weight: null,
  });
  return {
    missed: falseNegatives,
    alarms: falsePositives,
    caught: truePositives,
    passed: trueNegatives,
    all: table.n,
  };
}

/** Return what the user calls a row. */
export function rowName(table, i) {
  return table.ids === null ? String(i) : table.ids[i];
}

/** Find the next row of a name after a given one; -1 if there is none. */
export function findRow(table, name, after) {
  const wanted = name.trim().toLowerCase();
  for (let step = 1; step <= table.n; step += 1) {
    const i = (after + step) % table.n;
    if (rowName(table, i).trim().toLowerCase() === wanted) return i;
  }
  return -1;
}

/**
 * Describe the columns of the list: what stands at its front, then features, those that the rules use first.
 *
 * A column writes a row's cell with `text`, sorts by the numbers of `order` (or of `orders`, for many rows
 * at once), and is searched by `finder` if it has one.
 */
export function rowColumns(store, evaluation, everything) {
  const used = usedFeatures(store.model);
  const others = store.report.features.flatMap((_, j) => (used.includes(j) || !everything ? [] : [j]));
  return [
    nameColumn(evaluation.table),
    labelColumn(store, evaluation),
    kindColumn(evaluation),
    boxesColumn(evaluation),
    store.model.threshold === null ? distanceColumn(store, evaluation) : pointsColumn(store, evaluation),
    ...[...used, ...others].map((j) => featureColumn(evaluation.table, j)),
  ];
}

function nameColumn(table) {
  const order = nameOrder(table);
  const finder = (query) => (i) => rowName(table, i).toLowerCase().includes(query);
  return { key: "name", title: "Row", text: (i) => printable(rowName(table, i)), order, finder };
}

const knownOrders = new WeakMap();

/** Order names as numbers if all are, else as people do ("row 9" before "row 10"); it is worked out once. */
function nameOrder(table) {
  if (table.ids === null) return (i) => i;
  if (!knownOrders.has(table)) {
    const numbers = table.ids.map(Number);
    knownOrders.set(table, numbers.some(Number.isNaN) ? ranksOf(table.ids) : numbers);
  }
  const ranks = knownOrders.get(table);
  return (i) => ranks[i];
}

function ranksOf(texts) {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const ranks = new Float64Array(texts.length);
  [...texts.keys()].sort((a, b) => compare(texts[a], texts[b])).forEach((i, rank) => {
    ranks[i] = rank;
  });
  return ranks;
}

function labelColumn({ report }, { table }) {
  const names = report.classes.map(categoryText);
  const text = (i) => names[table.positive[i]];
  const finder = (query) => (i) => text(i).toLowerCase().includes(query);
  const title = report.target === null ? "Label" : printable(report.target);
  return { key: "label", title, text, order: (i) => table.positive[i], finder };
}

function kindColumn(evaluation) {
  const kinds = Object.keys(KIND_WORDS);
  return {
    key: "kind",
    title: "Result",
    text: (i) => KIND_WORDS[kindOfRow(evaluation, i)],
    order: (i) => kinds.indexOf(kindOfRow(evaluation, i)),
    className: (i) => kindOfRow(evaluation, i),
  };
}

function boxesColumn({ member, depth }) {
  const text = (i) => member.flatMap((rows, k) => (rows[i] ? [k + 1] : [])).join(", ") || "none";
  return { key: "boxes", title: "In boxes", text, order: (i) => depth[i] };
}

function pointsColumn({ model }, { score }) {
  const text = (i) => `${score[i]} of ${model.threshold}`;
  return { key: "points", title: "Points", end: true, text, order: (i) => score[i] };
}

/** Tell how near a row is to the border of what is flagged, from either side. */
function distanceColumn({ model, report }, evaluation) {
  const orders = (rows) => borderDistances(model, report.features, evaluation, rows);
  const text = (i) => `${short(orders([i])[0])}${evaluation.flagged[i] ? " inside" : ""}`;
  const hint = "To the nearest box, or how far inside; 1 is a feature's interquartile range in training.";
  return { key: "distance", title: "Distance", hint, end: true, text, orders };
}

/**
 * Return how far rows are from the nearest box, or how far inside: the dearest way out of a box around them.
 *
 * All rows at a column at a time, which is many times faster than all columns of a row at a time.
 */
export function borderDistances(model, features, { table, flagged, member }, rows) {
  const border = Float64Array.from(rows, (i) => (flagged[i] ? 0 : Infinity));
  model.boxes.forEach(({ limits }, k) => {
    const far = Float64Array.from(rows, (i) => (flagged[i] ? Infinity : 0));
    limits.forEach((limit, j) => {
      if (limit !== null) addDistances(far, features[j], limit, table.columns[j], flagged, member[k], rows);
    });
    for (let r = 0; r < rows.length; r += 1) {
      if (!flagged[rows[r]]) border[r] = Math.min(border[r], far[r]);
      else if (member[k][rows[r]]) border[r] = Math.max(border[r], far[r]);
    }
  });
  return border;
}

/** Take a limit into account: distances to come in add up, of ways out the nearest counts. */
function addDistances(far, feature, limit, column, flagged, held, rows) {
  for (let r = 0; r < rows.length; r += 1) {
    const i = rows[r];
    if (!flagged[i]) {
      const by = outsideBy(feature, limit, column[i]);
      far[r] += Number.isNaN(by) ? 1 : by / feature.scale;
    } else if (held[i]) far[r] = Math.min(far[r], exitDistance(feature, limit, column[i]));
  }
}

function featureColumn(table, j) {
  const [feature, column] = [table.features[j], table.columns[j]];
  const shared = { key: `feature ${j}`, title: printable(feature.name), feature: j };
  const cells = feature.kind === "categorical" ? codeCells : numberCells;
  return { ...shared, ...cells(feature, column) };
}

function numberCells(feature, column) {
  const text = (i) => (Number.isNaN(column[i]) ? "missing" : shortNumber(column[i] + 0, feature.whole));
  return { end: true, text, order: (i) => column[i], finder: (query) => numberFinder(query, column) };
}

/** Find numbers that begin like a query: 17.3 finds 17.3 and 17.38. Numbers are compared, which is quick. */
function numberFinder(query, column) {
  if (query === "missing") return (i) => Number.isNaN(column[i]);
  const decimals = /^-?\d*\.?(\d*)$/.exec(query)?.[1].length;
  const from = Math.abs(Number(query));
  const plain = decimals !== undefined && decimals <= 15 && !Number.isNaN(from);
  if (!plain) return (i) => column[i] === Number(query);
  const to = Number((from + 10 ** -decimals).toFixed(decimals));
  const sign = query.startsWith("-") ? -1 : 1;
  return (i) => sign * column[i] >= from && sign * column[i] < to;
}

/** Write a number that may be cut, as the row's own page has it in full. */
function shortNumber(value, whole) {
  const text = formatNumber(value);
  return whole || text.length <= 9 ? text : formatNumber(Number(value.toPrecision(6)));
}

function codeCells(feature, column) {
  const codes = [...feature.categories.keys(), -1, -2];
  const texts = new Map(codes.map((code) => [code, code === -2 ? "missing" : valueText(feature, code)]));
  const sorted = codes.toSorted((a, b) => (texts.get(a) < texts.get(b) ? -1 : 1));
  const ranks = new Map(sorted.map((code, rank) => [code, code === -2 ? NaN : rank]));
  const finder = (query) => {
    const hits = new Set(codes.filter((code) => texts.get(code).toLowerCase().includes(query)));
    return (i) => hits.has(column[i]);
  };
  return { text: (i) => texts.get(column[i]), order: (i) => ranks.get(column[i]), finder };
}

/** List rows of a kind, in a box ("any", "none" or its number), in whose cells a text is found. */
export function listRows(evaluation, columns, { kind, box, query }) {
  const { table, member, depth } = evaluation;
  const wanted = query.trim().toLowerCase();
  const finders = wanted ? columns.flatMap(({ finder }) => (finder ? [finder(wanted)] : [])) : [];
  const found = new Uint32Array(table.n);
  let n = 0;
  for (let i = 0; i < table.n; i += 1) {
    if (kind !== "all" && kindOfRow(evaluation, i) !== kind) continue;
    if (box === "none" ? depth[i] !== 0 : box !== "any" && !member[box][i]) continue;
    if (wanted && !finders.some((finds) => finds(i))) continue;
    found[n] = i;
    n += 1;
  }
  return found.subarray(0, n);
}

/** Put rows in the order of a column; those without a value come last either way, equals as they were. */
export function sortRows(rows, { order, orders }, down) {
  const keys = orders ? orders(rows) : Float64Array.from(rows, order);
  const sign = down ? -1 : 1;
  const places = Uint32Array.from(rows.keys());
  places.sort((a, b) => {
    const [one, other] = [keys[a], keys[b]];
    if (one < other) return -sign;
    if (one > other) return sign;
    return Number.isNaN(one) - Number.isNaN(other) || a - b;
  });
  return places.map((place) => rows[place]);
}
