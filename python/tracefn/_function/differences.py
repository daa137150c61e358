"""The differences between the keys of two traces, argument by argument (docs/tracing_rules.md, C)."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn import _core
from tracefn._function import retracing_advice as advice
from tracefn._value_text import shortened
from tracefn.tensor_spec import TensorSpec, VariableSpec

_LONGEST = 160  # characters of a type


class Difference:
    """One argument that kept an earlier trace from serving a call.

    Attributes:
      path: str, the argument: "x", "d['w']", "layers[0]".
      before: str, its type in the earlier trace.
      after: str, its type in this call.
      rule: int or str, the rule of docs/tracing_rules.md that tells the two apart.
      fix: str, what to write so that the calls share a trace; "" if nothing does.
    """

    __slots__ = ("after", "before", "fix", "path", "rule")

    def __init__(self, path: str, before: str, after: str, rule, fix: str) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.rule = rule
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.path}: {self.before} before, {self.after} now (rule {self.rule}). {self.fix}".rstrip()

    def briefly(self) -> str:
        """The difference without the rule and the fix."""
        return f"{self.path}: {self.before} before, {self.after} now"


class Sides(NamedTuple):
    """The two types that are compared, with facts about the call.

    Attributes:
      before: the type in the earlier trace.
      after: the type in the call.
      made: the type in the trace that was made for the call; None if none was made.
      signature: str, an input_signature that serves both; None if the function cannot have one.
      reduce_retracing: bool, whether the Function has that option.
    """

    before: Any
    after: Any
    made: Any
    signature: str | None
    reduce_retracing: bool


def differences(before, after, made, reduce_retracing: bool) -> list:
    """The differences between two keys.

    Args:
      before: CallKey of an earlier trace.
      after: CallKey of the call.
      made: CallKey of the trace that was made for it, or None.
      reduce_retracing: whether the Function has that option.
    """
    old = {name: type_ for name, _, type_ in before.parameters}
    new = {name: type_ for name, _, type_ in after.parameters}
    traced = {name: type_ for name, _, type_ in made.parameters} if made is not None else {}
    signature = advice.input_signature(before, after)
    out: list = []
    for name in [*new, *(n for n in old if n not in new)]:
        if name in old and name in new:
            _compare(name, Sides(old[name], new[name], traced.get(name), signature, reduce_retracing), out)
        else:
            given, was = ("given", "not given") if name in new else ("not given", "given")
            out.append(Difference(name, was, given, 43, "Pass the same number of arguments, and the same keywords."))
    return out


def _compare(path: str, sides: Sides, out: list) -> None:
    before, after = sides.before, sides.after
    if before == after or after.is_subtype_of(before):
        return
    old, new = _parts(before), _parts(after)
    if old is not None and new is not None and _kind(before) == _kind(after) and [*dict(old)] == [*dict(new)]:
        found: list = []
        made = _parts(sides.made) or [(step, None) for step, _ in new]
        for (step, a), (_, b), (_, c) in zip(old, new, made, strict=True):
            _compare(path + step, sides._replace(before=a, after=b, made=c), found)
        if found:
            out.extend(found)
            return
    rule, fix = _told_apart(path, sides)
    out.append(Difference(path, shortened(str(before), _LONGEST), shortened(str(after), _LONGEST), rule, fix))


def _parts(type_) -> list | None:
    """(path, type) of the parts of a structure; None for a leaf."""
    return type_.children if isinstance(type_, _core.TraceType) else None


def _kind(type_) -> str:
    if isinstance(type_, _core.TraceType):
        return type_.kind
    if isinstance(type_, TensorSpec):
        return "tensor"
    return "variable" if isinstance(type_, VariableSpec) else "other"


def _told_apart(path: str, sides: Sides) -> tuple:
    """(rule, fix) for two types."""
    kinds = {_kind(sides.before), _kind(sides.after)}
    if kinds == {"tensor"}:
        rule = 29 if sides.before.dtype == sides.after.dtype else 51
        return rule, advice.for_tensors(path, sides)
    if kinds == {"literal"}:
        return 31, advice.for_values(path, sides.before.value, sides.after.value)
    if kinds == {"literal", "tensor"}:
        return 30, advice.for_value_and_tensor(path, sides)
    if "variable" in kinds:
        return 37, advice.for_variables(path, sides)
    if kinds == {"object"}:
        return 39, advice.for_objects(path, sides.before.value, sides.after.value)
    if kinds == {"other"}:
        return 52, advice.for_specs(path, sides)
    return 34, advice.for_structures(path, sides)


__all__ = ["Difference", "Sides", "differences"]
