/* Categories and missing values are in a box or not: one click lets them in or keeps them out. */

import { changeText } from "./edges.js";
import { KNOWN, withLimit } from "./model.js";

/** Let a category into a limit, or keep it out if it was in; undefined if nothing would be left. */
export function flippedCode(limit, feature, code) {
  const all = feature.categories.map((_, i) => i);
  const admitted = limit?.codes ?? all;
  const codes = admitted.includes(code) ? admitted.filter((one) => one !== code) : [...admitted, code];
  const missing = limit === null || limit.missing;
  if (codes.length === all.length) return missing ? null : { ...KNOWN };
  if (codes.length === 0) return undefined;
  return { ...KNOWN, missing, codes: codes.sort((a, b) => a - b) };
}

/** Let missing values into a limit, or keep them out if they were in; undefined if nothing would be left. */
export function flippedMissing(limit) {
  if (limit === null) return { ...KNOWN };
  const next = { ...limit, missing: !limit.missing };
  const empty = next.lower > next.upper || (next.codes !== null && next.codes.length === 0);
  if (empty) return next.missing ? next : undefined;
  const open = next.lower === -Infinity && next.upper === Infinity && next.codes === null;
  return open && next.missing ? null : next;
}

/** Let a category, or missing values where the code is null, into a box, or keep them out. */
export function flip(store, k, j, code) {
  const feature = store.report.features[j];
  const before = store.model.boxes[k].limits[j];
  const after = code === null ? flippedMissing(before) : flippedCode(before, feature, code);
  if (after === undefined) return false;
  store.commit(changeText(store.report.features, k, j, before, after), withLimit(store.model, k, j, after));
  return true;
}

/** Say whether a limit admits a category, or missing values where the code is null. */
export function admitsCode(limit, code) {
  if (limit === null) return true;
  return code === null ? limit.missing : limit.codes === null || limit.codes.includes(code);
}
