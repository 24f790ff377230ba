/* The state of the page: the model as it is now, how it came to be, and what the user looks at. */

import { evaluate } from "./evaluate.js";
import { sameModel } from "./model.js";

/** Holds the state and tells the views when it changes. */
export class Store {
  constructor(report) {
    this.report = report;
    this.model = report.learned;
    /** The cost of a false alarm that the boxes are drawn for; null where there is neither closed form nor path. */
    this.cost = report.closed_form?.negative_weight ?? report.found.cost;
    /** The price of a false alarm, in misses, that the total cost is counted with. */
    this.price = report.false_alarm_cost;
    this.selected = report.learned.boxes.length ? 0 : null;
    /** Whether the fields of the chosen box are shown. */
    this.editing = false;
    /** Steps that undo takes back, the last one last: {what, reason, time, before, after}. */
    this.steps = [];
    this.undone = [];
    this.listeners = [];
    this.refresh(null);
  }

  /** Call a function after every change, with what changed: "model", "look" or "log". */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(what);
  }

  /** Say whether the model decides otherwise than the learned one. */
  get edited() {
    return !sameModel(this.model, this.report.learned);
  }

  /** Evaluate the model on all rows that the page has. */
  refresh(before) {
    const { train, test } = this.report.data;
    this.train = evaluate(this.model, train, before?.train ?? null);
    this.test = test === null ? null : evaluate(this.model, test, before?.test ?? null);
  }

  show(model, cost) {
    const before = { train: this.train, test: this.test };
    this.selected = this.stillSelected(model.boxes.length);
    this.model = model;
    this.cost = cost;
    this.refresh(before);
    this.tell("model");
  }

  /** Choose among so many boxes. */
  stillSelected(n) {
    return n ? Math.min(this.selected ?? 0, n - 1) : null;
  }

  /** Show a model while an edge is dragged or the slider moves, without a step to undo. */
  preview(model, cost = this.cost) {
    this.started ??= this.now();
    this.show(model, cost);
  }

  /** Note what a preview starts from. */
  now() {
    const counts = { train: this.train.counts, test: this.test?.counts };
    return { model: this.model, cost: this.cost, counts };
  }

  /** Go back to where a preview began. */
  cancel() {
    if (this.started === undefined) return;
    const { model, cost } = this.started;
    this.started = undefined;
    this.show(model, cost);
  }

  /** Change the model, or keep what was previewed; `what` says in words what was done. */
  commit(what, model = this.model, cost = this.cost) {
    const { model: old, cost: oldCost } = this.started ?? this.now();
    const before = { model: old, cost: oldCost };
    this.started = undefined;
    if (sameModel(before.model, model) && before.cost === cost) {
      if (this.model !== before.model) this.show(before.model, before.cost);
      return;
    }
    const after = { model, cost };
    this.steps.push({ what, reason: "", time: new Date().toISOString(), before, after });
    this.undone = [];
    this.show(model, cost);
    this.tell("log");
  }

  undo() {
    this.cancel();
    const step = this.steps.pop();
    if (step === undefined) return;
    this.undone.push(step);
    this.show(step.before.model, step.before.cost);
    this.tell("log");
  }

  redo() {
    this.cancel();
    const step = this.undone.pop();
    if (step === undefined) return;
    this.steps.push(step);
    this.show(step.after.model, step.after.cost);
    this.tell("log");
  }

  /** Take up steps that were made before. */
  restore(steps) {
    this.cancel();
    this.steps = [...steps];
    this.undone = [];
    this.show(steps.at(-1).after.model, steps.at(-1).after.cost);
    this.tell("log");
  }

  /** Write down why a step was made. */
  explainStep(index, reason) {
    this.steps[index].reason = reason;
    this.tell("log");
  }

  /** Choose the box that the views show in front. */
  select(box) {
    this.selected = box;
    this.tell("look");
  }

  /** Open the fields of a box, or close them. */
  edit(box) {
    this.editing = box !== this.selected || !this.editing;
    this.select(box);
  }

  /** Choose what a false alarm costs in the total. */
  setPrice(price) {
    this.price = price;
    this.tell("look");
  }
}
