"""Advice that makes two calls of a Function share a trace; tests/function/test_explain.py applies all of it."""

from __future__ import annotations

from tracefn import _core
from tracefn._user_code.words import wider
from tracefn._value_text import shortened
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec, VariableSpec

_POSITIONAL_OR_KEYWORD = 1
_SAME = "Pass the same kind of value each time."
_NONE = "None and a value need a trace each."
_INT32 = range(-(2**31), 2**31)


def input_signature(before, after) -> str | None:
    """The code of an input_signature that serves two calls with tensors; None if there are other arguments."""
    old = {name: type_ for name, _, type_ in before.parameters}
    specs = []
    for name, kind, spec in after.parameters:
        other = old.get(name)
        if not isinstance(spec, TensorSpec) or not isinstance(other, TensorSpec):
            return None
        if spec.dtype != other.dtype or kind != _POSITIONAL_OR_KEYWORD:
            return None
        specs.append(f"tf.TensorSpec({_joined(other.shape, spec.shape)}, tf.{spec.dtype.name})")
    return f"input_signature=[{', '.join(specs)}]"


def _joined(one, other) -> str:
    """The code of the most specific shape that both fit."""
    shape = TensorShape(one).most_specific_compatible_shape(other)
    return "None" if shape.rank is None else repr(shape.as_list())


def _for_shapes(sides) -> str:
    """Advice for arguments that differ only in shape."""
    if not sides.reduce_retracing:
        either = f", or {sides.signature}" if sides.signature else ""
        return f"Use @tf.function(reduce_retracing=True){either}."
    if sides.made is None:
        told = "reduce_retracing=True is set: other sizes share the trace that follows."
    else:
        told = f"reduce_retracing=True made this trace for {sides.made}, which serves other sizes."
    return f"{told} {sides.signature} makes one trace from the start." if sides.signature else told


def _cast(path: str, before: str, after: str) -> str:
    """Advice for tensors of two dtypes; "" if no dtype holds the values of both."""
    common = wider(before, after)
    if common is None:
        return f"Pass {path} with one dtype each time."
    every = "" if common == before else " in every call"
    return f"Pass tf.cast({path}, tf.{common}){every}."


def for_tensors(path: str, sides) -> str:
    """Advice for tensors of different dtypes or shapes."""
    before, after = sides.before, sides.after
    shapes = _for_shapes(sides) if before.shape != after.shape else ""
    if before.dtype == after.dtype:
        return shapes
    return f"{_cast(path, before.dtype.name, after.dtype.name)} {shapes}".rstrip()


def _dtype_of(value) -> str | None:
    """The dtype that tf.constant gives a Python value; None if it is not convertible."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "int32" if value in _INT32 else "int64" if -(2**63) <= value < 2**63 else None
    for kind, dtype in ((bool, "bool"), (float, "float32"), (complex, "complex128"), ((str, bytes), "string")):
        if isinstance(value, kind):
            return dtype
    return None


def for_values(path: str, before, after) -> str:
    """Advice for two Python values."""
    if before is None or after is None:
        return _NONE
    old, new = _dtype_of(before), _dtype_of(after)
    if old is None or new is None:
        return "Each such value has a trace of its own."
    common = wider(old, new)
    if common is None:
        return _SAME
    if old == new:
        dtype = "" if old != "int64" else ", tf.int64"
        return f"Pass tf.constant({path}{dtype}) where the value may vary."
    return f"Pass tf.cast({path}, tf.{common}) where the value may vary."


def for_value_and_tensor(path: str, sides) -> str:
    """Advice for a Python value that replaced a tensor, or the other way around."""
    is_tensor_now = isinstance(sides.after, TensorSpec)
    spec, literal = (sides.after, sides.before) if is_tensor_now else (sides.before, sides.after)
    if literal.value is None:
        return "None and a tensor need a trace each."
    dtype = _dtype_of(literal.value)
    if dtype is None:
        return _SAME
    if dtype in ("int32", "int64") and (spec.dtype.is_integer or spec.dtype.is_floating or spec.dtype.is_complex):
        common: str | None = spec.dtype.name  # Python's ints take the tensor's dtype
    elif dtype == "float32" and (spec.dtype.is_floating or spec.dtype.is_complex):
        common = spec.dtype.name
    else:
        common = wider(dtype, spec.dtype.name)
    if common is None:
        return _SAME
    shapes = f" {_for_shapes(sides._replace(signature=None))}" if spec.shape.rank != 0 else ""
    if common == spec.dtype.name:
        return f"Pass tf.constant({path}, tf.{common}) for a Python value.{shapes}"
    return f"Pass tf.cast({path}, tf.{common}) in every call.{shapes}"


def for_variables(path: str, sides) -> str:
    """Advice for two Variables, or a Variable and something else."""
    before, after = sides.before, sides.after
    if not (isinstance(before, VariableSpec) and isinstance(after, VariableSpec)):
        both = isinstance(before, TensorSpec) or isinstance(after, TensorSpec)
        return f"Pass tf.convert_to_tensor({path}) in every call." if both else _SAME
    if before.dtype != after.dtype:
        return "Pass Variables of one dtype."
    if before.trainable != after.trainable:
        return "Pass Variables that are all trainable, or none."
    if before.alias_id != after.alias_id:
        return "A call with one Variable twice and a call with two need a trace each."
    return _for_shapes(sides._replace(signature=None))


def for_objects(path: str, before, after) -> str:
    """Advice for two objects that are compared by identity or by ==."""
    if before is None:
        return f"The object of that trace is gone: keep the object, and pass the same one as {path} each time."
    if type(after).__eq__ is object.__eq__ and not callable(after):
        return f"Pass the same object, or give {type(after).__name__} an __eq__ and a __hash__, and keep the objects."
    return f"Pass the same object as {path} each time."


def for_specs(path: str, sides) -> str:
    """Advice for values with a spec or trace type of their own: extension types, IndexedSlices, user-defined classes."""
    common = sides.after.most_specific_common_supertype([sides.before])
    return _SAME if common is None else _for_shapes(sides._replace(signature=None))


def for_structures(path: str, sides) -> str:
    """Advice for structures of different kinds, lengths or keys, or a structure and something else."""
    before, after = sides.before, sides.after
    kinds = [t.kind if isinstance(t, _core.TraceType) else "" for t in (before, after)]
    old, new = ([step for step, _ in t.children or ()] if isinstance(t, _core.TraceType) else [] for t in (before, after))
    if kinds in (["list", "tuple"], ["tuple", "list"]):
        return f"Pass a {kinds[0]} each time: {kinds[0]}({path})."
    if kinds in (["list"] * 2, ["tuple"] * 2):
        return f"Pass as many members each time: {path} had {len(old)}, and has {len(new)}."
    if kinds == ["dict"] * 2:
        changed = [f"{_key(step)} is new" for step in new if step not in old]
        changed += [f"{_key(step)} is gone" for step in old if step not in new]
        return f"Pass the same keys each time: {', '.join(changed[:3])}{', ...' if len(changed) > 3 else ''}."
    if kinds == ["record"] * 2:
        return "Pass values of the same class, with the same fields, each time."
    return _SAME


def _key(step: str) -> str:
    """The key in the path part "['key']"."""
    return shortened(step[1:-1], 40)
