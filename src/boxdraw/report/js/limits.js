/* Limits over distributions: a row per feature that the boxes look at, readable with many of them. */

import { makeAxis } from "./axis.js";
import { el, svg } from "./dom.js";
import { EdgeControl } from "./edges.js";
import { flip } from "./flips.js";
import { count } from "./format.js";
import { drawWhenSeen, Layer, oncePerFrame, onWidthChange, widthOf } from "./frame.js";
import { usedFeatures } from "./model.js";
import { limitOrder } from "./order.js";
import {
  barShapes,
  binEdges,
  chipText,
  histogramShapes,
  limitRowHeight,
  tickRowShapes,
} from "./limit_shapes.js";
import { axisRange, chosenTables, classHistogram, spreadOf } from "./spread.js";
import { categoryText, printable, shortLimitText } from "./text.js";

const INSET = 14;
const FEW_FEATURES = 4;
const MOST_CHIPS = 24;

/** Show the limits of all boxes over the distributions of the features. */
export function mountLimits(root, store, look) {
  const picture = new LimitsPicture(root, store, look);
  drawWhenSeen(picture.list, store, (what) => what !== "log" && picture.ask());
  look.subscribe(() => picture.rebuild());
  onWidthChange(picture.list, () => picture.rebuild());
}

class LimitsPicture {
  constructor(root, store, look) {
    Object.assign(this, { root, store, look });
    this.rows = new Map();
    this.list = el("ul", { class: "spreads" });
    const note = el("p", { class: "hint" });
    this.message = el("p", { class: "hint", "aria-live": "polite" });
    note.textContent =
      "Above the line: how the positives are spread; below it, the others; each class adds up to one. ";
    note.textContent += "The bars are the boxes: drag their ends. Arrows: the limit goes on.";
    this.all = false;
    const toggle = () => {
      this.all = !this.all;
      this.ask();
    };
    this.more = el("button", { type: "button", class: "quiet", hidden: true, onclick: toggle });
    root.append(note, this.list, this.more, this.message);
    this.ask = oncePerFrame(() => this.draw());
    this.edges = new EdgeControl(this.list, store, {
      valueAt: ({ j, side }, event) => this.valueAt(j, side, event),
      stepAt: ({ j }, value, steps) => this.rows.get(j).axis.stepAt(value, steps),
      rangeOf: (j) => this.rows.get(j).axis,
    });
    this.list.addEventListener("click", (event) => this.click(event));
  }

  valueAt(j, side, event) {
    const { axis, svg: element } = this.rows.get(j);
    return axis.valueAt(event.clientX - element.getBoundingClientRect().left, side);
  }

  click(event) {
    const target = event.target.closest("[data-flip], [data-pick]");
    if (target === null) return;
    const { flip: code, pick, feature } = target.dataset;
    if (pick !== undefined) this.store.select(Number(pick));
    if (code === undefined || this.store.selected === null) return;
    const done = flip(
      this.store,
      this.store.selected,
      Number(feature),
      code === "missing" ? null : Number(code),
    );
    this.message.textContent = done
      ? ""
      : "A box must let something in: this is the last value that it admits.";
  }

  /** Draw all from the start: the size or the rows changed. */
  rebuild() {
    this.rows.clear();
    this.list.replaceChildren();
    this.ask();
  }

  /** Draw the rows whose limits changed; those that the learned boxes look at stay, so that nothing jumps. */
  draw() {
    const { model, report, selected, started } = this.store;
    const used = [...new Set([...usedFeatures(report.learned), ...usedFeatures(model)])].sort(
      (a, b) => a - b,
    );
    const shown = this.shownOf(used);
    for (const [j, row] of this.rows) if (!shown.includes(j)) this.removeRow(j, row);
    this.more.hidden = shown.length === used.length && !this.all;
    this.more.textContent = this.all ? "Show fewer features" : `Show ${used.length - shown.length} more features`;
    shown.forEach((j, place) => {
      const limits = model.boxes.map((box) => box.limits[j]);
      let row = this.rows.get(j);
      if (row === undefined || (started === undefined && this.outgrown(row))) row = this.makeRow(j, place);
      const same = row.selected === selected && sameList(row.limits, limits);
      if (!same) this.drawRow(row, limits);
    });
  }

