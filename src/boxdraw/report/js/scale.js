/* From values to places on the screen and back, with ticks and short numbers. */

const STEPS = [5, 2, 1];
const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

/** Return what bends an axis and what undoes it: a logarithm, or, around zero, one that is straight up to a unit. */
export function bending({ log, unit = 0 }) {
  if (!log) return [(value) => value, (place) => place];
  if (unit) return [(value) => Math.asinh(value / unit), (place) => unit * Math.sinh(place)];
  return [(value) => Math.log(Math.max(value, Number.MIN_VALUE)), Math.exp];
}

/** Make a scale from values between low and high to places between from and to. */
export function makeScale({ low, high, log, unit = 0 }, from, to) {
  const [bend, unbend] = bending({ log, unit });
  const start = bend(low);
  const perPlace = (bend(high) - start) / (to - from);
  return {
    low,
    high,
    log,
    unit,
    from,
    to,
    place: (value) => from + (bend(value) - start) / perPlace,
    value: (place) => unbend(start + (place - from) * perPlace),
    /** The part of a unit that one pixel is worth near a value. */
    perPixel: (value) => Math.abs(perPlace) * (log ? Math.hypot(value, unit) : 1),
  };
}

/** Keep a place within the scale; values that are infinitely far away are at its ends. */
export function clampPlace(scale, value) {
  const [least, most] = scale.from < scale.to ? [scale.from, scale.to] : [scale.to, scale.from];
  return Math.min(Math.max(scale.place(value), least), most);
}

/** Return the largest of 1, 2, 5, 10, ... (times a power of ten) that is no more than a number. */
export function roundStep(atMost) {
  const power = 10 ** Math.floor(Math.log10(atMost));
  const digit = STEPS.find((step) => step * power <= atMost * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(3));
}

/** Round a value to a step, without the noise of binary fractions. */
export function roundTo(value, step) {
  const decimals = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 100);
  return Number((Math.round(value / step) * step).toFixed(decimals)) + 0;
}

/** Shorten a value to as few digits as a pixel needs; whole numbers stay whole. */
export function snapValue(value, perPixel, whole) {
  const step = roundStep(perPixel);
  return roundTo(value, whole ? Math.max(step, 1) : step);
}

/** Return values for ticks that are at least so many pixels apart. */
export function tickValues(scale, gap) {
  const { low, high, log, unit } = scale;
  if (log && unit) return ticksAroundZero(scale, gap);
  const most = Math.max(Math.floor(Math.abs(scale.to - scale.from) / gap), 1);
  return log && high / low >= 10 ? powerTicks(low, high, most) : evenTicks(low, high, most);
}

/** Return zero and powers of ten on both sides of it, as many as have room. */
function ticksAroundZero({ low, high, unit, place }, gap) {
  const first = Math.ceil(Math.log10(unit));
  const number = Math.max(Math.ceil(Math.log10(Math.max(-low, high))) - first + 1, 0);
  const powers = Array.from({ length: number }, (_, i) => Number(`1e${first + i}`));
  const kept = [];
  const apart = (value) => kept.every((other) => Math.abs(place(value) - place(other)) >= gap);
  for (const value of [0, ...powers, ...powers.map((power) => -power)]) {
    if (value >= low && value <= high && apart(value)) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}

function evenTicks(low, high, most) {
  const least = (high - low) / most;
  const step = [1, 2, 2.5].map((factor) => roundStep(least) * factor).find((width) => width >= least * 0.999);
  const width = step ?? roundStep(least) * 5;
  const first = Math.ceil(low / width - 1e-9);
  const number = Math.floor((high - first * width) / width + 1e-9) + 1;
  return Array.from({ length: Math.max(number, 0) }, (_, i) =>
    roundTo((first + i) * width, roundStep(width / 4)),
  );
}

function powerTicks(low, high, most) {
  const decades = Math.log10(high / low);
  const digits = [[1, 2, 5], [1, 3], [1]].find((some) => decades * some.length <= most) ?? [1];
  const every = Math.max(Math.ceil(decades / most), 1);
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    if (power % every !== 0) continue;
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((value) => value >= low && value <= high);
}

/** Write the number beside a tick. */
export function tickText(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3))
    return value.toExponential().replace("e+", "e").replace("-", "−");
  return GROUPED.format(value).replace("-", "−");
}
