"""Sparse Boxes: the fewest boxes and limits that do the job."""
