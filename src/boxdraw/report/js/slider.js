/* A slider whose every gesture is one step to undo: a drag ends where it is let go, and keys that follow each
   other within a moment are one gesture too. */

import { el } from "./dom.js";

const MOVING_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const PAUSE = 800;

/** Watches one slider; `move(place)` previews and `finish()` keeps what is previewed. */
export class Gesture {
  constructor(move, finish) {
    this.move = move;
    this.finish = finish;
    this.byKey = false;
    this.timer = null;
  }

  onInput(place) {
    this.timer ??= 0;
    this.move(place);
  }

  onChange() {
    if (!this.byKey) return this.end();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), PAUSE);
    return undefined;
  }

  /** Keys that do not move the slider, such as those that undo, come after the gesture. */
  onKey(event) {
    this.byKey = MOVING_KEYS.includes(event.key);
    if (!this.byKey && event.key !== "Control" && event.key !== "Shift") this.end();
  }

  end() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.finish();
  }
}

/** Make the slider itself; `text` is what a screen reader says of its place. */
export function sliderInput({ id, least, most, place, text, gesture }) {
  return el("input", {
    id,
    type: "range",
    min: least,
    max: most,
    step: 1,
    value: place,
    "aria-valuetext": text,
    oninput: (event) => gesture.onInput(Number(event.target.value)),
    onchange: () => gesture.onChange(),
    onkeydown: (event) => gesture.onKey(event),
    onpointerdown: () => {
      gesture.byKey = false;
    },
    onblur: () => gesture.end(),
  });
}
