"""Settings of all tests."""

import os

from hypothesis import settings

# A check of a change has to give the same answer each time; new examples are looked for on developers' machines.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
