"""What the stages of a learner hand on to each other is never changed by one of them."""

import importlib
import inspect
import pkgutil
from dataclasses import fields, is_dataclass

import pytest

import boxdraw.learners.exact
import boxdraw.learners.fast
import boxdraw.learners.scored

PACKAGES = (boxdraw.learners.fast, boxdraw.learners.exact, boxdraw.learners.scored)
MODULES = [info.name for package in PACKAGES for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]


@pytest.mark.parametrize("name", MODULES)
def test_values_cannot_be_changed_or_given_more_attributes(name):
    for value in vars(importlib.import_module(name)).values():
        if inspect.isclass(value) and is_dataclass(value) and value.__module__ == name and value.__name__[0] != "_":
            made = object.__new__(value)
            for attribute in (fields(value)[0].name, "another"):
                with pytest.raises((AttributeError, TypeError)):
                    setattr(made, attribute, 1)
            assert not hasattr(made, "__dict__")
