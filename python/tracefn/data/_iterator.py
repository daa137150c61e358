"""Iterators over datasets: `tf.data.Iterator`, its type, and `tf.data.NumpyIterator`."""

from __future__ import annotations

import abc
import collections.abc
import sys
from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn._packer import packer
from tracefn._tracking.base import Trackable
from tracefn.composite import CompositeTensor
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._options import ExternalStatePolicy
from tracefn.errors import OutOfRangeError
from tracefn.ops.control_flow import cond
from tracefn.ops.optional import _Optional
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

_get_next = _core.raw_op("IteratorGetNext")
_get_next_as_optional = _core.raw_op("IteratorGetNextAsOptional")

_STATE = "_STATE"  # the position of an iterator in a checkpoint

# In a graph an iterator never ends: this many steps of one that no graph loop takes are a mistake.
_MOST_STEPS_IN_GRAPH = 32
_UNENDING = (
    "An unusually high number of `tf.data.Iterator.get_next()` calls was detected. This suggests that the `for elem in "
    "dataset: ...` idiom is used within tf.function with AutoGraph disabled. This idiom is only supported when AutoGraph is "
    "enabled."
)


class Iterator(collections.abc.Iterator, CompositeTensor):
    """An iterator over a dataset: what `iter(dataset)` returns.

    Example:
      >>> import tracefn as tf
      >>> iterator = iter(tf.data.Dataset.range(2))
      >>> int(next(iterator)), int(iterator.get_next())
      (0, 1)
      >>> bool(iterator.get_next_as_optional().has_value())
      False
    """

    @property
    @abc.abstractmethod
    def element_spec(self):
        """The nest of specs of the elements."""

    @abc.abstractmethod
    def get_next(self):
        """The next element.

        Raises:
          OutOfRangeError: there is none.
        """

    @abc.abstractmethod
    def get_next_as_optional(self):
        """A `tf.experimental.Optional` of the next element, without a value after the last one."""


class OwnedIterator(Iterator, Trackable):
    """The iterators that there are."""

    iterates_as_iterator = True
    _common_name_of_tensors = "ITERATOR"  # in checkpoints

    _resource: Any
    _element_spec: Any
    _dataset: Any

    def __init__(self, dataset=None, components=None, element_spec=None):
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError(
                    "When `dataset` is not provided, both `components` and `element_spec` must be specified."
                )
            self._element_spec = element_spec
            (self._resource,) = components
        elif components is not None or element_spec is not None:
            raise ValueError("When `dataset` is provided, `element_spec` and `components` must not be specified.")
        else:
            self._element_spec = dataset.element_spec
            self._resource = _core.raw_op("AnonymousIteratorV3")(**dataset._flat_structure)
            _core.raw_op("MakeIterator")(dataset=dataset._variant_tensor, iterator=self._resource)
        self._dataset = dataset
        self._steps_in_graph = 0
        self._types = structure.flat_types(self._element_spec)
        self._shapes = structure.flat_shapes(self._element_spec)
        # Where elements are nests of tensors and ops run eagerly, a step is one call, and the packing of what it returns.
        self._step = self._pack = None
        is_packed = _is_packed(self._element_spec)
        if not is_packed:
            self._pack = packer(self._element_spec)
        if (is_packed or self._pack) and not isinstance(self._resource, _core.SymbolicTensor):
            self._step = _get_next.prepare(
                iterator=self._resource, output_types=self._types, output_shapes=self._shapes
            )

    def __next__(self):
        if self._step is not None:
            try:
                found = self._step()
            except OutOfRangeError:
                raise StopIteration from None
            if found is not NotImplemented:
                if self._pack is None:
                    return found
                return self._pack(found if type(found) is tuple else (found,))
        if _core.current_graph() is not None:
            self._steps_in_graph += 1
            if self._steps_in_graph > _MOST_STEPS_IN_GRAPH and not _is_converted(sys._getframe(1)):
                raise ValueError(_UNENDING)
            return self.get_next()
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    def next(self):
        """The next element, as `next(iterator)`."""
        return self.__next__()

    def get_next(self):
        found = _get_next(iterator=self._resource, output_types=self._types, output_shapes=self._shapes)
        return structure.from_tensors(self._element_spec, found)

    def get_next_as_optional(self):
        variant = _get_next_as_optional(iterator=self._resource, output_types=self._types, output_shapes=self._shapes)
        return _Optional(variant, self._element_spec)

    @property
    def element_spec(self):
        return self._element_spec

    @property
    def _type_spec(self):
        return IteratorSpec(self._element_spec)

    def _next_or_default(self, default):
        """What converted code calls for `next(iterator, default)`."""
        optional = self.get_next_as_optional()
        default = self._checked_default(default)
        return cond(optional.has_value(), optional.get_value, lambda: default)

    def _checked_default(self, default):
        try:
            nest.assert_same_structure(default, self._element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the default argument must have the same element structure as the iterate.\n\n{error}"
            ) from None
        default = structure.normalized(default)
        for value, spec in zip(nest.flatten(default), nest.flatten(self._element_spec), strict=True):
            if getattr(value, "dtype", None) != getattr(spec, "dtype", None):
                raise TypeError(
                    f"the default argument must have the same dtype as the iterate. Expected {spec.dtype}, got {value.dtype}"
                )
        return default

    def _save(self):
        """The position of the iterator, as a variant tensor."""
        return _core.raw_op("SerializeIterator")(resource_handle=self._resource)

    def _restore(self, state):
        """Goes to a position that `_save` returned."""
        return _core.raw_op("DeserializeIterator")(resource_handle=self._resource, serialized=state)

    def _serialize_to_tensors(self):
        """What a checkpoint keeps of the iterator."""
        options = None if self._dataset is None else self._dataset.options()
        policy = None if options is None else options.experimental_external_state_policy
        return saved_position(self._resource, ExternalStatePolicy.FAIL if policy is None else policy)

    def _restore_from_tensors(self, restored_tensors):
        """Goes to the position that a checkpoint has kept."""
        return [to_saved_position(self._resource, restored_tensors)]


