/* What the page calls things: the classes, and the two sets of rows. */

import { categoryText, printable } from "./text.js";

/** The sets of rows that the page may have, in the order in which they are shown. */
export const SETS = Object.freeze([
  { key: "train", title: "Training" },
  { key: "test", title: "Test" },
]);

/** List the sets of rows that this page has, each with its evaluation now. */
export function presentSets(store) {
  return SETS.filter(({ key }) => store[key] !== null).map((set) => ({ ...set, evaluation: store[set.key] }));
}

/** Return the names of the negative and the positive class. */
export function classNames(report) {
  return report.classes.map((value) => categoryText(value));
}

/** Return what the model looks for, in words. */
export function soughtText(report) {
  const positive = classNames(report)[1];
  return report.target === null ? positive : `${printable(report.target)} = ${positive}`;
}
