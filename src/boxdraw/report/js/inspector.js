/* The page of one row: why it is flagged, or what it would take, in words with numbers. */

import { el } from "./dom.js";
import { checkLimits, distanceTo, explainRow, rowValues, whyText } from "./explain.js";
import { short } from "./format.js";
import { kindOfRow, rowName } from "./rows_list.js";
import { categoryText, pointsText, printable } from "./text.js";
import { wayIn, wayOut } from "./what_if.js";

const VERDICTS = {
  missed: "is not flagged, though it should be",
  alarms: "is flagged, though it should not be",
  caught: "is flagged, as it should be",
  passed: "is not flagged, as it should not be",
};

/** Say in a sentence what the model does with a row. */
export function rowSentence({ report }, evaluation, i) {
  const label = categoryText(report.classes[evaluation.table.positive[i]]);
  const known = report.target === null ? label : `${printable(report.target)} = ${label}`;
  return `Row ${printable(rowName(evaluation.table, i))} (${known}) ${VERDICTS[kindOfRow(evaluation, i)]}.`;
}

/** Draw the page of a row. */
export function drawInspector(store, evaluation, i) {
  const told = explainRow(store.model, store.report.features, evaluation.table, i);
  const values = rowValues(evaluation.table, i);
  const draw = store.model.threshold === null ? boxParts : cardParts;
  return [el("h3", {}, rowSentence(store, evaluation, i)), ...draw(store, told, values)];
}

/** Explain a row by boxes any of which flags it. */
function boxParts(store, told, values) {
  if (told.box === null) return [el("p", {}, "There are no boxes.")];
  if (!told.flagged) {
    return [
      el("p", {}, "Nearest is ", boxButton(store, told.box), `, at distance ${short(told.distance)}.`),
      el("h4", {}, "What it would take to be flagged"),
      checkList(told.violations),
      metLimits(told),
      otherBoxes(store, told, values),
    ];
  }
  const { features } = store.report;
  return [
    ...told.boxes.flatMap((k) => [
      el("h4", {}, "Why: ", boxButton(store, k), " holds it"),
      checkList(checkLimits(features, store.model.boxes[k].limits, values)),
    ]),
    ...exitParts(store, wayOut(store.model, features, values)),
  ];
}

/** Explain a row by its points. */
function cardParts(store, told, values) {
  const { model, report } = store;
  const held = told.boxes.flatMap((k) => [
    el("h4", {}, boxButton(store, k), ` gives ${pointsText(model.boxes[k].points)}`),
    checkList(checkLimits(report.features, model.boxes[k].limits, values)),
  ]);
  const ways = told.flagged
    ? exitParts(store, wayOut(model, report.features, values))
    : entryParts(store, told, wayIn(model, report.features, values));
  const none = told.boxes.length ? "" : " No box holds it.";
  const sum = `It has ${pointsText(told.points)}; an alarm takes ${pointsText(model.threshold)}.${none}`;
  return [el("p", {}, sum), ...held, ...ways];
}

/** Say which boxes a row would have to enter to have enough points. */
function entryParts(store, told, way) {
  const heading = el("h4", {}, `What it would take to have ${pointsText(store.model.threshold)}`);
  if (way === null) return [heading, el("p", {}, noWayIn(store.model))];
  const enter = way.boxes.filter((k) => !told.boxes.includes(k));
  const stay = way.boxes.filter((k) => told.boxes.includes(k));
  const least = way.complete ? "" : " or less";
  return [
    heading,
    el(
      "p",
      {},
      "It would have to come into ",
      ...boxButtons(store, enter),
      ...(stay.length ? [" and stay in ", ...boxButtons(store, stay)] : []),
      `, at distance ${short(way.distance)}${least}. Then it has ${pointsText(way.points)}.`,
    ),
    checkList(way.changes),
  ];
}

function noWayIn({ boxes }) {
  if (boxes.some(({ points }) => points < 0)) return "Boxes that take points away are in the way.";
  return "No values do: no boxes that give as many points have values in common.";
}

/** Say which limits a row would have to cross to be no longer flagged. */
function exitParts(store, leave) {
  const heading = el("h4", {}, "What it would take to be no longer flagged");
  if (leave === null) {
    const card = "Without the boxes that it could leave it still has enough points.";
    const why = store.model.threshold === null ? "A box without limits holds every row." : card;
    return [heading, el("p", {}, why)];
  }
  const lines = leave.map(({ box, exit }) =>
    el(
      "li",
      {},
      boxButton(store, box),
      ": needs ",
      el("strong", {}, exit.text),
      `, has ${exit.has}`,
      el("span", { class: "quiet-text" }, ` (distance ${short(exit.distance)})`),
    ),
  );
  const all = leave.length === 1 ? "this box" : "all these boxes";
  return [heading, el("p", {}, `It would have to leave ${all}:`), el("ul", { class: "exits" }, lines)];
}

/** List limits, with what the row has; those that are not met stand out. */
function checkList(checks) {
  if (!checks.length) return el("p", {}, "The box has no limits: it holds every row.");
  return el("ul", { class: "checks" }, checks.map(checkLine));
}

function checkLine({ text, has, met, by }) {
  const mark = el("span", { class: "check-mark", "aria-hidden": "true" }, met ? "✓" : "✗");
  const far = met || by === null ? null : el("span", { class: "quiet-text" }, ` (${short(by)} away)`);
  const state = el("span", { class: "hidden-text" }, met ? "met: " : "not met: ");
  const told = el("span", {}, state, el(met ? "span" : "strong", {}, text), `, has ${has}`, far);
  return el("li", { class: met ? "met" : "unmet" }, mark, told);
}

function boxButton(store, k) {
  const choose = () => store.select(k);
  const attributes = { type: "button", class: "link", onclick: choose, "data-focus": `box ${k}` };
  return el("button", attributes, `Box ${k + 1}`);
}

/** Join buttons of boxes as in a sentence. */
function boxButtons(store, boxes) {
  return boxes.flatMap((k, place) => {
    const between = place === 0 ? [] : [place === boxes.length - 1 ? " and " : ", "];
    return [...between, boxButton(store, k)];
  });
}

/** Tell which limits of a box a row meets, where others keep it out. */
function metLimits({ checks }) {
  const met = checks.filter((check) => check.met);
  if (!met.length) return null;
  const title = met.length === 1 ? "The other limit" : `The other ${met.length} limits`;
  const summary = el("summary", { "data-focus": "met" }, `${title}, which it meets`);
  return el("details", {}, summary, checkList(met));
}

/** Tell what keeps a row out of the boxes that are further away. */
function otherBoxes({ model, report }, told, values) {
  const others = model.boxes.flatMap(({ limits }, k) => {
    if (k === told.box) return [];
    return [{ k, limits, distance: distanceTo(report.features, limits, values) }];
  });
  if (!others.length) return null;
  others.sort((a, b) => a.distance - b.distance);
  const lines = others.map(({ k, limits, distance }) => {
    const why = whyText(checkLimits(report.features, limits, values), false);
    return el("li", {}, `Box ${k + 1}, distance ${short(distance)}: ${why}`);
  });
  const title = lines.length === 1 ? "The other box" : `The other ${lines.length} boxes`;
  const summary = el("summary", { "data-focus": "others" }, `${title}, further away`);
  return el("details", {}, summary, el("ul", {}, lines));
}
