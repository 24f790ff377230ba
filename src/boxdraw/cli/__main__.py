"""Run the command line as ``python -m boxdraw.cli``."""

import sys

from boxdraw.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
