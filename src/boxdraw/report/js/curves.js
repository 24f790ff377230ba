/* The trade-off over all costs: what is caught against false alarms, and where the model stands in it. */

import { CURVE_KINDS, curveShapes, derived, frameShapes, goalShapes, markShape, spotOf } from "./curve_shapes.js";
import { el, svg } from "./dom.js";
import { evaluate, rates } from "./evaluate.js";
import { percent, short } from "./format.js";
import { drawWhenSeen, Layer, oncePerFrame, onWidthChange, widthOf } from "./frame.js";
import { countsAt, curveOf, rocCurve, rocPoints } from "./roc.js";
import { makeScale } from "./scale.js";

const PAPER_COSTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const MARGIN = { left: 56, right: 22, top: 12, bottom: 42 };
const PARTS = { train: "training", test: "test" };
/** Show the curves and the model's place in them. */
export function mountCurves(root, store) {
  const picture = new CurvesPicture(root, store);
  drawWhenSeen(root, store, (what) => what !== "log" && what !== "look" && picture.ask());
  onWidthChange(root, () => picture.measure());
}

class CurvesPicture {
  constructor(root, store) {
    Object.assign(this, { root, store });
    this.ask = oncePerFrame(() => this.draw());
    this.fixed = new Map();
    this.note = el("p", { class: "hint" });
    this.words = el("p", { class: "hint words" });
    const holder = el("div", { class: "curves" });
    this.plots = Object.keys(CURVE_KINDS).map((kind) => this.makePlot(kind, holder));
    root.append(holder, this.makeLegend(), this.words, this.note);
    this.measure();
  }

  makePlot(kind, holder) {
    const [frame, curves, marks] = ["frame-group", "curve-group", "mark-group"].map((name) =>
      svg("g", { class: name }),
    );
    const picture = svg("svg", { role: "img" }, frame, curves, marks);
    picture.addEventListener("click", (event) => this.click(kind, picture, event));
    holder.append(el("figure", {}, el("figcaption", {}, CURVE_KINDS[kind].title), picture));
    return { kind, picture, layers: [frame, curves, marks].map((group) => new Layer(group)) };
  }

  makeLegend() {
    const { test } = this.store.report.data;
    const line = (look) =>
      svg(
        "svg",
        { class: "sign", width: 26, height: 12, "aria-hidden": "true" },
        svg("path", { class: `curve ${look}`, d: "M 1 6 H 25" }),
      );
    const mark = (shape) =>
      svg("svg", { class: "sign", width: 14, height: 14, "aria-hidden": "true" }, svg("path", shape));
    const { report } = this.store;
    const hasCurve = this.hasCurve("train");
    const { path } = report.found;
    const items = [
      hasCurve ? [line("train"), "training"] : null,
      hasCurve && test !== null ? [line("test"), "test"] : null,
      hasCurve ? [line("hull"), "hull: reached by tossing a coin between two costs"] : null,
      [mark(markShape("now train", 7, 7)), "the model now, training"],
      test === null ? null : [mark(markShape("now test", 7, 7)), "the model now, test"],
      [mark(markShape("learned", 7, 7)), "as learned"],
      report.data.train.critical === null ? null : [mark(markShape("paper", 7, 7)), "costs .1, .2, …, 1"],
      path.length ? [mark(markShape("paper", 7, 7)), "the rules of each cost"] : null,
    ];
    const list = items.filter((item) => item !== null).map(([sign, text]) => el("li", {}, sign, " ", text));
    return el("ul", { class: "legend" }, ...list);
  }

  hasCurve(part) {
    const table = this.store.report.data[part];
    const { model, report } = this.store;
    return table !== null && (table.critical !== null || model.threshold !== null || report.found.path.length > 0);
  }

  /** Return the curve of training or test rows: over all costs, or over the thresholds of a scorecard. */
  curve(part) {
    if (!this.hasCurve(part)) return null;
    if (this.store.model.threshold !== null) return scoreCurve(this.store[part]);
    if (!this.fixed.has(part)) {
      const { data, found } = this.store.report;
      this.fixed.set(part, data[part].critical === null ? pathCurve(found.path, data[part]) : curveOf(data[part]));
    }
    return this.fixed.get(part);
  }

  /** Return the four counts of the learned model. */
  learned(part) {
    this.start ??= new Map();
    const { learned, data } = this.store.report;
    if (!this.start.has(part)) this.start.set(part, evaluate(learned, data[part]).counts);
    return this.start.get(part);
  }

  /** Note how wide the plots are: asking at every change would make the browser lay the page out twice. */
  measure() {
    for (const plot of this.plots) plot.width = widthOf(plot.picture.parentElement);
    this.ask();
  }

  draw() {
    const parts = Object.keys(PARTS).filter((part) => this.store[part] !== null);
    const curves = Object.fromEntries(parts.map((part) => [part, this.curve(part)]));
    for (const plot of this.plots) this.drawPlot(plot, parts, curves);
    this.describe(parts, curves);
  }

  drawPlot({ kind, picture, layers, width }, parts, curves) {
    const height = Math.round(Math.min(Math.max(width * 1.2, 240), 340));
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    const scales = [
      makeScale({ low: 0, high: 1, log: false }, MARGIN.left, width - MARGIN.right),
      makeScale({ low: 0, high: 1, log: false }, height - MARGIN.bottom, MARGIN.top),
    ];
    const { goal } = this.store.report;
    const goals = goal === undefined ? [] : goalShapes(kind, goal, this.shareOfPositives(), scales);
    layers[0].draw([...frameShapes(kind, scales, width, height), ...goals]);
    const drawn = parts.filter((part) => curves[part] !== null);
    layers[1].draw(drawn.flatMap((part) => curveShapes(kind, part, derived(curves[part]), scales)));
    layers[2].draw(parts.flatMap((part) => this.markShapes(kind, part, curves[part], scales)));
  }

