/* What the picture of two features shows, in words: its legend, and a text for those who cannot see it. */

import { el, svg } from "./dom.js";
import { count } from "./format.js";
import { usedFeatures } from "./model.js";
import { drawnRows } from "./points.js";
import { chosenTables } from "./spread.js";
import { limitText, printable } from "./text.js";

const SIGNS = {
  circle: "M 6 2.5 A 3.5 3.5 0 1 1 5.99 2.5 Z",
  triangle: "M 6 1.5 L 10 9 L 2 9 Z",
  diamond: "M 6 1.5 L 10.5 6 L 6 10.5 L 1.5 6 Z",
  point: "M 6 10.5 L 10 3 L 2 3 Z",
};
const ROWS = { train: "training rows", test: "test rows", both: "training and test rows" };

/** Write the name of a class, 0 for the others and 1 for the positives. */
export function className(report, label) {
  const name = printable(String(report.classes[label]));
  return report.target === null ? `class ${name}` : `${printable(report.target)}: ${name}`;
}

function sign(shape, look) {
  return svg(
    "svg",
    { class: `sign ${look}`, width: 12, height: 12, "aria-hidden": "true" },
    svg("path", { d: SIGNS[shape] }),
  );
}

function entry(text, ...signs) {
  return el("li", {}, ...signs, " ", text);
}

/** Write how many rows of a class are drawn, of how many. */
function drawnText(tables, label) {
  const sum = (rowsOfTable) => tables.reduce((total, table) => total + rowsOfTable(table), 0);
  const drawn = sum((table) =>
    drawnRows(table).reduce((n, i) => n + (table.positive[i] === label ? 1 : 0), 0),
  );
  const all = sum(({ total }) => (label ? total.positives : total.rows - total.positives));
  return drawn === all ? `${count(all)} rows` : `${count(drawn)} of ${count(all)} rows drawn`;
}

/** Fill the list below the picture. */
export function scatterLegend(list, store, axes, choice) {
  const { report, model, selected } = store;
  const tables = chosenTables(store, choice);
  const pair = choice === "both" && tables.length === 2;
  const used = usedFeatures(model);
  const hidden = used.some((j) => axes.every((axis) => axis.j !== j));
  const flaggedText = model.threshold === null ? ["in a box", "in no box"] : ["flagged", "not flagged"];
  const shapes = [
    ["circle", "diamond"],
    ["triangle", "point"],
  ];
  const classes = [1, 0].map((label) => {
    const signs = shapes[label]
      .slice(0, pair ? 2 : 1)
      .map((shape) => sign(shape, label ? "positive" : "negative"));
    return entry(
      `${className(report, label)}, ${drawnText(tables, label)}${pair ? " (training, test)" : ""}`,
      ...signs,
    );
  });
  const other = selected !== null && hasOther(model.boxes[selected], axes);
  list.replaceChildren(
    ...classes,
    entry(`solid: ${flaggedText[0]}`, sign("circle", "solid")),
    entry(`hollow: ${flaggedText[1]}`, sign("circle", "hollow")),
    ...(other
      ? [entry(`faint: kept out of box ${selected + 1} by its other limits`, sign("circle", "faint"))]
      : []),
    ...(hidden ? [el("li", { class: "note" }, `${shadowNote(used.length)} ${absentNote(model, axes)}`)] : []),
  );
}

/** Name the boxes that the picture leaves out because they have no limit in it. */
function absentNote({ boxes }, axes) {
  const absent = boxes.flatMap(({ limits }, k) => (axes.every(({ j }) => limits[j] === null) ? [k + 1] : []));
  if (absent.length === 0) return "";
  return absent.length === 1
    ? `Box ${absent[0]} has no limit on these two.`
    : `Boxes ${absent.slice(0, -1).join(", ")} and ${absent.at(-1)} have no limit on these two.`;
}

function hasOther(box, axes) {
  return box.limits.some((limit, j) => limit !== null && axes.every((axis) => axis.j !== j));
}

function shadowNote(number) {
  return number === 1
    ? "The boxes limit another feature; on these two they leave all rows in."
    : `The boxes limit ${number} features; this is their shadow on two.`;
}

/** Say what the picture shows. */
export function describeScatter(store, axes, choice) {
  const { report, model } = store;
  const [across, up] = axes.map(({ feature }) => printable(feature.name));
  const tables = chosenTables(store, choice);
  const rowsOfClass = (label) => `${className(report, label)}, ${drawnText(tables, label)}`;
  const rows = `${rowsOfClass(1)}, as triangles; ${rowsOfClass(0)}, as circles`;
  const boxes = model.boxes.map(({ limits }, k) => {
    const texts = axes.flatMap(({ j, feature }) =>
      limits[j] === null ? [] : [limitText(feature, limits[j])],
    );
    return `Box ${k + 1}: ${texts.join(" and ") || "no limit on these two"}.`;
  });
  return `Scatter plot of the ${ROWS[choice]}: ${across} across, ${up} up. ${rows}. ${boxes.join(" ")}`;
}
