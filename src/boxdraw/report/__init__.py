"""A page of one file that shows a model on data, and lets people move its limits."""
