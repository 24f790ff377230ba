/* Which box of one model is which of another, by what they ask: the rule of boxdraw.model.matching. */

import { isLimited } from "./text.js";

/** The least likeness of two boxes that count as one that changed, not as one dropped and one added. */
const ALIKE = 0.5;
/** Of pairings that are as good, the one that leaves boxes in their places; far below any difference of likeness. */
const PLACE = 1e-9;

/** Pair boxes so that the likeness of all pairs adds up to the most; Map from place to place. */
export function matchBoxes(before, after) {
  const asked = [before, after].map((boxes) => boxes.map(partsOf));
  const likeness = asked[0].map((ours) => asked[1].map((theirs) => likenessOf(ours, theirs)));
  const worth = likeness.map((row, k) =>
    row.map((value, at) => (value < ALIKE ? 0 : value - PLACE * Math.abs(k - at))),
  );
  const pairs = bestPairs(worth).filter(([k, at]) => likeness[k][at] >= ALIKE);
  return new Map(pairs.sort(([a], [b]) => a - b));
}

/** Return what a box asks, part by part, by feature and side. */
function partsOf({ limits }) {
  const parts = new Map();
  limits.forEach((limit, j) => {
    if (!isLimited(limit)) return;
    const before = parts.size;
    for (const side of ["lower", "upper"]) if (Number.isFinite(limit[side])) parts.set(`${j} ${side}`, limit[side]);
    if (limit.codes !== null) parts.set(`${j} categories`, limit.codes.join());
    if (parts.size === before) parts.set(`${j} missing`, `${limit.missing} ${limit.lower > limit.upper}`);
  });
  return parts;
}

/** Return the share of the parts of two boxes that are in both; of those that differ, half is. */
function likenessOf(ours, theirs) {
  const shared = [...ours.keys()].filter((part) => theirs.has(part));
  const equal = shared.filter((part) => ours.get(part) === theirs.get(part));
  const either = ours.size + theirs.size - shared.length;
  return either ? (equal.length + shared.length) / (2 * either) : 1;
}

/** Pair rows with columns, each with one at most, for the greatest sum (the Hungarian method, rows one by one). */
function bestPairs(worth) {
  const size = Math.max(worth.length, worth[0]?.length ?? 0);
  const cost = (row, column) => -(worth[row]?.[column] ?? 0);
  // Prices of rows and columns; the row that each column has, in which -1 is none, and an extra column to start from.
  const [ofRow, ofColumn] = [new Float64Array(size), new Float64Array(size + 1)];
  const owner = new Int32Array(size + 1).fill(-1);
  for (let row = 0; row < size; row += 1) {
    const [least, from] = [new Float64Array(size).fill(Infinity), new Int32Array(size).fill(size)];
    const done = new Uint8Array(size + 1);
    owner[size] = row;
    let column = size;
    while (owner[column] !== -1) {
      done[column] = 1;
      let next = -1;
      for (let other = 0; other < size; other += 1) {
        if (done[other]) continue;
        const reduced = cost(owner[column], other) - ofRow[owner[column]] - ofColumn[other];
        if (reduced < least[other]) [least[other], from[other]] = [reduced, column];
        if (next === -1 || least[other] < least[next]) next = other;
      }
      const step = least[next];
      for (let other = 0; other <= size; other += 1) {
        if (done[other]) {
          ofRow[owner[other]] += step;
          ofColumn[other] -= step;
        } else least[other] -= step;
      }
      column = next;
    }
    while (column !== size) {
      owner[column] = owner[from[column]];
      column = from[column];
    }
  }
  return worth.flatMap((columns, row) => columns.flatMap((_, column) => (owner[column] === row ? [[row, column]] : [])));
}
