"""Scored Boxes: a few boxes worth points each, and the points from which a row is flagged."""
