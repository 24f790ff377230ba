/* The model as a file that Python reads: "boxdraw.model", version 1, as boxdraw.model.file documents it. */

import { sha256 } from "./sha256.js";
import { formatNumber, isLimited } from "./text.js";

/** Write a number as Python's float.hex does. */
export function floatHex(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n ? "-" : "";
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  if (exponent === 0 && fraction === 0n) return `${sign}0x0.0p+0`;
  const power = (exponent || 1) - 1023; // the smallest numbers share the exponent of those before them
  const digits = fraction.toString(16).padStart(13, "0");
  return `${sign}0x${exponent ? 1 : 0}.${digits}p${power < 0 ? "" : "+"}${power}`;
}

/** Tie the numbers to print to their limits, as boxdraw.model.export.json does; nothing where both are the same. */
export function shownChecksum(features, boxes) {
  const cells = [];
  for (const [side, [exact, shown]] of [["lower", "shownLower"], ["upper", "shownUpper"]].entries()) {
    boxes.forEach(({ limits }, k) => {
      limits.forEach((limit, j) => {
        if (!isLimited(limit) || !isShorter(limit, exact, shown)) return;
        cells.push([side, k, features[j].name, floatHex(limit[exact] + 0), floatHex(limit[shown] + 0)]);
      });
    });
  }
  return cells.length ? sha256(asciiJson(cells)).slice(0, 16) : "";
}

function isShorter(limit, exact, shown) {
  return Number.isFinite(limit[exact]) && limit[shown] !== limit[exact];
}

/** Write JSON in ASCII, in which every language writes the same text. */
function asciiJson(value) {
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[^ -~]/g, escape);
}

/** Describe a limit as the file has it. */
function limitEntries(feature, limit) {
  const entries = [["feature", feature.name]];
  if (limit.codes !== null) entries.push(["categories", limit.codes.map((code) => feature.categories[code])]);
  if (limit.lower > limit.upper) return Object.fromEntries([...entries, ["only_missing", true]]);
  for (const [exact, shown] of [["lower", "shownLower"], ["upper", "shownUpper"]]) {
    if (Number.isFinite(limit[exact])) entries.push([exact, limit[exact]]);
    if (isShorter(limit, exact, shown)) entries.push([`shown_${exact}`, limit[shown]]);
  }
  if (limit.missing) entries.push(["missing", true]);
  return Object.fromEntries(entries);
}

/** Return the boxes as the object that boxdraw.model.export.json documents. */
export function boxesObject(features, boxes) {
  const checksum = shownChecksum(features, boxes);
  return {
    format: "boxdraw.boxes",
    version: 1,
    features: features.map(({ name, kind, categories }) => ({ name, kind, categories })),
    boxes: boxes.map(({ limits }) => ({
      limits: limits.flatMap((limit, j) => (isLimited(limit) ? [limitEntries(features[j], limit)] : [])),
    })),
    shown_checksum: checksum || undefined,
  };
}

function scorecardObject(features, model) {
  return {
    format: "boxdraw.scorecard",
    version: 1,
    threshold: model.threshold,
    points: model.boxes.map(({ points }) => points),
    boxes: boxesObject(features, model.boxes),
  };
}

/** Write the model as it is now, with everything that was done to it, for Python to load. */
export function modelFile(store) {
  const { report, model, steps } = store;
  const drawn =
    model.threshold === null
      ? { boxes: boxesObject(report.features, model.boxes) }
      : { scorecard: scorecardObject(report.features, model) }; // Python computes the boxes that it means
  const edits = [...(report.edits ?? []), ...steps.map(({ time, what, reason }) => ({ time, what, reason }))];
  const header = { format: "boxdraw.model", version: 1, target: report.target, classes: report.classes };
  const file = { ...header, ...drawn, fit: report.fit, edits: edits.length ? edits : undefined };
  return `${readableJson(file)}\n`;
}

/** Write JSON for people: what fits a line is on one line. */
function readableJson(value, indent = "") {
  const line = oneLine(value);
  if (line.length <= 100 || value === null || typeof value !== "object") return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => deeper + readableJson(item, deeper)).join(",\n")}\n${indent}]`;
  }
  const entry = ([key, item]) => `${deeper}${JSON.stringify(key)}: ${readableJson(item, deeper)}`;
  return `{\n${entriesOf(value).map(entry).join(",\n")}\n${indent}}`;
}

/** Write JSON in a line; numbers as Python does, so that whole ones beyond 2**53 stay floats there. */
function oneLine(value) {
  if (typeof value === "number") return formatNumber(value + 0);
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  return `{${entriesOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`).join(", ")}}`;
}

function entriesOf(object) {
  return Object.entries(object).filter(([, item]) => item !== undefined);
}

/** Hand a text to the user as a file. */
export function download(name, text, type = "application/json") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser reads the file after this function returns.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
