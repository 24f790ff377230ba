"""The reproduction of the paper: its figures, its slips, and our own results."""
