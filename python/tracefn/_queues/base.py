"""`tf.queue.QueueBase`: queues of tuples of tensors, of any kind."""

from __future__ import annotations

import itertools
from typing import Any

from tracefn import _core
from tracefn._default_session import running
from tracefn._export import export
from tracefn._messages import data_type_name
from tracefn._namespaces import root
from tracefn._queues.arguments import component, count_of, without_components
from tracefn._queues.failures import EagerCall, Failure, Invalid, as_eager_error
from tracefn._queues.states import QueueState
from tracefn.dimension import Dimension
from tracefn.framework import current_scope, executing_eagerly
from tracefn.tensor_shape import TensorShape

_numbers = itertools.count()


def host_operation(function, inputs: list, dtypes: list, name: str):
    """A node that calls `function(*tensors)`, which returns a list of eager tensors.

    Returns:
      The Operation.
    """
    graph = _core.current_graph()
    _core.emit_host_call("PyFunc", function, inputs, dtypes, name)
    return graph.last_operation


def eager_list(values, dtypes) -> list:
    """Values as eager tensors."""
    with _core.TargetContext(None):
        return [_core.convert_to_tensor(value, dtype=dtype) for value, dtype in zip(values, dtypes, strict=True)]


def _signature(dtypes) -> str:
    """The inputs of an op that adds an element, as messages of the runtime name them."""
    return ", ".join(["resource", *(data_type_name(dtype).removeprefix("DT_").lower() for dtype in dtypes)])


