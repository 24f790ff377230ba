"""Write the lists of files in docs/architecture.rst, from the first line of each module: ``python docs/layout.py``."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "boxdraw"
PAGE = ROOT / "docs" / "architecture.rst"


def described(path):
    """Return the first line of a module's docstring, without markup."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].replace("`", "").rstrip(".:")


def files(place):
    """Return a line for each file of a folder, or for one module."""
    place = SOURCE / place
    paths = [place] if place.suffix else sorted(p for p in place.glob("*.py") if p.name != "__init__.py")
    width = max(len(path.name) for path in paths)
    return "\n".join(f"    {path.name:{width}}  {described(path)}" for path in paths)


def updated(page):
    """Return the page with every list of files as it should be."""
    block = re.compile(r"^\.\. files: (\S+)\n\n.*?(?=\n\n\S)", re.MULTILINE | re.DOTALL)
    return block.sub(lambda found: f".. files: {found[1]}\n\n.. code-block:: text\n\n{files(found[1])}", page)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
