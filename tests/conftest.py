"""Settings of all tests."""

import os

from hypothesis import HealthCheck, settings

# Tests run one per core, where threads of OpenMP would only wait for each other. It reads this when it is first loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no failure, nor is a first example for which functions are compiled: so no example has a deadline,
# and making them may take long. A check of a change has to give the same answer each time; new examples are looked for
# on developers' machines.
slow = [HealthCheck.too_slow]
settings.register_profile("here", deadline=None, suppress_health_check=slow)
settings.register_profile("ci", deadline=None, suppress_health_check=slow, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
