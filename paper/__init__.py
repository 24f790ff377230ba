"""The paper beside our own results: what it reports, and what is wrong with what it reports."""
