"""Rules watched over periods, on the command line."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from boxdraw import load, monitor
from boxdraw.cli.options import load_model
from tests.cli.conftest import small_table

MONTHS = {"october.csv": (3000, 0), "november.csv": (600, 1), "december.csv": (700, 2)}


def month(n_rows, seed, busy=0.0):
    """Return rows of which those with a large amount at night are fraud, and a part of which is in that region."""
    table = small_table(n_rows, seed)
    chosen = np.random.default_rng(seed).random(n_rows) < busy
    return table.set_column(0, "amount", pa.array(np.where(chosen, 399, table["amount"].to_numpy())))


@pytest.fixture
def months(model):
    for name, (n_rows, seed) in MONTHS.items():
        pyarrow.csv.write_csv(month(n_rows, seed), name)
    return ["--reference", *MONTHS]


def test_what_is_stable_is_within_bounds(run, months, model):
    result = run("monitor", model, *months)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Within bounds\nnovember: alarm rate ")
    assert "december: alarm rate " in result.out


def test_what_is_out_of_bounds_gives_exit_code_3(run, months, model):
    pyarrow.csv.write_csv(month(600, 3, busy=0.5), "january.csv")
    result = run("monitor", model, *months, "january.csv", "-o", "page.html")
    assert result.code == 3
    assert "january: amount: stability index " in result.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<td>january</td><td>amount: stability index " in page
    assert 'class="out"' in page


def test_the_exit_code_is_that_of_the_newest_period(run, months, model):
    pyarrow.csv.write_csv(month(60, 3, busy=0.5), "january.csv")
    result = run("monitor", model, *months[:2], "january.csv", "november.csv", "december.csv")
    assert result.code == 0
    assert "january: amount: stability index " in result.out
    assert "december: within bounds" in result.out
    told = json.loads(run("monitor", model, *months[:2], "january.csv", "november.csv", "--json").out)
    assert (told["ok"], told["ok_now"]) == (False, True)
    assert run("monitor", model, *months[:2], "november.csv", "january.csv").code == 3


def test_figures_are_those_of_the_library(run, months, model):
    pyarrow.csv.write_csv(month(600, 3, busy=0.5), "january.csv")
    names = [*months[2:], "january.csv"]
    result = run("monitor", model, *months, "january.csv", "--json", "--false-alarms", "1%", "--periods-per-year", 4)
    told = json.loads(result.out)
    tables = [pyarrow.csv.read_csv(name) for name in names]
    periods = {name.removesuffix(".csv"): table for name, table in zip(names, tables, strict=True)}
    reference = pyarrow.csv.read_csv("october.csv")
    found = monitor(load(model), reference, periods, target="fraud", false_alarms=0.01, periods_per_year=4)
    assert (told["ok"], told["level"]) == (False, found.level)
    assert [one["text"] for one in told["alarms"]] == [alarm.text for alarm in found.alarms]
    for one, reading in zip(told["readings"], found.readings, strict=True):
        for field in ("period", "what", "measure", "reference", "value", "so_far", "p", "p_so_far", "out_of_bounds"):
            value = getattr(reading, field)
            assert one[field] == (value if value == value else None)


def test_tables_in_pieces_give_the_same(run, months, model):
    for name in MONTHS:
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(name), name.replace("csv", "parquet"), row_group_size=50)
    parquet = [name.replace(".csv", ".parquet") for name in months]
    assert run("monitor", model, *months, "--json").out == run("monitor", model, *parquet, "--json").out


def test_a_column_of_periods(run, months, model):
    tables = []
    for k, name in ((11, "november.csv"), (12, "december.csv")):
        table = pyarrow.csv.read_csv(name)
        tables.append(table.append_column("month", pa.array([f"2026-{k}"] * len(table))))
    both = pa.concat_tables(tables)
    both = both.take(np.random.default_rng(0).permutation(len(both)))
    pyarrow.csv.write_csv(both, "both.csv")
    told = json.loads(run("monitor", model, *months[:2], "both.csv", "--time", "month", "--json").out)
    apart = json.loads(run("monitor", model, *months, "--json").out)
    names = {"2026-11": "november", "2026-12": "december"}
    assert [one | {"period": names[one["period"]]} for one in told["readings"]] == apart["readings"]


def test_labels_may_be_absent(run, months, model):
    table = pyarrow.csv.read_csv("december.csv")
    pyarrow.csv.write_csv(table.drop_columns(["fraud"]), "none.csv")
    some = np.where(np.arange(len(table)) % 2, table["fraud"].to_pylist(), None)
    pyarrow.csv.write_csv(table.set_column(2, "fraud", pa.array(some.tolist())), "some.csv")
    told = json.loads(run("monitor", model, *months[:2], "none.csv", "some.csv", "--json").out)["readings"]
    value = {(one["period"], one["measure"]): one["value"] for one in told if one["what"] == "all"}
    assert value["none", "precision"] is None
    assert value["none", "alarm rate"] == value["some", "alarm rate"]
    held = load_model(model).boxes.contains(table) & (np.arange(len(table)) % 2 == 1)
    assert value["some", "precision"] == pytest.approx((np.array(table["fraud"])[held] == "yes").mean())


def test_no_labels_anywhere(run, months, model):
    for name in MONTHS:
        pyarrow.csv.write_csv(pyarrow.csv.read_csv(name).drop_columns(["fraud"]), name)
    result = run("monitor", model, *months)
    assert result.code == 0
    assert 'note: no table has a column "fraud" with labels' in result.err
    assert "november: alarm rate" in result.out
    assert "precision" not in result.out


def test_a_period_without_rows_is_told(run, months, model):
    pyarrow.csv.write_csv(pyarrow.csv.read_csv("december.csv")[:0], "january.csv")
    result = run("monitor", model, *months, "january.csv")
    assert (result.code, result.out.splitlines()[-1]) == (0, "january: no rows")


def test_files_of_one_name_in_different_folders(run, months, model):
    Path("old").mkdir()
    Path("november.csv").rename("old/december.csv")
    out = run("monitor", model, *months[:2], "old/december.csv", "december.csv").out
    assert "\nold/december.csv: alarm rate" in out
    assert "\ndecember.csv: alarm rate" in out


def test_what_cannot_be_watched(fails, months, model):
    fails("monitor", model, "november.csv", code=2, words="--reference")
    fails("monitor", model, *months, "november.csv", code=2, words="given twice")
    fails("monitor", model, *months, "--target", "x", code=2, words='no table has a column "x" with labels')
    fails("monitor", model, *months, "--time", "month", words='no column "month"')
    fails("monitor", model, *months, "--false-alarms", "5", code=2, words="between 0 and 1")
    fails("monitor", model, *months, "--json", "-o", "-", code=2, words="cannot share standard output")
    fails("monitor", model, *months, "-o", "december.csv", words="december.csv")
    fails("monitor", model, *months, "none.csv", words="none.csv")
    fails("monitor", "-", "--reference", "october.csv", "-", code=2, words="standard input")
    fails("monitor", model, "--reference", "-", "-", code=2, words="standard input")
    table = pyarrow.csv.read_csv("december.csv")
    pyarrow.csv.write_csv(table.set_column(2, "fraud", pa.array(["maybe"] * len(table))), "labels.csv")
    fails("monitor", model, *months, "labels.csv", words="labels that the model does not know: maybe")
    pyarrow.csv.write_csv(table.append_column("month", pa.array([None, *[1] * (len(table) - 1)])), "gaps.csv")
    fails("monitor", model, *months[:2], "gaps.csv", "--time", "month", words="has no period in some rows")
