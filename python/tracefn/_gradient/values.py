"""Targets, sources and weights of a gradient as flat lists, and zeros for missing gradients."""

from __future__ import annotations

from typing import NoReturn

from tracefn import _core, nest
from tracefn._value_text import value_text
from tracefn.composite import CompositeTensor

_zeros_like = _core.raw_op("ZerosLike")


def _rule(x):
    """How a composite value is differentiated; None for tensors, Variables, and classes without a rule."""
    return getattr(x, "__composite_gradient__", None) if isinstance(x, CompositeTensor) else None


def _components(x):
    """The nest of tensors that are differentiated of a value: itself, unless it is composite."""
    rule = _rule(x)
    if rule is None:
        return x
    parts = rule.get_gradient_components(x)
    return x if parts is x else nest.map_structure(_components, parts)


def components(leaves) -> list:
    """The flat list of tensors and Variables that are differentiated of the leaves of a nest."""
    if all(_rule(x) is None for x in leaves):
        return leaves
    return nest.flatten([_components(x) for x in leaves])


def _with_gradients(x, gradients):
    """`x` with the next of the gradients in place of its components."""
    rule = _rule(x)
    if rule is None:
        return next(gradients)
    parts = rule.get_gradient_components(x)
    found = next(gradients) if parts is x else nest.map_structure(lambda part: _with_gradients(part, gradients), parts)
    return None if found is None else rule.replace_gradient_components(x, found)


def pack_gradients(sources, gradients):
    """The gradients of `components(nest.flatten(sources))` as a nest like `sources`."""
    remaining = iter(gradients)
    return nest.pack_sequence_as(sources, [_with_gradients(x, remaining) for x in nest.flatten(sources)])


def flat_sources(sources) -> tuple[list, list]:
    """(the flat sources, the tensors by which a tape identifies them: the handle of a Variable).

    Raises:
      AttributeError, TypeError, ValueError: a source is neither a tensor nor a Variable.
    """
    flat = components(nest.flatten(sources))
    handles = []
    for source in flat:
        if isinstance(source, _core.Tensor):
            handles.append(source)
        elif hasattr(source, "handle"):
            handles.append(source.handle)
        else:
            refuse(source)
    return flat, handles


def refuse(x) -> NoReturn:
    """Raises TensorFlow's error for a value that is neither a tensor nor a Variable.

    Raises:
      AttributeError: `x` is a number, or has a dtype.
      ValueError: `x` is a composite value.
      TypeError: `x` is any other value.
    """
    if isinstance(x, CompositeTensor):
        raise ValueError(f"Type {type(x).__name__} is not supported as a gradient source or gradient target.")
    is_number = isinstance(x, (bool, int, float, complex)) and not hasattr(x, "dtype")
    if not is_number and not hasattr(x, "dtype"):
        raise TypeError(f"Cannot convert the argument `type_value`: {x!r} to a TensorFlow DType.")
    name = type(x).__name__ if type(x).__module__ == "builtins" else f"{type(x).__module__}.{type(x).__name__}"
    error = AttributeError(f"{name!r} object has no attribute {'dtype' if is_number else '_id'!r}")
    error.add_note(f"Gradients are of tensors, with respect to tensors and Variables; this is {value_text(x)}.")
    if is_number:
        error.add_note("float(), int() and .numpy() give Python values, which no tape follows: leave them out.")
    raise error


def flat_outputs(output_gradients, count: int) -> list:
    """The output gradient of each of `count` targets, or None."""
    if output_gradients is None:
        return [None] * count
    flat = [
        None if x is None else _core.convert_to_tensor(x)  # IndexedSlices become dense
        for x in components(nest.flatten(output_gradients))
    ]
    return (flat + [None] * count)[:count]


def zeros_of(source):
    """Zeros with the shape and dtype of a source."""
    return _zeros_like(x=_core.convert_to_tensor(source))


def replace_missing(gradients, sources) -> list:
    """The gradients, with zeros in place of None."""
    return [zeros_of(s) if g is None else g for g, s in zip(gradients, sources, strict=True)]


def dense(gradient):
    """A gradient as one tensor."""
    return gradient if gradient is None else _core.dense_gradient(gradient)
