"""Exact Boxes: the best union of boxes, with a certificate of how good it is."""
