"""Runs the programs of docs/errors.md and writes what they say into it: `python tests/errors/record_page.py`, with tracefn on
the path."""

from __future__ import annotations

import pathlib
import re
from typing import NamedTuple

import catalogue
import tracefn

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "errors.md"
_PACKAGE = str(pathlib.Path(tracefn.__file__).parent)
_ENTRY = re.compile(
    r"^### (?P<title>.+)\n(?P<text>(?:(?!```|##).*\n)*)```python\n(?P<program>(?:(?!```).*\n)*)```\n\n"
    r"says\n\n(?P<says>```\n(?:(?!```).*\n)*```\n)\n"
    r"Without the error:\n\n```python\n(?P<fixed>(?:(?!```).*\n)*)```\n",
    re.MULTILINE,
)


class Program(NamedTuple):
    """What catalogue.shown runs."""

    name: str
    program: str


class Entry(NamedTuple):
    """One kind of error, as the page has it: the message in the fence that it stands in."""

    title: str
    program: str
    says: str
    fixed: str


def entries(text: str) -> list[Entry]:
    """The entries of a page."""
    return [Entry(m["title"], m["program"], m["says"], m["fixed"]) for m in _ENTRY.finditer(text)]


def _programs(entry: Entry, number: int) -> list[Program]:
    start = "import tracefn as tf\n"
    return [Program(f"program{number}", start + entry.program), Program(f"fixed{number}", start + entry.fixed)]


def messages(found: list[Entry]) -> list[tuple[str, str]]:
    """What each entry's program says, and what is shown of the one without the error."""
    programs = [program for i, entry in enumerate(found) for program in _programs(entry, i)]
    shown = catalogue.shown(programs)
    return [(_message(shown[f"program{i}"]), shown[f"fixed{i}"]) for i in range(len(found))]


def _message(shown: str) -> str:
    """The end of what a terminal shows, from the exception's name on; all of it where no exception ended the program."""
    lines = shown.rstrip().splitlines()
    traces = [i for i, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    if traces:
        lines = lines[traces[-1] + 1 :]
        while lines and lines[0].startswith(" "):
            del lines[0]
    text = "\n".join(line.rstrip() for line in lines)
    text = re.sub(r'[^"\s(]*/program\d+\.py', "program.py", text.replace(_PACKAGE, ".../tracefn"))
    text = re.sub(r"\[and \d+ more frames", "[and ... more frames", text)
    text = re.sub(r"(maximum recursion depth exceeded).*", r"\1", text)  # what was called then depends on Python's version
    return re.sub(r"0x[0-9a-f]+", "0x...", re.sub(r"\bid=\d+", "id=...", text))


def with_messages(text: str, says: list[str]) -> str:
    """The page with other messages."""
    rest = iter(says)

    def replaced(match) -> str:
        start, end = match.span("says")
        return match[0][: start - match.start()] + f"```\n{next(rest)}\n```\n" + match[0][end - match.start() :]

    return _ENTRY.sub(replaced, text)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_messages(text, [says for says, _ in messages(entries(text))]), encoding="utf-8")


if __name__ == "__main__":
    main()
