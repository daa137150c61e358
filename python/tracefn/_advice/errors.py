"""Chooses the advice on an error by its type, its text and the expression that raised it."""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Iterable, Iterator

from tracefn import _core
from tracefn._advice import (
    conditions,
    containers,
    dimensions,
    loops_and_branches,
    operands,
    python_values,
    recursion,
    tensors,
)
from tracefn._logging import get_logger
from tracefn._user_code.frames import is_installed, line_of
from tracefn._user_code.place import Place
from tracefn.autograph.libraries import is_library

_PACKAGE = __file__.rpartition("/_advice/")[0] + "/"
_TENSOR = r"(?:SymbolicTensor|(?:[\w.]*\.)?EagerTensor|Variable|ResourceVariable)"

_NODE = r"\{\{function_node.*\}\} "
_SYMBOLIC_IN_PYTHON = (
    (r"Cannot convert a symbolic tf\.Tensor .* to a numpy array", python_values.numpy_call),
    (rf".*(?:real number|string or a real number|bytes-like object or a real number), not '?{_TENSOR}", python_values.scalar),
    (rf".*'{_TENSOR}' object cannot be interpreted as an integer", python_values.scalar),
    (rf"type {_TENSOR} doesn't define __round__ method", python_values.scalar),
    (rf"expected .*, (?:not|got) .*{_TENSOR}", python_values.scalar),
    (r"expected a sequence of integers or a single integer, got '<tf\.Tensor", python_values.scalar),
    (rf"unsupported format string passed to {_TENSOR}", python_values.text),
    (r"len requires a non-scalar tensor", python_values.of_scalar),
    (rf"(?:list|tuple) indices must be integers or slices, not {_TENSOR}", python_values.index),
    (r"slice indices must be integers or None or have an __index__ method", python_values.index_slice),
    (r"Tensor is unhashable", python_values.key),
    (r"(?:Using|Iterating over) a symbolic `tf\.Tensor`(?! is not allowed\. Expected)", python_values.not_allowed),
)
_NONE = (
    r".*None values not supported\.",
    r"Attempt to convert a value \(None\)",
    r"Inputs must be an iterable of at least one Tensor/IndexedSlices",
    r"(unsupported operand type\(s\) for|'[^']+' not supported between instances of).*'NoneType'",
    r"bad operand type for unary .*'NoneType'",
)
_DATASETS = (
    (
        r"(?:Length for attr 'output_types' of 0|Attr 'output_types' of '\w*Map\w*' Op passed list of length 0)",
        operands.mapped_to_none,
    ),
)
_DIMENSIONS = (
    r"Failed to convert elements of [\[(].*\bNone\b.* to Tensor",
    r"(?:Tried to convert '\w+' to a tensor and failed\. Error: )?Cannot convert a partially known TensorShape",
    r"Tensors in list passed to '\w+' of '\w+' Op have types \[.*<NOT CONVERTIBLE TO TENSOR>",
    r"Expected \w+, but got None of type 'NoneType'",
    r"'NoneType' object cannot be interpreted as an integer",
    r".*(?:a real number|a number), not 'NoneType'",
)
_DTYPES = (
    (
        r"Input '(?P<name>\w+)' of '\w+' Op has type (?P<second>\w+) that does not match (?:type|expected type of) (?P<first>\w+)",
        operands.two_dtypes,
    ),
    (
        (r"cannot compute \w+ as input #(?P<index>\d+)\(zero-based\) was expected to be a (?P<first>\w+) tensor but is a "
        r"(?P<second>\w+) tensor"),
        operands.two_dtypes_eager,
    ),
    (
        r"Expected (?P<dtype>\w+)(?: passed to parameter '\w+' of op '\w+',|, but) got (?P<value>\S+) of type '(?P<kind>\w+)'",
        operands.number,
    ),
    (r"Cannot convert (?P<value>\S+) to EagerTensor of dtype (?P<dtype>\w+)(?P<kind>)", operands.number),
    (
        r"Value passed to parameter '\w+' has DataType (?P<dtype>\w+) not in list of allowed values: (?P<allowed>.*)",
        operands.not_allowed,
    ),
    (r"Value for attr '\w+' of (?P<dtype>\w+) is not in the list of allowed values: (?P<allowed>.*)", operands.not_allowed),
    (r"Tensor conversion requested dtype (?P<wanted>\w+) for Tensor with dtype (?P<given>\w+)", operands.assigned_dtype),
)
_SHAPES = (
    (
        r"(?:Dimensions must be equal, but are|Shape must be rank).* = (?P<op>\w+)\[.*with input shapes: (?P<shapes>.*)\.$",
        operands.shapes,
    ),
    (
        _NODE + r"(?P<shapes>(?:Incompatible shapes|Matrix size-incompatible): .*) \[Op:(?P<op>\w+)\]",
        operands.shapes,
    ),
)
_CONDITIONS = (
    (
        (r"condition of .* expected to be `tf\.bool` scalar, got Tensor\(\"[^\"]*\"(?:, shape=\((?P<shape>[^)]*)\))?, "
        r"dtype=(?P<dtype>\w+)\)"),
        conditions.not_bool,
    ),
    (r"The truth value of an array with more than one element", conditions.eager_vector),
)
_TENSORS = (
    (rf"'?(?:{_TENSOR})'? object has no attribute '(?P<name>\w+)'", tensors.attribute),
    (rf"'{_TENSOR}' object (?:does not support item assignment|doesn't support item deletion)", tensors.item),
    (rf"'{_TENSOR}' object is not callable", tensors.called),
    (r"Only integers, slices .* are valid indices, got", tensors.index),
    (rf"(?:{_NODE})?Index out of range using input dim \d+; input has only \d+ dims", tensors.index_list),
)
_CONTAINERS = (
    (
        r"a list in a staged loop holds elements of one dtype; it has (?P<has>\w+) and gets (?P<gets>\w+)",
        containers.list_dtype,
    ),
    (r"TensorArray dtype is (?P<has>\w+) but Op is trying to write dtype (?P<gets>\w+)", containers.array_dtype),
    (r"'(?:true|false)_fn' must be callable", loops_and_branches.branches),
    (
        (
            r"true_fn and false_fn arguments to tf\.cond must have (?:.|\n)*Error details:\n"
            r"Tensor\(.*, dtype=(?P<first>\w+)\) and Tensor\(.*, dtype=(?P<second>\w+)\) have different types"
        ),
        loops_and_branches.branch_dtypes,
    ),
    (
        r"Loop var \S+ enters the loop with type <dtype: '(?P<first>\w+)'> but has type <dtype: '(?P<second>\w+)'> after",
        loops_and_branches.loop_dtype,
    ),
    (r"Input tensor `\S+` enters the loop with shape .*, but has shape .* after one iteration", loops_and_branches.loop_shape),
    (r"tf\.function only supports singleton tf\.Variables", containers.variable),
    (
        (
            r"<tf\.Tensor .* is out of scope and cannot be used here(?:.|\n)*"
            r"it was defined in FuncGraph\(name=(?P<graph>\w+), id=\d+\), which is out of scope"
        ),
        containers.leaked,
    ),
)
# (pattern of the first line, advice function). The user's own errors that start like one of these are left alone, as
# they are raised by `raise`.
_TABLE = [
    (re.compile(pattern, re.MULTILINE), tell)
    for pattern, tell in (
        *((pattern, operands.none) for pattern in _NONE),
        *((pattern, dimensions.none) for pattern in _DIMENSIONS),
        *_DATASETS,
        *_DTYPES,
        *_SHAPES,
        *_CONDITIONS,
        *_SYMBOLIC_IN_PYTHON,
        *_TENSORS,
        *_CONTAINERS,
    )
]


