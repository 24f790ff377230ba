/* Rows as marks: shape and colour by class, solid if flagged, faint if the box in front refuses them. */

import { rowsInside } from "./evaluate.js";

const MOST_POINTS = 5000;
const FAINT = 0.18;
const DRAWN = new WeakMap();
const REFUSED = new WeakMap();
const SHAPES = { circle, triangle, diamond, point: downTriangle };

/** Choose the rows to draw, once per table, such that a rare class does not vanish among the others. */
export function drawnRows(table) {
  if (!DRAWN.has(table)) DRAWN.set(table, chooseRows(table));
  return DRAWN.get(table);
}

function chooseRows({ n, positive }) {
  const all = Array.from({ length: n }, (_, i) => i);
  if (n <= MOST_POINTS) return Int32Array.from(all);
  const classes = [1, 0].map((label) => all.filter((i) => positive[i] === label));
  const places = Math.min(classes[0].length, Math.max(MOST_POINTS / 2, MOST_POINTS - classes[1].length));
  const some = [thinOut(classes[0], places), thinOut(classes[1], MOST_POINTS - places)];
  return Int32Array.from(some.flat()).sort();
}

/** Choose so many rows by a hash of their numbers, which is no pattern of the file that they come from. */
function thinOut(rows, places) {
  const hash = (i) => {
    const mixed = Math.imul(i ^ (i >>> 15), 0x2c1b3c6d);
    return Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 0;
  };
  return rows.toSorted((a, b) => hash(a) - hash(b) || a - b).slice(0, places);
}

function circle(pen, r) {
  pen.arc(0, 0, r, 0, 2 * Math.PI);
}

function triangle(pen, r, up = -1) {
  pen.moveTo(0, up * 1.3 * r);
  pen.lineTo(1.15 * r, -up * 0.8 * r);
  pen.lineTo(-1.15 * r, -up * 0.8 * r);
  pen.closePath();
}

function downTriangle(pen, r) {
  triangle(pen, r, 1);
}

function diamond(pen, r) {
  for (const [x, y] of [
    [0, -1.3],
    [1.3, 0],
    [0, 1.3],
    [-1.3, 0],
  ])
    pen.lineTo(x * r, y * r);
  pen.closePath();
}

/** Draw a mark around the origin. */
function drawMark(pen, { shape, colour, solid, faint }, r) {
  pen.beginPath();
  SHAPES[shape](pen, r);
  pen.globalAlpha = faint ? FAINT : solid ? 0.85 : 0.9;
  pen.lineWidth = solid ? 0.8 : 1.1;
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  if (solid) pen.fill();
  pen.stroke();
}

/** Marks that are drawn once and then copied, which is many times faster than drawing each. */
export class Marks {
  constructor(style, radius, ratio) {
    this.colour = { 0: style.getPropertyValue("--negative"), 1: style.getPropertyValue("--positive") };
    this.radius = radius;
    this.ratio = ratio;
    this.half = Math.ceil(1.3 * radius + 2);
    this.made = new Map();
  }

  /** Return the mark of a class, 0 or 1, of training or test rows. */
  get(label, solid, faint, test) {
    const key = label + 2 * solid + 4 * faint + 8 * test;
    if (!this.made.has(key)) this.made.set(key, this.make(label, solid, faint, test));
    return this.made.get(key);
  }

  make(label, solid, faint, test) {
    const shape = [
      ["circle", "diamond"],
      ["triangle", "point"],
    ][label][test];
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil(2 * this.half * this.ratio);
    const pen = canvas.getContext("2d");
    pen.scale(this.ratio, this.ratio);
    pen.translate(this.half, this.half);
    drawMark(pen, { shape, colour: this.colour[label], solid, faint }, this.radius);
    return canvas;
  }
}

/** Say which of the drawn rows the limits on features that are not shown keep out of a box. */
export function refusedRows({ table, rows }, box, shown) {
  const limits = box.limits.map((limit, j) => (shown.includes(j) ? null : limit));
  const known = REFUSED.get(rows);
  // While an edge of the picture moves, the other limits are the same ones.
  if (known !== undefined && limits.every((limit, j) => limit === known.limits[j])) return known.refused;
  const held = rowsInside(limits, table, rows);
  let next = 0;
  // What is kept stands in the order of all.
  const refused = Uint8Array.from(rows, (i) => {
    const isHeld = held[next] === i;
    next += isHeld ? 1 : 0;
    return isHeld ? 0 : 1;
  });
  REFUSED.set(rows, { limits, refused });
  return refused;
}

/** Say how each drawn row looks: 1 if flagged, and 2 more if faint. */
export function lookOf({ rows, flagged, faint }) {
  return Uint8Array.from(rows, (i, p) => flagged[i] + 2 * faint[p]);
}

/** Return the part of the picture in which rows look otherwise than before; null if none do. */
export function changedArea(layers, before, { half, ratio }) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  layers.forEach(({ x, y, look }, n) => {
    for (let p = 0; p < look.length; p += 1) {
      if (look[p] === before[n][p]) continue;
      left = Math.min(left, x[p]);
      right = Math.max(right, x[p]);
      top = Math.min(top, y[p]);
      bottom = Math.max(bottom, y[p]);
    }
  });
  if (left > right) return null;
  const down = (place) => Math.floor((place - half) * ratio) / ratio;
  const up = (place) => Math.ceil((place + half) * ratio) / ratio;
  return { left: down(left), top: down(top), right: up(right), bottom: up(bottom) };
}

/** Draw the rows of a part of the picture again. */
export function drawPoints(pen, marks, layers, area) {
  pen.save();
  pen.beginPath();
  pen.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  pen.clip();
  pen.clearRect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  const { half } = marks;
  for (const [mark, x, y] of marksIn(marks, layers, area))
    pen.drawImage(mark, x - half, y - half, 2 * half, 2 * half);
  pen.restore();
}

/** List marks: the faint ones first, then negatives, then positives, so that what matters is on top. */
function marksIn(marks, layers, { left, top, right, bottom }) {
  const ranks = [[], [], [], []];
  for (const { rows, x, y, positive, look, test } of layers) {
    for (let p = 0; p < rows.length; p += 1) {
      if (x[p] + marks.half < left || x[p] - marks.half > right) continue;
      if (y[p] + marks.half < top || y[p] - marks.half > bottom) continue;
      const [label, solid, faint] = [positive[rows[p]], look[p] & 1, look[p] >> 1];
      ranks[faint ? 0 : label ? 3 : 1 + solid].push([marks.get(label, solid, faint, test), x[p], y[p]]);
    }
  }
  return ranks.flat();
}
