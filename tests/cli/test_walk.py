"""The walk in the documentation gives what it says, command by command."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def commands(text):
    """Return the commands of the console blocks, each with the output that is shown for it."""
    found = []
    for block in re.findall(r"\.\. code-block:: console\n\n((?:   .*\n|\n)+)", text):
        for line in block.splitlines():
            if line.startswith("   $ "):
                found.append((line[5:], []))
            elif found:
                found[-1][1].append(line[3:])
    return [(command, "\n".join(lines).rstrip()) for command, lines in found]


def test_the_walk(tmp_path):
    for script in (ROOT / "examples").glob("*.py"):
        shutil.copy(script, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    walk = commands((ROOT / "docs" / "walk.rst").read_text(encoding="utf-8"))
    assert len(walk) >= 8
    for command, expected in walk:
        result = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=os.environ | {"PATH": path, "PYTHONIOENCODING": "utf-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert (command, result.stdout.rstrip()) == (command, expected)
