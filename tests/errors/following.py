"""Does to a program what the `Fix:` line of a message says, to the letter."""

import re

_EDIT = re.compile(r"(write|add) `(.+?)` (on line|before line|after line|at the end of) (\w+)(?:, and |\.$|, or )")


def edits_of(message: str) -> list:
    """(verb, code, place, line or name) for each edit that a message asks for."""
    lines = [line.partition("Fix: ")[2] for line in message.splitlines() if "Fix: " in line]
    return [found.groups() for line in lines for found in _EDIT.finditer(line)]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def followed(source: str, message: str) -> str:
    """The program after the edits that the message asks for."""
    lines = source.splitlines()
    edits = edits_of(message)
    assert edits, f"the message asks for no edit:\n{message}"
    # From the last line to the first, so that the numbers of lines stay right.
    by_line = sorted((e for e in edits if e[3].isdigit()), key=lambda e: -int(e[3]))
    for verb, code, where, number in by_line:
        at = int(number) - 1
        line = _indent(lines[at]) + code
        if where == "on line":
            assert verb == "write"
            lines[at] = line
        else:
            lines.insert(at if where == "before line" else at + 1, line)
    for _, code, where, name in (e for e in edits if not e[3].isdigit()):
        assert where == "at the end of"
        start = next(i for i, line in enumerate(lines) if re.match(rf"\s*def {name}\b", line))
        depth = len(_indent(lines[start]))
        end = start + 1
        while end < len(lines) and (not lines[end].strip() or len(_indent(lines[end])) > depth):
            end += 1
        lines.insert(end, " " * (depth + 4) + code)
    return "\n".join(lines) + "\n"
