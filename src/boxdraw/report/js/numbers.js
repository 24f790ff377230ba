// Numbers as IEEE 754 has them: rounding to even, the neighbours of a float, places in sorted arrays, and the
// shortest decimal in an interval (as boxdraw.model.export.text.shortest_between finds it).

// A float and its two halves as whole numbers, the low one first.
const FLOAT = new Float64Array(1);
const HALVES = new Uint32Array(FLOAT.buffer);
const HALF = 2 ** 32;

const SMALLEST_EXPONENT = -323;
const LARGEST_EXPONENT = 308;
const POWERS_OF_TEN = powersOfTen(SMALLEST_EXPONENT, LARGEST_EXPONENT);
// Up to 10**22 a power of ten is a float exactly, and up to 15 digits so is every whole number: one division
// or multiplication of the two is then the correctly rounded decimal.
const MAX_EXACT_SHIFT = 22;
const MAX_FAST_DIGITS = 15;
const MAX_DIGITS = 17; // tell any two floats apart

/** Returns the floats nearest to 10**k, for each k from least to most. */
function powersOfTen(least, most) {
  return Float64Array.from({ length: most - least + 1 }, (_, i) => Number(`1e${i + least}`));
}

/** Returns the nearest whole number, of two the even one. */
export function rint(x) {
  const rounded = Math.round(x); // of two the upper one
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Returns x between low and high, or the nearer of them. */
export function clipNumber(x, low, high) {
  return x < low ? low : x > high ? high : x;
}

/** Returns the next float up; infinities stay. */
export function justAbove(x) {
  if (x === 0) return Number.MIN_VALUE;
  return Number.isFinite(x) ? stepOutwards(x, x > 0 ? 1 : -1) : x;
}

/** Returns the next float down; infinities stay. */
export function justBelow(x) {
  return 0 - justAbove(-x);
}

/** Moves a float other than 0 by one unit in the last place, away from 0 or towards it. */
function stepOutwards(x, direction) {
  FLOAT[0] = x;
  const low = HALVES[0] + direction;
  HALVES[0] = low;
  if (low < 0) HALVES[1] -= 1;
  if (low >= HALF) HALVES[1] += 1;
  return FLOAT[0];
}

/** Returns a float about half way between two in their order; one of the two if they are neighbours. */
export function middleFloat(low, high) {
  if (low < 0 && high > 0) return 0;
  if (low < 0) return 0 - middleFloat(0 - high, 0 - low);
  FLOAT[0] = high;
  const [highLow, highHigh] = HALVES;
  FLOAT[0] = low + 0; // for -0
  const half = Math.floor(((highHigh - HALVES[1]) * HALF + (highLow - HALVES[0])) / 2);
  const lower = HALVES[0] + (half % HALF);
  HALVES[0] = lower;
  HALVES[1] += Math.floor(half / HALF) + (lower >= HALF ? 1 : 0);
  return FLOAT[0];
}

/** Counts the leading items of an array for which a test holds; after one that fails it, all others must. */
export function countWhile(array, test) {
  let [start, end] = [0, array.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (test(array[middle])) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** Counts the values of a sorted array that are below a number. */
export function countBelow(array, value) {
  return countWhile(array, (item) => item < value);
}

/** Counts the values of a sorted array that are not above a number. */
export function countUpTo(array, value) {
  return countWhile(array, (item) => item <= value);
}

/** Returns the float of fewest significant digits between low and high, of those the nearest to value. */
export function shortestBetween(value, low, high) {
  if (!Number.isFinite(value) || value === 0 || !(low < high)) return value;
  const exponent = countUpTo(POWERS_OF_TEN, Math.abs(value)) - 1 + SMALLEST_EXPONENT;
  const fast = exponent >= MAX_FAST_DIGITS - 1 - MAX_EXACT_SHIFT && exponent <= MAX_EXACT_SHIFT;
  if (fast) {
    for (let digits = 1; digits <= MAX_FAST_DIGITS; digits += 1) {
      const found = nearestInside(multiplesAround(value, digits - 1 - exponent), value, low, high);
      if (found !== null) return found;
    }
  }
  for (let digits = 1; digits <= MAX_DIGITS; digits += 1) {
    const found = nearestInside(decimalsAround(value, digits), value, low, high);
    if (found !== null) return found;
  }
  return value;
}

/** Returns the multiples of 10**-shift around a value: scaling rounds, so they are among three. */
function multiplesAround(value, shift) {
  const up = POWERS_OF_TEN[Math.max(shift, 0) - SMALLEST_EXPONENT];
  const down = POWERS_OF_TEN[Math.max(-shift, 0) - SMALLEST_EXPONENT];
  const multiple = rint((value * up) / down);
  return [(multiple * down) / up, ((multiple - 1) * down) / up, ((multiple + 1) * down) / up];
}

/** Returns the two decimals of so many digits around a value, as floats. */
function decimalsAround(value, digits) {
  // A float that agrees with 17 digits to a hundred is equal to them.
  const [mantissa, exponent] = Math.abs(value).toExponential(100).split("e");
  const text = mantissa.replace(".", "");
  const whole = BigInt(text.slice(0, digits));
  const exact = /^0*$/.test(text.slice(digits));
  const unit = Number(exponent) - digits + 1;
  const inner = Number(`${whole}e${unit}`);
  const outer = exact ? inner : Number(`${whole + 1n}e${unit}`);
  return value < 0 ? [-outer, -inner] : [inner, outer];
}

/** Returns the candidate in an interval that is nearest to a value, of several the first; null if none is. */
function nearestInside(candidates, value, low, high) {
  let best = null;
  for (const number of candidates) {
    if (!Number.isFinite(number) || number < low || number > high) continue;
    if (best === null || Math.abs(number - value) < Math.abs(best - value)) best = number;
  }
  return best;
}
