"""boxdraw evaluate on later rows, on whole groups, and by protected groups."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from boxdraw import SparseBoxesClassifier
from boxdraw.cli import contenders, evaluate
from boxdraw.model.statistics import wilson_interval
from boxdraw.tables.labelled import TrainingFile
from boxdraw.tables.sample import sampled_numbers

from .conftest import small_table

FIT = ("evaluate", "more.csv", "--target", "fraud", "--folds", 3)


@pytest.fixture
def table(folder):
    """Write rows of 30 days in no order, 25 cards and two regions, one of them unknown at times."""
    rng = np.random.default_rng(1)
    table = small_table(300, seed=2)
    columns = {
        "day": [f"2026-03-{day:02d}" for day in rng.integers(1, 31, 300)],
        "card": rng.integers(0, 25, 300).tolist(),
        "region": [None if u < 0.1 else "north" if u < 0.7 else "south" for u in rng.random(300)],
    }
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    pyarrow.csv.write_csv(table, "more.csv")
    return table


@pytest.fixture
def folds(monkeypatch):
    """Learn nothing, but note the columns and the rows of each fold."""
    seen = []

    def spy(args, rows, groups):
        def test(train, test):
            seen.append((rows[0].column_names, train, test))
            return contenders.Tested(np.arange(len(test)), rows[1][test], 1, 1, 0.0)

        return {"tree": test}

    monkeypatch.setattr("boxdraw.cli.evaluate.contenders", spy)
    return seen


def test_later_rows_are_tested_by_all_before_them(run, table, folds):
    result = run(*FIT, "--models", "tree", "--time", "day", "--drop", "card,region")
    assert result.code == 0, result
    assert "On rows later by day than those learned from, 3 times:" in result.out
    day = np.array([int(text[-2:]) for text in table["day"].to_pylist()])
    tested = []
    for columns, train, test in folds:
        assert columns == ["amount", "hour"]
        assert day[train].max() < day[test].min()
        assert set(train) == set(np.flatnonzero(day < day[test].min()))
        assert 55 <= len(test) <= 95  # a quarter of the rows, but for those of the same day
        tested += test.tolist()
    assert len(folds) == 3
    assert sorted(tested) == np.flatnonzero(day >= min(day[tested])).tolist()
    assert 55 <= 300 - len(tested) <= 95


def test_times_are_numbers_dates_or_iso_texts(run, fails, table, folds):
    splits = []
    numbers = [int(day[-2:]) for day in table["day"].to_pylist()]
    texts = [f"2026-03-{day:02d}T00:00" for day in numbers]
    options = ("--models", "tree", "--time", "day", "--drop", "card,region")
    for values in (numbers, texts, [float(day) - 40 for day in numbers]):
        pyarrow.csv.write_csv(table.set_column(3, "day", pa.array(values)), "more.csv")
        assert run(*FIT, *options).code == 0
        splits.append([tuple(test) for _, _, test in folds])
        folds.clear()
    assert splits[0] == splits[1] == splits[2]
    pyarrow.csv.write_csv(table.set_column(3, "day", pa.array([f"day {day}" for day in numbers])), "more.csv")
    fails(*FIT, *options, "--quiet", words="--time day has no order: write numbers, or dates and times")
    pyarrow.csv.write_csv(table.set_column(3, "day", pa.array([None, *numbers[1:]])), "more.csv")
    fails(*FIT, *options, "--quiet", words="--time day has no value in 1 of 300 rows")
    pyarrow.csv.write_csv(table.set_column(3, "day", pa.array([1, *[2] * 299])), "more.csv")
    fails(*FIT, *options, "--quiet", words="has 2 different values, too few or too uneven for 3 folds")
    fraud = np.array(table["fraud"].to_pylist()) == "yes"
    pyarrow.csv.write_csv(table.set_column(3, "day", pa.array(np.where(fraud, 1, numbers))), "more.csv")
    fails(*FIT, *options, "--quiet", words="fold 1 of 3 has rows of one label only to test on")


def test_whole_groups_are_held_out(run, fails, table, folds):
    result = run(*FIT, "--models", "tree", "--group", "card", "--repeats", 2, "--drop", "day,region")
    assert result.code == 0, result
    assert "of 3 folds with all rows of each card in one, 2 times:" in result.out
    card = np.array(table["card"].to_pylist())
    assert len(folds) == 6
    for columns, train, test in folds:
        assert columns == ["amount", "hour"]
        assert not set(card[train]) & set(card[test])
        assert len(train) + len(test) == 300
    for first in (0, 3):
        assert sorted(np.concatenate([test for _, _, test in folds[first : first + 3]])) == list(range(300))
    assert [set(test) for _, _, test in folds[:3]] != [set(test) for _, _, test in folds[3:]]
    found = json.loads(run(*FIT, "--models", "tree", "--group", "card", "--drop", "day,region", "--json").out)
    assert (found["group"], "time" in found) == ("card", False)
    fails(*FIT, "--group", "region", "--drop", "day", "--quiet", words="--group region has no value in")
    pyarrow.csv.write_csv(table.set_column(4, "card", pa.array(np.arange(300) % 2)), "more.csv")
    fails(*FIT, "--group", "card", "--drop", "day", "--quiet", words="--group card has 2 groups, too few for 3 folds")


def test_inner_folds_keep_groups_whole(run, table, monkeypatch):
    seen = []

    def fit(self, X, y, sample_weight=None, groups=None):
        seen.append((X.num_rows, groups))
        raise ValueError("enough")

    monkeypatch.setattr(SparseBoxesClassifier, "fit", fit)
    options = ("--models", "sparse,tree", "--drop", "day,region")
    assert run(*FIT, *options, "--group", "card").code == 0
    assert run(*FIT, *options, "--drop", "card").code == 0
    (n_rows, groups), (_, none) = seen
    assert (len(groups), none) == (n_rows, None)
    assert 10 < len(set(groups)) < 25


def test_what_does_not_go_together(fails, table):
    fails(*FIT, "--time", "day", "--group", "card", code=2, words="--time and --group do not go together")
    fails(*FIT, "--time", "day", "--repeats", 2, code=2, words="--repeats goes without --time")
    for option in ("--time", "--group", "--protected"):
        fails(*FIT, option, "when", words='no column "when"')
    fails(*FIT, "--protected", "amount", "--drop", "day", "--quiet", words="groups, more than the 50 to compare")


def test_rates_of_groups_are_those_of_the_held_out_rows(run, table):
    options = ("--models", "sparse,tree", "--time", "day", "--drop", "card", "--protected", "region")
    result = run(*FIT, *options)
    assert result.code == 0, result
    found = json.loads(run(*FIT, *options, "--json").out)
    rows = found["models"]["sparse"]["protected"]
    day, region = (np.array([str(value) for value in table[name].to_pylist()]) for name in ("day", "region"))
    fraud = np.array(table["fraud"].to_pylist()) == "yes"
    part = np.searchsorted(np.sort(day), day) * 4 // 300  # by the number of rows before the day
    held, flagged, rules = part > 0, np.zeros(300, dtype=bool), {}
    for k in (1, 2, 3):
        X = table.select(["amount", "hour"])
        model = SparseBoxesClassifier(pos_label=True).fit(X.filter(pa.array(part < k)), fraud[part < k])
        flagged[part == k] = model.predict(X)[part == k]
        texts = [line.split(": ", 1)[1] for line in model.boxes_.to_text().splitlines()]
        for rule, inside in zip(texts, model.boxes_.membership(X).T, strict=True):
            rules.setdefault(rule, []).append((part == k, inside))
    assert {row["group"] for row in rows} == {"(missing)", "north", "south"}
    for row in rows:
        group = region == row["group"].replace("(missing)", "None")
        parts = [(held, flagged)] if row["rule"] == "all" else rules[row["rule"]]
        n = sum((group & mine).sum() for mine, _ in parts)
        alarms = sum((group & mine & alarm).sum() for mine, alarm in parts)
        caught = sum((group & mine & alarm & fraud).sum() for mine, alarm in parts)
        frauds = sum((group & mine & fraud).sum() for mine, _ in parts)
        assert (row["rows"], row["alarms"]) == (n, alarms)
        shares = {"alarm_rate": (alarms, n), "precision": (caught, alarms), "recall": (caught, frauds)}
        for name, (hits, whole) in shares.items():
            if not whole:
                assert row[name] is row[f"{name}_low"] is None
                continue
            low, high = wilson_interval(np.array([float(hits)]), np.array([float(whole)]))
            here = [row[name], row[f"{name}_low"], row[f"{name}_high"]]
            assert here == pytest.approx([hits / whole, low[0], high[0]])
    assert {row["rule"] for row in rows} == {"all", *rules}
    assert {row["rule"] for row in found["models"]["tree"]["protected"]} == {"all"}
    own = [block for block in result.out.split("\n\n") if block.startswith("Sparse Boxes")]
    lines = [line for block in own for line in block.splitlines() if line.startswith("north ")]
    assert len(lines) == 1 + len(rules)
    assert f" {rows[1]['alarm_rate']:.1%} " in lines[0]


def test_weights_count_in_the_rates(run, table):
    weighted = table.append_column("n", pa.array(np.full(300, 2.0)))
    pyarrow.csv.write_csv(weighted, "more.csv")
    options = ("--models", "tree", "--drop", "card,day", "--protected", "region", "--json")
    rates = [
        json.loads(run(*FIT, *options, *more).out)["models"]["tree"]["protected"]
        for more in (("--drop", "n"), ("--weight", "n"))
    ]
    for plain, double in zip(*rates, strict=True):
        assert double["rows"] == 2 * plain["rows"]
        assert double["alarms"] == 2 * plain["alarms"]
        assert double["alarm_rate"] == pytest.approx(plain["alarm_rate"])


def figures_of(output):
    """Return the figures, without the seconds, which no two runs share."""
    models = json.loads(output)["models"]
    return {name: {key: value for key, value in model.items() if key != "seconds"} for name, model in models.items()}


@pytest.mark.parametrize(
    "split",
    [("--group", "card", "--drop", "day"), ("--time", "day", "--drop", "card"), ("--weight", "card", "--drop", "day")],
)
def test_a_sample_is_judged_as_if_there_were_no_other_rows(run, table, split):
    options = (*split, "--protected", "region", "--models", "fast,tree", "--max-boxes", 1)
    text = run(*FIT, *options, "--sample", 160, "--seed", 3).out
    sampled = json.loads(run(*FIT, *options, "--sample", 160, "--seed", 3, "--json").out)
    every = json.loads(run(*FIT, *options, "--seed", 3, "--json").out)
    rows = sampled_numbers(300, 160, 3)
    pyarrow.csv.write_csv(table.take(rows), "more.csv")
    alone = run(*FIT, *options, "--seed", 3, "--json").out
    assert figures_of(json.dumps(sampled)) == figures_of(alone) != figures_of(json.dumps(every))
    assert (sampled["rows"], sampled["sample_of"], sampled["seed"]) == (160, 300, 3)
    assert "sample_of" not in every
    n_fraud = table["fraud"].take(rows).to_pylist().count("yes")
    assert sampled["positives"] == n_fraud
    assert text.startswith(f"more.csv: a sample of 160 of 300 rows (seed 3), {n_fraud} (")


def test_a_sample_has_the_same_rows_in_any_layout(run, table, monkeypatch):
    """Of a file cut otherwise, of CSV and of Parquet; rows without a label do not count."""
    seen = []

    def spy(args, rows, groups):
        seen.append((rows[0].to_pydict(), rows[1].tolist(), args.max_alarm_rate))
        raise ValueError("enough")

    monkeypatch.setattr(evaluate, "contenders", spy)
    table = table.append_column("row", pa.array(np.arange(300) / 2))
    gaps = table.set_column(2, "fraud", pa.array([None] * 40 + table["fraud"].to_pylist()[40:]))
    for rows in (table, gaps):
        pyarrow.csv.write_csv(rows, "rows.csv")
        for size in (1, 7, 300):
            pyarrow.parquet.write_table(rows, f"rows{size}.parquet", row_group_size=size)
        for name in ("rows.csv", "rows1.parquet", "rows7.parquet", "rows300.parquet"):
            options = ("--drop", "card,region", "--max-alarms", 1, "--per", "day", "--skip-unlabelled")
            run("evaluate", name, "--target", "fraud", "--folds", 2, "--sample", 120, *options)
    for alike, first in ((seen[:4], 0), (seen[4:], 40)):
        assert [one == alike[0] for one in alike] == [True] * 4
        numbers = sampled_numbers(300 - first, 120, 0) + first
        assert alike[0][0]["row"] == (numbers / 2).tolist()
        assert alike[0][2] == 30 / (300 - first)  # so many alarms a day of the table, not of the sample


def test_equal_rows_are_sampled_one_by_one(run, folds):
    fraud = np.arange(4000) % 4 == 0
    pyarrow.csv.write_csv(pa.table({"x": np.where(fraud, 1, 0), "fraud": fraud}), "more.csv")
    found = json.loads(run(*FIT, "--models", "tree", "--sample", 1000, "--json").out)
    assert found["rows"] == 1000
    assert 200 < found["positives"] < 300  # 250 and four standard deviations


def test_a_sample_of_all_rows_is_the_table(run, fails, table, folds):
    options = ("--models", "tree", "--drop", "day,card,region")
    said = [run(*FIT, *options, *more).out for more in ((), ("--sample", 300), ("--sample", 400))]
    assert said[0].startswith("more.csv: 300 rows, ")
    assert said[1:] == said[:1] * 2
    for number in ("0", "-3", "2.5", "some"):
        fails(*FIT, "--sample", number, code=2, words="argument --sample: expected a whole number from 1 on")
    words = "a sample of 1 of 300 rows has rows of one label only: take more of them with --sample"
    fails(*FIT, *options, "--sample", 1, words=words)
    fails(*FIT, *options, "--sample", 20, words="only 2 rows of the sample have the rarer label, too few for 3 folds")


def test_a_table_that_memory_does_not_hold_can_be_sampled(run, fails, table, folds, monkeypatch):
    options = ("--models", "tree", "--drop", "day,card,region")
    monkeypatch.setattr(evaluate, "MEMORY_LIMIT", 8 * 2 * 300 - 1)
    note = "boxdraw: note: all 300 rows of more.csv are read into memory; --sample N takes N of them\n"
    assert run(*FIT, *options).err == note
    assert run(*FIT, *options, "--sample", 299).err == ""

    def read(self):
        raise MemoryError

    monkeypatch.setattr(TrainingFile, "read", read)
    words = "not enough memory for 300 rows of more.csv; --sample N takes N of them"
    fails(*FIT, *options, "--quiet", words=words)
