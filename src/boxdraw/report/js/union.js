// The rows that a scorecard flags as a union of boxes (boxdraw.model.union): with positive points, a row
// reaches the threshold exactly if it is in all boxes of some smallest set whose points do. Each of these
// sets gives one box, the intersection of its members.

export const MAX_SETS = 10000;

/** Says why the flagged rows are not written as a union of boxes; null if they can be. */
export function whyNoUnion(model) {
  const points = model.boxes.map((box) => box.points);
  if (points.some((value) => value < 0)) {
    return "With negative points the flagged rows are no union of boxes.";
  }
  if (minimalSets(points, model.threshold) === null) {
    return `More than ${MAX_SETS} sets of boxes reach the threshold: too many to write as a union of boxes.`;
  }
  return null;
}

/** Returns boxes that hold exactly the rows that a scorecard flags, or null where `whyNoUnion` says why. */
export function unionOf(model, features) {
  const points = model.boxes.map((box) => box.points);
  if (points.some((value) => value < 0)) return null;
  const sets = minimalSets(points, model.threshold);
  if (sets === null) return null;
  const used = features.map((_, j) => j).filter((j) => model.boxes.some((box) => box.limits[j] !== null));
  const found = [];
  for (const numbers of sets) {
    const members = numbers.map((k) => model.boxes[k]);
    const asked = used.map((j) => intersection(members, j, features[j]));
    if (asked.every(isPossible)) found.push(asked);
  }
  return outermost(found).map((asked) => unionBox(asked, used, features));
}

/**
 * Returns the sets of boxes that reach a threshold, and fall short of it without any one of their boxes;
 * those with the boxes of most points first. No points are negative. Null if there are more than MAX_SETS.
 */
export function minimalSets(points, threshold) {
  // In this order the last box of a set has the fewest points. Stopping as soon as the threshold is reached
  // is then enough: without its last box the set falls short, so without another one it does all the more.
  const order = points.map((_, k) => k).sort((a, b) => points[b] - points[a]);
  const rest = new Array(order.length + 1).fill(0);
  for (let i = order.length - 1; i >= 0; i -= 1) rest[i] = rest[i + 1] + points[order[i]];
  const found = [];
  const waiting = [{ chosen: [], start: 0, need: threshold }];
  while (waiting.length) {
    const { chosen, start, need } = waiting.pop();
    if (need <= 0) {
      found.push([...chosen].sort((a, b) => a - b));
      if (found.length > MAX_SETS) return null;
      continue;
    }
    for (let i = order.length - 1; i >= start; i -= 1) {
      if (rest[i] < need) continue;
      waiting.push({ chosen: [...chosen, order[i]], start: i + 1, need: need - points[order[i]] });
    }
  }
  return found;
}

/** Returns what all members ask of one feature; flags are of categories, and of missing and unseen values. */
function intersection(members, j, feature) {
  const limits = members.map((box) => box.limits[j]).filter((limit) => limit !== null);
  let lower = Math.max(-Infinity, ...limits.map((limit) => limit.lower));
  let upper = Math.min(Infinity, ...limits.map((limit) => limit.upper));
  if (lower > upper) [lower, upper] = [Infinity, -Infinity]; // only missing values are inside, if those are
  const numeric = feature.kind !== "categorical";
  const missing = limits.every((limit) => limit.missing);
  return {
    numeric,
    lower,
    upper,
    flags: numeric ? [missing] : [...commonCodes(limits, feature.categories.length), missing, unseen(limits)],
  };
}

/** Says of each code whether all limits admit it. */
function commonCodes(limits, nCodes) {
  const common = new Array(nCodes).fill(true);
  for (const { codes } of limits) {
    if (codes === null) continue;
    const admitted = new Set(codes);
    for (let code = 0; code < nCodes; code += 1) common[code] &&= admitted.has(code);
  }
  return common;
}

/** Says whether the limits admit categories that nobody knows. */
function unseen(limits) {
  return limits.every((limit) => limit.codes === null);
}

/** Says whether any value can meet what is asked of a feature. */
function isPossible(asked) {
  return asked.flags.some(Boolean) || (asked.numeric && asked.lower <= asked.upper);
}

/** Returns the boxes that are inside no other; of equal ones the first. */
function outermost(boxes) {
  // One box is inside another exactly if it has as much or more in each of these cells.
  const cells = boxes.map((box) => box.flatMap(outsideCells));
  const isInside = (one, other) => cells[one].every((value, i) => value >= cells[other][i]);
  let kept = [];
  boxes.forEach((_, k) => {
    if (kept.some((other) => isInside(k, other))) return;
    kept = kept.filter((other) => !isInside(other, k));
    kept.push(k);
  });
  return kept.map((k) => boxes[k]);
}

/** Returns numbers that rise with what a limit keeps out. */
function outsideCells({ lower, upper, flags }) {
  return [lower, -upper, ...flags.map((flag) => (flag ? 0 : 1))];
}

/** Makes a box on all features from what it asks of those that are used. */
function unionBox(asked, used, features) {
  const limits = features.map(() => null);
  used.forEach((j, place) => {
    limits[j] = askedLimit(asked[place]);
  });
  return { limits, points: null };
}

/** Returns the limit that asks this of a feature; null if nothing is asked. */
function askedLimit({ numeric, lower, upper, flags }) {
  const missing = flags[numeric ? 0 : flags.length - 2];
  const anyCode = numeric || flags[flags.length - 1];
  if (missing && anyCode && lower === -Infinity && upper === Infinity) return null;
  const codes = anyCode ? null : [...flags.keys()].filter((code) => code < flags.length - 2 && flags[code]);
  return { lower, upper, codes, missing };
}
