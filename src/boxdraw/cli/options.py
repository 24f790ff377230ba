"""Options that several commands share."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boxdraw._core.files import read_file, read_source
from boxdraw.cli.errors import Failure, UsageError
from boxdraw.model.boxes import BoxSet
from boxdraw.model.file import Model, model_from_json
from boxdraw.model.risk import RiskTable

_RULES: dict[str, Callable[[str], BoxSet]] = {".sql": BoxSet.from_sql, ".txt": BoxSet.from_text}
#: What to do where only boxes without points will do.
AS_BOXES = "learn boxes with --method sparse, or a card of positive points with --method scored"


def add_common(parser: argparse.ArgumentParser, *, json: str | None) -> None:
    """Add the options of every command; ``json`` says what ``--json`` prints, None leaves it out."""
    group = parser.add_argument_group("messages")
    if json is not None:
        group.add_argument("--json", action="store_true", help=f"print {json} as JSON")
    group.add_argument("--quiet", action="store_true", help="print nothing but errors and what was asked for")
    group.add_argument("--debug", action="store_true", help="show where in the program an error comes from")


def add_csv(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a CSV file."""
    group = parser.add_argument_group("CSV format")
    group.add_argument(
        "--delimiter",
        type=_delimiter,
        default=",",
        metavar="CHAR",
        help="between fields: a character, or tab (%(default)s)",
    )
    group.add_argument(
        "--decimal", choices=(".", ","), default=".", help="before the fraction of a number (%(default)s)"
    )
    group.add_argument(
        "--encoding", default="utf-8", metavar="NAME", help="of the characters, for example cp1252 (%(default)s)"
    )
    group.add_argument(
        "--missing",
        type=_word,
        action="append",
        default=[],
        metavar="WORD",
        help="a field that means a missing value in every column, besides empty fields; may be given several times",
    )


def add_labelled(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Add the options that describe a labelled table, whose target is the model's unless it is ``required``."""
    group = parser.add_argument_group("columns")
    target, positive = ("", "the one with fewer rows") if required else (" (default: the model's)", "the model's")
    group.add_argument(
        "--target", required=required, metavar="COLUMN", help=f"the column with the labels, of two kinds{target}"
    )
    group.add_argument("--positive", metavar="LABEL", help=f"the label to look for (default: {positive})")
    several: dict[str, Any] = {"action": "append", "default": [], "metavar": "A,B"}
    group.add_argument("--drop", help="columns to leave out, such as names and numbers of rows", **several)
    group.add_argument(
        "--categorical",
        help="columns of numbers that are names of categories; they are read as text, so leading zeros stay",
        **several,
    )
    group.add_argument("--weight", metavar="COLUMN", help="a column with the weights of the rows")
    group.add_argument("--skip-unlabelled", action="store_true", help="leave out rows without a label")


def add_positive(group: Any) -> None:
    """Add the option for the positive label of rows that are not learned from."""
    rest = "the model's; of rules without labels the one with fewer rows"
    group.add_argument("--positive", metavar="LABEL", help=f"the label to look for (default: {rest})")


def add_output(parser: argparse.ArgumentParser, default: str, what: str) -> None:
    """Add the options for the output file."""
    where = "standard output" if default == "-" else default
    parser.add_argument(
        "-o",
        "--output",
        default=default,
        metavar="FILE",
        help=f"file for {what}; - is standard output (default: {where})",
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def check_inputs(model: str, data: str | None) -> None:
    """Reject a command that reads both the model and the rows from standard input."""
    if model == data == "-":
        raise UsageError("the model and the data cannot both come from standard input")


def load_model(path: str) -> Model:
    """Read a model from a file, or from standard input for ``-``.

    A condition in SQL (.sql) and sentences (.txt) are models, too, which know neither a target nor its labels.
    """
    if (read := _RULES.get(Path(path).suffix.lower())) is not None:
        try:
            content = read_file(path)
            return Model(read(content.decode()), digest=hashlib.sha256(content).hexdigest()[:16])
        except ValueError as error:
            raise Failure(f"{path}: {error}") from None
    name = "standard input" if path == "-" else path
    source = sys.stdin.buffer.read() if path == "-" else read_source(Path(path))
    try:
        return model_from_json(source, name)
    except ValueError as error:
        raise Failure(str(error)) from None


def without_points(model: Model, instead: str) -> BoxSet:
    """Return the boxes that say all a model does, of a scorecard its union; raise, with what to do instead."""
    try:
        return model.boxes
    except ValueError as error:
        reason = str(error).split(";")[0]  # what comes then is about Python
        raise Failure(f"this scorecard is no set of boxes without points: {reason}; {instead}") from None


def risk_of(model: Model) -> RiskTable:
    """Return the risk table of a model; raise if it has none."""
    if model.risk is None:
        raise Failure(
            "this model has no risk table: leave out --risk, or learn it with --method sparse, scored or fast"
        )
    return model.risk


def target_column(args: argparse.Namespace, model: Model) -> str:
    """Return the column with the labels: the one of ``--target``, or else that of training."""
    target: str | None = args.target if args.target is not None else model.target
    if target is None:
        raise UsageError("this model does not say what it predicts: name the column with the labels, --target COLUMN")
    return target


def _delimiter(text: str) -> str:
    character = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0':
        raise argparse.ArgumentTypeError(f"expected one character or the word tab, got {text!r}")
    return character


def _word(text: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # bytes that are no character
        raise argparse.ArgumentTypeError(f"expected text, got {text!r}")
    return text


def positive_number(text: str) -> float:
    """Parse a number above 0."""
    number = _number(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def number_from_0(text: str) -> float:
    """Parse a number that is not negative."""
    number = _number(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number from 0 on, got {text!r}")
    return number


def cost(text: str) -> float | str:
    """Parse a number above 0 or the word balanced."""
    return text if text == "balanced" else positive_number(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None


def share(text: str) -> float:
    """Parse a share between 0 and 1, such as 0.01 or 1%."""
    if not 0 < (number := _share(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected a share between 0 and 1 such as 0.01 or 1%, got {text!r}")
    return number


def share_or_all(text: str) -> float:
    """Parse a share above 0, up to 1 or 100%."""
    if not 0 < (number := _share(text)) <= 1:
        raise argparse.ArgumentTypeError(f"expected a share up to 1 such as 0.5 or 50%, got {text!r}")
    return number


def _share(text: str) -> float:
    return _number(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def positive_integer(text: str) -> int:
    """Parse an integer of at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on with at most 9 digits, got {text!r}")
    return int(text)


def or_auto(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser that takes the word auto, too."""
    return lambda text: text if text == "auto" else parse(text)


def shares(text: str) -> list[float]:
    """Parse comma-separated shares between 0 and 1; return them sorted."""
    numbers = sorted({_number(part) for part in text.split(",")})
    if not all(0 <= number <= 1 for number in numbers):
        raise argparse.ArgumentTypeError(f"expected shares from 0 to 1 such as 0.01,0.05, got {text!r}")
    return numbers
