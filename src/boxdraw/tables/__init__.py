"""Tables in, predictions out: frames, arrays, CSV, Parquet, Arrow and Dask end in one description of their columns."""
