"""The shell of pages about rules in service, their tables and small pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import isnan


def page(title: str, heading: str, parts: Sequence[str], css: str = "") -> str:
    """Return a page of some parts, which are HTML already."""
    return _PAGE.format(title=escape(title), heading=escape(heading), body="\n".join(parts), css=css)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts."""
    lines = [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>{''.join(lines)}</table>"


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


PICTURES = """.all{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;width:13.5rem}figcaption{font-size:.85rem}
svg{width:100%;border-bottom:1px solid #ccc}polyline{fill:none;stroke:#0b5cad;stroke-width:1.5}
polyline.reference{stroke:#777;stroke-dasharray:5 3}polyline.expected{stroke:#b3470a;stroke-dasharray:1 3}
.in{fill:#0b5cad}.out{fill:#a8231c}
"""

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body{{font:16px system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}}
table{{border-collapse:collapse;margin:1rem 0}}td,th{{border-bottom:1px solid #ccc;padding:.3rem .8rem;text-align:left}}
{css}</style><h1>{heading}</h1>
{body}
</html>
"""
