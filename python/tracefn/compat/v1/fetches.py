"""What sessions are asked for and given: nests of elements of a graph, and values for its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tracefn import _core
from tracefn import _numpy as np
from tracefn.compat.v1.ragged_arrays import RaggedTensorValue
from tracefn.composite import CompositeTensor
from tracefn.errors import InaccessibleTensorError
from tracefn.framework import is_tensor
from tracefn.indexed_slices import IndexedSlices


class IndexedSlicesValue(NamedTuple):
    """The value of IndexedSlices in a session."""

    values: object
    indices: object
    dense_shape: object


class Element:
    """A tensor or an Operation of a graph as a key and a leaf: tensors are compared elementwise."""

    __slots__ = ("name", "value")

    def __init__(self, value) -> None:
        self.value = value
        self.name = value.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other) -> bool:
        return isinstance(other, Element) and self.name == other.name


def parts_of(x: Any) -> list | None:
    """The tensors that IndexedSlices, a sparse or a ragged tensor consist of, or the arrays of a RaggedTensorValue; None for
    any other value."""
    if isinstance(x, IndexedSlices):
        return [x.values, x.indices, *([] if x.dense_shape is None else [x.dense_shape])]
    if isinstance(x, CompositeTensor) and hasattr(x, "dense_shape"):
        sparse: Any = x
        return [sparse.indices, sparse.values, sparse.dense_shape]
    if hasattr(x, "nested_row_splits"):
        return [*x.nested_row_splits, x.flat_values]
    return None


class Fetches:
    """A nest of fetches: the elements to compute, and how their values are put together.

    Args:
      fetches: nest of tensors, Operations, Variables, composite values and names.
      graph: the graph that they are in.
    """

    def __init__(self, fetches, graph) -> None:
        self._graph = graph
        self.elements: list[Element] = []
        self._build = self._structure(fetches)

    def values(self, found: list):
        """The nest with the values found for the elements: arrays, and None for Operations."""
        return self._build(found)

    def _structure(self, x):
        if x is None:
            raise TypeError("Argument `fetch` = None has invalid type \"NoneType\". Cannot be None")
        if isinstance(x, dict):
            parts = {key: self._structure(value) for key, value in x.items()}
            make = type(x) if type(x) is not dict else dict
            return lambda found: make((key, build(found)) for key, build in parts.items())
        if isinstance(x, (list, tuple)) and not is_tensor(x):
            builds = [self._structure(value) for value in x]
            return lambda found: _sequence_like(x, [build(found) for build in builds])
        pieces = parts_of(x)
        if pieces is None:
            at = self._add(x)
            return lambda found: found[at]
        places = [self._add(piece) for piece in pieces]
        return lambda found: _composite(x, [found[at] for at in places])

    def _add(self, x) -> int:
        self.elements.append(element_of(self._graph, x, True))
        return len(self.elements) - 1


def _sequence_like(x, values: list):
    if isinstance(x, list):
        return values
    return type(x)(*values) if hasattr(x, "_fields") else tuple(values)


def _composite(x, arrays: list):
    if isinstance(x, IndexedSlices):
        return IndexedSlicesValue(arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None)
    if hasattr(x, "dense_shape"):
        from tracefn.ops.sparse.tensor import SparseTensorValue  # start-up time: few programs fetch SparseTensors

        return SparseTensorValue(*arrays)
    *splits, value = arrays
    for row_splits in reversed(splits):
        value = RaggedTensorValue(value, row_splits)
    return value


def element_of(graph, name, allow_operation: bool) -> Element:
    """The element of a graph that a fetch or the key of a feed names.

    Raises:
      TypeError: it is none, or the key of a feed is not in the graph.
      AttributeError: it is an eager tensor.
      ValueError: a fetch is not in the graph.
      InaccessibleTensorError: `prevent_fetching` forbids to fetch it.
    """
    given = name
    if isinstance(name, _core.EagerTensor):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
    if not isinstance(name, (str, _core.Tensor, _core.Operation)) and hasattr(name, "_as_graph_element"):
        name = name._as_graph_element()
    if not isinstance(name, (str, _core.Tensor, _core.Operation)):
        wanted = "Tensor or Operation" if allow_operation else "Tensor"
        what = f"Can not convert a {type(given).__name__} into a {wanted}."
        if not allow_operation:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {what}")
        kind = type(given).__name__
        raise TypeError(f'Argument `fetch` = {given} has invalid type "{kind}" must be a string or Tensor. ({what})')
    try:
        element = Element(graph.as_graph_element(name, allow_operation=allow_operation))
    except (KeyError, TypeError, ValueError) as error:
        if not allow_operation:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
        raise ValueError(f"Argument `fetch` = {given} cannot be interpreted as a Tensor. ({error})") from None
    if allow_operation and not graph.is_fetchable(element.value):
        raise InaccessibleTensorError(
            f"Operation {element.value.op.name if isinstance(element.value, _core.Tensor) else element.name} has been marked as "
            "not fetchable. Typically this happens when it is defined in another function or code block. Use return values, "
            "explicit Python locals or TensorFlow collections to access it."
        )
    return element


def feeds_of(graph, feed_dict) -> dict[Element, object]:
    """The values that a feed_dict gives, by the tensors of the graph.

    Raises:
      TypeError: there is no dict, a key is no tensor of the graph, or a value is a tensor.
      AttributeError: the value for a ragged tensor is no RaggedTensorValue.
      ValueError: `prevent_feeding` forbids to feed a tensor.
    """
    feeds: dict[Element, object] = {}
    if feed_dict is None:
        return feeds
    if not isinstance(feed_dict, Mapping):
        raise TypeError("FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of "
                        f"'{type(feed_dict).__name__}'.")
    for key, value in feed_dict.items():
        pieces = parts_of(key)
        if pieces is not None:
            values = _values_for(key, value)
            if values is None or len(values) != len(pieces):
                raise TypeError(f"Cannot feed {value!r} for {key!r}: its parts are needed.")
            feeds.update((element_of(graph, k, False), v) for k, v in zip(pieces, values, strict=True))
        elif isinstance(key, tuple):
            feeds.update((element_of(graph, k, False), v) for k, v in zip(key, value, strict=True))
        else:
            element = element_of(graph, key, False)
            feeds[element] = _refuse_tensor(key, value, element.value.dtype in ("resource", "variant"))
    for element in feeds:
        if not graph.is_feedable(element.value):
            raise ValueError(f"Tensor {element.name} may not be fed.")
    return feeds


def _values_for(key, value):
    """The values of the parts of a composite value; None if it gives none."""
    if not hasattr(key, "nested_row_splits"):
        return value if isinstance(value, tuple) else parts_of(value)
    _refuse_tensor(key, value, False)
    if not hasattr(value, "nested_row_splits"):
        raise AttributeError(f"{type(value).__name__!r} object has no attribute 'nested_row_splits'")
    return parts_of(value)


def _refuse_tensor(key, value, may_be_handle: bool):
    is_handle = may_be_handle and isinstance(value, _core.EagerTensor)  # as handles are
    if isinstance(value, (_core.Tensor, CompositeTensor)) and not is_handle:
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, lists, "
            f"numpy ndarrays, or TensorHandles. For reference, the tensor object was {value!s} which was passed to the argument "
            f"`feed_dict` with key {key!s}."
        )
    return value


_NUMBERS = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)


def _array(value, wanted):
    """An array of a dtype, as NumPy converts it: 3.7 becomes 3."""
    array = np.asarray(value).astype(wanted.as_numpy_dtype, copy=False)
    if isinstance(value, int) and array != value:
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {array.dtype.type}. Try "
            "explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
        )
    return array


def fed_tensor(element: Element, value):
    """The eager tensor of a value that is fed for an element.

    Raises:
      TypeError, ValueError: the value does not fit.
    """
    wanted = element.value.dtype
    if hasattr(value, "_value_to_feed"):  # a TensorHandle
        value = value._value_to_feed(wanted)
    if isinstance(value, _core.EagerTensor) and wanted in ("resource", "variant"):
        return value
    if wanted.name in _NUMBERS and not isinstance(value, _core.EagerTensor):
        value = _array(value, wanted)
    tensor = _core.convert_to_tensor(value, dtype=wanted)
    if not element.value.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(tensor.shape)} for Tensor {element.name}, which has shape {element.value.shape}"
        )
    return tensor
