"""`tf.compat.v1.data.Dataset`, and iterators over datasets of a graph."""

from __future__ import annotations

import abc
import functools
from types import SimpleNamespace
from typing import Any

from tracefn import _core
from tracefn.compat.v1.data._iterator import Iterator
from tracefn.compat.v1.data._structure import get_output_classes, get_output_shapes, get_output_types, specs_of
from tracefn.compat.v1.wrap_function import prune
from tracefn.data import _readers as readers
from tracefn.data._base import MadeDataset, made
from tracefn.data._dataset import Dataset as DatasetV2
from tracefn.data._iterator import OwnedIterator
from tracefn.data._mapping import mapped
from tracefn.framework import executing_eagerly
from tracefn.ops.sparse.tensor import SparseTensor
from tracefn.random_seed import get_seed
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op

# The methods whose results have the methods of TensorFlow 1 too.
_METHODS = (
    "apply batch cache concatenate filter flat_map interleave padded_batch prefetch repeat shard skip take unbatch window "
    "with_options"
).split()
_SOURCES = "from_generator from_tensor_slices from_tensors list_files range zip".split()


class DatasetV1(DatasetV2):
    """`tf.data.Dataset` with the methods of TensorFlow 1, which the results of most transformations have too.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     dataset = tf.compat.v1.data.Dataset.range(3).map(lambda x: x * x)
      ...     step = dataset.make_one_shot_iterator().get_next()
      ...     [int(session.run(step)) for _ in range(3)]
      [0, 1, 4]
    """

    def __init__(self):
        super().__init__(self._as_variant_tensor())

    @abc.abstractmethod
    def _as_variant_tensor(self):
        """The variant tensor of a subclass."""

    @property
    def element_spec(self):
        """The nest of specs of the elements: of a subclass that describes them as TensorFlow 1 did."""
        return specs_of(self.output_types, self.output_shapes, self.output_classes)

    def make_one_shot_iterator(self):
        """`tf.compat.v1.data.make_one_shot_iterator(dataset)`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        """`tf.compat.v1.data.make_initializable_iterator(dataset)`."""
        return make_initializable_iterator(self, shared_name)

    @property
    def output_classes(self):
        """`tf.compat.v1.data.get_output_classes(dataset)`."""
        return get_output_classes(self)

    @property
    def output_shapes(self):
        """`tf.compat.v1.data.get_output_shapes(dataset)`."""
        return get_output_shapes(self)

    @property
    def output_types(self):
        """`tf.compat.v1.data.get_output_types(dataset)`."""
        return get_output_types(self)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor) -> Any:
        """The rows of a sparse tensor, as tuples of their indices, values and dense shape.

        Args:
          sparse_tensor: SparseTensor of at least one dimension.

        Raises:
          TypeError: it is none.

        Example:
          >>> import tracefn as tf
          >>> diagonal = tf.sparse.SparseTensor([[0, 0], [1, 1]], [5, 6], [2, 2])
          >>> rows = tf.compat.v1.data.Dataset.from_sparse_tensor_slices(diagonal)
          >>> [(indices.tolist(), values.tolist()) for indices, values, _ in rows.as_numpy_iterator()]
          [([[0]], [5]), ([[1]], [6])]
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
                f"{type(sparse_tensor)}."
            )
        rank = sparse_tensor.shape.rank
        rank = None if rank is None else rank - 1
        spec = (
            TensorSpec([None, rank], "int64"),
            TensorSpec([None], sparse_tensor.dtype),
            TensorSpec([rank], "int64"),
        )
        variant = _op("SparseTensorSliceDataset")(
            indices=sparse_tensor.indices, values=sparse_tensor.values, dense_shape=sparse_tensor.dense_shape
        )
        return adapted(made("_SparseTensorSliceDataset", variant, spec))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None) -> Any:
        """`tf.data.Dataset.shuffle`."""
        return adapted(super().shuffle(buffer_size, seed, reshuffle_each_iteration, name))

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> Any:
        """`tf.data.Dataset.map`, where an OutOfRangeError in the function ends the dataset, so that its number is unknown."""
        del use_unbounded_threadpool
        return adapted(
            mapped(self, map_func, num_parallel_calls, deterministic, synchronous, False, name, preserve_cardinality=False)
        )

    def map_with_legacy_function(
        self, map_func, num_parallel_calls=None, deterministic=None, use_unbounded_threadpool=False
    ) -> Any:
        """`map`."""
        return self.map(map_func, num_parallel_calls, deterministic, use_unbounded_threadpool=use_unbounded_threadpool)

    def filter_with_legacy_function(self, predicate) -> Any:
        """`filter`."""
        return self.filter(predicate)


class DatasetV1Adapter(MadeDataset, DatasetV1):
    """Another dataset with the methods of TensorFlow 1."""

    _dataset: Any

    def __init__(self, dataset):
        self._dataset = dataset
        self._set(dataset._variant_tensor, dataset.element_spec, dataset._inputs(), dataset._own_options)

    def _as_variant_tensor(self):
        return self._variant

    def __repr__(self):
        return f"<{type(self._dataset).__name__} element_spec={self.element_spec}>"


