"""What boxes can be written as. Each method only calls the function of the file that knows the language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from boxdraw.boxes import BoxSet


class Exports:
    """The part of `BoxSet` that writes boxes."""

    __slots__ = ()

    def _boxes(self) -> BoxSet:
        return cast("BoxSet", self)

    def to_text(self) -> str:
        """Write one sentence per box, a line each.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> print(BoxSet([[16.8, 14.2]], [[float("inf"), 30]], feature_names=["radius", "texture"]).to_text())
        Box 1: radius ≥ 16.8 and 14.2 ≤ texture ≤ 30
        """
        from boxdraw.export.text import to_text

        return to_text(self._boxes())

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the boxes as JSON; `boxdraw.export.json` documents the layout.

        Parameters
        ----------
        path : str or path-like, optional
            A file to write as well. It is replaced in one step, or left as it was if that fails.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()).to_text()
        'Box 1: 1 ≤ x0 ≤ 2'
        """
        from boxdraw.export.json import to_json, write_text

        text = to_json(self._boxes())
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> BoxSet:
        """Read boxes that `to_json` wrote.

        Parameters
        ----------
        source : str, bytes or path-like
            JSON text (bytes, or a str that starts with ``{``) or the path of a file.

        Returns
        -------
        BoxSet
            The boxes. Anything but a valid file gives a ValueError that says what is wrong and where.

        Examples
        --------
        >>> from boxdraw import BoxSet
        >>> BoxSet.from_json(BoxSet([[1]], [[2]]).to_json()) == BoxSet([[1]], [[2]])
        True
        """
        from boxdraw.export.json import from_json, read_source

        return from_json(read_source(source))

    def __repr__(self) -> str:
        from boxdraw.export.text import to_repr

        return to_repr(self._boxes())

    def _repr_html_(self) -> str:
        from boxdraw.export.html import to_html

        return to_html(self._boxes())
