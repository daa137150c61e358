"""The text form of protocol buffer messages, read as far as two of them are to be compared."""

from __future__ import annotations

import ast
import re

_TOKEN = re.compile(r"""\s+|#[^\n]*|(?P<token>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}<>\[\]:;,]|[^\s{}<>\[\]:;,"']+)""")


def _tokens(text: str) -> list[str]:
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"The text of a message is not well formed at {text[place : place + 20]!r}.")
        if match["token"]:
            found.append(match["token"])
        place = match.end()
    return found


def _scalar(token: str):
    """A value such that equal ones are written in one way."""
    if token[0] in "\"'":
        return ("string", ast.literal_eval("b" + token) if token.isascii() else ast.literal_eval(token).encode())
    try:
        return ("number", float(int(token, 0)) if token.lstrip("+-").isalnum() else float(token))
    except ValueError:
        return ("number", float(token.rstrip("fF"))) if re.fullmatch(r"[-+\d.eE]+[fF]", token) else ("name", token)


def parsed(text: str) -> list:
    """The fields of a message: pairs of a name and a value, which is such a list for a message. The order of fields of
    different names does not count, so that they are sorted.

    Raises:
      ValueError: the text is not well formed.
    """
    tokens = _tokens(text)
    fields, rest = _fields(tokens, 0, None)
    if rest != len(tokens):
        raise ValueError("The text of a message has an end without a start.")
    return fields


def _fields(tokens: list[str], place: int, end: str | None) -> tuple[list, int]:
    fields: list = []
    while place < len(tokens) and tokens[place] != end:
        name = tokens[place]
        place += 1
        if place < len(tokens) and tokens[place] == ":":
            place += 1
        values, place = _values(tokens, place)
        fields += [(name, value) for value in values]
        while place < len(tokens) and tokens[place] in ",;":
            place += 1
    if end is not None and place == len(tokens):
        raise ValueError(f"The text of a message ends before {end!r}.")
    return sorted(fields, key=lambda field: field[0]), place


def _values(tokens: list[str], place: int) -> tuple[list, int]:
    if place == len(tokens):
        raise ValueError("The text of a message ends behind the name of a field.")
    token = tokens[place]
    if token in "{<":
        end = "}" if token == "{" else ">"
        fields, place = _fields(tokens, place + 1, end)
        return [fields], place + 1
    if token == "[":
        found: list = []
        place += 1
        while place < len(tokens) and tokens[place] != "]":
            more, place = _values(tokens, place)
            found += more
            if place < len(tokens) and tokens[place] == ",":
                place += 1
        if place == len(tokens):
            raise ValueError("The text of a message ends before ']'.")
        return found, place + 1
    return [_scalar(token)], place + 1


def same(a: list, b: list, relative: float | None) -> bool:
    """Whether messages are equal; numbers up to a part of the larger one."""
    return len(a) == len(b) and all(
        one == other and _same_value(x, y, relative) for (one, x), (other, y) in zip(a, b, strict=True)
    )


def _same_value(x, y, relative: float | None) -> bool:
    if isinstance(x, list) or isinstance(y, list):
        return isinstance(x, list) and isinstance(y, list) and same(x, y, relative)
    if relative is not None and x[0] == y[0] == "number":
        return abs(x[1] - y[1]) <= relative * max(abs(x[1]), abs(y[1]))
    return x == y
