"""Write october.csv, november.csv and spring.csv, the simulated card payments of docs/tutorial_analyst.rst.

There are two kinds of fraud: stolen numbers tested with small amounts at night, and large amounts from abroad without
the card. Some frauds follow no pattern. In spring, numbers are tested at noon, and a new country appears.
"""

import csv
import random

HEADER = ["id", "day", "amount", "hour", "country", "channel", "account_days", "fraud"]
COUNTRIES = ["NL"] * 12 + ["DE"] * 4 + ["BE"] * 2 + ["US", "BR"]


def honest(rng):
    """Return an amount, an hour, a country, a channel and the age of the account in days."""
    hour = rng.choice([*range(24), *range(8, 22), *range(8, 22)])
    channel = rng.choice(["shop", "shop", "web", "app"])
    return [rng.lognormvariate(3.4, 1.0), hour, rng.choice(COUNTRIES), channel, rng.randint(1, 3000)]


def tried_number(rng, hours, oldest):
    """Return a payment that tests a stolen number: a small amount on the web, from a new account."""
    return [rng.uniform(0.5, 5), rng.choice(hours), rng.choice(COUNTRIES), "web", rng.randint(1, oldest)]


def emptied_card(rng, amounts):
    """Return a payment that uses a stolen number: a large amount from abroad, without the card."""
    amount, channel = rng.uniform(*amounts), rng.choice(["web", "app"])
    return [amount, rng.randint(0, 23), rng.choice(["US", "BR"]), channel, rng.randint(1, 3000)]


def payment(rng, hours, new_country, amounts, oldest):
    """Return a payment, and True if it is a fraud."""
    chance = rng.random()
    if chance < 0.010:
        return tried_number(rng, hours, oldest), True
    if chance < 0.018:
        return emptied_card(rng, amounts), True
    row = honest(rng)
    if new_country and rng.random() < 0.05:
        row[2] = "PL"
    return row, rng.random() < 0.002


def write(name, first_id, days, seed, hours=range(0, 5), new_country=False, amounts=(180, 900), oldest=60, per_day=100):
    """Write one file; stolen numbers are tested at these hours by accounts of so many days, and used for amounts."""
    rng = random.Random(seed)
    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for number in range(days * per_day):
            (amount, hour, country, channel, age), fraud = payment(rng, list(hours), new_country, amounts, oldest)
            country = "" if rng.random() < 0.02 else country
            day = number // per_day + 1
            writer.writerow(
                [first_id + number, day, f"{amount:.2f}", hour, country, channel, age, "yes" if fraud else "no"]
            )


def main():
    """Write the files to the current folder."""
    write("october.csv", 100_000, days=30, seed=4)
    write("november.csv", 110_000, days=10, seed=14)
    write("spring.csv", 150_000, days=10, seed=3, hours=range(11, 15), new_country=True)


if __name__ == "__main__":
    main()
