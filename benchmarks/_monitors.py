"""Evidently and NannyML, as they come, on the rows that ``monitor.py`` watches rules on.

*Evidently*: the preset of data drift, which compares each column of a period with the reference, by distances with a
fixed threshold for as many rows. *NannyML*: univariate drift, and precision and recall with labels, each with the range
of the chunks of the reference. Both watch the columns that the rules limit and the alarms, Evidently also the labels,
as its preset has no test of precision. An alarm is any column or figure that is called drifted.
"""

import logging
import os
import warnings

import pandas as pd

os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"


def plain(X, y, flagged, names, kinds):
    """Return what both can read: numbers and texts, by the types that the reference has, alarms and labels."""
    columns = {}
    for name in names:
        is_number = pd.api.types.is_numeric_dtype(kinds[name]) and not pd.api.types.is_bool_dtype(kinds[name])
        values = X[name].astype(object).where(X[name].notna(), None)
        columns[name] = values.map(float if is_number else str, na_action="ignore")
        columns[name] = columns[name].astype(float if is_number else object)
    return pd.DataFrame(columns).assign(alarm=flagged.astype(int), label=y.astype(int)).reset_index(drop=True)


def evidently(reference, periods):
    """Return the first period with an alarm, from 1."""
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    numbers = [name for name in reference if reference[name].dtype.kind == "f"]
    kinds = DataDefinition(numerical_columns=numbers, categorical_columns=[n for n in reference if n not in numbers])
    report, base = Report([DataDriftPreset()]), Dataset.from_pandas(reference, data_definition=kinds)
    for k, rows in enumerate(periods, start=1):
        found = report.run(Dataset.from_pandas(rows, data_definition=kinds), base).dict()["metrics"]
        if next(one["value"]["count"] for one in found if one["metric_name"].startswith("DriftedColumnsCount")):
            return k
    return len(periods) + 1


def nannyml(reference, periods):
    """Return the first period with an alarm, from 1."""
    import nannyml as nml

    size, rows = len(periods[0]), pd.concat(periods, ignore_index=True)
    ends = [sum(map(len, periods[:k])) for k in range(1, len(periods) + 1)]
    columns = [name for name in reference if name != "label"]
    texts = [name for name in columns if reference[name].dtype.kind != "f"]
    drift = nml.UnivariateDriftCalculator(columns, treat_as_categorical=texts, chunk_size=size)
    labels = {"y_true": "label", "y_pred": "alarm", "y_pred_proba": "alarm"}
    caught = nml.PerformanceCalculator(
        ["precision", "recall"], problem_type="classification_binary", chunk_size=size, **labels
    )
    first = len(periods) + 1
    for watcher in (drift, caught):
        found = watcher.fit(reference).calculate(rows).filter(period="analysis").to_df()
        raised = found.xs("alert", axis=1, level=-1).any(axis=1).to_numpy()
        starts = found[next(name for name in found if "start_index" in name)].to_numpy()
        late = [1 + sum(end <= start for end in ends) for start, alarm in zip(starts, raised, strict=True) if alarm]
        first = min([first, *late])
    return first


def first_alarms(name, reference, periods):
    """Return the first period in which a package raises an alarm, one past the last if none does."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"Evidently": evidently, "NannyML": nannyml}[name](reference, periods)
