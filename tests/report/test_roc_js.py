"""ROC, hull, precision and recall in the page as in Python."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_auc_score

from boxdraw.learners.fast.path import TrainingRoc
from boxdraw.metrics import auh_from_points, roc_hull

from .javascript import run_js

CURVES = """argument.map(({ critical, positive, weight, costs }) => {
  const curve = rocCurve(critical, positive, weight);
  const points = rocPoints(curve);
  const hull = rocHull(points.fpr, points.tpr);
  return {
    curve,
    points,
    hull,
    area: areaUnder(points.fpr, points.tpr),
    hullArea: areaUnder(hull.fpr, hull.tpr),
    recall: precisionRecall(curve),
    rates: costs.map((c) => ratesAt(curve, c)),
  };
})"""


def random_rows(rng):
    """Critical weights with ties and infinities, classes, and perhaps weights."""
    n = int(rng.integers(2, 600))
    positive = rng.random(n) < rng.uniform(0.1, 0.9)
    positive[:2] = True, False
    critical = np.exp(rng.normal(size=n) + positive)
    if rng.random() < 0.5:
        critical = critical.round(1)
    critical[rng.random(n) < 0.1] = np.inf
    return critical, positive, rng.exponential(size=n) if rng.random() < 0.5 else None


def test_curves_are_those_of_python(page):
    rng = np.random.default_rng(0)
    cases = [random_rows(rng) for _ in range(60)]
    costs = [0.1, 0.5, 1.0, 2.7, 100.0]
    argument = [
        {
            "critical": critical.tolist(),
            "positive": positive.tolist(),
            "weight": None if weight is None else weight.tolist(),
            "costs": costs,
        }
        for critical, positive, weight in cases
    ]
    for case, got in zip(cases, run_js(page, ["roc"], CURVES, argument), strict=True):
        compare(*case, costs, got)


def compare(critical, positive, weight, costs, got):
    roc = TrainingRoc.of(critical, positive, weight)
    assert got["curve"]["critical"] == roc.critical.tolist()
    assert got["curve"]["truePositives"] == roc.true_positives.tolist()
    assert got["curve"]["falsePositives"] == roc.false_positives.tolist()
    fpr, tpr = roc.rates(roc.critical)
    assert got["points"] == {"fpr": [0, *fpr], "tpr": [0, *tpr]}
    hull = roc_hull(fpr, tpr)
    assert got["hull"] == {"fpr": hull[0].tolist(), "tpr": hull[1].tolist()}
    assert got["hullArea"] == pytest.approx(auh_from_points(fpr, tpr), abs=1e-12)
    score = np.where(np.isinf(critical), 1e9, critical)
    assert got["area"] == pytest.approx(roc_auc_score(positive, score, sample_weight=weight), abs=1e-12)
    precision, recall, _ = precision_recall_curve(positive, score, sample_weight=weight)
    np.testing.assert_allclose(got["recall"]["recall"], recall[-2::-1], atol=1e-12)
    np.testing.assert_allclose(got["recall"]["precision"], precision[-2::-1], atol=1e-12)
    fpr, tpr = roc.rates(np.array(costs))
    assert [rate["fpr"] for rate in got["rates"]] == fpr.tolist()
    assert [rate["tpr"] for rate in got["rates"]] == tpr.tolist()


def test_hull_of_points_in_any_order(page):
    rng = np.random.default_rng(1)
    clouds = [rng.random((2, n)).round(rng.integers(1, 4)) for n in (0, 1, 2, 10, 100, 1000) for _ in range(8)]
    # On a curve the hull keeps nearly all points, so many that it is thinned out more than once.
    clouds.append(np.stack([np.linspace(0, 1, 500) ** 2, np.linspace(0, 1, 500)]))
    expression = "argument.map(([fpr, tpr]) => rocHull(fpr, tpr))"
    found = run_js(page, ["roc"], expression, [cloud.tolist() for cloud in clouds])
    for cloud, got in zip(clouds, found, strict=True):
        fpr, tpr = roc_hull(*cloud)
        assert got == {"fpr": fpr.tolist(), "tpr": tpr.tolist()}


@pytest.mark.parametrize("positive", [[True, True], [False, False]])
def test_one_class_has_no_curve(page, positive):
    argument = {"critical": [1.0, 2.0], "positive": positive}
    assert run_js(page, ["roc"], "rocCurve(argument.critical, argument.positive, null)", argument) is None


@pytest.mark.parametrize("share", [0.01, 0.2, 0.6])
@pytest.mark.parametrize("value", [0.05, 0.3, 0.9])
def test_goals_are_just_kept_on_their_lines(page, value, share):
    goals = [{"name": name, "value": value} for name in ("min_recall", "min_precision", "max_alarm_rate")]
    lines = run_js(
        page,
        ["curve_shapes"],
        "argument.goals.map((goal) => ['roc', 'precision'].map((kind) => goalLine(kind, goal, argument.share)))",
        {"goals": goals, "share": share},
    )
    for goal, (roc, precision_recall) in zip(goals, lines, strict=True):
        for step in (0.25, 0.5, 0.75, 1):
            fpr, tpr = (a + step * (b - a) for a, b in zip(*roc, strict=True))
            recall, precision = (a + step * (b - a) for a, b in zip(*precision_recall, strict=True))
            assert -1e-9 <= min(fpr, tpr, recall, precision) <= max(fpr, tpr, recall, precision) <= 1 + 1e-9
            flagged = share * tpr + (1 - share) * fpr
            kept = {"min_recall": tpr, "min_precision": share * tpr / flagged, "max_alarm_rate": flagged}
            assert kept[goal["name"]] == pytest.approx(value)
            # Of the flagged rows, the precision is right, and these are the recall of all positives.
            alarms = share * recall / precision if precision else np.nan
            kept = {"min_recall": recall, "min_precision": precision, "max_alarm_rate": alarms}
            assert kept[goal["name"]] == pytest.approx(value)
