"""Datasets whose elements are split among replicas: `tf.distribute.DistributedDataset` and `DistributedIterator`."""

from __future__ import annotations

import collections.abc
import inspect

from tracefn import _core
from tracefn._control_flow.loop import while_loop
from tracefn._static_value import get_static_value
from tracefn.composite import CompositeTensor
from tracefn.data import _nest as nest
from tracefn.data._base import INFINITE_CARDINALITY, dataset_class
from tracefn.data._iterator import IteratorSpec, OwnedIterator
from tracefn.distribute import _modes as modes
from tracefn.distribute._regroup import regroup
from tracefn.distribute._values import PerReplicaSpec
from tracefn.errors import OutOfRangeError
from tracefn.framework import executing_eagerly, inside_function
from tracefn.ops.control_flow import cond
from tracefn.ops.optional import Optional
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


def _split(dataset, count: int):
    """The dataset of the parts of each element, one part for each replica.

    Raises:
      ValueError: the elements are no batches.
    """
    shapes = [spec.shape for spec in nest.flatten(dataset.element_spec) if isinstance(spec, TensorSpec)]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError(
            f"Call the `batch` method on the input Dataset in order to be able to split your input across {count} replicas."
        )
    first = {None if shape.rank is None else shape[0] for shape in shapes}
    rows = first.pop() if len(first) == 1 else None
    known = rows // count if rows is not None and rows % count == 0 else None

    def parts(*element):
        element = element[0] if len(element) == 1 else element
        step = known
        if step is None:
            step = (_core.raw_op("Shape")(input=_rows(element), out_type="int64")[0] + (count - 1)) // count
        made = [nest.map_structure(lambda x, i=i: x[i * step : (i + 1) * step], element) for i in range(count)]
        first, *rest = map(dataset_class().from_tensors, made)
        for other in rest:
            first = first.concatenate(other)
        return first

    return dataset.flat_map(parts)


def _rows(element):
    first = nest.flatten(element)[0]
    return first.row_splits[1:] if hasattr(first, "row_splits") else first


def _is_static(element_spec) -> bool:
    specs = nest.flatten(element_spec)
    return all(isinstance(spec, TensorSpec) and spec.shape.is_fully_defined() for spec in specs)


def _no_rows(spec):
    """The value of a replica for which no rows are left.

    Raises:
      NotImplementedError: the rows are ragged or sparse.
    """
    if not isinstance(spec, TensorSpec):
        raise NotImplementedError(
            f"tf.distribute: the last batch has no rows for some replica, and {spec} has no value without rows here. Batch "
            "with drop_remainder=True."
        )
    dims = [] if spec.shape.rank is None else [0 if size is None else size for size in spec.shape.as_list()]
    if dims and spec.shape.is_fully_defined():
        dims[0] = 0
    is_text = spec.dtype.name == "string"
    zero = _core.convert_to_tensor("") if is_text else _core.raw_op("Cast")(x=0, DstT=spec.dtype)
    return _core.raw_op("Fill")(dims=dims, value=zero)


def distributed_dataset(dataset, strategy, splits: bool):
    """A dataset for the replicas of a strategy.

    Args:
      dataset: Dataset.
      strategy: tf.distribute.Strategy.
      splits: whether an element is for all replicas together; else each takes the next element.
    """
    count = strategy.num_replicas_in_sync
    partial = not _is_static(dataset.element_spec) and not _is_infinite(dataset)
    inner = _split(dataset, count) if splits and count > 1 else dataset
    return DistributedDataset(strategy, [inner], partial, dataset)


def distributed_from_function(dataset_fn, contexts, strategy):
    """The datasets that a function makes for each replica, as one."""
    datasets = [dataset_fn(context) for context in contexts]
    partial = not _is_static(datasets[0].element_spec) and not any(map(_is_infinite, datasets))
    return DistributedDataset(strategy, datasets, partial)


def _is_infinite(dataset) -> bool:
    known = get_static_value(dataset.cardinality())
    return known is not None and int(known) == INFINITE_CARDINALITY


class _Distributed(CompositeTensor):
    """What datasets and iterators share: `parts`, one for all replicas or one for each.

    Args:
      strategy: tf.distribute.Strategy.
      parts: list of datasets or iterators.
      partial: whether in the last step some replicas may have no value left, and get one without rows.
    """

    __signature__ = inspect.Signature()  # strategies make them

    def __init__(self, strategy, parts, partial: bool) -> None:
        self._strategy = strategy
        self._parts = tuple(parts)
        self._partial = partial

    @property
    def _count(self) -> int:
        return self._strategy.num_replicas_in_sync

    @property
    def element_spec(self):
        """The nest of specs of what a step gives all replicas."""
        spec, count = self._parts[0].element_spec, self._count
        return spec if count == 1 else nest.map_structure(lambda part: PerReplicaSpec(*[part] * count), spec)


