"""Run the command line as ``boxdraw`` or ``python -m boxdraw.cli``."""

import os
import sys


def _stop(*_: object) -> None:
    """End at once: nothing has begun that would have to be put away."""
    os.write(2, b"boxdraw: stopped\n")
    os._exit(130)


try:
    import signal

    _handler = signal.signal(signal.SIGINT, _stop)  # an import would turn Ctrl-C into a traceback
except KeyboardInterrupt:
    _stop()
from boxdraw.cli.main import main  # noqa: E402

signal.signal(signal.SIGINT, _handler)

if __name__ == "__main__":
    sys.exit(main())
