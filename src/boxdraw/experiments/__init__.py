"""The experiments behind the figures in the documentation."""
