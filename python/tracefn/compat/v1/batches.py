"""Batches of `tf.compat.v1.train`: queues of single elements, from which batches are taken."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn import _core
from tracefn._export import export
from tracefn._queues.kinds import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.producers import QUEUES_NEED_GRAPHS, add_runner, summarize_fullness, summarize_fullness_beyond
from tracefn.framework import executing_eagerly, name_scope
from tracefn.ops.sparse.tensor import SparseTensor
from tracefn.tensor_shape import TensorShape


class _Elements:
    """What goes into a queue: lists of tensors, one for each thread.

    Args:
      tensors_list: list of tensors, lists or dicts of tensors, which are alike.
      enqueue_many: whether each holds many elements.
      shapes: list of shapes, or None.
      partial: whether sizes may be unknown.

    Raises:
      ValueError: there are no tensors, they differ, or a shape is not known.
      TypeError: their dtypes differ.
    """

    def __init__(self, tensors_list, enqueue_many: bool, shapes, partial: bool) -> None:
        if not tensors_list:
            raise ValueError("Expected at least one set of tensors")
        self._first = tensors_list[0]
        self.enqueue_many = enqueue_many
        values = [self._values(tensors) for tensors in tensors_list]
        self._specs = [_sparse_spec(value, enqueue_many) for value in values[0]]
        for other in values[1:]:
            if [_sparse_spec(value, enqueue_many) for value in other] != self._specs:
                raise ValueError(f"Inconsistent SparseTensors list: {values[0]} vs. {other}")
        self.lists = [[self._stored(value) for value in one] for one in values]
        if not self.lists[0]:
            raise ValueError("Expected at least one tensor in batch().")
        self.dtypes = [tensor.dtype for tensor in self.lists[0]]
        for other in self.lists[1:]:
            for dtype, tensor in zip(self.dtypes, other, strict=True):
                if tensor.dtype != dtype:
                    raise TypeError(f"Expected types to be consistent: {dtype.name} vs. {tensor.dtype.name}.")
        self.shapes = [TensorShape(shape) for shape in shapes] if shapes is not None else self._common_shapes()
        unknown = [s for s in self.shapes if s.rank is None or not (partial or s.is_fully_defined())]
        if unknown:
            raise ValueError(f"All shapes must be fully defined: {self.shapes}")

    def _values(self, tensors) -> list:
        values = [tensors[name] for name in sorted(tensors)] if isinstance(tensors, dict) else tensors
        return list(values) if isinstance(values, (list, tuple)) else [values]

    def _stored(self, value):
        """A component as the queue holds it: a SparseTensor as the texts of its parts."""
        if not isinstance(value, SparseTensor):
            return _core.convert_to_tensor(value)
        return today("compat.v1.serialize_many_sparse" if self.enqueue_many else "compat.v1.serialize_sparse")(value)

    def _restored(self, tensor, spec):
        return tensor if spec is None else today("io.deserialize_many_sparse")(tensor, spec.dtype, spec.rank)

    def _common_shapes(self) -> list:
        columns = zip(*self.lists, strict=True)
        return [self._common([self._shape(tensor) for tensor in column]) for column in columns]

    def _shape(self, tensor) -> TensorShape:
        if tensor.shape.rank is None:
            raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        return tensor.shape.with_rank_at_least(1)[1:] if self.enqueue_many else tensor.shape

    def _common(self, shapes: list) -> TensorShape:
        found = shapes[0]
        for shape in shapes[1:]:
            found = found.most_specific_compatible_shape(shape)
        return found

    def original(self, tensors):
        """The result of a dequeue: a dict if one was given, and a tensor if there is one component."""
        taken = tensors if isinstance(tensors, list) else [tensors]
        found = [self._restored(tensor, spec) for tensor, spec in zip(taken, self._specs, strict=True)]
        if isinstance(self._first, dict):
            return dict(zip(sorted(self._first), found, strict=True))
        return found if isinstance(tensors, list) else found[0]


class _SparseSpec(NamedTuple):
    """What is known of a component that is a SparseTensor: the dtype, and the rank of a batch."""

    dtype: Any
    rank: int | None


def _sparse_spec(value, enqueue_many: bool) -> _SparseSpec | None:
    if not isinstance(value, SparseTensor):
        return None
    rank = value.shape.rank
    return _SparseSpec(value.dtype, rank if rank is None or enqueue_many else rank + 1)


def _kept(tensors: list, keep_input, enqueue_many: bool, put):
    """An Operation that puts tensors into a queue where `keep_input` says so."""
    if keep_input is True:
        return put(tensors)
    keep_input = _core.convert_to_tensor(keep_input, dtype="bool", name="keep_input")
    if keep_input.shape.rank is None or keep_input.shape.rank > 1 or (keep_input.shape.rank == 1 and not enqueue_many):
        raise ValueError("keep_input must be a scalar bool, or with enqueue_many a bool vector.")
    if keep_input.shape.rank == 1:
        rows = today("where")(keep_input)[:, 0]
        return put([today("gather")(tensor, rows) for tensor in tensors])

    def kept():
        with _core.ControlContext(_core.current_graph(), [put(tensors)]):
            return today("constant")(True)

    return today("cond")(keep_input, kept, lambda: today("constant")(False)).op


def _batched(
    scope: str, name, tensors_list, keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, smaller, make, partial=False,
    least=None,
):  # fmt: skip
    if executing_eagerly():
        raise ValueError(QUEUES_NEED_GRAPHS)
    with name_scope(name or scope) as full:
        elements = _Elements(tensors_list, enqueue_many, shapes, partial)
        queue: Any = make(elements)
        put = queue.enqueue_many if enqueue_many else queue.enqueue
        operations = [_kept(tensors, keep_input, enqueue_many, put) for tensors in elements.lists]
        add_runner(queue, operations * num_threads)
        if least is None:
            summarize_fullness(queue, capacity, f"fraction_of_{capacity}_full")
        else:
            summarize_fullness_beyond(queue, capacity, least)
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        return elements.original(take(batch_size, name=full))


def _in_order(
    tensors_list, keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, smaller, shared_name, name, scope
):
    kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue

    def make(elements: _Elements):
        return kind(capacity, elements.dtypes, elements.shapes, shared_name=shared_name)

    return _batched(
        scope, name, tensors_list, keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, smaller, make, dynamic_pad
    )


def _shuffled(
    tensors_list, keep_input, batch_size, num_threads, capacity, least, seed, enqueue_many, shapes, smaller, shared_name, name, scope
):
    def make(elements: _Elements):
        if capacity <= least:
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")
        return RandomShuffleQueue(capacity, least, elements.dtypes, elements.shapes, seed=seed, shared_name=shared_name)

    return _batched(
        scope, name, tensors_list, keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, smaller, make, least=least
    )


@export("compat.v1.train.batch")
def batch(
    tensors,
    batch_size,
    num_threads=1,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """Batches of elements; a QueueRunner of the graph fills the queue.

    Args:
      tensors: tensor, list or dict of tensors: an element.
      batch_size: int, or int32 scalar.
      num_threads: int, how many threads compute elements.
      capacity: int, the most elements in the queue.
      enqueue_many: whether the tensors hold many elements, along dimension 0.
      shapes: list of the shapes of an element's components, or None: as the tensors say.
      dynamic_pad: whether components of different sizes are filled up with zeros.
      allow_smaller_final_batch: whether the last batch may be smaller; otherwise the rest is left.
      shared_name, name: as for `tf.queue.FIFOQueue`.

    Returns:
      A list or dict of tensors, as `tensors`; a tensor, if it has one in a list or is one.

    Raises:
      ValueError: ops run eagerly, or a shape is not known.
      OutOfRangeError: when it runs: there are no more elements.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     number = v1.train.range_input_producer(3, shuffle=False).dequeue()
      ...     batch = v1.train.batch([number, number * 10], batch_size=2)
      ...     with v1.train.MonitoredSession() as session:
      ...         print(session.run(batch)[1])
      [ 0 10]
    """
    return _in_order(
        [tensors], True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name, "batch",
    )  # fmt: skip


@export("compat.v1.train.maybe_batch")
def maybe_batch(
    tensors,
    keep_input,
    batch_size,
    num_threads=1,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`batch` of the elements for which the bool tensor `keep_input` is true; with `enqueue_many` it may be a vector."""
    return _in_order(
        [tensors], keep_input, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name, "batch",
    )  # fmt: skip


