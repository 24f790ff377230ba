"""Goals on the command line."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest


@pytest.fixture
def table(folder):
    """Thirty days of payments; frauds are large ones at night."""
    rng = np.random.default_rng(0)
    amount, hour = rng.lognormal(4, 1, 3_000).round(2), rng.integers(0, 24, 3_000)
    fraud = ((amount > 150) & (hour < 6) & (rng.random(3_000) < 0.9)) | (rng.random(3_000) < 0.002)
    columns = {"day": np.repeat(np.arange(30), 100), "amount": amount, "hour": hour, "fraud": np.where(fraud, "y", "n")}
    pyarrow.csv.write_csv(pa.table(columns), "pay.csv")
    return "pay.csv"


def test_so_many_alarms_a_day_are_a_share_of_the_rows(run, table):
    result = run("fit", table, "--target", "fraud", "--max-alarms", 3, "--per", "day")
    assert result.code == 0
    assert "Goal: Flagged at most 3.0%: kept. On held-out rows " in result.out
    origin = json.loads(Path("model.json").read_text(encoding="utf-8"))["fit"]
    assert origin["parameters"]["max_alarm_rate"] == pytest.approx(0.03)
    assert origin["goal"]["kept"] is True
    assert "day" not in result.out.split("Box 1")[1]


def test_alarms_a_day_are_an_average_over_the_days_that_have_rows(run, table):
    """Of three days one has nearly all rows, and may have nearly all alarms of the three."""
    rows = pyarrow.csv.read_csv(table)
    days = pa.array(np.minimum(np.arange(len(rows)), 2))
    pyarrow.csv.write_csv(rows.set_column(0, "day", days), table)
    assert run("fit", table, "--target", "fraud", "--max-alarms", 30, "--per", "day").code == 0
    origin = json.loads(Path("model.json").read_text(encoding="utf-8"))["fit"]
    assert origin["parameters"]["max_alarm_rate"] == pytest.approx(3 * 30 / len(rows))
    assert "on average, a single day may have more" in " ".join(run("fit", "--help").out.split())


def test_shares_may_be_percentages(run, table):
    for option in ("--min-precision", "--min-recall"):
        models = []
        for text in ("70%", "0.7"):
            assert run("fit", table, "--target", "fraud", option, text, "--force").code == 0
            models.append(Path("model.json").read_text(encoding="utf-8"))
        assert models[0] == models[1]


def test_what_does_not_go_together_is_refused(fails, table):
    fit = "fit", table, "--target", "fraud"
    fails(*fit, "--max-alarms", 3, code=2, words="--max-alarms and --per go together")
    fails(*fit, "--min-recall", 0.9, "--min-precision", 0.5, code=2, words="do not go together: state one of them")
    fails(*fit, "--min-recall", 0.9, "--false-alarm-cost", 1, code=2, words="--min-recall and --false-alarm-cost")
    fails(*fit, "--min-recall", "120%", code=2, words="expected a share between 0 and 1 such as 0.01 or 1%")
    fails(*fit, "--min-recall", 0.9, "--method", "exact", code=2, words="exact has none")
    fails(*fit, "--max-alarms", 300, "--per", "day", code=2, words="there are 100 rows per day")
    both = "--max-alarms", 3, "--per", "day", "--base-rate", "1%"
    fails(*fit, *both, code=2, words="says that others count: state --max-alarm-rate")
    fails(*fit, "--max-alarms", 3, "--per", "dya", words='did you mean "day"?')