@export("queue.QueueBase", "compat.v1.QueueBase")
class QueueBase:
    """What the queues have in common. In a `tf.Graph`, each session has elements of its own.

    A queue is an object of this process: its nodes in a graph call Python functions.

    Args:
      dtypes: list of dtypes of the components.
      shapes: list of TensorShapes, or None.
      names: list of names of the components, or None.
      queue_ref: tensor that stands for the queue in its graph.
    """

    _pads = False

    def __init__(self, dtypes, shapes, names, queue_ref) -> None:
        self._dtypes = dtypes
        self._shapes = [TensorShape(None)] * len(dtypes) if shapes is None else [TensorShape(s) for s in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._own: QueueState | None = None
        self._key = self._name = ""

    def _build(self, name: str, shared_name, make, description: tuple) -> None:
        """Makes the queue: its elements eagerly, a node for it in a graph.

        Args:
          make: function from a name in messages to a QueueState.
          description: (capacity, dtypes, shapes); queues with one shared name must agree in it.
        """
        self._make, self._description = make, description
        if executing_eagerly():
            self._name = current_scope() or "Empty"  # as TensorFlow names it
            self._own = make(str(next(_numbers)))
            self._queue_ref = _core.convert_to_tensor(name if shared_name is None else shared_name)
            return
        self._queue_ref = root().constant(shared_name or "", name=name)
        self._name = self._queue_ref.op.name.rpartition("/")[2]
        self._key = shared_name or self._queue_ref.op.name
        self._is_shared = bool(shared_name)

    def _state(self) -> QueueState:
        session = running()
        if self._own is None and session is not None:
            found = session._host_state(f"queue {self._key}", self._named)
            if found.description != self._description:  # type: ignore[attr-defined]
                self._refuse(found)
            return found
        if self._own is None:  # of a function's graph
            self._own = self._named("_0_queue")
        return self._own

    def _named(self, name: str) -> QueueState:
        state = self._make(self._key if self._is_shared else name.replace("queue ", ""))
        state.description = self._description
        return state

    def _refuse(self, found) -> None:
        for what, theirs, ours in zip(("capacity", "component types", "component shapes"), found.description, self._description,
                                      strict=True):  # fmt: skip
            if theirs != ours:
                raise Invalid(f"Shared queue '{self._key}' has {what} {theirs} but requested {what} was {ours}")

    @staticmethod
    def from_list(index, queues):
        """A queue that calls the one with a number, which a tensor tells when it runs.

        Args:
          index: int32 scalar.
          queues: list of queues with the same dtypes and names.

        Raises:
          TypeError: they differ, or one is no queue.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        if not all(q.dtypes == queues[0].dtypes for q in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(q.names == queues[0].names for q in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        return _Chosen(index, queues)

    @property
    def queue_ref(self):
        """A tensor that stands for the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's node."""
        return self._name if executing_eagerly() else self._queue_ref.op.name

    @property
    def dtypes(self) -> list:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list:
        """The TensorShapes of the components."""
        return self._shapes

    @property
    def names(self) -> list | None:
        """The names of the components, or None."""
        return self._names

    # Operations.

    def _scope(self, name, suffix: str):
        """The scope of an operation, which has its name."""
        return _core.OpScope(name or f"{self._name}{suffix}")

    def _run(self, scope: str, function, inputs: list, dtypes: list, call: EagerCall):
        """Runs an operation now, or adds a node for it.

        Args:
          scope: str, the name of the node with a slash.
          function: from a QueueState and eager tensors to a list of eager tensors.
          call: what errors say about it eagerly.

        Returns:
          List of tensors; in a graph, the Operation if it has no results.
        """
        if executing_eagerly():
            try:
                return function(self._state(), *eager_list(inputs, [None] * len(inputs)))
            except Failure as failure:
                raise as_eager_error(failure, call) from None

        def run(*tensors):
            return function(self._state(), *tensors)

        operation = host_operation(run, list(inputs), dtypes, scope)
        return operation.outputs if dtypes else operation

    def _components(self, vals) -> list:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        else:
            vals = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        return [component(at, value, dtype) for at, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=False))]

    def _check_count(self, tensors) -> None:
        if len(tensors) != len(self._dtypes):
            have, expected = _signature(tensor.dtype for tensor in tensors), _signature(self._dtypes)
            raise Invalid(f"Signature mismatch, have: {have}-> expected: {expected}->")

    def enqueue(self, vals, name=None):
        """Adds an element; waits while the queue is full.

        Args:
          vals: tensor, list of the components, or dict from their names.
          name: name of the node.

        Returns:
          The Operation; None eagerly.

        Raises:
          ValueError: a shape does not fit, or the names do not.
          CancelledError: when it runs: the queue is closed.
        """

        def put(state, *tensors):
            self._check_count(tensors)
            state.put([tensors])
            return []

        with self._scope(name, "_enqueue") as scope:
            values = self._components(vals)
            if not values:
                raise without_components()
            for value, shape in zip(values, self._shapes, strict=False):
                value.shape.assert_is_compatible_with(shape)
            call = EagerCall("QueueEnqueueV2", f"_Tcomponents_{len(values)}")
            return self._run(scope, put, values, [], call) or None

    def enqueue_many(self, vals, name=None):
        """Adds the elements that the components have along dimension 0.

        Arguments, result and exceptions are those of `enqueue`.
        """

        def put(state, *tensors):
            self._check_count(tensors)
            sizes = [tensor.shape[0] for tensor in tensors]
            for at, size in enumerate(sizes):
                if size != sizes[0]:
                    raise Invalid(f"Shape mismatch in tuple component {at}. Expected [{sizes[0]}], got [{size}]")
            state.put(list(zip(*(_rows(tensor) for tensor in tensors), strict=True)))
            return []

        with self._scope(name, "_EnqueueMany") as scope:
            values = self._components(vals)
            if not values:
                raise IndexError("list index out of range")  # the number of elements is that of the first component
            count = Dimension(None)
            for value, shape in zip(values, self._shapes, strict=False):
                front = value.shape.with_rank_at_least(1)
                if front.rank is not None:
                    count = count.merge_with(front.dims[0])
                    front[1:].assert_is_compatible_with(shape)
            call = EagerCall("QueueEnqueueManyV2", f"_Tcomponents_{len(values)}")
            return self._run(scope, put, values, [], call) or None

    def _result(self, tensors: list, shapes: list):
        if not executing_eagerly():
            for tensor, shape in zip(tensors, shapes, strict=True):
                tensor.set_shape(shape)
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    def dequeue(self, name=None):
        """Removes an element; waits while the queue is empty.

        Returns:
          The tensor, a list of the components, or a dict from their names.

        Raises:
          OutOfRangeError: when it runs: the queue is closed and empty.
        """
        with self._scope(name, "_Dequeue") as scope:
            call = self._dequeuing("Dequeue", name)
            found = self._run(scope, lambda state: list(state.take(1)[0]), [], self._dtypes, call)
        return self._result(found, self._shapes)

    def dequeue_many(self, n, name=None):
        """Removes `n` elements; their components are stacked along a new dimension 0.

        Args:
          n: int32 scalar.
          name: name of the node.

        Raises:
          OutOfRangeError: when it runs: the queue is closed, and has fewer.
          InvalidArgumentError: when it runs: the shapes of the components are not declared.
        """
        return self._dequeue(n, name, "DequeueMany", at_most=False)

    def dequeue_up_to(self, n, name=None):
        """`dequeue_many`, except that fewer elements will do once the queue is closed; not for a PriorityQueue, as in TensorFlow."""
        return self._dequeue(n, name, "DequeueUpTo", at_most=True)

    def _dequeuing(self, what: str, name) -> EagerCall:
        return EagerCall(f"Queue{what}V2", f"_component_types_{len(self._dtypes)}", name or f"{self._name}_{what}")

    def _dequeue(self, n, name, what: str, at_most: bool):

        def take(state, count):
            return self._taken(state, count.numpy().item(), at_most)

        with self._scope(name, f"_{what}") as scope:
            call = self._dequeuing(what, name)
            count = count_of(n, call)
            size = None if at_most or executing_eagerly() else _core.constant_value(count)
            if size is not None and int(size) < 0:
                raise self._negative(int(size), scope.removesuffix("/"), call)
            found = self._run(scope, take, [count], self._dtypes, call)
        front = TensorShape([None if size is None else int(size)])
        return self._result(found, [front.concatenate(shape) for shape in self._shapes])

    def _negative(self, count: int, node: str, call: EagerCall) -> ValueError:
        kinds = ", ".join(map(data_type_name, self._dtypes))
        return ValueError(
            f"Input 'n' must be >= 0, but is {count} for '{{{{node {node}}}}} = {call.op}[component_types=[{kinds}], "
            f"timeout_ms=-1]({self.name}, {node}/n)' with input shapes: [], [] and with computed input tensors: input[1] = <{count}>."
        )

    def _taken(self, state, count: int, at_most: bool) -> list:
        if count < 0:
            raise Invalid(f"Dequeue{'UpTo' if at_most else 'Many'}Op requested {count} < 0 elements")
        known = [shape.rank is not None for shape in self._shapes]
        if not all(known):
            raise Invalid(f"{state.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.")
        elements = state.take(count, at_most)
        with _core.TargetContext(None):
            if not elements:
                return [
                    root().zeros([0, *(size or 0 for size in shape.as_list())], dtype)
                    for shape, dtype in zip(self._shapes, self._dtypes, strict=True)
                ]
            return [self._stacked(list(column)) for column in zip(*elements, strict=True)]

    def _stacked(self, column: list):
        return root().stack(_padded(column) if self._pads else column)

    def close(self, cancel_pending_enqueues=False, name=None):
        """Refuses further elements. Those in the queue can still be removed.

        Args:
          cancel_pending_enqueues: whether those that wait for room are refused, too.
          name: name of the node.

        Raises:
          CancelledError: when it runs: the queue is closed already.
        """

        def close(state):
            state.close(cancel_pending_enqueues)
            return []

        with self._scope(name, "_Close") as scope:
            return self._run(scope, close, [], [], EagerCall("QueueCloseV2", name=name or f"{self._name}_Close")) or None

    def is_closed(self, name=None):
        """A bool scalar: whether the queue is closed."""
        return self._scalar(name, "_Is_Closed", lambda state: state.is_closed(), "bool")

    def size(self, name=None):
        """An int32 scalar: the number of elements."""
        return self._scalar(name, "_Size", lambda state: state.size(), "int32")

    def _scalar(self, name, suffix: str, function, dtype: str):
        with self._scope(name, suffix) as scope:
            call = EagerCall(f"Queue{suffix.replace('_', '')}V2", name=name or f"{self._name}{suffix}")
            (tensor,) = self._run(scope, lambda state: eager_list([function(state)], [dtype]), [], [dtype], call)
        if not executing_eagerly():
            tensor.set_shape([])
        return tensor


