/* Two features, the rows as marks, and the boxes' shadows with edges that people can move. */

import { makeAxis } from "./axis.js";
import { el, svg } from "./dom.js";
import { DrawBox } from "./draw_box.js";
import { EdgeControl } from "./edges.js";
import { flip } from "./flips.js";
import { drawWhenSeen, Layer, onColourChange, oncePerFrame, onWidthChange, widthOf } from "./frame.js";
import { changedArea, drawnRows, drawPoints, lookOf, Marks, refusedRows } from "./points.js";
import { axisShapes, marginsFor } from "./scatter_axes.js";
import { describeScatter, scatterLegend } from "./scatter_words.js";
import { boxShapes, handleShapes } from "./shadows.js";
import { chosenTables, mostLimited, spreadOf } from "./spread.js";
import { printable } from "./text.js";

const HINT =
  "Drag an edge to move a limit, or out of the picture to drop it. By keyboard: Tab to an edge, arrow keys.";
const DRAW_HINT = "Drag a rectangle in the picture. Enter puts a box in the middle, Escape leaves.";

/** Show the picture of two features. */
export function mountScatter(root, store, look) {
  if (store.report.features.length < 2) {
    root.remove();
    return;
  }
  const picture = new ScatterPicture(root, store, look);
  drawWhenSeen(picture.frame, store, (what) => what !== "log" && picture.ask());
  look.subscribe(() => picture.relay());
  onColourChange(() => picture.relay());
  onWidthChange(picture.frame, () => picture.relay());
}

/** Holds the elements of the picture and what they were last drawn for. */
class ScatterPicture {
  constructor(root, store, look) {
    Object.assign(this, { root, store, look });
    this.shown = mostLimited(store, store.model.boxes);
    this.log = this.shown.map((j) => spreadOf(store, j).skewed);
    this.stale = true;
    this.ask = oncePerFrame(() => this.draw());
    this.build();
    this.edges = new EdgeControl(this.overlay, store, {
      valueAt: ({ j, side }, event) => this.valueAt(j, side, event),
      stepAt: ({ j }, value, steps) => this.axisOf(j).stepAt(value, steps),
      rangeOf: (j) => this.axisOf(j),
    });
    this.drawing = new DrawBox(
      this.overlay,
      store,
      () => this.axes,
      () => this.showMode(),
    );
    this.overlay.addEventListener("click", (event) => this.click(event));
    this.overlay.addEventListener("keydown", (event) => this.press(event));
  }

  build() {
    this.canvas = el("canvas", { role: "img" });
    const groups = ["others", "fills", "axes", "boxes", "handles"].map((name) => svg("g", { class: name }));
    const under = svg("svg", { class: "underlay", "aria-hidden": "true" }, ...groups.slice(0, 2));
    const label = "Limits of the box in front";
    this.overlay = svg("svg", { class: "overlay", role: "group", "aria-label": label }, ...groups.slice(2));
    this.layers = groups.map((group) => new Layer(group));
    this.frame = el("div", { class: "plot" }, under, this.canvas, this.overlay);
    this.mode = el(
      "button",
      { type: "button", "aria-pressed": "false", onclick: () => this.toggleMode() },
      "Draw a box",
    );
    this.hint = el("p", { class: "hint", "aria-live": "polite" }, HINT);
    this.legend = el("ul", { class: "legend" });
    this.logs = [0, 1].map((i) => this.logToggle(i));
    const controls = el(
      "div",
      { class: "controls" },
      this.featureSelect(0),
      this.featureSelect(1),
      ...this.logs,
      this.mode,
    );
    this.root.append(this.frame, this.legend, controls, this.hint);
    this.showLogs();
  }

  featureSelect(i) {
    const options = this.store.report.features.map(({ name }, j) => {
      return el("option", { value: j, selected: j === this.shown[i] }, printable(name));
    });
    const select = el("select", { onchange: () => this.choose(i, Number(select.value)) }, ...options);
    this.selects = [...(this.selects ?? []), select];
    return el("label", {}, i === 0 ? "Across" : "Up", " ", select);
  }

  logToggle(i) {
    const change = (event) => {
      this.log[i] = event.target.checked;
      this.relay();
    };
    return el(
      "label",
      { class: "log" },
      el("input", { type: "checkbox", onchange: change }),
      i ? "Log scale up" : "Log scale across",
    );
  }

  /** Choose a feature; the one that the other axis has goes there. */
  choose(i, j) {
    const swap = this.shown[1 - i] === j;
    if (swap) this.shown[1 - i] = this.shown[i];
    this.shown[i] = j;
    this.log = swap ? this.log.toReversed() : this.log.with(i, spreadOf(this.store, j).skewed);
    this.selects.forEach((select, side) => {
      select.value = String(this.shown[side]);
    });
    this.showLogs();
    this.relay();
  }

  showLogs() {
    this.logs.forEach((label, i) => {
      label.hidden = !spreadOf(this.store, this.shown[i]).skewed;
      label.querySelector("input").checked = this.log[i];
    });
  }

  toggleMode() {
    this.drawing.setMode(!this.drawing.on);
    this.showMode();
  }

