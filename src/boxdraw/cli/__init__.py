"""The command line: ``boxdraw fit``, ``predict``, ``rules``, ``export``, ``evaluate``, ``datasets`` and ``demo``."""
