/* What the page was given: the model, and rows by column, as typed arrays. */

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
  const text = atob(spec.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[spec.type](bytes.buffer);
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
    positive: decodeArray(rows.positive),
    weight: optional(rows.weight),
    columns: rows.columns.map(decodeArray),
    critical: optional(rows.critical),
  };
}

/** Read everything that is embedded in the page. */
export function readReport(payload) {
  return {
    ...payload,
    learned: readModel(payload.boxes, payload.features, payload.scorecard),
    data: {
      train: readRows(payload.data.train, payload.features),
      test: readRows(payload.data.test, payload.features),
    },
  };
}
