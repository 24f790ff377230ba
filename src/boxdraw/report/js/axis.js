/* The axis of a feature: where rows lie on it, what a limit covers of it, and what a place on it means. */

import { MISSING, UNSEEN } from "./data.js";
import { clampPlace, makeScale, roundStep, roundTo, snapValue, tickText, tickValues } from "./scale.js";
import { axisRange, spreadOf } from "./spread.js";
import { categoryText } from "./text.js";

const STRIP = 16;
const STRIP_GAP = 6;
const KEY_STEPS = 200;
const OPEN_BEYOND = 10;

/** Make the axis of a feature between two places; missing values have a strip at its start. */
export function makeAxis(store, j, { from, to, log = false, range = null, gap = 70 }) {
  const feature = store.report.features[j];
  const spread = spreadOf(store, j);
  const towards = Math.sign(to - from);
  const strip = spread.missing ? { a: from, b: from + towards * STRIP } : null;
  const start = strip === null ? from : strip.b + towards * STRIP_GAP;
  const shared = { j, feature, strip, from, to, start, gap };
  if (feature.kind === "numeric") return numberAxis(shared, range ?? axisRange(store, j, log));
  return categoryAxis(shared, spread);
}

/** Spread rows of one category, or without a value, apart: always the same for the same row. */
function jitter(i) {
  return (Math.imul(i + 1, 2654435761) >>> 0) / 2 ** 32 - 0.5;
}

function stripPlace({ a, b }, i) {
  return (a + b) / 2 + jitter(i) * (b - a) * 0.7;
}

function numberAxis(shared, range) {
  const { feature, strip, start, to, gap } = shared;
  const scale = makeScale(range, start, to);
  const towards = Math.sign(to - start);
  const whole = (value) => (feature.whole ? Math.max(value, 1) : value);
  return {
    ...shared,
    ...range,
    categorical: false,
    scale,
    ticks: tickValues(scale, gap).map((value) => ({ place: scale.place(value), text: tickText(value) })),
    pointPlace: (value, i) => (value === value ? clampPlace(scale, value) : stripPlace(strip, i)),
    /** The pieces of the axis that a limit admits, with which of their ends are edges. */
    pieces: (limit) => numberPieces(scale, strip, limit),
    /** The value at a place, short; an edge pulled out of the picture is none. */
    valueAt: (place, side) => {
      const beyond = side === "lower" ? (start - place) * towards : (place - to) * towards;
      if (beyond > OPEN_BEYOND) return side === "lower" ? -Infinity : Infinity;
      const value = scale.value(Math.min(Math.max(place, Math.min(start, to)), Math.max(start, to)));
      return snapValue(value, scale.perPixel(value), feature.whole);
    },
    stepAt: (value, steps) => {
      const step = whole(roundStep((scale.perPixel(value) * Math.abs(to - start)) / KEY_STEPS));
      return roundTo(value + steps * step, step);
    },
  };
}

function numberPieces(scale, strip, limit) {
  const pieces = [];
  const { lower, upper, missing } = limit ?? { lower: -Infinity, upper: Infinity, missing: true };
  if (lower <= upper) {
    const [a, b] = [clampPlace(scale, lower), clampPlace(scale, upper)];
    pieces.push({ a, b, lower: Number.isFinite(lower), upper: Number.isFinite(upper), main: true });
  }
  if (missing && strip !== null) pieces.push({ ...strip, lower: false, upper: false, main: false });
  return pieces;
}

function categoryAxis(shared, { unseen }) {
  const { feature, strip, start, to, gap } = shared;
  const n = feature.categories.length + (unseen ? 1 : 0);
  const band = (to - start) / n;
  const every = Math.ceil(Math.min(gap, 18) / Math.abs(band));
  const centre = (code) => start + band * ((code === UNSEEN ? n - 1 : code) + 0.5);
  const names = [...feature.categories.map(categoryText), ...(unseen ? ["not in training"] : [])];
  const codeOf = (i) => (i < feature.categories.length ? i : UNSEEN);
  return {
    ...shared,
    categorical: true,
    room: Math.abs(band) * every,
    names,
    ticks: names.flatMap((text, i) =>
      i % every ? [] : [{ place: centre(codeOf(i)), text, code: codeOf(i) }],
    ),
    pointPlace: (code, i) =>
      code === MISSING ? stripPlace(strip, i) : centre(code) + jitter(i) * band * 0.7,
    pieces: (limit) => categoryPieces({ ...shared, n, band }, limit),
    /** The categories whose bands a stretch touches; null if all. */
    codesBetween: (a, b) => {
      const [first, last] = [(a - start) / band, (b - start) / band].sort((one, other) => one - other);
      const codes = feature.categories.flatMap((_, i) => (i + 1 > first && i < last ? [i] : []));
      return codes.length === feature.categories.length ? null : codes;
    },
  };
}

function categoryPieces({ feature, strip, start, n, band }, limit) {
  const admits = (i) => limit === null || limit.codes === null || limit.codes.includes(i);
  const pieces = [];
  for (let i = 0; i < n; i += 1) {
    if (i < feature.categories.length ? !admits(i) : limit !== null && limit.codes !== null) continue;
    const last = pieces.at(-1);
    if (last !== undefined && last.end === i) Object.assign(last, { b: start + band * (i + 1), end: i + 1 });
    else
      pieces.push({
        a: start + band * i,
        b: start + band * (i + 1),
        end: i + 1,
        main: true,
        lower: false,
        upper: false,
      });
  }
  if ((limit === null || limit.missing) && strip !== null)
    pieces.push({ ...strip, main: false, lower: false, upper: false });
  return pieces;
}
