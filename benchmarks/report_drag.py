"""How long the report page takes to open and to answer a drag of an edge, in headless Chromium.

Bar: with 200,000 rows, 60 features and 12 boxes it opens within 3 seconds, and answers a drag within 50 ms, from the
move of the pointer to the end of the frame that shows it.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from _large import print_machine, rows, seconds

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


def at_work(session):
    """Return the processor's seconds of the processes that show pages: other work on the machine does not count."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


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
    n_rows, n_features, n_moves = (2_000, 10, 3) if quick else (200_000, 60, 60)
    X, y = rows(np.random.default_rng(0), n_rows, n_features)
    model = FastBoxesClassifier(n_boxes=12, random_state=0).fit(X, y)
    print_machine()
    size = f"{n_rows:,} rows, {n_features} features, {len(model.boxes_)} boxes, {model.boxes_.n_limits} limits"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        address = model.report(X, y, Path(folder) / "report.html", max_rows=n_rows).path.as_uri()
        session = browser.new_browser_cdp_session()
        before = at_work(session)
        first = seconds(lambda: page.goto(address))
        work = at_work(session) - before
        opened = [first, *(seconds(lambda: page.goto(address)) for _ in range(2))]
        print(f"Chromium; {size}; opens in {min(opened):.1f} to {max(opened):.1f} s, three times,")
        print(f"of which the processor is at work for {work:.1f} s")
        print("Milliseconds from the pointer's move to its frame's end:")
        print("\n| edge of | median | 95% | longest |\n| --- | --- | --- | --- |")
        for name, selector in (("two features", ".plot [role=slider]"), ("limits", ".limits-picture [role=slider]")):
            times = sorted(drag(page, selector, n_moves))
            print(
                f"| {name} | {statistics.median(times):.0f} | {times[int(0.95 * len(times))]:.0f} | {times[-1]:.0f} |"
            )
        browser.close()


if __name__ == "__main__":
    main()
