/* What the page was given: the model, and rows by column, as typed arrays. */

import { readChoices } from "./choices.js";
import { readModel } from "./model.js";

const ARRAYS = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  i2: Int16Array,
  i1: Int8Array,
  u1: Uint8Array,
};

/** Codes of categories that training never saw, and of missing ones. */
export const UNSEEN = -1;
export const MISSING = -2;

/** Turn the base64 text of numbers into a typed array. */
export function decodeArray(spec) {
  return new ARRAYS[spec.type](bytesOf(spec.data).buffer);
}

function bytesOf(data) {
  // Ten times as fast, but not in every browser yet.
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(data);
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
}

/** Decode columns when they are first asked for: many are used by no box and on no axis. */
function lazyColumns(specs) {
  const columns = new Array(specs.length);
  specs.forEach((spec, j) => {
    const keep = (value) => Object.defineProperty(columns, j, { value, enumerable: true })[j];
    Object.defineProperty(columns, j, { get: () => keep(decodeArray(spec)), enumerable: true, configurable: true });
  });
  return columns;
}

/** Read labelled rows; weights of 1 are no weights. */
function readRows(rows, features) {
  if (rows === null) return null;
  const optional = (spec) => (spec === null ? null : decodeArray(spec));
  return {
    features,
    n: rows.n,
    total: rows.total,
    sampled: rows.sampled,
    ids: rows.ids,
    source: rows.source ?? null,
    positive: decodeArray(rows.positive),
    weight: optional(rows.weight),
    columns: lazyColumns(rows.columns),
    critical: optional(rows.critical),
  };
}

/** Read everything that is embedded in the page. */
export function readReport(payload) {
  const learned = readModel(payload.boxes, payload.features, payload.scorecard);
  return {
    ...payload,
    days: payload.days ?? null,
    learned,
    found: readChoices(payload, learned),
    data: {
      train: readRows(payload.data.train, payload.features),
      test: readRows(payload.data.test, payload.features),
    },
  };
}