def saved_position(resource, external_state_policy=ExternalStatePolicy.FAIL) -> dict:
    """The position of an iterator as the tensors of a checkpoint, by name.

    Raises:
      FailedPreconditionError: the dataset depends on state outside of it, and the policy forbids that.
    """
    state = _core.raw_op("SerializeIterator")(
        resource_handle=resource, external_state_policy=external_state_policy.value
    )
    return {_STATE: state}


def to_saved_position(resource, tensors: dict):
    """Lets an iterator go to a position that `saved_position` returned."""
    return _core.raw_op("DeserializeIterator")(resource_handle=resource, serialized=tensors[_STATE])


def _is_packed(spec) -> bool:
    """Whether elements are what the op returns: a tensor, or a tuple of several."""
    if type(spec) is tuple:
        return len(spec) > 1 and all(isinstance(part, TensorSpec) for part in spec)
    return isinstance(spec, TensorSpec)


def _is_converted(frame) -> bool:
    """Whether the innermost frame of the user's program runs code that AutoGraph converted: `next(iterator)` there is one
    step; it is not a loop."""
    return "ag__" in frame.f_code.co_freevars


class IteratorSpec(TypeSpec):
    """The type of a `tf.data.Iterator`.

    Args:
      element_spec: nest of specs of the elements.

    Example:
      >>> import tracefn as tf
      >>> tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
      IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
    """

    __slots__ = ("__weakref__", "_element_spec")

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """The class of iterators."""
        return OwnedIterator

    @staticmethod
    def from_value(value):
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def _serialize(self):
        return (self._element_spec,)

    @property
    def _component_specs(self):
        return (TensorSpec([], "resource"),)

    def _to_components(self, value):
        return (value._resource,)

    def _from_components(self, components):
        return OwnedIterator(components=components, element_spec=self._element_spec)


_core.register_resource_class(OwnedIterator, "_resource")


class NumpyIterator:
    """An iterator over the elements of a dataset as NumPy arrays: what `tf.data.Dataset.as_numpy_iterator` returns.

    Args:
      dataset: Dataset.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.range(2)]
      [0, 1]
    """

    __slots__ = ("_dataset", "_iterator")

    def __init__(self, dataset):
        self._iterator = iter(dataset)
        self._dataset = dataset

    def __repr__(self):
        return f"NumpyIterator(iterator={self._iterator})"

    def __iter__(self):
        return self

    def __next__(self):
        return nest.map_structure(_as_numpy, next(self._iterator))

    def next(self):
        """The next element, as `next(iterator)`."""
        return self.__next__()

    def save(self):
        """The position of the iterator, as a tensor."""
        return self._iterator._save()

    def restore(self, state):
        """Goes to a position that `save` returned."""
        return self._iterator._restore(state)

    _save, _restore = save, restore


def _as_numpy(value):
    if value is None:
        return None
    array = value._numpy() if hasattr(value, "_numpy") else value.numpy()
    if np.is_array(array):
        array.setflags(write=False)
    return array
