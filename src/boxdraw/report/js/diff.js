/* What changed since learning: the boxes of now, each beside the learned one that it came from. */

import { matchBoxes } from "./matching.js";
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