  /** Of many features, show those of the chosen box and the first others. */
  shownOf(used) {
    if (this.all || used.length <= FEW_FEATURES + 1) return used;
    const { selected } = this.store;
    const chosen = selected === null ? [] : limitOrder(this.store, selected).slice(0, FEW_FEATURES);
    const others = used.filter((j) => !chosen.includes(j)).slice(0, FEW_FEATURES - chosen.length);
    return used.filter((j) => chosen.includes(j) || others.includes(j));
  }

  removeRow(j, row) {
    row.item.remove();
    this.rows.delete(j);
  }

  /** Say whether limits were moved to or from the ends of the axis. */
  outgrown({ j, axis }) {
    if (axis.categorical) return false;
    const { low, high } = axisRange(this.store, j, axis.log);
    return low !== axis.low || high !== axis.high;
  }

  makeRow(j, place) {
    const old = this.rows.get(j);
    const feature = this.store.report.features[j];
    const row = { j, feature, limits: null, selected: undefined, chips: el("div", { class: "chips" }) };
    const words = el("span", { class: "limit-words" });
    const name = el("div", { class: "limit-name" }, el("strong", {}, printable(feature.name)), " ", words);
    const body = el("div", { class: "limit-body" });
    row.words = words;
    row.item = el("li", {}, name, body);
    if (old !== undefined) old.item.replaceWith(row.item);
    else this.list.insertBefore(row.item, this.list.children[place] ?? null);
    if (feature.kind === "numeric") this.furnishNumbers(row, body);
    else this.furnishCategories(row);
    body.append(row.chips);
    this.rows.set(j, row);
    return row;
  }

  furnishNumbers(row, body) {
    const width = widthOf(body);
    const { skewed } = spreadOf(this.store, row.j);
    const range = axisRange(this.store, row.j, skewed);
    const groups = ["spread", "bars"].map((name) => svg("g", { class: name }));
    row.svg = svg("svg", { width, role: "group" }, ...groups);
    row.axis = makeAxis(this.store, row.j, { from: INSET, to: width - INSET, range, gap: 64 });
    // Missing values have a chip instead of a strip.
    row.axis = row.axis.strip === null ? row.axis : bareAxis(this.store, row.j, width, range);
    row.histogram = this.numberHistogram(row);
    row.layers = groups.map((group) => new Layer(group));
    body.append(row.svg);
  }

  numberHistogram({ j, axis }) {
    const edges = binEdges(axis);
    const [from, width] = [edges[0], edges[1] - edges[0]];
    const tables = chosenTables(this.store, this.look.rows);
    const binOf = (value) => Math.floor((axis.scale.place(value) - from) / width);
    return { edges, ...classHistogram(tables, j, edges.length - 1, binOf) };
  }

  furnishCategories(row) {
    const n = row.feature.categories.length;
    const tables = chosenTables(this.store, this.look.rows);
    row.axis = { categorical: true };
    row.histogram = classHistogram(tables, row.j, n + 1, (code) => (code >= 0 ? code : code === -2 ? n : -1));
  }

  drawRow(row, limits) {
    Object.assign(row, { limits, selected: this.store.selected });
    const own = row.selected === null ? null : limits[row.selected];
    row.words.textContent = own === null ? "" : `Box ${row.selected + 1}: ${shortLimitText(row.feature, own)}`;
    if (!row.axis.categorical) this.drawBars(row, limits);
    this.drawChips(row, limits);
  }