def adapted(dataset) -> DatasetV1:
    """A dataset with the methods of TensorFlow 1."""
    return dataset if isinstance(dataset, DatasetV1Adapter) else DatasetV1Adapter(dataset)


def adapting(function):
    """A function that returns a dataset, with a result that has the methods of TensorFlow 1."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return adapted(function(*args, **kwargs))

    return call


for _name in _METHODS:
    setattr(DatasetV1, _name, adapting(getattr(DatasetV2, _name)))
for _name in _SOURCES:
    setattr(DatasetV1, _name, staticmethod(adapting(getattr(DatasetV2, _name))))


def adapter_class(cls):
    """A class like `cls`, of one kind of datasets, whose datasets have the methods of TensorFlow 1."""

    @functools.wraps(cls.__init__, assigned=())
    def __init__(self, *args, **kwargs):
        DatasetV1Adapter.__init__(self, cls(*args, **kwargs))

    name = f"{cls.__name__.removesuffix('V2')}V1"
    names = {"__init__": __init__, "__doc__": cls.__doc__, "__module__": __name__}
    return type(name, (DatasetV1Adapter,), names)


Dataset = DatasetV1
TextLineDataset = adapter_class(readers.TextLineDataset)
TFRecordDataset = adapter_class(readers.TFRecordDataset)
FixedLengthRecordDataset = adapter_class(readers.FixedLengthRecordDataset)


def _check_graph(dataset) -> None:
    """Raises ValueError unless a dataset, and those that it is made of, were built in the current graph."""
    current = _core.current_graph()
    pending = [dataset]
    while pending:
        one = pending.pop()
        variant = one._variant_tensor
        graph = variant.graph if isinstance(variant, _core.SymbolicTensor) else None
        if graph is not current:
            raise ValueError(
                f"The graph {current} of the iterator is different from the graph {graph} the dataset: {variant} was created "
                "in. Make sure that the dataset is created in the same graph as the iterator."
            )
        pending.extend(one._inputs())


def _check_values(dataset) -> None:
    """Raises ValueError if a dataset depends on what only a session knows."""
    pending, seen = [dataset._variant_tensor.op], set()
    while pending:
        op = pending.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type.startswith("Placeholder"):
            raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.")
        if op.op_def.is_stateful and op.outputs and op.outputs[0].dtype != "variant" and op.type != "DummyIterationCounter":
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.: A likely cause of this error is "
                "that the dataset for which you are calling `make_one_shot_iterator()` captures a stateful object, such as a "
                "`tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. Use `make_initializable_iterator()` "
                "instead."
            )
        pending.extend(tensor.op for tensor in op.inputs)


def make_one_shot_iterator(dataset):
    """An iterator over a dataset, which begins by itself, once.

    Args:
      dataset: Dataset, of the current graph.

    Returns:
      `tf.compat.v1.data.Iterator`; where ops run eagerly, a `tf.data.Iterator`.

    Raises:
      ValueError: the dataset is of another graph, or depends on placeholders or Variables.

    Example:
      >>> import tracefn as tf
      >>> iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
      >>> int(iterator.get_next())
      0
    """
    if executing_eagerly():
        return OwnedIterator(dataset)
    _check_graph(dataset)
    _check_values(dataset)
    get_seed(None)  # TensorFlow seeds the ops inside with it; ops after it have the seeds that they have there
    graph = SimpleNamespace(graph=_core.current_graph(), _made_variables=[])
    factory = prune(graph, [], dataset._variant_tensor, name="_make_dataset")
    resource = _op("OneShotIterator")(dataset_factory=factory, **dataset._flat_structure)
    return Iterator(
        resource, None, get_output_types(dataset), get_output_shapes(dataset), get_output_classes(dataset)
    )


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator over a dataset, which begins whenever its `initializer` is run.

    Args:
      dataset: Dataset, of the current graph.
      shared_name: accepted, without effect: sessions share no iterators.

    Returns:
      `tf.compat.v1.data.Iterator`.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: the dataset is of another graph.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     stop = tf.compat.v1.placeholder(tf.int64, [])
      ...     iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(stop))
      ...     step = iterator.get_next()
      ...     session.run(iterator.initializer, {stop: 2})
      ...     [int(session.run(step)) for _ in range(2)]
      [0, 1]
    """
    if executing_eagerly():
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
        )
    _check_graph(dataset)
    resource = _op("IteratorV2")(shared_name=shared_name or "", container="", **dataset._flat_structure)
    initializer = _op("MakeIterator")(dataset=dataset._variant_tensor, iterator=resource)
    return Iterator(
        resource, initializer, get_output_types(dataset), get_output_shapes(dataset), get_output_classes(dataset)
    )
