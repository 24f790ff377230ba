/* The list of rows as a table: a page of it, with a row opened or not. */

import { el } from "./dom.js";
import { rowValues } from "./explain.js";
import { drawInspector } from "./inspector.js";
import { wayIn } from "./what_if.js";

/** Draw the heads of the columns: buttons that sort. */
export function tableHead(columns, sort, onSort) {
  const heads = columns.map(({ key, title, hint, end }) => {
    const sorted = sort.key === key;
    const arrow = el("span", { "aria-hidden": "true" }, sorted ? (sort.down ? "↓" : "↑") : "");
    const button = el(
      "button",
      { type: "button", class: "sort", title: hint, "data-focus": key, onclick: () => onSort(key) },
      title,
      arrow,
    );
    const state = sorted ? (sort.down ? "descending" : "ascending") : "none";
    return el("th", { scope: "col", "aria-sort": state, class: end ? "end" : null }, button);
  });
  return el("tr", {}, heads);
}

/** Draw some rows, and the page of the open one below it. */
export function tableBody(store, evaluation, columns, rows, { open, onOpen }) {
  const unmet = open === null ? new Set() : unmetFeatures(store, evaluation, open);
  return Array.from(rows).flatMap((i) => {
    const opened = i === open;
    const cells = columns.map((column) => tableCell(column, i, opened, opened ? unmet : new Set(), onOpen));
    const act = (event) => clicked(event, i, onOpen);
    const line = el("tr", { class: opened ? "opened" : null, onclick: act }, cells);
    return opened ? [line, inspectorLine(store, evaluation, columns.length, i)] : [line];
  });
}

/** Open a row wherever it is clicked, unless the click does something else or marks text. */
function clicked(event, i, onOpen) {
  if (event.target.closest("button") === null && String(getSelection()) === "") onOpen(i);
}

function tableCell(column, i, opened, unmet, onOpen) {
  const text = column.text(i);
  if (column.key === "name") return nameCell(text, i, opened, onOpen);
  const fails = unmet.has(column.feature);
  const classes = [column.end && "end", fails && "unmet", column.className?.(i)].filter(Boolean);
  const mark = fails ? el("span", { class: "hidden-text" }, " (outside the limits)") : null;
  return el("td", { class: classes.join(" ") || null }, fails ? `✗ ${text}` : text, mark);
}

function nameCell(text, i, opened, onOpen) {
  const button = el(
    "button",
    {
      type: "button",
      class: "link row-name",
      "aria-expanded": String(opened),
      "aria-controls": opened ? "inspector" : null,
      "data-focus": `row ${i}`,
      onclick: () => onOpen(i),
    },
    el("span", { class: "hidden-text" }, "Row "),
    text,
  );
  return el("th", { scope: "row" }, button);
}

function inspectorLine(store, evaluation, span, i) {
  const page = el("div", { class: "inspector", id: "inspector" }, drawInspector(store, evaluation, i));
  return el("tr", { class: "inspected" }, el("td", { colspan: span }, page));
}

/** Find the features whose values keep a row from being flagged. */
function unmetFeatures({ model, report }, { table, flagged }, i) {
  if (flagged[i]) return new Set();
  const changes = wayIn(model, report.features, rowValues(table, i))?.changes ?? [];
  return new Set(changes.map(({ feature }) => feature));
}

/** Draw the buttons that turn pages; nothing if all rows are on one. */
export function pagerButtons(page, pages, onTurn) {
  const button = (text, label, to, enabled) => {
    const names = { "aria-label": label, "data-focus": label };
    return el("button", { type: "button", ...names, disabled: !enabled, onclick: () => onTurn(to) }, text);
  };
  if (pages <= 1) return [];
  return [
    button("« First", "First page", 0, page > 0),
    button("‹ Previous", "Previous page", page - 1, page > 0),
    button("Next ›", "Next page", page + 1, page < pages - 1),
    button("Last »", "Last page", pages - 1, page < pages - 1),
  ];
}
