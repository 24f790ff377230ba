/* The model as a file that Python reads: "boxdraw.model", version 1, 3 or 4, as boxdraw.model.file documents it. */

import { formatNumber, isLimited } from "./text.js";

/** Describe a limit as the file has it. */
function limitEntries(feature, limit) {
  const entries = [["feature", feature.name]];
  if (limit.codes !== null) entries.push(["categories", limit.codes.map((code) => feature.categories[code])]);
  if (limit.lower > limit.upper) return Object.fromEntries([...entries, ["only_missing", true]]);
  for (const side of ["lower", "upper"]) {
    if (Number.isFinite(limit[side])) entries.push([side, limit[side]]);
  }
  if (limit.missing) entries.push(["missing", true]);
  return Object.fromEntries(entries);
}

/** Return the boxes as the object that boxdraw.model.export.json documents. */
export function boxesObject(features, boxes) {
  return {
    format: "boxdraw.boxes",
    version: 1,
    features: features.map(({ name, kind, categories }) => ({ name, kind, categories })),
    boxes: boxes.map(({ limits }) => ({
      limits: limits.flatMap((limit, j) => (isLimited(limit) ? [limitEntries(features[j], limit)] : [])),
    })),
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
  const before = report.digest; // of the model file that the page was made from
  const edits = [...(report.edits ?? []), ...steps.map(({ time, what, reason }) => ({ time, what, reason, before }))];
  const { choices } = report;
  const version = choices ? 4 : edits.some((edit) => edit.who || edit.before) ? 3 : 1;
  const header = { format: "boxdraw.model", version, target: report.target, classes: report.classes };
  const file = { ...header, ...drawn, choices, fit: report.fit, edits: edits.length ? edits : undefined };
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
