"""Finds and parses the source of a function by the positions in its code, with lines and columns as in the user's file."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import types
from typing import Any

from tracefn._user_code.started import STARTED

_LAMBDA = "<lambda>"
_MOST_PARENTHESES = 8  # around one lambda's first and last operand, beyond the instructions' positions
_STRING = "<string>"  # the file of code from `python -c`, and of code made by exec


class SourceError(Exception):
    """The source of a function is not available; the text says why."""


class EditedError(SourceError, RuntimeError):
    """The file of a function was modified after its import: its text does not match the running code."""


def _positions(code: types.CodeType):
    """The known (line, end line, column, end column) of the instructions of a code object."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None:
            yield line, end_line, column, end_column


def _last_line(code: types.CodeType) -> int:
    """The last line on which an instruction starts; the source may extend further, see _parse_def."""
    last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            last = max(last, _last_line(constant))
    return last


def file_lines(code: types.CodeType, module_globals) -> list[str]:
    """The lines of the file of a code object.

    Raises:
      SourceError: they are not available.
    """
    lines = linecache.getlines(code.co_filename, module_globals) or _command_lines(code, module_globals)
    if not lines or len(lines) < code.co_firstlineno:
        raise _not_found(code)
    return lines


def _command_lines(code, module_globals) -> list[str]:
    """The lines of `python -c TEXT`, which linecache supports only since Python 3.13."""
    if code.co_filename != _STRING or module_globals is not sys.modules["__main__"].__dict__ or "-c" not in sys.orig_argv:
        return []
    return sys.orig_argv[sys.orig_argv.index("-c") + 1].splitlines(keepends=True)


def _not_found(code) -> SourceError:
    return SourceError(f"the source of {code.co_name} was not found ({code.co_filename}, line {code.co_firstlineno})")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_outside(line: str, indent: int) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#") and _indent(line) <= indent


def _block_end(lines: list[str], start: int, at_least: int) -> int:
    """The number of the last line of the def that starts on line `start` (both counted from 1)."""
    indent = _indent(lines[start - 1])
    end = at_least
    while end < len(lines) and not _is_outside(lines[end], indent):
        end += 1
    return end


def _parse_def(code, lines: list[str]) -> Any:
    start = code.co_firstlineno
    end = _block_end(lines, start, max(_last_line(code), start))
    indented = _indent(lines[start - 1]) > 0
    # Leading blank lines give the tree the line numbers of the file.
    prefix = "\n" * (start - 2) + "if 1:\n" if indented else "\n" * (start - 1)
    while True:
        try:
            tree = ast.parse(prefix + "".join(lines[start - 1 : end]))
            break
        except SyntaxError:
            if end >= len(lines):
                raise edited(code) from None
            end = _block_end(lines, start, end + 1)
    node = tree.body[0].body[0] if indented else tree.body[0]
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != code.co_name:
        raise edited(code)
    return node


def edited(code) -> SourceError:
    """The error for a function whose source is not at the position of its code."""
    if code.co_filename == _STRING:  # exec-ed code has the file name of `python -c`, but not its text
        return _not_found(code)
    return EditedError(
        f"line {code.co_firstlineno} of {code.co_filename} does not hold {code.co_name} as it was imported. The file was "
        "edited since; run the program again, or decorate the function with "
        "@tf.autograph.experimental.do_not_convert."
    )


def may_be_edited(file: str) -> bool:
    """Whether a file was written after this process began to import; code without a file may have any text."""
    try:
        return file == _STRING or os.stat(file).st_mtime > STARTED
    except OSError:
        return False


def _slice(lines: list[str], line: int, column: int, end_line: int, end_column: int) -> str:
    """The text between two positions; columns are counted in UTF-8 bytes."""
    picked = [text.encode() for text in lines[line - 1 : end_line]]
    if not picked:
        return ""
    if line == end_line:
        picked[0] = picked[0][column:end_column]
    else:
        picked[0] = picked[0][column:]
        picked[-1] = picked[-1][:end_column]
    return b"".join(picked).decode()


def _parenthesis(lines: list[str], place: tuple | None, step: int) -> tuple | None:
    """The start (step -1) or end (step 1) of the text with the parenthesis next to `place` (line, column) included."""
    if place is None:
        return None
    line, column = place
    while 1 <= line <= len(lines):
        text = lines[line - 1].encode()
        rest = text[:column] if step < 0 else text[column:]
        near = rest.rstrip() if step < 0 else rest.lstrip()
        if near:
            if step < 0:
                return (line, len(near) - 1) if near.endswith(b"(") else None
            return (line, len(text) - len(near) + 1) if near.startswith(b")") else None
        line += step
        column = len(lines[line - 1].encode()) if step < 0 and line else 0
    return None


