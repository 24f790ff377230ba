"""A real browser for the tests of the report page."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
HANG = 600_000  # milliseconds: a busy machine may be slow, so only what hangs is to reach this


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, for all tests together; where there is none they are skipped, but not where CI needs it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    executable = os.environ.get("BOXDRAW_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        assert "BOXDRAW_NEED_CHROMIUM" not in os.environ, "BOXDRAW_NEED_CHROMIUM is set, but there is no Chromium"
        pytest.skip(f"needs a Chromium: none of {', '.join(NAMES)} is installed; or set BOXDRAW_CHROMIUM to one")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"], timeout=HANG)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """An empty page that has to stay free of errors."""
    opened, errors = browser.new_page(), []
    opened.set_default_timeout(HANG)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield opened
    opened.close()
    assert errors == []
