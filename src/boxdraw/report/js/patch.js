/* Views write what they show anew at every change; only what differs reaches the page, so that a field keeps
   its focus and its cursor, and a screen reader hears what changed and nothing else. Elements are told apart
   by their tag, and by the attribute data-key or else by their place; so what an element does when it is
   clicked may depend on its key and on the state of the page, and on nothing else. */

import { el } from "./dom.js";
import { drawWhenSeen } from "./frame.js";

/** Keep a part of a section up to date: `build` returns its elements; `still` keeps it as it is while an edge moves. */
export function keepDrawn(root, store, build, { still = false } = {}) {
  const part = el("div", { class: "stack" });
  root.append(part);
  const redraw = () =>
    patch(
      part,
      [build()].flat(2).filter((child) => child !== null),
    );
  drawWhenSeen(part, store, () => !(still && store.started !== undefined) && redraw());
  redraw();
  return redraw;
}

/** Make the children of an element like the given ones, with as few changes as possible. */
export function patch(parent, fresh) {
  const old = new Map([...parent.childNodes].map((child, i) => [keyOf(child, i), child]));
  const kept = fresh.map((child, i) => old.get(keyOf(child, i)));
  // What goes leaves first: then what stays stands in order and is not moved, which would cost it the focus.
  for (const child of old.values()) if (!kept.includes(child)) child.remove();
  fresh.forEach((child, i) => {
    if (kept[i] === undefined) parent.insertBefore(child, parent.childNodes[i] ?? null);
    else {
      if (parent.childNodes[i] !== kept[i]) parent.insertBefore(kept[i], parent.childNodes[i]);
      patchNode(kept[i], child);
    }
  });
}

function keyOf(node, place) {
  return node.nodeType === Node.ELEMENT_NODE
    ? `${node.tagName}:${node.dataset.key ?? place}`
    : `text:${place}`;
}

function patchNode(old, fresh) {
  // A stand-in says that what is there may stay: to make it anew and compare takes longer with many.
  if (fresh.unchanged) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  patchAttributes(old, fresh);
  patch(old, [...fresh.childNodes]);
  if ("checked" in old && old.checked !== fresh.checked) old.checked = fresh.checked;
  if ("value" in old && old.value !== fresh.value) old.value = fresh.value;
}

function patchAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    // Whether a part is folded is the reader's choice.
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && name !== "open") old.setAttribute(name, value);
  }
}