  showMode() {
    this.mode.setAttribute("aria-pressed", String(this.drawing.on));
    this.hint.textContent = this.drawing.on ? DRAW_HINT : HINT;
  }

  axisOf(j) {
    return this.axes.find((axis) => axis.j === j);
  }

  valueAt(j, side, event) {
    const { left, top } = this.overlay.getBoundingClientRect();
    const axis = this.axisOf(j);
    return axis.valueAt(axis === this.axes[0] ? event.clientX - left : event.clientY - top, side);
  }

  /** A click on the number of a box chooses it; one on a category lets it in or keeps it out. */
  click(event) {
    const { pick, flip: code, feature } = event.target.dataset;
    if (pick !== undefined) this.store.select(Number(pick));
    if (code === undefined || this.store.selected === null) return;
    flip(this.store, this.store.selected, Number(feature), code === "missing" ? null : Number(code));
  }

  press(event) {
    if ((event.key !== "Enter" && event.key !== " ") || event.target.dataset.flip === undefined) return;
    event.preventDefault();
    this.click(event);
  }

  /** Draw again with new places. */
  relay() {
    this.stale = true;
    this.ask();
  }

  draw() {
    // While an edge moves, the picture keeps its range: it would run away from the pointer.
    if (this.stale || (this.store.started === undefined && this.rangeChanged())) this.layOut();
    this.drawMarks();
    this.drawBoxes();
  }

  ranges() {
    return this.shown.map((j, i) => makeAxis(this.store, j, { from: 0, to: 400, log: this.log[i] }));
  }

  rangeChanged() {
    return this.ranges().some(({ low, high }, i) => low !== this.axes[i].low || high !== this.axes[i].high);
  }

  /** Place the axes and the rows on the canvas. */
  layOut() {
    const width = widthOf(this.frame);
    const height = Math.round(Math.min(Math.max(width * 0.62, 240), 560));
    this.size = { width, height };
    this.frame.style.height = `${height}px`;
    const margin = marginsFor(this.ranges(), width);
    this.axes = this.shown.map((j, i) => {
      const span = i
        ? { from: height - margin.bottom, to: margin.top }
        : { from: margin.left, to: width - margin.right };
      return makeAxis(this.store, j, { ...span, log: this.log[i], gap: i ? 44 : 62 });
    });
    this.points = chosenTables(this.store, this.look.rows).map((table) => this.placeRows(table));
    this.resizeCanvas();
    this.before = null;
    this.stale = false;
  }

  placeRows(table) {
    const rows = drawnRows(table);
    const [x, y] = this.axes.map((axis) => {
      const column = table.columns[axis.j];
      return Float32Array.from(rows, (i) => axis.pointPlace(column[i], i));
    });
    return {
      table,
      rows,
      x,
      y,
      positive: table.positive,
      test: table === this.store.report.data.test ? 1 : 0,
    };
  }

  resizeCanvas() {
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.size;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const drawn = this.points.reduce((sum, { rows }) => sum + rows.length, 0);
    const radius = Math.min(Math.max(Math.sqrt(5000 / Math.max(drawn, 1)), 2.1), 3.6);
    this.marks = new Marks(getComputedStyle(this.root), radius, ratio);
  }

  drawMarks() {
    const { selected, model, train, test } = this.store;
    const layers = this.points.map((layer) => {
      const { flagged } = layer.test ? test : train;
      const faint =
        selected === null
          ? new Uint8Array(layer.rows.length)
          : refusedRows(layer, model.boxes[selected], this.shown);
      const look = lookOf({ rows: layer.rows, flagged, faint });
      return { ...layer, look, test: this.look.rows === "both" ? layer.test : 0 };
    });
    const whole = { left: 0, top: 0, right: this.size.width, bottom: this.size.height };
    const area = this.before === null ? whole : changedArea(layers, this.before, this.marks);
    this.before = layers.map(({ look }) => look);
    const pen = this.canvas.getContext("2d");
    const { ratio } = this.marks;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (area !== null) drawPoints(pen, this.marks, layers, area);
  }

  drawBoxes() {
    const { model, selected } = this.store;
    const order = model.boxes.map((_, k) => k).filter((k) => k !== selected);
    const tags = [];
    const chosen = selected === null ? [] : [boxShapes(model, this.axes, selected, true, tags)];
    const others = order.map((k) => boxShapes(model, this.axes, k, false, tags));
    const [otherFills, fills] = [others, chosen].map((boxes) => boxes.flatMap((box) => box.fills));
    const handles = selected === null ? [] : handleShapes(this.store, this.axes, selected);
    const lines = [...others, ...chosen].flatMap((box) => box.lines);
    const shapes = [otherFills, fills, axisShapes(this.store, this.axes, this.size), lines, handles];
    shapes.forEach((some, i) => this.layers[i].draw(some));
    if (this.store.started !== undefined) return;
    this.canvas.setAttribute("aria-label", describeScatter(this.store, this.axes, this.look.rows));
    scatterLegend(this.legend, this.store, this.axes, this.look.rows);
  }
}