class DistributedDataset(_Distributed, collections.abc.Iterable):
    """A dataset for the replicas of a strategy: what `experimental_distribute_dataset` and the like return.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
      >>> isinstance(dataset, tf.distribute.DistributedDataset), int(dataset.cardinality)
      (True, 2)
    """

    _iterates_as_dataset = True

    def __init__(self, strategy, parts, partial: bool, whole=None) -> None:
        super().__init__(strategy, parts, partial)
        self._whole = parts[0] if whole is None else whole

    def __iter__(self):
        if not executing_eagerly() and not inside_function():
            raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")
        return DistributedIterator(self._strategy, [OwnedIterator(part) for part in self._parts], self._partial)

    @property
    def cardinality(self):
        """How many elements the dataset has, from which the replicas take theirs: a NumPy integer, in a graph a tensor."""
        found = self._whole.cardinality()
        return found.numpy() if executing_eagerly() else found

    def reduce(self, initial_state, reduce_fn):
        """The state after a function has combined it with each element.

        Args:
          initial_state: nest of tensors.
          reduce_fn: callable that takes the state and an element, and returns the next state.
        """
        iterator = iter(self)

        def body(optional, state):
            state = reduce_fn(state, optional.get_value())
            return iterator.get_next_as_optional(), state

        first = iterator.get_next_as_optional()
        return while_loop(lambda optional, state: optional.has_value(), body, (first, initial_state))[1]

    @property
    def _type_spec(self):
        return DistributedDatasetSpec(self._strategy, tuple(part._type_spec for part in self._parts), self._partial)


class DistributedIterator(_Distributed, collections.abc.Iterator):
    """An iterator over a DistributedDataset.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
      >>> iterator = iter(dataset)
      >>> next(iterator).numpy().tolist(), iterator.get_next().numpy().tolist()
      ([0, 1], [2, 3])
    """

    iterates_as_iterator = True

    def __next__(self):
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    def next(self):
        """The next element, as `next(iterator)`."""
        return self.__next__()

    def _sources(self) -> list:
        """The iterator of each replica."""
        return list(self._parts) if len(self._parts) > 1 else list(self._parts) * self._count

    def get_next(self, name=None):
        """What each replica gets next.

        Raises:
          OutOfRangeError: there is nothing left.
          ValueError: a replica runs here.
        """
        del name
        with modes.inside(self._strategy):
            if modes.get_replica_context() is not None:
                raise ValueError(
                    "next(iterator) should be called from outside of replica_fn. e.g. strategy.run(replica_fn, "
                    "args=(next(iterator),))"
                )
        if self._count == 1:
            return self._parts[0].get_next()
        if not self._partial:
            return self._whole()
        optionals, any_left = self._optionals()
        if executing_eagerly():
            return self._with_dummies(optionals) if bool(any_left) else self._whole()
        return cond(any_left, lambda: self._with_dummies(optionals), self._whole)

    def get_next_as_optional(self):
        """A `tf.experimental.Optional` of what each replica gets next, without a value when nothing is left."""
        if self._count == 1:
            return self._parts[0].get_next_as_optional()
        optionals, any_left = self._optionals()
        return cond(
            any_left,
            lambda: Optional.from_value(self._with_dummies(optionals)),
            lambda: Optional.empty(self.element_spec),
        )

    def _whole(self):
        return regroup(tuple(source.get_next() for source in self._sources()))

    def _optionals(self):
        """(the next optional of each replica, whether one has a value)."""
        found = [source.get_next_as_optional() for source in self._sources()]
        any_left = found[0].has_value()
        for optional in found[1:]:
            any_left = _core.raw_op("LogicalOr")(x=any_left, y=optional.has_value())
        return found, any_left

    def _with_dummies(self, optionals):
        spec = self._parts[0].element_spec

        def value(optional):
            return cond(optional.has_value(), optional.get_value, lambda: nest.map_structure(_no_rows, spec))

        return regroup(tuple(value(optional) for optional in optionals))

    @property
    def _type_spec(self):
        return DistributedIteratorSpec(
            self._strategy, tuple(IteratorSpec(part.element_spec) for part in self._parts), self._partial
        )


class _DistributedSpec(TypeSpec):
    """The type of a distributed dataset or iterator.

    Args:
      strategy: tf.distribute.Strategy.
      parts: tuple of the specs of its datasets or iterators.
      partial: see DistributedDataset.
    """

    __slots__ = ("_partial", "_parts", "_strategy")

    def __init__(self, strategy, parts, partial) -> None:
        self._strategy = strategy
        self._parts = tuple(parts)
        self._partial = partial

    def _serialize(self) -> tuple:
        return (self._strategy, self._parts, self._partial)

    @property
    def _component_specs(self):
        return self._parts

    def _to_components(self, value):
        return value._parts

    def _from_components(self, components):
        return self.value_type(self._strategy, components, self._partial)


class DistributedDatasetSpec(_DistributedSpec):
    """The type of a DistributedDataset; see _DistributedSpec."""

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return DistributedDataset


class DistributedIteratorSpec(_DistributedSpec):
    """The type of a DistributedIterator; see _DistributedSpec."""

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return DistributedIterator