def advice_on(text: str, place: Place) -> list[str]:
    """The advice that follows a message, as lines: facts about the user's expression, and `Fix:` with code.

    Args:
      text: the message.
      place: where it was raised.
    """
    for pattern, tell in _TABLE:
        match = pattern.match(text)
        if match is not None:
            if isinstance(place.expression(), ast.Raise):  # the user's own error
                return []
            return tell(place, match)
    return []


def on_entries(error: BaseException, entries, autograph: bool = True) -> list[str]:
    """The advice on an exception that left a trace. A failure in here is logged and does not hide the user's error.

    Args:
      error: the exception.
      entries: the user's entries of its traceback, outermost first.
      autograph: whether the function was to be converted.
    """
    if "_tracefn_advised" in error.__dict__:
        return []
    try:
        frames = _places(entries)
        if isinstance(error, RecursionError):
            return recursion.endless(frames)
        if not frames:
            return []
        places = [Place(frame, at, line, traced=True, autograph=autograph) for frame, at, line in reversed(frames)]
        inside, *outside = places
        text = str(error)
        lines = _of_own_lines(advice_on(text, inside), inside, outside)
        return [] if text.endswith("\n".join(lines)) else lines  # an eager op of the trace may have told it
    except Exception:
        get_logger().warning("No advice could be given; please report this.", exc_info=True)
        return []


def _places(entries) -> list:
    """The (frame, instruction, line) of the entries outside of libraries."""
    found = [(e.tb_frame, e.tb_lasti, line_of(e)) for e in entries]
    return [place for place in found if not is_library(place[0].f_globals.get("__name__"))]


def _outside(frame: types.FrameType | None) -> Iterator[Place]:
    """The places of a frame and of its callers outside of this package, innermost first."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith((_PACKAGE, "<frozen ")):
            yield Place(frame)
        frame = frame.f_back


def of_eager(text: str) -> str:
    """The text to append to the error that an eager op is about to raise; may be empty."""
    places = _outside(sys._getframe(1))
    inside = next(places, None)
    if inside is None or _core.current_graph() is not None:
        return ""
    lines = _of_own_lines(advice_on(text, inside), inside, places)
    return "".join(f"\n{line}" for line in lines)


def _of_own_lines(lines: list[str], inside: Place, outside: Iterable[Place]) -> list[str]:
    """Advice on a line of an installed package, in terms of the program's own line: nobody edits what is installed.

    Args:
      lines: the advice.
      inside: the place that it is on.
      outside: the callers of that place, innermost first.
    """
    if not lines or not is_installed(inside.code.co_filename):
        return lines
    own = next((p for p in outside if not is_installed(p.code.co_filename) and not is_library(p.module)), None)
    if own is None:
        return lines
    facts = [fact for fact in (line.partition("Fix: ")[0].rstrip() for line in lines) if fact]
    called = f"This is in {inside.code.co_name} of {inside.module}, line {inside.line}"
    return [*facts, f"{called}; line {own.line} of the program calls it: `{own.text_of(own.line)}`."]
