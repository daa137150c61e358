"""`tf.compat.v1.data.Iterator`: an iterator as a part of a graph."""

from __future__ import annotations

import warnings

from tracefn import _core
from tracefn._tracking.base import Trackable
from tracefn.compat.v1.data._structure import (
    completed,
    get_output_classes,
    get_output_shapes,
    get_output_types,
    specs_of,
)
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._iterator import saved_position, to_saved_position
from tracefn.framework import name_scope
from tracefn.ops.optional import _Optional

_op = _core.raw_op

# So many steps of one iterator in a graph are probably those of a loop in Python.
_MANY_STEPS = 32
_TOO_MANY = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that `Iterator.get_next()` is "
    "being called inside a training loop, which will cause gradual slowdown and eventual resource exhaustion. If this is the "
    "case, restructure your code to call `next_element = iterator.get_next()` once outside the loop, and use `next_element` as "
    "the input to some computation that is invoked inside the loop."
)


class Iterator(Trackable):
    """An iterator of a graph: each run of what `get_next` returns reads an element.

    Args:
      iterator_resource: scalar resource tensor.
      initializer: the Operation that lets it begin, or None.
      output_types, output_shapes, output_classes: nests of dtypes, shapes and classes of the elements' parts.

    Raises:
      ValueError: one of these is None.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
      ...     step, begin = iterator.get_next(), iterator.make_initializer(tf.data.Dataset.range(5, 9))
      ...     session.run(begin)
      ...     [int(session.run(step)) for _ in range(2)]
      [5, 6]
    """

    _common_name_of_tensors = "ITERATOR"  # in checkpoints

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        if output_types is None or output_shapes is None or output_classes is None:
            raise ValueError(
                "All of `output_types`, `output_shapes`, and `output_classes` must be specified to create an iterator. Got "
                f"`output_types` = {output_types!r}, `output_shapes` = {output_shapes!r}, `output_classes` = {output_classes!r}."
            )
        self._element_spec = specs_of(output_types, output_shapes, output_classes)
        self._flat = {
            "output_types": structure.flat_types(self._element_spec),
            "output_shapes": structure.flat_shapes(self._element_spec),
        }
        self._string_handle = _op("IteratorToStringHandle")(resource_handle=iterator_resource)
        self._steps = 0
        graph = _core.current_graph()
        if graph is not None:
            graph.add_to_collection("iterators", iterator_resource)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator for any datasets with elements of some structure; `make_initializer` lets it begin.

        Args:
          output_types: nest of dtypes.
          output_shapes: nest of shapes; None: unknown ones.
          shared_name: accepted, without effect: sessions share no iterators.
          output_classes: nest of classes; None: `tf.Tensor`.

        Raises:
          TypeError: the nests differ, or there are no elements of such a class.
        """
        types, shapes, classes = completed(output_types, output_shapes, output_classes)
        specs = specs_of(types, shapes, classes)
        resource = _op("IteratorV2")(
            shared_name=shared_name or "",
            container="",
            output_types=structure.flat_types(specs),
            output_shapes=structure.flat_shapes(specs),
        )
        return Iterator(resource, None, types, shapes, classes)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator that a value of `string_handle()` names.

        Args:
          string_handle: scalar string tensor, such as a placeholder.
          output_types, output_shapes, output_classes: as for `from_structure`.

        Raises:
          TypeError: as `from_structure`.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
          ...     handle = tf.compat.v1.placeholder(tf.string, [])
          ...     step = tf.compat.v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
          ...     numbers = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(7, 9))
          ...     name = session.run(numbers.string_handle())
          ...     [int(session.run(step, {handle: name})) for _ in range(2)]
          [7, 8]
        """
        types, shapes, classes = completed(output_types, output_shapes, output_classes)
        specs = specs_of(types, shapes, classes)
        resource = _op("IteratorFromStringHandleV2")(
            string_handle=_core.convert_to_tensor(string_handle, dtype="string"),
            output_types=structure.flat_types(specs),
            output_shapes=structure.flat_shapes(specs),
        )
        return Iterator(resource, None, types, shapes, classes)

    @property
    def initializer(self):
        """The Operation that lets the iterator begin.

        Raises:
          ValueError: it begins by itself, or with `make_initializer`.
        """
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """An Operation that lets the iterator begin with a dataset.

        Args:
          dataset: Dataset with elements of the iterator's structure.
          name: name of the scope.

        Raises:
          TypeError: its elements are of another structure.
        """
        with name_scope(name or "make_initializer") as scope:
            self._check_structure(dataset)
            return _op("MakeIterator")(
                dataset=dataset._variant_tensor, iterator=self._iterator_resource, name=scope
            )

    def _check_structure(self, dataset) -> None:
        types, shapes, classes = get_output_types(dataset), get_output_shapes(dataset), get_output_classes(dataset)
        nest.assert_same_structure(self.output_types, types)
        nest.assert_same_structure(self.output_shapes, shapes)
        if nest.flatten(self.output_classes) != nest.flatten(classes):
            raise TypeError(
                f"Expected output classes {self.output_classes!r} but got dataset with output classes {classes!r}."
            )
        if nest.flatten(self.output_types) != nest.flatten(types):
            raise TypeError(f"Expected output types {self.output_types!r} but got dataset with output types {types!r}.")
        pairs = zip(nest.flatten(self.output_shapes), nest.flatten(shapes), strict=True)
        if not all(own.is_compatible_with(other) for own, other in pairs):
            raise TypeError(
                f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output shapes {shapes!r}."
            )

    def get_next(self, name=None):
        """The next element: what each run reads.

        Args:
          name: name of the op, or None.

        Raises:
          OutOfRangeError: when it runs: there is none.
        """
        self._steps += 1
        if self._steps > _MANY_STEPS:
            warnings.warn(_TOO_MANY, stacklevel=2)
        found = _op("IteratorGetNext")(iterator=self._iterator_resource, name=name, **self._flat)
        return structure.from_tensors(self._element_spec, found)

    def get_next_as_optional(self):
        """A `tf.experimental.Optional` of the next element, without a value after the last one."""
        variant = _op("IteratorGetNextAsOptional")(iterator=self._iterator_resource, **self._flat)
        return _Optional(variant, self._element_spec)

    def string_handle(self, name=None):
        """A scalar string tensor that names the iterator, for `from_string_handle`.

        Args:
          name: name of the op, or None.
        """
        if name is None:
            return self._string_handle
        return _op("IteratorToStringHandle")(resource_handle=self._iterator_resource, name=name)

    @property
    def output_classes(self):
        """`tf.compat.v1.data.get_output_classes(iterator)`."""
        return get_output_classes(self)

    @property
    def output_shapes(self):
        """`tf.compat.v1.data.get_output_shapes(iterator)`."""
        return get_output_shapes(self)

    @property
    def output_types(self):
        """`tf.compat.v1.data.get_output_types(iterator)`."""
        return get_output_types(self)

    @property
    def element_spec(self):
        """The nest of specs of the elements."""
        return self._element_spec

    def _serialize_to_tensors(self):
        return saved_position(self._iterator_resource)

    def _restore_from_tensors(self, restored_tensors):
        return [to_saved_position(self._iterator_resource, restored_tensors)]
