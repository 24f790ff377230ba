"""Write 2026-10.csv to 2027-09.csv, the simulated card payments of docs/tutorial_year.rst.

From January on, those who empty cards take smaller amounts. From June on, old accounts test stolen numbers, too.
"""

from card_payments import write

MONTHS = [f"2026-{month}" for month in (10, 11, 12)] + [f"2027-{month:02}" for month in range(1, 10)]


def main():
    """Write the files to the current folder."""
    for number, month in enumerate(MONTHS):
        amounts = (180, 900) if month < "2027-01" else (70, 400)
        oldest = 60 if month < "2027-06" else 3000
        write(f"{month}.csv", 10_000 * number, days=30, seed=number, amounts=amounts, oldest=oldest)


if __name__ == "__main__":
    main()
