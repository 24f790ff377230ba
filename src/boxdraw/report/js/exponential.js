// exp(x) with the very bits of boxdraw.learners.fast.exponential: x = k log 2 + r with whole k, then the series of
// exp(r), in the plain operations that IEEE 754 fixes. Math.exp may differ in the last bit between browsers.

import { rint } from "./numbers.js";

const PER_LOG_2 = 1 / Math.LN2;
// log 2 in two parts, the first with so few digits that a whole number times it is exact.
const LOG_2_HIGH = Math.floor(Math.LN2 * 2 ** 32) / 2 ** 32;
const LOG_2_LOW = 1.9082149292705877e-10;
const SERIES = inverseFactorials(14);
// Below the one exp is 0, above the other infinite.
const LEAST_POWER = -1000;
const MOST_POWER = 1000;
const POWERS_OF_TWO = powersOfTwo(LEAST_POWER, MOST_POWER);

/** Returns 1 / k! for k from 0 on. */
function inverseFactorials(count) {
  const result = new Float64Array(count);
  for (let k = 0, factorial = 1; k < count; k += 1, factorial *= k) result[k] = 1 / factorial;
  return result;
}

/** Returns 2**k for each k from least, below 0, to most; by doubling, for ** need not be exact. */
function powersOfTwo(least, most) {
  const result = new Float64Array(most - least + 1);
  result[-least] = 1;
  for (let k = -least + 1; k < result.length; k += 1) result[k] = result[k - 1] * 2;
  for (let k = -least - 1; k >= 0; k -= 1) result[k] = result[k + 1] / 2;
  return result;
}

/** Returns exp(x) of a number or an infinity. */
export function exponential(x) {
  const bounded = Math.min(Math.max(x, -1000), 1000);
  const power = rint(bounded * PER_LOG_2);
  const rest = bounded - power * LOG_2_HIGH - power * LOG_2_LOW;
  let result = SERIES[SERIES.length - 1];
  for (let k = SERIES.length - 2; k >= 0; k -= 1) result = result * rest + SERIES[k];
  // Only the second of the two factors can round, so the result is rounded once.
  const first = Math.min(Math.max(power, LEAST_POWER), MOST_POWER);
  return result * POWERS_OF_TWO[first - LEAST_POWER] * POWERS_OF_TWO[power - first - LEAST_POWER];
}
