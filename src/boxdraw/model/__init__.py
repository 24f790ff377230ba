"""The model: boxes, scorecards, and what reads them. It knows nothing of how they were learned."""
