"""Run edited.sql in DuckDB on new.csv; compare the rows that it flags with those of flagged.csv."""

from pathlib import Path

import duckdb

# By default, DuckDB reads yes and no as booleans, and 007 as 7.
types = str({name: "VARCHAR" for name in ("id", "country", 'card "present"', "branch", "fraud")})
duckdb.sql(f"CREATE TABLE payments AS SELECT * FROM read_csv('new.csv', types = {types})")
query = Path("edited.sql").read_text(encoding="utf-8")
in_sql = duckdb.sql(f"SELECT id FROM ({query}) WHERE fraud_predicted = 'yes' ORDER BY id").fetchall()
predicted = duckdb.sql(f"SELECT id FROM read_csv('flagged.csv', types = {types}) ORDER BY id").fetchall()
print(f"{len(predicted)} rows flagged by boxdraw, {len(in_sql)} by DuckDB; the same: {in_sql == predicted}")
