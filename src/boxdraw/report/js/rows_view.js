/* The rows, to look at one by one: which are missed, which are false alarms, and what each would take. */

import { el } from "./dom.js";
import { count } from "./format.js";
import { rowSentence } from "./inspector.js";
import { ROW_KINDS, countKinds, findRow, listRows, rowColumns, sortRows } from "./rows_list.js";
import { pagerButtons, tableBody, tableHead } from "./rows_table.js";
import { printable } from "./text.js";

const PAGE_ROWS = 25;
/** How long to wait, in milliseconds, for the next letter of a text that is searched. */
const TYPING_PAUSE = 200;
const SET_TITLES = { train: "Training rows", test: "Test rows" };

/** Change a text that screen readers speak, if it is another one; without words it takes no place. */
function sayIn(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Draw the list of rows and keep it up to date. */
export function mountRows(root, store) {
  if (store.report.counts_only) {
    root.append(el("p", { class: "quiet-text" }, "This page holds no rows."));
    return;
  }
  const view = new RowsView(store);
  root.append(view.root);
  document.addEventListener("boxdraw:filter", ({ detail }) => view.choose(detail));
}

/** Holds what is listed, and draws it anew when that or the model changes. */
class RowsView {
  constructor(store) {
    this.store = store;
    const key = store.model.threshold === null ? "distance" : "points";
    this.sort = { key, down: key === "points" };
    // What went wrong first, if anything did.
    const counts = countKinds(store.train);
    const kind = Object.keys(ROW_KINDS).find((each) => counts[each] > 0) ?? "all";
    this.filter = { kind, box: "any", query: "" };
    [this.set, this.page, this.open, this.everything] = ["train", 0, null, false];
    this.buildFields();
    this.buildTable();
    this.note = el("p", { class: "warning", hidden: true });
    const parts = [this.message, this.note, this.status, this.scroll, this.pager, this.spoken];
    this.root = el("div", { class: "stack rows" }, this.toolbar(), parts);
    store.subscribe((what) => this.changed(what));
    this.countRows();
    this.list();
  }

  get evaluation() {
    return this.store[this.set];
  }

  buildFields() {
    const choose = (name) => (event) => this.choose({ [name]: event.target.value });
    const typing = { autocomplete: "off", spellcheck: "false" };
    this.fields = {
      set: el("select", { onchange: choose("set") }),
      kind: el("select", { onchange: choose("kind") }),
      box: el("select", { onchange: choose("box") }),
      query: el("input", { type: "search", ...typing, oninput: () => this.typed() }),
      everything: el("input", { type: "checkbox", onchange: () => this.showFeatures() }),
      name: el("input", { type: "text", ...typing, size: "10" }),
    };
    for (const set of Object.keys(SET_TITLES)) {
      if (this.store[set] !== null) this.fields.set.append(el("option", { value: set }, SET_TITLES[set]));
    }
    for (const kind of Object.keys(ROW_KINDS)) this.fields.kind.append(el("option", { value: kind }));
  }

  toolbar() {
    const field = (title, name) => {
      this.fields[name].id = `rows-${name}`;
      return el("div", { class: "field" }, el("label", { for: `rows-${name}` }, title), this.fields[name]);
    };
    const find = [field("Find a row by its id", "name"), el("button", { type: "submit" }, "Open")];
    const features = el("span", {}, "Show features that no rule uses");
    return el(
      "div",
      { class: "rows-tools" },
      this.store.test === null ? null : field("Rows of", "set"),
      field("Show", "kind"),
      field("In box", "box"),
      field("Search ids and values", "query"),
      el("form", { onsubmit: (event) => this.find(event) }, find),
      el("label", { class: "check" }, this.fields.everything, features),
    );
  }

  buildTable() {
    this.status = el("p", { class: "quiet-text", role: "status" });
    this.message = el("p", { class: "error", role: "status" });
    this.spoken = el("p", { class: "hidden-text", role: "status" });
    this.caption = el("caption", { class: "hidden-text" });
    this.head = el("thead");
    this.body = el("tbody", { onkeydown: (event) => this.keyed(event) });
    const table = el("table", { class: "rows-table" }, this.caption, this.head, this.body);
    const labels = { tabindex: "0", role: "region", "aria-label": "List of rows" };
    this.scroll = el("div", { class: "scroll rows-scroll", ...labels }, table);
    this.pager = el("nav", { class: "row", "aria-label": "Pages of the list of rows" });
  }

  /** Follow the page; while an edge is dragged only the counts do. */
  changed(what) {
    if (what !== "model") return;
    this.countRows();
    if (this.store.started !== undefined || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.list();
    });
  }

  /** Write how many rows of each kind there are. */
  countRows() {
    const counts = countKinds(this.evaluation);
    for (const option of this.fields.kind.options) {
      option.textContent = `${ROW_KINDS[option.value]}: ${count(counts[option.value])}`;
    }
  }

  /** Choose other rows: any of set, kind, box and query. */
  choose({ set, ...filter }) {
    const another = set !== undefined && set !== this.set;
    if (another && this.store[set] !== null) [this.set, this.open] = [set, null];
    Object.assign(this.filter, filter);
    this.page = 0;
    this.countRows();
    this.list();
  }

  typed() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.choose({ query: this.fields.query.value }), TYPING_PAUSE);
  }

  showFeatures() {
    this.everything = this.fields.everything.checked;
    this.list();
  }

  sortBy(key) {
    this.sort = { key, down: this.sort.key === key && !this.sort.down };
    this.page = 0;
    this.list();
  }

  /** Find the rows to list and their order, and draw. */
  list() {
    this.drawBoxes();
    this.columns = rowColumns(this.store, this.evaluation, this.everything);
    const by = this.columns.find(({ key }) => key === this.sort.key) ?? this.columns[0];
    this.rows = sortRows(listRows(this.evaluation, this.columns, this.filter), by, this.sort.down);
    this.draw();
  }

  /** Offer the boxes that there are now. */
  drawBoxes() {
    const { boxes } = this.store.model;
    if (Number(this.filter.box) >= boxes.length) this.filter.box = "any"; // "any" and "none" are no numbers
    const numbers = boxes.map((_, k) => [String(k), `Box ${k + 1}`]);
    const options = [["any", "any or none"], ...numbers, ["none", "in no box"]];
    this.fields.box.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
    for (const name of ["kind", "box"]) this.fields[name].value = this.filter[name];
    this.fields.set.value = this.set;
  }

  draw() {
    const active = document.activeElement;
    const focus = this.root.contains(active) ? active.dataset.focus : undefined;
    const pages = Math.max(1, Math.ceil(this.rows.length / PAGE_ROWS));
    this.page = Math.min(this.page, pages - 1);
    const start = this.page * PAGE_ROWS;
    const shown = this.rows.subarray(start, start + PAGE_ROWS);
    const opening = { open: this.open, onOpen: (i) => this.toggle(i) };
    this.head.replaceChildren(tableHead(this.columns, this.sort, (key) => this.sortBy(key)));
    this.body.replaceChildren(...tableBody(this.store, this.evaluation, this.columns, shown, opening));
    this.pager.replaceChildren(...pagerButtons(this.page, pages, (page) => this.turn(page)));
    this.scroll.hidden = !this.rows.length;
    this.tell(start, shown.length);
    if (focus !== undefined) this.refocus(focus);
  }

  refocus(focus) {
    const found = this.root.querySelector(`[data-focus="${CSS.escape(focus)}"]:not(:disabled)`);
    found?.focus({ preventScroll: true });
  }

  /** Say what is listed. */
  tell(start, n) {
    const { table } = this.evaluation;
    const [title, kind] = [SET_TITLES[this.set].toLowerCase(), ROW_KINDS[this.filter.kind].toLowerCase()];
    const range = n ? `${count(start + 1)}–${count(start + n)} of ${count(this.rows.length)}` : "None";
    const text = `${title}: ${kind}. ${range}${n ? "" : " to show"}.`;
    sayIn(this.status, text[0].toUpperCase() + text.slice(1));
    this.caption.textContent = `List of ${title}: open one to see why it is flagged, or what it would take`;
    this.note.hidden = !table.sampled;
    const size = `${count(table.n)} of ${count(table.total.rows)} ${title}`;
    this.note.textContent = `The page holds a sample of ${size}, so rows may be absent from this list.`;
  }

  turn(page) {
    this.page = page;
    this.draw();
    // At the last page the button that was pressed is disabled and loses the focus.
    if (document.activeElement === document.body) this.pager.querySelector("button:not(:disabled)")?.focus();
  }

  /** Open the page of a row, or close it. */
  toggle(i) {
    this.open = this.open === i ? null : i;
    this.draw();
    this.refocus(`row ${i}`);
    sayIn(this.spoken, this.open === null ? "" : rowSentence(this.store, this.evaluation, i));
  }

  /** Walk through the rows with the arrows, and close the open one with Escape. */
  keyed(event) {
    if (event.key === "Escape" && this.open !== null) {
      this.toggle(this.open);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const names = [...this.body.querySelectorAll("button.row-name")];
    const place = names.indexOf(event.target);
    if (step === undefined || place === -1 || names[place + step] === undefined) return;
    event.preventDefault();
    names[place + step].focus();
  }

  /** Open the row of an id; where it is not listed, all rows are. */
  find(event) {
    event.preventDefault();
    const { table } = this.evaluation;
    const name = this.fields.name.value;
    const i = findRow(table, name, this.open ?? table.n - 1);
    const here = `the ${count(table.n)} ${SET_TITLES[this.set].toLowerCase()} of this page`;
    sayIn(this.message, i === -1 ? `None of ${here} has the id ${printable(name)}.` : "");
    if (i === -1) return;
    if (!this.rows.includes(i)) {
      this.fields.query.value = "";
      this.choose({ kind: "all", box: "any", query: "" });
    }
    this.page = Math.floor(this.rows.indexOf(i) / PAGE_ROWS);
    this.open = null;
    this.toggle(i);
    this.body.querySelector(".opened")?.scrollIntoView({ block: "nearest" });
  }
}
