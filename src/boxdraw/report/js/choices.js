/* Other rules that the learner found: of other lengths, and for other costs of a false alarm. */

import { readModel } from "./model.js";

/** Read them; the drawings share their boxes. The path rises with the cost, the learned rules in it at theirs. */
export function readChoices({ choices, features, fit, false_alarm_cost: price }, learned) {
  const boxes = choices ? readModel(choices.boxes, features, null).boxes : [];
  const read = (list = []) =>
    list.map(({ boxes: places, points, threshold = null, ...figures }) => {
      const drawn = places.map((k, i) => ({ limits: boxes[k].limits, points: points?.[i] ?? null }));
      return { ...figures, model: { boxes: drawn, threshold } };
    });
  const path = read(choices?.path);
  const own = { cost: typeof fit.false_alarm_cost === "number" ? fit.false_alarm_cost : price, model: learned };
  const others = path.filter(({ cost }) => cost !== own.cost);
  return {
    frontier: read(choices?.frontier),
    path: path.length ? [...others, own].sort((a, b) => a.cost - b.cost) : [],
    cost: path.length ? own.cost : null,
  };
}

/** Count the limits that a person reads, as BoxSet.n_limits does. */
export function countLimits({ boxes }) {
  const ends = ({ lower, upper }) => Number.isFinite(lower) + Number.isFinite(upper) - (lower === upper);
  const all = boxes.flatMap(({ limits }) => limits.filter((limit) => limit !== null));
  return all.reduce((sum, limit) => sum + Math.max(ends(limit), 1), 0);
}
