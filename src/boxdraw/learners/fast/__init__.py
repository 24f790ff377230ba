"""Fast Boxes: scale, cluster, divide, expand; and the whole cost path from one fit."""
