/* Figures as people read them. */

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** Write a number of rows; estimated ones are whole, as digits after the point would say more than is known. */
export function count(value, estimated = false) {
  return COUNT.format(estimated ? Math.round(value) : value);
}

/** Write a share of rows: small ones as one in so many. */
export function shareOfRows(share) {
  return share > 0.1 ? `${percent(share, 0)} of the rows` : `1 row in ${count(Math.round(1 / share))}`;
}

/** Write a share as a percentage; a dash where there is nothing to divide by. */
export function percent(share, digits = 1) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(digits)}%` : "–";
}

/** Write an interval of shares; nothing where there is none. */
export function percentRange(low, high, digits = 1) {
  if (!Number.isFinite(low)) return "";
  return `${(100 * low).toFixed(digits)}–${percent(high, digits)}`;
}

/** Write a number with few digits. */
export function short(value, digits = 3) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  return String(Number(value.toPrecision(digits)));
}

/** Write a change with its sign, also where there is none. */
export function signed(value) {
  const text = count(Math.abs(value));
  return text === "0" ? "±0" : `${value > 0 ? "+" : "−"}${text}`;
}

/** Write how many there are of something. */
export function plural(value, one, many = `${one}s`, estimated = false) {
  const number = count(value, estimated);
  return `${number} ${number === "1" ? one : many}`;
}
