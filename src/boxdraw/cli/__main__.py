"""Run the command line as ``boxdraw`` or ``python -m boxdraw.cli``."""

import signal
import sys

_handler = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C before there is a command ends without a traceback
from boxdraw.cli.main import main  # noqa: E402

signal.signal(signal.SIGINT, _handler)

if __name__ == "__main__":
    sys.exit(main())
