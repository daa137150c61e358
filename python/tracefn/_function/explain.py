"""Why a function was traced: `Function.explain()` and what `tf.no_retrace` raises (docs/tracing_rules.md, C and D)."""

from __future__ import annotations

import threading


class RetracingError(RuntimeError):
    """A function had to be traced inside `with tf.no_retrace():`."""


class _Thread(threading.local):
    refused = 0


_thread = _Thread()


class no_retrace:
    """A context in which a call that needs a new trace raises RetracingError, which says why it needs one.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x: x + 1)
      >>> _ = f(tf.constant(1))
      >>> with tf.no_retrace():
      ...     print(int(f(tf.constant(2))))
      3
    """

    def __enter__(self) -> no_retrace:
        _thread.refused += 1
        return self

    def __exit__(self, *exc: object) -> None:
        _thread.refused -= 1


def tracing_is_refused() -> bool:
    """Whether this thread is inside `tf.no_retrace`."""
    return _thread.refused > 0


class Difference:
    """One argument that kept an earlier trace from serving a call.

    Attributes:
      path: str, the argument: "x", "d['w']", "layers[0]".
      before: str, its type in the earlier trace.
      after: str, its type in this call.
      rule: int or str, the rule of docs/tracing_rules.md that tells the two apart.
      fix: str, what to write to share the trace.
    """

    __slots__ = ("after", "before", "fix", "path", "rule")

    def __init__(self, path: str, before: str, after: str, rule, fix: str) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.rule = rule
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.path}: {self.before} before, {self.after} now (rule {self.rule}). {self.fix}"


class Explanation:
    """Why one trace was made.

    Attributes:
      number: int, of the trace, from 0.
      function: str, the function's name.
      differences: list of Difference from the closest earlier trace; empty for the first.
      closest: int or None, the number of that trace.
      caller: str, "file:line" of the call.
      milliseconds: float, time spent tracing.
    """

    __slots__ = ("caller", "closest", "differences", "function", "milliseconds", "number")

    def __init__(self, number: int, function: str, differences: list, closest, caller: str, milliseconds: float) -> None:
        self.number = number
        self.function = function
        self.differences = differences
        self.closest = closest
        self.caller = caller
        self.milliseconds = milliseconds

    def __str__(self) -> str:
        head = f"trace {self.number} of {self.function} at {self.caller} ({self.milliseconds:.2f} ms): "
        if self.closest is None:
            return head + "the first call (rule 12)."
        if not self.differences:
            return head + f"no earlier trace is left that serves this call; the closest was trace {self.closest}."
        return head + f"against trace {self.closest}, " + "; ".join(map(str, self.differences))

    __repr__ = __str__


def _shape_fix(before: dict, after: dict) -> str:
    from tracefn.tensor_shape import TensorShape

    shape = TensorShape(before["shape"]).most_specific_compatible_shape(after["shape"])
    dims = None if shape.rank is None else shape.as_list()
    return f"Use @tf.function(reduce_retracing=True), or input_signature with tf.TensorSpec({dims}, tf.{after['dtype'].name})."


def _tensor_difference(path: str, before, after) -> Difference | None:
    if before.dtype != after.dtype:
        return Difference(path, str(before), str(after), 51, f"Pass tf.cast({path}, tf.{before.dtype.name}).")
    if before.shape != after.shape:
        fix = _shape_fix({"shape": before.shape}, {"shape": after.shape, "dtype": after.dtype})
        return Difference(path, str(before), str(after), 29, fix)
    return None


def _kind(type_) -> str:
    """The word before the bracket: "Literal", "List", "TensorSpec"."""
    text = str(type_)
    for i, c in enumerate(text):
        if c in "[(":
            return text[:i]
    return text


def _children(type_) -> list | None:
    """(key, type) of the parts of a structure, or None for a leaf."""
    children = getattr(type_, "children", None)
    return None if children is None else list(children)


def _compare(path: str, before, after, out: list) -> None:
    if before == after:
        return
    kinds = _kind(before), _kind(after)
    if kinds == ("TensorSpec", "TensorSpec"):
        found = _tensor_difference(path, before, after)
        if found is not None:
            out.append(found)
        return
    mine, theirs = _children(before), _children(after)
    if kinds[0] == kinds[1] and mine is not None and theirs is not None and [*dict(mine)] == [*dict(theirs)]:
        for (key, a), (_, b) in zip(mine, theirs, strict=True):
            _compare(f"{path}[{key}]", a, b, out)
        return
    out.append(Difference(path, str(before), str(after), *_leaf_rule(path, kinds)))


def _leaf_rule(path: str, kinds) -> tuple:
    """(rule, fix) for two types that differ as a whole."""
    if kinds == ("Literal", "Literal"):
        return 31, f"Pass tf.constant({path}) where the value may vary."
    if "Weakref" in kinds:
        return 39, "Pass the same object, or give its class __eq__ and __hash__."
    if "VariableSpec" in kinds:
        return 37, "Pass Variables of one dtype and shape, in the same pattern of repeated ones."
    if "Literal" in kinds and "TensorSpec" in kinds:
        return 30, f"Pass {path} always as a tensor: tf.constant(...)."
    return 34, "Pass the same structure each time."


def differences(before, after) -> list:
    """What tells two keys apart, argument by argument."""
    old = {name: type_ for name, _, type_ in before.parameters}
    new = {name: type_ for name, _, type_ in after.parameters}
    out: list = []
    for name in [*new, *(n for n in old if n not in new)]:
        if name not in old or name not in new:
            given = "given" if name in new else "not given"
            was = "given" if name in old else "not given"
            out.append(Difference(name, was, given, 43, "Pass the same number of arguments, and the same keywords."))
        else:
            _compare(name, old[name], new[name], out)
    return out


# How far apart two types are that a rule tells apart; others are farther.
_DISTANCE = {29: 1, 31: 1, 51: 2}


def explain(number: int, function: str, key, earlier, caller: str, milliseconds: float) -> Explanation:
    """Compares `key` with the closest of the `earlier` traces (records with `number` and `key`)."""
    best, closest, least = [], None, 0
    for record in earlier:
        found = differences(record.key, key)
        # Of equally near ones the latest: it is what the program did last.
        distance = sum(_DISTANCE.get(d.rule, 3) for d in found)
        if closest is None or distance <= least:
            best, closest, least = found, record.number, distance
    return Explanation(number, function, best, closest, caller, milliseconds)