  drawBars(row, limits) {
    const height = limitRowHeight(limits);
    if (row.height !== height) {
      row.height = height;
      row.svg.setAttribute("height", height);
      row.layers[0].draw([...tickRowShapes(row.axis, height), ...histogramShapes(row.axis, row.histogram)]);
    }
    row.layers[1].draw(barShapes(this.store, row.axis, limits));
    row.svg.setAttribute("aria-label", this.describe(row, limits));
  }

  describe({ feature }, limits) {
    const texts = limits.flatMap((limit, k) =>
      limit === null ? [] : [`Box ${k + 1}: ${shortLimitText(feature, limit)}`],
    );
    return `Histogram of ${printable(feature.name)} by class, with the limits of boxes. ${texts.join(". ")}`;
  }

  /** Categories, and missing values where there are any, are chips of the chosen box. */
  drawChips(row, limits) {
    const { feature, j } = row;
    row.codes ??= feature.kind === "numeric" ? [] : frequentCodes(feature, row.histogram);
    const { codes } = row;
    const missing =
      spreadOf(this.store, j).missing || limits.some((limit) => limit !== null && limit.missing);
    const all = missing ? [...codes, null] : codes;
    if (row.made !== all.length) {
      row.made = all.length;
      const rest = (feature.categories?.length ?? 0) - codes.length;
      const more = rest ? [el("span", { class: "hint" }, `… and ${count(rest)} more`)] : [];
      row.chips.replaceChildren(...all.map((code) => chipElement(row, code)), ...more);
    }
    all.forEach((code, i) => fillChip(row.chips.children[i], row, limits, code));
  }
}

function bareAxis(store, j, width, range) {
  const axis = makeAxis(store, j, { from: INSET, to: width - INSET, range, gap: 64 });
  const shift = Math.abs(axis.start - axis.from);
  return { ...makeAxis(store, j, { from: INSET - shift, to: width - INSET, range, gap: 64 }), strip: null };
}

function sameList(a, b) {
  return a !== null && a.length === b.length && a.every((one, i) => one === b[i]);
}

/** List the categories that most rows of a class have, in their order; all if they are not many. */
function frequentCodes({ categories }, { positive, negative }) {
  const share = (code) => Math.max(positive[code], negative[code]);
  const codes = [...categories.keys()];
  if (codes.length <= MOST_CHIPS) return codes;
  return codes.sort((a, b) => share(b) - share(a) || a - b).slice(0, MOST_CHIPS).sort((a, b) => a - b);
}

function chipElement({ j, feature }, code) {
  const name = code === null ? "missing" : categoryText(feature.categories[code]);
  const bars = el(
    "span",
    { class: "chip-bars", "aria-hidden": "true" },
    el("i", { class: "positive" }),
    el("i", { class: "negative" }),
  );
  return el(
    "button",
    { type: "button", class: "chip", "data-flip": code ?? "missing", "data-feature": j },
    el("span", { class: "chip-mark", "aria-hidden": "true" }),
    el("span", { class: "chip-name" }, name),
    feature.kind === "numeric" ? null : bars,
    el("span", { class: "chip-boxes" }),
  );
}

/** Show who admits a category: pressed if the chosen box does, and the numbers of all boxes that do. */
function fillChip(chip, row, limits, code) {
  const place = code ?? row.feature.categories?.length;
  const shares =
    row.feature.kind === "numeric" ? null : [row.histogram.positive[place], row.histogram.negative[place]];
  const { pressed, boxes, title } = chipText(row.feature, limits, row.selected, code, shares);
  chip.setAttribute("aria-pressed", String(pressed));
  chip.disabled = row.selected === null;
  chip.title = title;
  chip.setAttribute("aria-label", title);
  chip.querySelector(".chip-mark").textContent = pressed ? "✓" : "✗";
  chip.querySelector(".chip-boxes").textContent = boxes;
  if (shares === null) return;
  const most = Math.max(...row.histogram.positive, ...row.histogram.negative);
  chip.querySelectorAll("i").forEach((bar, i) => {
    bar.style.width = `${Math.round((100 * shares[i]) / most)}%`;
  });
}
