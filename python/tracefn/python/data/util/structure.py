"""`tensorflow.python.data.util.structure`: nests of specs of elements, and the tensors that stand for elements."""

from __future__ import annotations

from collections import defaultdict

from tracefn import _core
from tracefn.compat.v1.data._structure import specs_of
from tracefn.data import _nest as nest
from tracefn.data._structure import are_compatible, flat_shapes, flat_specs, flat_types, normalized, to_tensors
from tracefn.tensor_spec import NoneTensorSpec
from tracefn.type_spec import type_spec_from_value as spec_of_value

__all__ = [
    "NoneTensorSpec",
    "are_compatible",
    "convert_legacy_structure",
    "from_compatible_tensor_list",
    "from_tensor_list",
    "get_flat_tensor_shapes",
    "get_flat_tensor_specs",
    "get_flat_tensor_types",
    "normalize_element",
    "to_batched_tensor_list",
    "to_tensor_list",
    "type_spec_from_value",
]


def normalize_element(element, element_signature=None):
    """An element with tensors and composite values in place of lists, arrays, numbers and Variables.

    Args:
      element: nest.
      element_signature: the nest of specs that it has to match, or None.

    Raises:
      TypeError, ValueError: a leaf does not convert, or `element` does not match `element_signature`.
    """
    return normalized(element, element_signature)


def type_spec_from_value(element, use_fallback: bool = True):
    """The nest of specs of an element.

    Args:
      element: nest.
      use_fallback: whether values that are no tensors, such as numbers and lists, are converted to find their spec.

    Raises:
      TypeError: a leaf has no spec.

    Example:
      >>> import tracefn as tf
      >>> tf.python.data.util.structure.type_spec_from_value((1, [2.0]))
      (TensorSpec(shape=(), dtype=tf.int32, name=None), TensorSpec(shape=(1,), dtype=tf.float32, name=None))
    """
    if isinstance(element, defaultdict):
        parts = {key: type_spec_from_value(value) for key, value in element.items()}
        return type(element)(element.default_factory, parts)
    if nest.is_nested(element):
        return nest.map_structure(type_spec_from_value, element)
    try:
        if use_fallback or element is None or hasattr(element, "_type_spec") or isinstance(element, _core.Tensor):
            return spec_of_value(element)
    except (TypeError, ValueError):
        pass  # The error below names the value and its class.
    raise TypeError(f"Could not build a `TypeSpec` for {element} with type {type(element).__name__}")


def convert_legacy_structure(output_types, output_shapes, output_classes):
    """The nest of specs of what TensorFlow 1 describes by three nests.

    Args:
      output_types: nest of DTypes.
      output_shapes: nest of TensorShapes.
      output_classes: nest of classes, or of the specs themselves.

    Raises:
      TypeError: a class is neither that of tensors, sparse tensors or arrays of tensors.
    """
    return specs_of(output_types, output_shapes, output_classes)


def to_tensor_list(element_spec, element) -> list:
    """The tensors that stand for an element.

    Raises:
      TypeError, ValueError: `element` does not match `element_spec`.
    """
    return to_tensors(element_spec, element)


def to_batched_tensor_list(element_spec, element) -> list:
    """The tensors that stand for a batch, so that their rows stand for its elements.

    Raises:
      TypeError, ValueError: `element` does not match `element_spec`, or one of the tensors is a scalar.
    """
    return to_tensors(element_spec, element, batched=True)


def from_tensor_list(element_spec, tensor_list):
    """The element that tensors stand for.

    Raises:
      ValueError: there are more or fewer tensors than `element_spec` needs, or they do not fit its parts.
    """
    return _decoded(element_spec, tensor_list, "_from_tensor_list")


def from_compatible_tensor_list(element_spec, tensor_list):
    """The element that tensors stand for, which are known to fit.

    Raises:
      ValueError: there are more or fewer tensors than `element_spec` needs.
    """
    return _decoded(element_spec, tensor_list, "_from_compatible_tensor_list")


def _decoded(element_spec, tensor_list, method: str):
    specs = nest.flatten(element_spec)
    counts = [len(spec._flat_tensor_specs) for spec in specs]
    if sum(counts) != len(tensor_list):
        raise ValueError(f"Expected {sum(counts)} tensors but got {len(tensor_list)}.")
    leaves, at = [], 0
    for spec, count in zip(specs, counts, strict=True):
        leaves.append(getattr(spec, method)(tensor_list[at : at + count]))
        at += count
    return nest.pack_sequence_as(element_spec, leaves)


def get_flat_tensor_specs(element_spec) -> list:
    """The specs of the tensors that stand for an element."""
    return flat_specs(element_spec)


def get_flat_tensor_shapes(element_spec) -> list:
    """The shapes of the tensors that stand for an element."""
    return flat_shapes(element_spec)


def get_flat_tensor_types(element_spec) -> list:
    """The dtypes of the tensors that stand for an element."""
    return flat_types(element_spec)
