/* What changed since learning: the boxes of now, each beside the learned one that it came from. */

import { sameBox, sameLimit } from "./model.js";
import { isLimited, limitText, pointsText, ruleText } from "./text.js";

/** Say what changed from one box to another: null for a box that is not there. */
export function describeChange(features, before, after) {
  if (before === null) return `added: ${withWorth(ruleText(features, after), after)}`;
  if (after === null) return "dropped";
  const texts = features.flatMap((feature, j) => limitChange(feature, before.limits[j], after.limits[j]));
  const points = [before, after].map((box) => pointsText(box.points));
  if (before.points !== after.points) texts.push(points.join(" → "));
  return texts.join("; ") || "unchanged";
}

function withWorth(rule, box) {
  return box.points === null ? rule : `${rule} (${pointsText(box.points)})`;
}

/** Say in at most one text how what a box asks of a feature changed. */
function limitChange(feature, before, after) {
  const [was, is] = [isLimited(before), isLimited(after)];
  if (!was && !is) return [];
  if (!was) return [`${limitText(feature, after)} added`];
  if (!is) return [`${limitText(feature, before)} dropped`];
  if (sameLimit(before, after)) return [];
  const texts = [before, after].map((limit) => limitText(feature, limit));
  if (texts[0] !== texts[1]) return [texts.join(" → ")];
  // What is printed is shorter than what is applied: tell the exact numbers where only they differ.
  return [[before, after].map((limit) => limitText(feature, limit, [limit.lower, limit.upper])).join(" → ")];
}

/** Compare two models: what was changed, dropped and added, in the order of the learned boxes. */
export function difference(features, learned, now) {
  const partner = matchBoxes(learned.boxes, now.boxes);
  const changes = learned.boxes.flatMap((before, k) => {
    const at = partner.get(k);
    const after = at === undefined ? null : now.boxes[at];
    if (after === null) return [{ kind: "dropped", box: k, before, after, text: `Box ${k + 1} dropped` }];
    if (sameBox(before, after)) return [];
    const number = at === k ? `Box ${k + 1}` : `Box ${k + 1} (now ${at + 1})`;
    const text = `${number}: ${describeChange(features, before, after)}`;
    return [{ kind: "changed", box: at, before, after, text }];
  });
  const kept = new Set(partner.values());
  now.boxes.forEach((after, k) => {
    if (kept.has(k)) return;
    const text = `Box ${k + 1} ${describeChange(features, null, after)}`;
    changes.push({ kind: "added", box: k, before: null, after, text });
  });
  return [...changes, ...thresholdChange(learned, now)];
}

function thresholdChange(learned, now) {
  if (learned.threshold === now.threshold) return [];
  const text = `Alarm from ${pointsText(learned.threshold)} → ${pointsText(now.threshold)}`;
  return [{ kind: "changed", box: null, before: null, after: null, text }];
}

/**
 * Find for each learned box the one that it became.
 *
 * Boxes that stayed the same are found first, wherever they are now; then the most alike of the others, those
 * at the same place before those elsewhere. Boxes that have nothing in common are not one that changed.
 */
export function matchBoxes(before, after) {
  const pairs = before.flatMap((box, k) =>
    after.map((other, at) => ({ k, at, score: sameBox(box, other) ? 2 : likeness(box, other) })),
  );
  pairs.sort((a, b) => b.score - a.score || Math.abs(a.k - a.at) - Math.abs(b.k - b.at) || a.k - b.k);
  const partner = new Map();
  const taken = new Set();
  for (const { k, at, score } of pairs) {
    if (score === 0 || partner.has(k) || taken.has(at)) continue;
    partner.set(k, at);
    taken.add(at);
  }
  return partner;
}

/** Return how alike two boxes are, from 0 to 1: the share of features of which both ask about the same. */
function likeness(box, other) {
  let [shared, all] = [0, 0];
  box.limits.forEach((limit, j) => {
    const both = [limit, other.limits[j]];
    if (!both.some(isLimited)) return;
    all += 1;
    if (both.every(isLimited)) shared += sameLimit(...both) ? 1 : meet(...both) ? 0.75 : 0.25;
  });
  // Of a box whose last limit was dropped nothing is left to compare.
  const emptied = !box.limits.some(isLimited) || !other.limits.some(isLimited);
  return emptied ? 0.1 : shared / all;
}

/** Say whether some value is inside both limits. */
function meet(a, b) {
  if (a.codes !== null && b.codes !== null) return a.codes.some((code) => b.codes.includes(code));
  return Math.max(a.lower, b.lower) <= Math.min(a.upper, b.upper);
}
