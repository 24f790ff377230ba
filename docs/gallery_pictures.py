"""The sphinx-gallery scraper of displays, whose figures are not managed by pyplot; see conf.py."""

from inspect import getdoc
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

from boxdraw.plotting._matplotlib import Display

# Where sphinx-gallery keeps the value of a cell's last expression, and where we keep the display last saved.
LAST_VALUE, SAVED = "___", "boxdraw_display"


def save_display(block, block_vars, gallery_conf):
    """Save the display that a cell ends with; return the reST that shows it."""
    display = block_vars["example_globals"].get(LAST_VALUE)
    # If a cell does not end with an expression, the value of an earlier cell is still there.
    if not isinstance(display, Display) or display._own_figure is None or display is block_vars.get(SAVED):
        return ""
    block_vars[SAVED] = display
    figure, path = display.figure_, Path(next(block_vars["image_path_iterator"]))
    paths = {0: path} | {times: path.with_stem(f"{path.stem}_{times:g}x") for times in gallery_conf["image_srcset"]}
    for times, file in paths.items():
        figure.savefig(file, dpi=figure.dpi * (times or 1))
    return figure_rst([path], gallery_conf["src_dir"], getdoc(display).splitlines()[0], srcsetpaths=[paths])
