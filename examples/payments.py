"""Write payments.csv and new.csv, the tables of the walk in docs/walk.rst: mixed columns, odd names, missing values."""

import csv
import random


def payments(n_rows, seed):
    """Return rows of strings, as in the file."""
    rng = random.Random(seed)
    rows = []
    for number in range(n_rows):
        country, card = rng.choice(["NL", "NL", "NL", "DE", "US"]), rng.random() < 0.6
        amount, age = rng.lognormvariate(4, 1), rng.randint(18, 80)
        fraud = (country == "US" and not card and amount > 40) != (rng.random() < 0.01)
        row = [
            f"{number:05d}",
            f"{amount:.2f}",
            country,
            "yes" if card else "no",
            rng.choice(["007", "0110"]),
            str(age),
        ]
        for j in (2, 5):
            row[j] = "" if rng.random() < 0.05 else row[j]
        rows.append([*row, "yes" if fraud else "no"])
    return rows


def main():
    """Write both files to the current folder."""
    header = ["id", "amount due", "country", 'card "present"', "branch", "age", "fraud"]
    for name, n_rows, seed in (("payments.csv", 800, 0), ("new.csv", 300, 1)):
        with open(name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *payments(n_rows, seed)])


if __name__ == "__main__":
    main()