  shareOfPositives() {
    const { truePositives, falseNegatives, falsePositives, trueNegatives } = (this.store.test ?? this.store.train).counts;
    const positives = truePositives + falseNegatives;
    return positives / (positives + falsePositives + trueNegatives);
  }

  markShapes(kind, part, curve, scales) {
    const place = (counts) => spotOf(kind, counts).map((value, i) => scales[i].place(value));
    const { data, found } = this.store.report;
    const known = data[part].critical === null ? found.path.map(({ cost }) => cost) : PAPER_COSTS;
    const costs = curve === null ? [] : known;
    const marks = costs.map((c, i) => [`${part}:cost:${i}`, "paper", countsAt(curve, c)]);
    marks.push(
      [`${part}:learned`, "learned", this.learned(part)],
      [`${part}:now`, `now ${part}`, this.store[part].counts],
    );
    const seen = marks.filter(([, , counts]) => spotOf(kind, counts).every(Number.isFinite));
    return seen.map(([key, look, counts]) => ({ key, tag: "path", ...markShape(look, ...place(counts)) }));
  }

  describe(parts, curves) {
    const texts = [
      ...parts.map((part) => describePart(PARTS[part], this.store[part].counts)),
      areaText(parts, curves),
    ];
    this.words.textContent = areaText(parts, curves);
    this.note.textContent = this.noteText();
    this.plots.forEach(({ kind, picture }) => {
      const { title, across, up } = CURVE_KINDS[kind];
      picture.setAttribute("aria-label", `${title}: ${up} over ${across}. ${texts.join(" ")}`);
    });
  }

  noteText() {
    if (this.store.model.threshold !== null)
      return "The curves are those of all thresholds of the scorecard as it is now.";
    if (!this.hasCurve("train"))
      return "These boxes come without a closed form over costs, so there is no curve.";
    if (this.store.report.found.path.length)
      return "Each cross is one step of the slider: the rules that the learner drew for one cost of a false alarm. Click near one to go there.";
    const moved = this.store.edited
      ? " The model was changed by hand or by cost: it need not lie on the curve."
      : "";
    return `The curves are those of the learned boxes at all costs of a false alarm.${moved}`;
  }

  /** A click near a curve over costs asks for the cost there; the slider listens. */
  click(kind, picture, event) {
    if (this.store.cost === null || kind !== "roc") return;
    const { left, top, width, height } = picture.getBoundingClientRect();
    const x = (event.clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    const y = (height - MARGIN.bottom - (event.clientY - top)) / (height - MARGIN.bottom - MARGIN.top);
    const cost = nearestCost(this.curve("train"), x, y);
    if (cost !== null) document.dispatchEvent(new CustomEvent("boxdraw:cost", { detail: { cost } }));
  }
}

/** Return the cost whose point of the curve is nearest; null if none is near. */
function nearestCost(curve, x, y) {
  if (curve === null) return null;
  const { fpr, tpr } = rocPoints(curve);
  let [best, cost] = [0.06, null];
  for (let i = 1; i < fpr.length; i += 1) {
    const distance = Math.hypot(fpr[i] - x, tpr[i] - y);
    if (distance < best && Number.isFinite(curve.critical[i - 1]))
      [best, cost] = [distance, curve.critical[i - 1]];
  }
  return cost;
}

/** Return the curve over the drawings of a path; null without both classes. */
export function pathCurve(path, table) {
  const steps = path.toReversed().map(({ cost, model }) => ({ cost, ...evaluate(model, table).counts }));
  const { truePositives, falseNegatives, falsePositives, trueNegatives } = steps[0];
  const [positives, negatives] = [truePositives + falseNegatives, falsePositives + trueNegatives];
  if (!(positives > 0 && negatives > 0)) return null;
  const list = (name) => steps.map((step) => step[name]);
  const counts = { truePositives: list("truePositives"), falsePositives: list("falsePositives") };
  return { critical: list("cost"), ...counts, positives, negatives, steps: true };
}

/** Return the curve over all thresholds; rows with the same points are one row of their weight. */
export function scoreCurve({ score, table: { positive, weight } }) {
  const mass = new Map();
  for (let i = 0; i < score.length; i += 1) {
    const key = 2 * score[i] + positive[i];
    mass.set(key, (mass.get(key) ?? 0) + (weight === null ? 1 : weight[i]));
  }
  const keys = [...mass.keys()];
  const labels = keys.map((key) => ((key % 2) + 2) % 2);
  return rocCurve(
    keys.map((key, i) => (key - labels[i]) / 2),
    labels,
    keys.map((key) => mass.get(key)),
  );
}

/** Say in words where the model stands. */
function describePart(name, counts) {
  const { falseAlarmRate, recall, precision } = rates(counts);
  const caught = `On ${name} rows the model catches ${percent(recall)} of the positives`;
  const flagged = `and flags ${percent(falseAlarmRate)} of the others`;
  return `${caught} ${flagged}; ${percent(precision)} of what it flags is right.`;
}

/** Write the areas under the curves and under their hulls, where there are curves. */
function areaText(parts, curves) {
  const texts = parts.flatMap((part) => {
    if (curves[part] === null || curves[part].steps) return [];
    const areas = derived(curves[part]).areas.map((area) => short(area, 3));
    return [`${PARTS[part]} ${areas[0]} (hull ${areas[1]})`];
  });
  return texts.length ? `Area under the curve: ${texts.join(", ")}.` : "";
}