@export("compat.v1.train.batch_join")
def batch_join(
    tensors_list,
    batch_size,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`batch` of the elements of several inputs: a list of what `batch` takes, each of which a thread computes."""
    return _in_order(
        tensors_list, True, batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name,
        name, "batch_join",
    )  # fmt: skip


@export("compat.v1.train.maybe_batch_join")
def maybe_batch_join(
    tensors_list,
    keep_input,
    batch_size,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`batch_join` of the elements for which the bool tensor `keep_input` is true."""
    return _in_order(
        tensors_list, keep_input, batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name, "batch_join",
    )  # fmt: skip


@export("compat.v1.train.shuffle_batch")
def shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    num_threads=1,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`batch` from a RandomShuffleQueue.

    Args:
      tensors, batch_size, capacity, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name: as for
        `batch`.
      min_after_dequeue: int, how many elements stay in the queue while there are more, to be mixed.
      seed: int, or None.
    """
    return _shuffled(
        [tensors], True, batch_size, num_threads, capacity, min_after_dequeue, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name, "shuffle_batch",
    )  # fmt: skip


@export("compat.v1.train.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    num_threads=1,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`shuffle_batch` of the elements for which the bool tensor `keep_input` is true."""
    return _shuffled(
        [tensors], keep_input, batch_size, num_threads, capacity, min_after_dequeue, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name, "shuffle_batch",
    )  # fmt: skip


@export("compat.v1.train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`shuffle_batch` of the elements of several inputs, each of which a thread computes."""
    return _shuffled(
        tensors_list, True, batch_size, 1, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch,
        shared_name, name, "shuffle_batch_join",
    )  # fmt: skip


@export("compat.v1.train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
):
    """`shuffle_batch_join` of the elements for which the bool tensor `keep_input` is true."""
    return _shuffled(
        tensors_list, keep_input, batch_size, 1, capacity, min_after_dequeue, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name, "shuffle_batch_join",
    )  # fmt: skip
