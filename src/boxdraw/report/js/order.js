/* What matters first: boxes by what each adds to those before it, limits by the false alarms that each keeps out. */

import { outsideBy } from "./explain.js";
import { isLimited } from "./text.js";

const FEW_BOXES = 5;
const LEAST_ADDED = 0.05;
const MOST_ROWS = 20000;
const BOX_ORDERS = new WeakMap();
const LIMIT_ORDERS = new WeakMap();

/** Order the boxes; of many, those that add little are minor. The order stays while limits move. */
export function boxOrder(store) {
  const { boxes } = store.model;
  const known = BOX_ORDERS.get(store);
  if (known?.n === boxes.length) return known;
  const found = { n: boxes.length, ...(store.model.threshold === null ? byGain(store.train) : byPoints(boxes)) };
  BOX_ORDERS.set(store, found);
  return found;
}

/** Take the box that catches most, then that which adds most to it, and so on; false alarms decide between equals. */
function byGain({ held, table, boxes }) {
  const seen = new Uint8Array(table.n);
  const left = new Set(boxes.keys());
  const [order, gains] = [[], []];
  while (left.size) {
    const added = [...left].map((k) => ({ k, ...gainOf(held[k], table, seen) }));
    added.sort((a, b) => b.caught - a.caught || a.alarms - b.alarms || a.k - b.k);
    const [{ k, caught }] = added;
    for (const i of held[k]) seen[i] = 1;
    order.push(k);
    gains.push(caught);
    left.delete(k);
  }
  const all = gains.reduce((sum, gain) => sum + gain, 0);
  return folded(order, gains.filter((gain) => gain > LEAST_ADDED * all).length);
}

function gainOf(rows, { positive, weight }, seen) {
  let [caught, alarms] = [0, 0];
  for (const i of rows) {
    if (seen[i]) continue;
    const mass = weight === null ? 1 : weight[i];
    if (positive[i]) caught += mass;
    else alarms += mass;
  }
  return { caught, alarms };
}

function byPoints(boxes) {
  const size = (k) => Math.abs(boxes[k].points);
  return folded([...boxes.keys()].sort((a, b) => size(b) - size(a) || a - b), 0);
}

/** Split an order after those that matter; a few are shown in any case. */
function folded(order, mattering) {
  const shown = order.length > FEW_BOXES + 1 ? Math.max(FEW_BOXES, mattering) : order.length;
  return { major: order.slice(0, shown), minor: order.slice(shown) };
}

/** Order the features of a box by the false alarms that each of its limits alone keeps out, on training rows. */
export function limitOrder(store, k) {
  const { limits } = store.model.boxes[k];
  const asked = limits.flatMap((limit, j) => (isLimited(limit) ? [j] : []));
  if (!LIMIT_ORDERS.has(store)) LIMIT_ORDERS.set(store, new Map());
  const orders = LIMIT_ORDERS.get(store);
  const key = `${store.model.boxes.length}:${k}`;
  const known = orders.get(key);
  const same = known?.length === asked.length && asked.every((j) => known.includes(j));
  if (!same) orders.set(key, byKeptOut(limits, asked, store.train.table));
  return orders.get(key);
}

function byKeptOut(limits, asked, { n, features, columns, positive, weight }) {
  const every = Math.ceil(n / MOST_ROWS);
  const alone = new Map(asked.map((j) => [j, 0]));
  const tests = asked.map((j) => ({ j, feature: features[j], limit: limits[j], column: columns[j] }));
  for (let i = 0; i < n; i += every) {
    if (positive[i]) continue;
    const j = onlyOut(tests, i);
    if (j !== null) alone.set(j, alone.get(j) + (weight === null ? 1 : weight[i]));
  }
  return [...asked].sort((a, b) => alone.get(b) - alone.get(a) || a - b);
}

/** Find the one limit that a row does not meet; null if there is none, or another. */
function onlyOut(tests, i) {
  let only = null;
  for (const { j, feature, limit, column } of tests) {
    if (outsideBy(feature, limit, column[i]) === 0) continue;
    if (only !== null) return null;
    only = j;
  }
  return only;
}
