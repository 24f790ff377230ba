"""What the displays share: matplotlib is imported late, and its figures are not managed by pyplot."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from boxdraw.model.export.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Okabe and Ito's palette, safe for the common forms of colour blindness.
BLUE, VERMILLION, ORANGE, BLACK = "#0072B2", "#D55E00", "#E69F00", "#000000"
GREY = "#6E6E6E"

#: A legend above the axes, because rows may be anywhere inside.
LEGEND: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (0, 1),
    "fontsize": "small",
    "title_fontsize": "small",
    "alignment": "left",
    "frameon": False,
    "borderaxespad": 0.3,
    "borderpad": 0,
    "handletextpad": 0.4,
    "labelspacing": 0.2,
}


def new_figure(width: float, height: float) -> Figure:
    """Return a figure that pyplot does not manage, of a size in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install 'boxdraw[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def literal(text: str, width: int | None = None) -> str:
    """Escape text for matplotlib, where a dollar sign starts a formula; cut the middle of a long one."""
    shown = printable(text)
    if width is not None and len(shown) > width:
        end = (width - 1) // 2
        shown = f"{shown[: width - 1 - end]}…{shown[len(shown) - end :]}"
    return shown.replace("$", r"\$")


def check_axes(ax: Any) -> None:
    """Raise if this is not an Axes."""
    if not hasattr(ax, "get_xlim"):
        raise TypeError(f"ax must be a matplotlib Axes, got {type(ax).__name__}")


class Display:
    """A plot that keeps the axes and the figure it was drawn on."""

    ax_: Axes
    figure_: Figure | SubFigure
    _own_figure: Figure | None = None

    def _start(self, ax: Axes | None, width: float, height: float) -> Axes:
        """Return the caller's axes, or those of a new figure."""
        self._own_figure = None
        if ax is None:
            self._own_figure = new_figure(width, height)
            ax = self._own_figure.add_subplot()
        check_axes(ax)
        figure: Any = ax.figure  # older versions type it as optional
        self.ax_, self.figure_ = ax, figure
        return ax

    def _repr_png_(self) -> bytes | None:
        # Notebooks show pyplot's figures by themselves, but not ours; the caller's would appear twice.
        if self._own_figure is None:
            return None
        picture = BytesIO()
        self._own_figure.savefig(picture, format="png")
        return picture.getvalue()
