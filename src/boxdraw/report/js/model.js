/* The model: boxes, perhaps worth points. Models never change; every edit returns a new one that shares what stays. */

/** A limit that keeps nothing out but missing values. */
export const KNOWN = Object.freeze({
  lower: -Infinity,
  upper: Infinity,
  codes: null,
  missing: false,
});

/** Read the boxes of a model file. */
export function readModel(json, features, scorecard) {
  const place = new Map(features.map((feature, j) => [feature.name, j]));
  const boxes = json.boxes.map((box, k) => {
    const limits = features.map(() => null);
    for (const limit of box.limits) {
      const j = place.get(limit.feature);
      limits[j] = readLimit(limit, features[j]);
    }
    return { limits, points: scorecard === null ? null : scorecard.points[k] };
  });
  return { boxes, threshold: scorecard === null ? null : scorecard.threshold };
}

function readLimit(limit, feature) {
  const onlyMissing = limit.only_missing === true;
  const lower = onlyMissing ? Infinity : limit.lower ?? -Infinity;
  const upper = onlyMissing ? -Infinity : limit.upper ?? Infinity;
  return {
    lower,
    upper,
    codes: limit.categories ? codesOf(limit.categories, feature) : null,
    missing: onlyMissing || limit.missing === true,
  };
}

/** Find the codes of categories, in rising order; 1, true and "1" are different categories. */
function codesOf(categories, feature) {
  const key = (value) => `${typeof value}:${value}`;
  const code = new Map(feature.categories.map((value, i) => [key(value), i]));
  return categories.map((value) => code.get(key(value))).sort((a, b) => a - b);
}

/** Change what a box asks of a feature; null for nothing. */
export function withLimit(model, k, j, limit) {
  return withBoxAt(model, k, { ...model.boxes[k], limits: model.boxes[k].limits.with(j, limit) });
}

/** Change the points of a box of a scorecard. */
export function withPoints(model, k, points) {
  return withBoxAt(model, k, { ...model.boxes[k], points });
}

/** Change the points from which a row is flagged. */
export function withThreshold(model, threshold) {
  return { ...model, threshold };
}

function withBoxAt(model, k, box) {
  return { ...model, boxes: model.boxes.with(k, box) };
}

/** Add a box at the end. */
export function withBox(model, limits, points = null) {
  return { ...model, boxes: [...model.boxes, { limits, points }] };
}

/** Leave a box out. */
export function withoutBox(model, k) {
  return { ...model, boxes: model.boxes.toSpliced(k, 1) };
}

/** Make an interval; the numbers that people read are the limits themselves. */
export function interval(lower, upper, missing = false) {
  return { lower, upper, codes: null, missing };
}

/** Change one side of an interval, "lower" or "upper"; null if no limit remains. */
export function withSide(limit, side, value) {
  const next = { ...(limit ?? { ...KNOWN }), [side]: value };
  const open = next.lower === -Infinity && next.upper === Infinity && next.codes === null;
  return open && (next.missing || limit === null) ? null : next;
}

/** Say whether two limits admit the same. */
export function sameLimit(a, b) {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.lower === b.lower && a.upper === b.upper && a.missing === b.missing && sameCodes(a.codes, b.codes);
}

function sameCodes(a, b) {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((code, i) => code === b[i]);
}

/** Say whether two boxes admit the same rows and are worth the same. */
export function sameBox(a, b) {
  return a === b || (a.points === b.points && a.limits.every((limit, j) => sameLimit(limit, b.limits[j])));
}

/** Say whether two models decide the same. */
export function sameModel(a, b) {
  if (a === b) return true;
  const alike = a.threshold === b.threshold && a.boxes.length === b.boxes.length;
  return alike && a.boxes.every((box, k) => sameBox(box, b.boxes[k]));
}

/** List the places of the features that any box looks at. */
export function usedFeatures(model) {
  const used = new Set(model.boxes.flatMap((box) => box.limits.flatMap((limit, j) => (limit === null ? [] : [j]))));
  return [...used].sort((a, b) => a - b);
}
