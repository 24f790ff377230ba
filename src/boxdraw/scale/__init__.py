"""Large tables: the same model from rows that come in chunks, in memory, from files or on a cluster."""
