"""Pages about rules in service, in the style of the report page: their tables and small pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from math import isnan


def page(title: str, parts: Mapping[str, str]) -> str:
    """Return a page of some parts with their headings, which are HTML already."""
    sections = [f"<section><h2>{escape(heading)}</h2>\n{part}</section>" for heading, part in parts.items()]
    sheets = [files("boxdraw.report").joinpath(f"css/{name}.css").read_text("utf-8") for name in ("base", "controls")]
    return _PAGE.format(title=escape(title), body="\n".join(sections), css="".join([*sheets, _OWN]))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: bool = False) -> str:
    """Return a table of texts; its second column has ``words`` or numbers, as all after it."""
    lines = [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = f"<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="scroll"><table class="{"words" if words else "figures"}">{body}</table></div>'


def picture(caption: str, lines: Mapping[str, Sequence[float]], out: Sequence[bool], names: Sequence[str]) -> str:
    """Draw lines from 0 up, by the class that styles them, with dots on the last one where it is out of bounds."""
    top = max((y for line in lines.values() for y in line if not isnan(y)), default=0.0) or 1.0
    xs = [10 + 200 * (k + 0.5) / len(names) for k in range(len(names))]
    drawn = []
    for style, line in lines.items():
        at = [(x, 70 - 60 * y / top) for x, y in zip(xs, line, strict=True) if not isnan(y)]
        if style == "reference" and at:
            at = [(10, at[0][1]), (210, at[-1][1])]
        drawn.append(f'<polyline class="{style}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in at)}"/>')
    for x, y, bad, name in zip(xs, line, out, names, strict=True):
        if not isnan(y):
            style = f'class="{"out" if bad else "in"}" cx="{x:.1f}" cy="{70 - 60 * y / top:.1f}" r="{4 if bad else 2}"'
            drawn.append(f"<circle {style}><title>{escape(name)}</title></circle>")
    svg = f'<svg viewBox="0 0 220 75" role="img" aria-label="{escape(caption)}">{"".join(drawn)}</svg>'
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


_OWN = """
main {
  max-width: 75rem;
}

.words :is(th, td):nth-child(2) {
  text-align: start;
}

.series {
  display: flex;
  flex-wrap: wrap;
  gap: 1rem;
}

figure {
  width: 13.5rem;
  margin: 0;
  break-inside: avoid;
}

figcaption {
  color: var(--quiet);
  font-size: 0.8125rem;
}

figure svg {
  width: 100%;
  border-bottom: 1px solid var(--line);
}

polyline {
  fill: none;
  stroke: var(--accent);
  stroke-width: 1.5;
}

.reference {
  stroke: var(--quiet);
  stroke-dasharray: 5 3;
}

.expected {
  stroke: var(--positive);
  stroke-dasharray: 1 3;
}

.in {
  fill: var(--accent);
}

.out {
  fill: var(--bad);
}

@media print {
  main section {
    padding: 0;
    border: 0;
  }
}
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<header id="top"><h1>{title}</h1></header>
<main>
{body}
</main>
</body>
</html>
"""
