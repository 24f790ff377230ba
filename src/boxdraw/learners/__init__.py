"""Learners: each takes the training rows of `boxdraw.tables` and gives a model of `boxdraw.model`."""
