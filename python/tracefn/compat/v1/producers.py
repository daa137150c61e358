"""Queues of `tf.compat.v1.train` that hold the rows of a tensor: file names, numbers, slices."""

from __future__ import annotations

from tracefn import _core
from tracefn._deprecated import say
from tracefn._export import export
from tracefn._queues.kinds import FIFOQueue
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.graphs import GraphKeys
from tracefn.compat.v1.queue_runners import QueueRunner
from tracefn.compat.v1.training import add_queue_runner
from tracefn.compat.v1.variables import VariableV1
from tracefn.framework import control_dependencies, executing_eagerly, name_scope
from tracefn.tensor_shape import TensorShape

QUEUES_NEED_GRAPHS = (
    "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to ingest data into "
    "your model instead."
)


def _refuse_eager() -> None:
    """Queues are filled by threads of sessions.

    Raises:
      RuntimeError: ops run eagerly.
    """
    if executing_eagerly():
        raise RuntimeError(QUEUES_NEED_GRAPHS)


def add_runner(queue, operations: list, cancel_op=None) -> None:
    """Adds a thread for each operation that fills a queue to those of the graph."""
    say("compat.v1.train.QueueRunner", "__init__")
    say("compat.v1.train.add_queue_runner")
    add_queue_runner(QueueRunner(queue, operations, cancel_op=cancel_op))


def summarize_fullness(queue, capacity, name: str) -> None:
    """Adds a summary of the part of a queue that is filled."""
    full = today("cast")(queue.size(), "float32") * (1.0 / capacity)
    today("compat.v1.summary.scalar")(name, full)


def summarize_fullness_beyond(queue, capacity, least) -> None:
    """Adds a summary of the part of a queue that is filled beyond the elements that stay in it, to be mixed."""
    size = today("cast")(today("maximum")(0, queue.size() - least), "float32")
    name = f"fraction_over_{least}_of_{capacity - least}_full"
    today("compat.v1.summary.scalar")(name, size * (1.0 / (capacity - least)))


@export("compat.v1.train.limit_epochs")
def limit_epochs(tensor, num_epochs=None, name=None):
    """A tensor that can be computed so many times in a session; a local Variable counts.

    Args:
      tensor: tensor.
      num_epochs: int, or None: there is no limit.
      name: name of the ops.

    Raises:
      ValueError: `num_epochs` is not positive.
      OutOfRangeError: when it runs: the limit is reached.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.compat.v1.train.limit_epochs(tf.constant(5), 1)
      ...     with tf.compat.v1.Session() as session:
      ...         session.run(tf.compat.v1.local_variables_initializer())
      ...         print(session.run(x))
      5
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with _core.OpScope(name or "limit_epochs") as scope:
        zero = today("constant")(0, "int64")
        epochs = VariableV1(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        counter = today("compat.v1.count_up_to")(epochs, num_epochs)
        with control_dependencies([counter]):
            return today("identity")(tensor, name=scope)


@export("compat.v1.train.input_producer")
def input_producer(
    input_tensor,
    element_shape=None,
    num_epochs=None,
    shuffle=True,
    seed=None,
    capacity=32,
    shared_name=None,
    summary_name=None,
    name=None,
    cancel_op=None,
):
    """A queue of the rows of a tensor, over and over; a QueueRunner of the graph fills it.

    Args:
      input_tensor: tensor of rank at least 1.
      element_shape: shape of a row, or None: as the tensor says.
      num_epochs: int, how many times the rows come; None: without end.
      shuffle: whether the rows are shuffled each time.
      seed: int, or None.
      capacity: int, the most elements in the queue.
      shared_name, name: as for `tf.queue.FIFOQueue`.
      summary_name: str, a summary of how full the queue is, or None.
      cancel_op: as for QueueRunner.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: the shape of a row is not fully known.
    """
    _refuse_eager()
    with name_scope(name or "input_producer"):
        input_tensor = _core.convert_to_tensor(input_tensor, name="input_tensor")
        shape = input_tensor.shape if input_tensor.shape.rank is None else input_tensor.shape[1:]
        shape = shape.merge_with(TensorShape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError("Either `input_tensor` must have a fully defined shape or `element_shape` must be specified")
        if shuffle:
            input_tensor = today("random.shuffle")(input_tensor, seed=seed)
        say("compat.v1.train.limit_epochs")
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(
            capacity, [input_tensor.dtype], shapes=[shape], shared_name=shared_name, name=name or "input_producer"
        )
        add_runner(queue, [queue.enqueue_many([input_tensor])], cancel_op)
        if summary_name is not None:
            summarize_fullness(queue, capacity, summary_name)
        return queue


@export("compat.v1.train.string_input_producer")
def string_input_producer(
    string_tensor,
    num_epochs=None,
    shuffle=True,
    seed=None,
    capacity=32,
    shared_name=None,
    name=None,
    cancel_op=None,
):
    """`input_producer` of strings, such as names of files.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: the list is empty.
      InvalidArgumentError: when it runs: the tensor is empty.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     names = v1.train.string_input_producer(["a", "b"], shuffle=False).dequeue()
      ...     with v1.train.MonitoredSession() as session:
      ...         print(session.run(names), session.run(names), session.run(names))
      b'a' b'b' b'a'
    """
    text = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, _core.Tensor) and not len(string_tensor):
        raise ValueError(text)
    _refuse_eager()
    with name_scope(name or "input_producer") as scope:
        string_tensor = _core.convert_to_tensor(string_tensor, dtype="string")
        with control_dependencies([today("debugging.Assert")(today("size")(string_tensor) > 0, [text])]):
            string_tensor = today("identity")(string_tensor)
        say("compat.v1.train.input_producer")
        return input_producer(
            input_tensor=string_tensor,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


@export("compat.v1.train.range_input_producer")
def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """`input_producer` of the numbers 0, …, `limit` - 1; `limit` is an int32 scalar."""
    _refuse_eager()
    with name_scope(name or "input_producer") as scope:
        say("compat.v1.train.input_producer")
        return input_producer(
            today("range")(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


@export("compat.v1.train.slice_input_producer")
def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """The rows of several tensors at one random place; a QueueRunner of the graph fills the queue of places.

    Args:
      tensor_list: list of tensors with the same size of dimension 0.
      num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.

    Returns:
      List of tensors, one row of each.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: the list is empty.
    """
    _refuse_eager()
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name or "input_producer"):
        tensors = [_core.convert_to_tensor(tensor) for tensor in tensor_list]
        count = today("shape")(tensors[0])[0]
        say("compat.v1.train.range_input_producer")
        queue = range_input_producer(count, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [today("gather")(tensor, index) for tensor in tensors]
