"""Renderers of a BoxSet. They read boxes and know nothing of how the boxes were learned."""
