"""The report: one HTML file that shows a model on labelled rows and lets people move its limits."""
