/* Fields that numbers are typed in: read with care, and with the error beside what was typed. */

import { el } from "./dom.js";

/** Read a number; `error` says in words what is wrong. An empty text is `empty`, where that is allowed. */
export function readNumber(text, { least = -Infinity, whole = false, empty } = {}) {
  const trimmed = text.trim().replace("−", "-");
  if (trimmed === "") return empty === undefined ? { error: "Type a number." } : { value: empty };
  // Number() also reads "0x1F" and "Infinity", which nobody means here.
  const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : NaN;
  if (!Number.isFinite(value)) return { error: `“${text.trim()}” is not a number, such as 12.5.` };
  if (whole && !Number.isSafeInteger(value)) return { error: `Type a whole number, not ${text.trim()}.` };
  if (value < least) return { error: `Type a number that is not below ${least}.` };
  return { value: value + 0 };
}

/** Make a labelled field for a number; `onchange` and `oninput` are called with its text. */
export function numberField({
  key,
  label,
  hidden,
  after,
  text,
  error,
  placeholder,
  onchange,
  oninput,
  onescape,
}) {
  const id = `field-${key}`;
  return [
    el("label", { for: id, class: hidden ? "hidden-text" : null }, label),
    el("input", {
      id,
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      class: "number",
      value: text,
      placeholder,
      "aria-invalid": error ? "true" : null,
      "aria-describedby": error ? `${id}-error` : null,
      onchange: (event) => onchange(event.target.value),
      oninput: (event) => oninput?.(event.target.value),
      onkeydown: (event) => {
        if (event.key === "Escape") onescape?.();
      },
    }),
    after ? el("span", {}, after) : null,
    error ? el("p", { id: `${id}-error`, class: "error", role: "alert" }, error) : null,
  ];
}
