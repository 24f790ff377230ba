"""Settings of all tests."""

import os

from hypothesis import settings

# Tests run one per core, where threads of OpenMP would only wait for each other. It reads this when it is first loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no failure, so no example has a deadline. A check of a change has to give the same answer each time;
# new examples are looked for on developers' machines.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
