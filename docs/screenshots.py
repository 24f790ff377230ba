"""Takes the screenshots of the report page that the documentation shows: ``python docs/screenshots.py``.

It needs ``boxdraw[docs]`` and a Chromium, which BOXDRAW_CHROMIUM can name. ``--only NAME`` takes one of them.
"""

import argparse
import contextlib
import os
import runpy
import shlex
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.cli.main import main as boxdraw
from boxdraw.datasets import load_dataset

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDE, TABLET, PHONE = ({"width": w, "height": h} for w, h in ((1440, 900), (1024, 768), (390, 844)))
#: Name of the picture: the page, how the browser shows it, and the part that is on top.
VIEWS = {
    "report_readme": ("patients", {"viewport": WIDE}, "#top"),
    "report_light": ("boxes", {"viewport": WIDE}, "#top"),
    "report_tablet": ("boxes", {"viewport": TABLET}, "#top"),
    "report_dark": ("boxes", {"viewport": WIDE, "color_scheme": "dark"}, "#top"),
    "report_limits": ("boxes", {"viewport": WIDE}, "#spread"),
    "report_rows": ("boxes", {"viewport": WIDE}, "#rows"),
    "report_scorecard": ("scorecard", {"viewport": WIDE}, "#top"),
    "report_phone": ("boxes", {"viewport": PHONE}, "#top"),
    "report_print": ("boxes", {"viewport": {"width": 794, "height": 1123}}, None),
    "tutorial_report": ("payments", {"viewport": WIDE}, "#top"),
}


def write_pages(folder):
    """Write a page of boxes and one of a scorecard, on the tumours that scikit-learn comes with."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[[f"worst {name}" for name in ("radius", "texture", "smoothness", "concavity", "symmetry")]], y == 0
    y = y.map({True: "malignant", False: "benign"}).rename("tumour")
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    learners = {
        "boxes": FastBoxesClassifier(n_boxes=3, expansion=1.0, pos_label="malignant", random_state=0),
        "scorecard": ScoredBoxesClassifier(pos_label="malignant", random_state=0),
    }
    for name, learner in learners.items():
        path = Path(folder) / f"{name}.html"
        learner.fit(X, y).report(X, y, path, X_test=X_test, y_test=y_test, title="Which tumours to look at first")
        yield name, path.as_uri()
    yield "patients", write_patients(folder)
    yield "payments", write_payments(folder)


def write_patients(folder):
    """Write the page of the README's model."""
    X, y = load_dataset("hypothyroid", return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    path = Path(folder) / "patients.html"
    SparseBoxesClassifier().fit(X, y).report(
        X, y, path, X_test=X_test, y_test=y_test, title="Who is hypothyroid?", noun="patients"
    )
    return path.as_uri()


def write_payments(folder):
    """Write the page of docs/tutorial_analyst.rst with its commands."""
    with contextlib.chdir(folder):
        runpy.run_path(str(Path(__file__).parents[1] / "examples" / "card_payments.py"), run_name="__main__")
        fit = "fit october.csv --target fraud --drop id,day --max-boxes 2 --false-alarm-cost .05 --quiet"
        report = 'report model.json october.csv --test november.csv --id id --title "Card fraud, October" --quiet'
        for command in (fit, report):
            if boxdraw(shlex.split(command)):
                raise SystemExit(f"boxdraw {command} failed")
        return Path("report.html").resolve().as_uri()


def take(browser, address, options, top, path):
    """Open a page as the options say, and save what is seen of it."""
    page = browser.new_page(**options)
    page.goto(address)
    if top is None:
        page.emulate_media(media="print")
        # A screenshot has no paper around it: the margins of a printed sheet.
        page.evaluate("document.body.style.padding = '16mm 15mm'")
    elif top == "#rows":
        page.locator("#rows tbody tr").first.click()
    if top not in (None, "#top"):
        page.evaluate("(top) => document.querySelector(top).scrollIntoView()", top)
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.close()


def main():
    """Take all screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images", help="the folder to write to")
    parser.add_argument("--only", choices=VIEWS, help="the one to take; all by default")
    args = parser.parse_args()
    out = args.out
    executable = os.environ.get("BOXDRAW_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise SystemExit("There is no Chromium: install one, or name it in BOXDRAW_CHROMIUM")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        addresses = dict(write_pages(folder))
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name in [args.only] if args.only else VIEWS:
            page, options, top = VIEWS[name]
            take(browser, addresses[page], options, top, out / f"{name}.png")
            print(out / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