def _parse_between(lines: list[str], first: tuple, last: tuple) -> tuple[tuple, Any]:
    """The expression between two positions (line, column), and where it starts.

    No instruction covers the parentheses around the first and the last operand of a conditional expression. While the
    text does not parse, it is extended by the parentheses directly before and after it.

    Raises:
      SyntaxError: there is no expression.
    """
    starts: list = [first]
    ends: list = [last]
    refused = SyntaxError()
    for taken in range(_MOST_PARENTHESES):
        for k in range(taken + 1):
            start, end = starts[taken - k], ends[k]
            if start is None or end is None:
                continue
            pad = "(" + " " * max(start[1] - 1, 0)
            try:
                return start, ast.parse(pad + _slice(lines, *start, *end) + "\n)", mode="eval").body
            except SyntaxError as error:
                refused = error
        starts.append(_parenthesis(lines, starts[-1], -1))
        ends.append(_parenthesis(lines, ends[-1], 1))
    raise refused


def _parse_lambda(code, lines: list[str]) -> ast.FunctionDef:
    """Parses a lambda as a def with one return. Its body is at the position of its code; its parameters are those of the code."""
    spans = [p for p in _positions(code) if p[2] is not None and p[1:] != (p[0], p[0], 0)]
    spans = [p for p in spans if not (p[2] == 0 and p[3] == 0)]
    if not spans:
        raise SourceError(
            f"the lambda on line {code.co_firstlineno} of {code.co_filename} has no positions in its code"
        )
    first = min((p[0], p[2]) for p in spans)
    last = max((p[1], p[3]) for p in spans)
    try:
        first, body = _parse_between(lines, first, last)
    except SyntaxError:
        raise edited(code) from None
    shift = first[1] - max(first[1], 1)
    ast.increment_lineno(body, first[0] - 1)
    if shift:
        for node in ast.walk(body):
            if getattr(node, "lineno", None) == first[0]:
                node.col_offset += shift  # type: ignore[attr-defined]
    where = {
        "lineno": body.lineno,
        "col_offset": body.col_offset,
        "end_lineno": body.end_lineno,
        "end_col_offset": body.end_col_offset,
    }
    return ast.FunctionDef(_LAMBDA, _arguments_of(code), [ast.Return(body, **where)], [], **_type_params(), **where)


def _type_params() -> dict:
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def _arguments_of(code) -> ast.arguments:
    where = {"lineno": code.co_firstlineno, "col_offset": 0, "end_lineno": code.co_firstlineno, "end_col_offset": 0}
    parameters = [ast.arg(name, **where) for name in code.co_varnames]
    positional, keyword = code.co_argcount, code.co_kwonlyargcount
    after = positional + keyword
    star = parameters[after] if code.co_flags & 0x04 else None
    double = parameters[after + (star is not None)] if code.co_flags & 0x08 else None
    return ast.arguments(
        posonlyargs=parameters[: code.co_posonlyargcount],
        args=parameters[code.co_posonlyargcount : positional],
        vararg=star,
        kwonlyargs=parameters[positional:after],
        kw_defaults=[None] * keyword,
        kwarg=double,
        defaults=[],
    )


def _parameter_names(arguments: ast.arguments) -> list[str]:
    every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [a.arg for a in every]


def all_names(code: types.CodeType) -> set[str]:
    """All names in a code object and its nested code objects."""
    found = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= all_names(constant) | {constant.co_name}
    return found


def private_class(code: types.CodeType) -> str | None:
    """The class whose private names a function uses: the innermost enclosing one."""
    parts = code.co_qualname.split(".")
    for i in range(len(parts) - 2, -1, -1):
        if parts[i] != "<locals>" and parts[i + 1] != "<locals>":
            return parts[i] if parts[i].isidentifier() else None
    return None


def mangled(name: str, class_name: str | None) -> str:
    """Python's mangled name for a private name in a class."""
    if class_name is None or not name.startswith("__") or name.endswith("__"):
        return name
    class_name = class_name.lstrip("_")
    return f"_{class_name}{name}" if class_name else name


def _check_unedited(node: ast.FunctionDef, code) -> None:
    """Checks that the def at that line has the parameters of the code."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    mangled = [name.rpartition("__")[2] if name.startswith("_") and "__" in name else name for name in code.co_varnames]
    declared = [name.rpartition("__")[2] if name.startswith("__") else name for name in _parameter_names(node.args)]
    if len(declared) != count or (
        node.name != _LAMBDA and any(a != b and not a.startswith("__") for a, b in zip(declared, mangled, strict=False))
    ):
        raise edited(code)


def parse(function: types.FunctionType) -> ast.FunctionDef:
    """The def of a function, or its lambda as a def, with positions as in its file.

    Raises:
      SourceError: there is no source, or the file has changed since its import.
    """
    code = function.__code__
    lines = file_lines(code, function.__globals__)
    node = _parse_lambda(code, lines) if code.co_name == _LAMBDA else _parse_def(code, lines)
    _check_unedited(node, code)
    return node
