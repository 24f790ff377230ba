/* Boxes as sentences: the same texts, character for character, as boxdraw.model.export.text writes. */

// What would break a line or turn the text around, and halves of characters that no encoding can print.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;
const SHORT_ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
// Categories that need no quotes: words with single spaces and a few harmless signs between.
const PLAIN_WORDS = /^[\p{L}\p{N}_]+(?:[ ._/:+@#%&*-][\p{L}\p{N}_]+)*$/u;
// What Python reads as a number; signs and dots at the ends are not plain anyway.
const DIGITS = "\\p{Nd}(?:_?\\p{Nd})*";
const FLOAT_PATTERN = `${DIGITS}(?:\\.${DIGITS})?(?:e[+-]?${DIGITS})?`;
const LIKE_A_NUMBER = new RegExp(`^(?:nan|inf|infinity|${FLOAT_PATTERN})$`, "iu");
const MOST_CATEGORIES = 6; // of a list that is cut
const RESERVED_WORDS = ["True", "False", "missing"];

/** Write a number in the shortest form that reads back the same, as Python does. */
export function formatNumber(value) {
  if (Number.isNaN(value)) return "nan";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}inf`;
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return sign + String(size);
  const [digits, exponent] = size.toExponential().split("e");
  return `${sign}${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/** Make a feature name safe to print within a line. */
export function printable(text) {
  return escapeUnprintable(text) || "''";
}

function escapeUnprintable(text) {
  return text.replace(UNPRINTABLE, (found) => {
    const hex = found.charCodeAt(0).toString(16);
    const code = hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
    return SHORT_ESCAPES[found] ?? code;
  });
}

/** Write a category; text that could be misread comes in quotes. */
export function categoryText(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "string") return String(value); // whole numbers beyond those that floats hold
  if (!RESERVED_WORDS.includes(value) && PLAIN_WORDS.test(value) && !LIKE_A_NUMBER.test(value)) return value;
  return `"${escapeUnprintable(value.replaceAll("\\", "\\\\").replaceAll('"', '\\"'))}"`;
}

/** Write several categories, in the order of their texts. */
export function categoriesText(feature, codes) {
  const texts = codes.map((code) => categoryText(feature.categories[code])).sort(byCharacter);
  return texts.length === 1 ? texts[0] : `{${texts.join(", ")}}`;
}

/** Order texts as Python does, by characters; JavaScript would by halves of them. */
export function byCharacter(a, b) {
  const [one, other] = [Array.from(a), Array.from(b)];
  const i = one.findIndex((character, place) => character !== other[place]);
  if (i === -1 || i >= other.length) return one.length - other.length;
  return one[i].codePointAt(0) - other[i].codePointAt(0);
}

/** Say whether every value but a missing one is inside. */
export function isKnown({ lower, upper, codes }) {
  return lower === -Infinity && upper === Infinity && codes === null;
}

/** Say whether only missing values are inside. */
export function isOnlyMissing({ lower, upper, codes }) {
  return lower > upper || (codes !== null && codes.length === 0);
}

/** Say whether a box looks at a feature with this limit. */
export function isLimited(limit) {
  return limit !== null && !(isKnown(limit) && limit.missing);
}

/** Write what a box asks of one feature, a long list of categories cut. */
export function shortLimitText(feature, limit) {
  const rest = (limit.codes?.length ?? 0) - MOST_CATEGORIES;
  if (rest < 2) return limitText(feature, limit);
  const some = limit.codes.slice(0, MOST_CATEGORIES).map((code) => categoryText(feature.categories[code]));
  const text = `${printable(feature.name)} in {${some.join(", ")}, … and ${rest.toLocaleString("en")} more}`;
  return limit.missing ? `${text} (or missing)` : text;
}

/** Write what a box asks of one feature. */
export function limitText(feature, limit) {
  const name = printable(feature.name);
  if (isKnown(limit)) return `${name} is known`;
  if (isOnlyMissing(limit)) return `${name} is missing`;
  const text = limit.codes === null ? intervalText(name, limit.lower, limit.upper) : codesText(name, feature, limit.codes);
  return limit.missing ? `${text} (or missing)` : text;
}

function codesText(name, feature, codes) {
  return `${name} ${codes.length === 1 ? "=" : "in"} ${categoriesText(feature, codes)}`;
}

/** Write an interval; adding zero turns -0 into 0, as Python's boxes have it. */
function intervalText(name, lower, upper) {
  if (lower === upper) return `${name} = ${formatNumber(lower + 0)}`;
  if (lower === -Infinity) return `${name} ≤ ${formatNumber(upper + 0)}`;
  if (upper === Infinity) return `${name} ≥ ${formatNumber(lower + 0)}`;
  return `${formatNumber(lower + 0)} ≤ ${name} ≤ ${formatNumber(upper + 0)}`;
}

/** Write the conditions of a box, without its number. */
export function ruleText(features, box) {
  const texts = box.limits.flatMap((limit, j) => (isLimited(limit) ? [limitText(features[j], limit)] : []));
  return texts.join(" and ") || "every row";
}

/** Write points; a true minus sign, as scorecards have it. */
export function pointsText(points) {
  return `${String(points).replace("-", "−")} ${Math.abs(points) === 1 ? "point" : "points"}`;
}
