"""The kinds of queues in `tf.queue`, which differ in the order of their elements."""

from __future__ import annotations

from tracefn._export import export
from tracefn._queues.arguments import capacity_of, dtypes_of, int_of, names_of, shapes_of
from tracefn._queues.base import QueueBase
from tracefn._queues.states import PriorityState, QueueState, ShuffledState
from tracefn.dtypes import as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.random_seed import get_seed
from tracefn.tensor_shape import TensorShape


@export("queue.FIFOQueue", "compat.v1.FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue whose elements come in the order in which they were added.

    Args:
      capacity: int, the most elements; negative or None: any number.
      dtypes: dtype, or list of the dtypes of the components.
      shapes: list of their fully known shapes, or None.
      names: list of their names, with which elements are dicts; or None.
      shared_name: str, by which queues of one session are the same one; or None.
      name: name of the node.

    Raises:
      ValueError: there are not as many shapes or names as dtypes, or a shape is not fully known.
      TypeError: `capacity` is no number.

    Example:
      >>> import tracefn as tf
      >>> queue = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[]])
      >>> queue.enqueue_many([[1, 2, 3]])
      >>> queue.dequeue_many(2).numpy().tolist(), int(queue.size())
      ([1, 2], 1)
    """

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue") -> None:
        capacity, dtypes = capacity_of(capacity), dtypes_of(dtypes)
        found = shapes_of(shapes, dtypes, partial=False)
        super().__init__(dtypes, found, names_of(names, dtypes), None)
        self._build(
            name, shared_name, lambda own: QueueState("FIFOQueue", own, capacity, found or []), (capacity, dtypes, found)
        )


@export("queue.PaddingFIFOQueue", "compat.v1.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue whose components may differ in size: where several are removed, zeros fill them up.

    Args:
      capacity, dtypes, names, shared_name, name: as for `tf.queue.FIFOQueue`.
      shapes: list of the shapes of the components, whose ranks are known.

    Raises:
      ValueError: the shapes are not such a list.

    Example:
      >>> import tracefn as tf
      >>> queue = tf.queue.PaddingFIFOQueue(3, [tf.int32], [[None]])
      >>> queue.enqueue([[1, 2]]), queue.enqueue([[3]])
      (None, None)
      >>> queue.dequeue_many(2).numpy().tolist()
      [[1, 2], [3, 0]]
    """

    _pads = True

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue") -> None:
        capacity, dtypes = capacity_of(capacity), dtypes_of(dtypes)
        if not isinstance(shapes, (list, tuple)) or not shapes or any(shape is None for shape in shapes):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        found = shapes_of(shapes, dtypes, partial=True)
        super().__init__(dtypes, found, names_of(names, dtypes), None)
        self._build(
            name, shared_name, lambda own: QueueState("PaddingFIFOQueue", own, capacity, found or []), (capacity, dtypes, found)
        )


@export("queue.RandomShuffleQueue", "compat.v1.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue whose elements come in a random order.

    Args:
      capacity, dtypes, shapes, names, shared_name, name: as for `tf.queue.FIFOQueue`.
      min_after_dequeue: int, how many elements stay in the queue while it is open, to be mixed.
      seed: int, or None.

    Raises:
      ValueError: as for `tf.queue.FIFOQueue`.
      InvalidArgumentError: `min_after_dequeue` is negative, or there is no room for more elements.

    Example:
      >>> import tracefn as tf
      >>> queue = tf.queue.RandomShuffleQueue(10, 0, [tf.int32], shapes=[[]], seed=1)
      >>> queue.enqueue_many([[1, 2, 3]])
      >>> sorted(queue.dequeue_many(3).numpy().tolist())
      [1, 2, 3]
    """

    def __init__(
        self,
        capacity,
        min_after_dequeue,
        dtypes,
        shapes=None,
        names=None,
        seed=None,
        shared_name=None,
        name="random_shuffle_queue",
    ) -> None:
        capacity, dtypes = capacity_of(capacity), dtypes_of(dtypes)
        found = shapes_of(shapes, dtypes, partial=False)
        super().__init__(dtypes, found, names_of(names, dtypes), None)
        seeds = get_seed(seed)
        least = int_of(min_after_dequeue, "min_after_dequeue")
        if least < 0:
            raise InvalidArgumentError(None, None, f"min_after_dequeue {least} must be >= 0")
        if 0 <= capacity <= least:
            raise InvalidArgumentError(None, None, f"min_after_dequeue {least} must be < capacity {capacity}")
        self._build(
            name,
            shared_name,
            lambda own: ShuffledState("RandomShuffleQueue", own, capacity, found or [], least, seeds),
            (capacity, dtypes, found),
        )


@export("queue.PriorityQueue", "compat.v1.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue whose elements come in the order of a number, their first component.

    Args:
      capacity, shapes, names, shared_name, name: as for `tf.queue.FIFOQueue`.
      types: list of the dtypes of the components after the first one, which is int64.

    Raises:
      ValueError: as for `tf.queue.FIFOQueue`.

    Example:
      >>> import tracefn as tf
      >>> queue = tf.queue.PriorityQueue(10, [tf.string], [[]])
      >>> queue.enqueue_many([[2, 1], ["late", "soon"]])
      >>> priority, text = queue.dequeue()
      >>> int(priority), text.numpy()
      (1, b'soon')
    """

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue") -> None:
        capacity, types = capacity_of(capacity), dtypes_of(types)
        found = shapes_of(shapes, types, partial=False)
        dtypes = [as_dtype("int64"), *types]
        found = None if found is None else [TensorShape([]), *found]
        super().__init__(dtypes, found, names_of(names, dtypes), None)
        self._build(
            name, shared_name, lambda own: PriorityState("PriorityQueue", own, capacity, found or []), (capacity, dtypes, found)
        )