def _rows(tensor) -> list:
    with _core.TargetContext(None):
        return root().unstack(tensor)


def _padded(column: list) -> list:
    """Tensors of one rank, made equally large by zeros or empty strings at the ends."""
    sizes = [max(sizes) for sizes in zip(*(tensor.shape.as_list() for tensor in column), strict=True)]
    empty: Any = "" if column[0].dtype == "string" else False if column[0].dtype == "bool" else 0
    return [
        root().pad(
            tensor,
            [[0, size - own] for size, own in zip(sizes, tensor.shape.as_list(), strict=True)],
            constant_values=root().constant(empty, tensor.dtype),
        )
        if tensor.shape.as_list() != sizes
        else tensor
        for tensor in column
    ]


class _Chosen(QueueBase):
    """The queue of a list that a number tells."""

    def __init__(self, index, queues: list) -> None:
        shapes = [
            queues[0].shapes[at] if all(q.shapes[at] == queues[0].shapes[at] for q in queues) else TensorShape(None)
            for at in range(len(queues[0].dtypes))
        ]
        super().__init__(queues[0].dtypes, shapes, queues[0].names, queues[0].queue_ref)
        self._index = _core.convert_to_tensor(index, dtype="int32", name="index")
        self._queues = queues
        self._name = queues[0]._name
        self._pads = queues[0]._pads

    def _run(self, scope: str, function, inputs: list, dtypes: list, call: EagerCall):
        def chosen(_, index, *tensors):
            if not 0 <= int(index) < len(self._queues):
                raise Invalid(f"The index {int(index)} is not in [0, {len(self._queues)})")
            return function(self._queues[int(index)]._state(), *tensors)

        return super()._run(scope, chosen, [self._index, *inputs], dtypes, call)

    def _state(self) -> Any:
        return None
