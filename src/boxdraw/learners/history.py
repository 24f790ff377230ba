"""The history of a model file: what ``save`` says was changed since the file before.

The file before is the model file that is replaced or, where there is none, the one that the classifier was loaded from.
Its history is carried on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from boxdraw._core.files import read_source
from boxdraw.model.file import Edit, Model, model_from_json, now

_BESIDE = {"target": "target", "classes": "labels", "risk": "risk table", "fit": "origin"}  # the rules, in a file


def with_history(
    estimator: Any, made: Model, path: str | os.PathLike[str], note: str | None = None, who: str | None = None
) -> Model:
    """Return what is saved of a classifier, with an entry per change since the file before.

    A new file has entries only if someone asks for them with a note or a name, if the classifier is a revision of other
    rules, or if it was loaded and has changed since.
    """
    for name, text in (("note", note), ("who", who)):
        if not isinstance(text, str | None):
            raise TypeError(f"{name} must be a text or None; got {text!r}.")
    asked, revised = note is not None or who is not None, hasattr(estimator, "revisions_")
    loaded: Model | None = estimator.__dict__.get("_loaded")
    loaded = loaded if loaded is not None and loaded.digest else None
    replaced = _replaced(path, strict=asked or revised)
    before = loaded if replaced is None else replaced
    if before is None and not (asked or revised):
        return made
    is_loaded = before is None or (loaded is not None and before.digest == loaded.digest)
    words = list(_changes(estimator, made, loaded if is_loaded else before, is_loaded))
    if asked and not words:
        words = [f"Learned by {made.fit.get('learner', 'boxdraw')}" if before is None else "The same rules"]
    edits = [] if before is None else list(before.edits)
    edits += [edit for edit in made.edits if edit not in edits]  # of another file, that it was loaded from
    digest, time = "" if before is None else before.digest, now()
    return replace(made, edits=(*edits, *(Edit(time, text, note or "", who or "", digest) for text in words)))


def _replaced(path: str | os.PathLike[str], strict: bool) -> Model | None:
    """Read the model file that is replaced; of anything else there is no history, an error if that is to be strict."""
    if not Path(path).is_file():
        return None
    try:
        return model_from_json(read_source(Path(path)), os.fsdecode(path))
    except ValueError as error:
        if not strict:
            return None
        raise ValueError(
            f"save writes a history, and that of the file to replace cannot be read: {error}. Give another path, or "
            "remove the file."
        ) from None


def _changes(estimator: Any, made: Model, before: Model | None, is_loaded: bool) -> Iterable[str]:
    """Say what differs from the file before: in the words of who changed it since then, or else rule by rule."""
    from boxdraw.service.compare import compare

    if before is None or before.drawing != made.drawing:
        revised = next((one for one in getattr(estimator, "revisions_", []) if one.boxes == made.drawing), None)
        if revised is not None and (before is None or before.drawing == estimator.revise):
            yield from revised.changes
            return
    if is_loaded:
        yield from (change.text for change in getattr(estimator, "changes_", []))
    if before is None:
        return
    if before.drawing != made.drawing:
        told = [f"{rule.kind.capitalize()}: {rule.text}" for rule in compare(before.drawing, made.drawing).rules]
        changed = [text for text in told if not text.startswith("Same")]
        yield from changed or ["Other points, another threshold or another order of the boxes"]
    elif other := [word for name, word in _BESIDE.items() if getattr(before, name) != getattr(made, name)]:
        yield f"The same rules, another {' and another '.join(other)}"
