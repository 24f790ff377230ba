"""How long the report page takes to answer a drag of an edge, measured in the page, in headless Chromium.

Bar: with 50,000 rows an answer within 100 ms, from the move of the pointer to the end of the frame that shows it.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from _large import print_machine, rows

from boxdraw import FastBoxesClassifier

NAMES = ("chromium", "chromium-browser", "google-chrome")
MEASURED = "performance.getEntriesByName('boxdraw-drag').map(({ duration }) => duration)"


def drag(page, selector, n_moves):
    """Drag an edge to and fro; return the milliseconds of each answer."""
    handle = page.locator(selector).first
    handle.scroll_into_view_if_needed()
    place = handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.evaluate("performance.clearMeasures()")
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(n_moves):
        answers = page.evaluate("performance.getEntriesByName('boxdraw-drag').length")
        page.mouse.move(x + 3 + i % 40, y)
        page.wait_for_function(f"performance.getEntriesByName('boxdraw-drag').length > {answers}")
    page.mouse.up()
    return page.evaluate(MEASURED)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few rows and moves")
    quick = parser.parse_args().quick
    executable = os.environ.get("BOXDRAW_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        executable = None
    if executable is None:
        print("Left out: it needs playwright and a Chromium (BOXDRAW_CHROMIUM can name one)")
        sys.exit()
    n_rows, n_moves = (2_000, 3) if quick else (50_000, 60)
    X, y = rows(np.random.default_rng(0), n_rows, 10)
    model = FastBoxesClassifier(n_boxes=5, random_state=0).fit(X, y)
    print_machine()
    print(f"Chromium; {n_rows:,} rows, 10 features, 5 boxes; milliseconds from the pointer's move to its frame's end")
    print("\n| edge of | median | 95% | longest |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        page.goto(model.report(X, y, Path(folder) / "report.html").path.as_uri())
        for name, selector in (("two features", ".plot [role=slider]"), ("limits", ".limits-picture [role=slider]")):
            times = sorted(drag(page, selector, n_moves))
            print(
                f"| {name} | {statistics.median(times):.0f} | {times[int(0.95 * len(times))]:.0f} | {times[-1]:.0f} |"
            )
        browser.close()


if __name__ == "__main__":
    main()
