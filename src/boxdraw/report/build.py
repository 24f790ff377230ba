"""The page: template, style, script and data in one self-contained file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any

from boxdraw.model.export.text import printable

__all__ = ["bundle", "page"]

_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"\./([a-z0-9_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async function|function|const|class)", re.MULTILINE)
_SLOT = re.compile(r"\{\{([a-z-]+)\}\}")


def page(payload: dict[str, Any]) -> str:
    """Write the page as one HTML text."""
    style, script = _style(), bundle("app")
    slots = {
        "title": html.escape(printable(payload["title"])),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "data": _data(payload),
    }
    # In one pass, because the content of one slot may look like another slot.
    return _SLOT.sub(lambda match: slots[match[1]], _read("template.html"))


def bundle(*names: str) -> str:
    """Join modules and their imports, each once, into one script."""
    order: list[str] = []
    for name in names:
        _visit(name, order, ())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read(f"js/{module}.js"))) for module in order)


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    """List a module after its imports; circular imports are fine, since functions are looked up late."""
    if name in order or name in above:
        return
    for needed in _IMPORT.findall(_read(f"js/{name}.js")):
        _visit(needed, order, (*above, name))
    order.append(name)


def _style() -> str:
    sheets = sorted(sheet.name for sheet in files("boxdraw.report").joinpath("css").iterdir())
    return "\n".join(_read(f"css/{name}") for name in sheets)


def _read(name: str) -> str:
    return files("boxdraw.report").joinpath(name).read_text("utf-8")


def _data(payload: dict[str, Any]) -> str:
    """Write the data so that no string in them can close their element."""
    return json.dumps(payload, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
