"""Accumulators of `tf.compat.v1`: they add up gradients, and give their mean once there are enough of them."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn._default_session import running
from tracefn._export import export
from tracefn._queues.base import eager_list, host_operation
from tracefn._queues.failures import Invalid
from tracefn._queues.states import QueueState
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly
from tracefn.tensor_shape import TensorShape

_REDUCTIONS = ("MEAN", "SUM")
_DTYPES = (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 bfloat16 uint16 complex128 float16 uint32 uint64".split()
)


class State(QueueState):
    """What an accumulator holds in one session: the sum of gradients, and how many they are. Subclasses know what gradients are.

    Args:
      kind: str, the class as messages name it.
      name: str, its name in messages.
      shape: TensorShape of the gradients.
      reduction: "MEAN" or "SUM".
    """

    def __init__(self, kind: str, name: str, shape: TensorShape, reduction: str) -> None:
        super().__init__(kind, name, -1, [])
        self._shape = shape
        self._reduction = reduction
        self._sum: Any = None
        self._count = 0
        self._step = 0

    def size(self) -> int:
        """The number of gradients."""
        with self._changed:
            return self._count

    def add(self, gradient, step: int) -> None:
        """Adds a gradient, unless it is of an older step than the accumulator's.

        Raises:
          Invalid: its shape is another one.
        """
        with self._changed:
            if step < self._step:
                return
            self._check_gradient(gradient)
            self._sum = gradient if self._sum is None else self._plus(self._sum, gradient)
            self._count += 1
            self._changed.notify_all()

    def mean(self, required: int):
        """Waits for so many gradients, and returns their mean or sum; the accumulator is empty after it, one step later.

        Raises:
          Invalid: `required` is not positive.
          Cancelled: the session is closed.
          TooLate: the run's time is over.
        """
        if required < 1:
            raise Invalid(f"Argument num_required must be positive, but was {required}")
        with self._changed:
            turn = object()
            self._taking.append(turn)
            try:
                while self._taking[0] is not turn or self._count < required:
                    self._wait("TakeGrad", self._cancelled)
                found, count = self._sum, self._count
                self._sum, self._count = None, 0
                self._step += 1
            finally:
                self._taking.remove(turn)
                self._changed.notify_all()
        return found if self._reduction == "SUM" else self._divided(found, count)

    def _check_gradient(self, gradient) -> None:
        """
        Raises:
          Invalid: the shape of a gradient is not that of the others.
        """
        raise NotImplementedError

    def _plus(self, total, gradient):
        """The sum of two gradients."""
        raise NotImplementedError

    def _divided(self, total, count: int):
        """The mean of `count` gradients whose sum is `total`."""
        raise NotImplementedError

    def set_step(self, step: int) -> None:
        """Gradients of older steps are dropped from now on."""
        with self._changed:
            self._step = max(self._step, step)


class _Dense(State):
    """Gradients are tensors."""

    def _check_gradient(self, gradient) -> None:
        expected = self._shape if self._sum is None else self._sum.shape
        if not expected.is_compatible_with(gradient.shape):
            raise Invalid(f"Shape mismatch: expected {listed(expected)}, got {listed(gradient.shape)}")

    def _plus(self, total, gradient):
        return _core.raw_op("AddV2")(x=total, y=gradient)

    def _divided(self, total, count: int):
        return _core.raw_op("RealDiv")(x=total, y=_core.raw_op("Cast")(x=count, DstT=total.dtype))


def listed(shape) -> str:
    """A shape as messages name it."""
    return f"[{','.join('?' if size is None else str(size) for size in shape.as_list())}]"


@export("compat.v1.ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """What accumulators have in common. In a `tf.Graph`, each session has its own contents.

    Args:
      dtype: dtype of the gradients.
      shape: TensorShape of the gradients.
      accumulator_ref: tensor that stands for the accumulator.

    Raises:
      RuntimeError: ops run eagerly.
    """

    def __init__(self, dtype, shape, accumulator_ref) -> None:
        if executing_eagerly():
            raise RuntimeError("Accumulators are not supported when eager execution is enabled: use them in a tf.Graph.")
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.rpartition("/")[2]
        self._reduction = "MEAN"

    _kind: str
    _make: type[State]

    @property
    def accumulator_ref(self):
        """The tensor that stands for the accumulator."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self._name

    @property
    def dtype(self):
        """The dtype of the gradients."""
        return self._dtype

    def _state(self) -> State:
        key = f"accumulator {self._accumulator_ref.op.name}"
        return running()._host_state(key, lambda name: self._make(self._kind, name, self._shape, self._reduction))

    def _node(self, name: str, function, inputs: list, dtypes: list):
        """A node that calls a function of the state and of tensors.

        Args:
          name: str.
          function: from a State and eager tensors to the list of results.
          inputs: list of (name, value, dtype).
          dtypes: those of the results.

        Returns:
          The Operation.
        """
        def call(*tensors):
            with _core.TargetContext(None):
                return eager_list(function(self._state(), *tensors), dtypes)

        with _core.OpScope(name) as scope:
            inputs = [_core.convert_to_tensor(value, dtype=dtype, name=own) for own, value, dtype in inputs]
            return host_operation(call, inputs, dtypes, scope)

    def _run(self, name: str, function, inputs: list, dtypes: list, shape=()):
        operation = self._node(name, function, inputs, dtypes)
        for output in operation.outputs:
            output.set_shape(shape)
        return operation.outputs[0] if dtypes else operation

    def num_accumulated(self, name=None):
        """The number of gradients that are in it, a scalar int32 tensor."""
        return self._run(name or f"{self._name}_NumAccumulated", lambda state: [state.size()], [], ["int32"])

    def set_global_step(self, new_global_step, name=None):
        """An Operation that sets the accumulator's step, unless it is later already: older gradients are dropped.

        Args:
          new_global_step: int, or scalar int64 tensor.
          name: name of the node.
        """

        def run(state, step):
            state.set_step(int(step))
            return []

        return self._run(name or f"{self._name}_SetGlobalStep", run, [("new_global_step", new_global_step, "int64")], [])


@export("compat.v1.ConditionalAccumulator")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients: it gives their mean, or sum, once there are as many as are asked for.

    Args:
      dtype: dtype of the gradients.
      shape: TensorShape of the gradients; None: any.
      shared_name: accepted, without effect.
      name: str.
      reduction_type: "MEAN" or "SUM".

    Raises:
      RuntimeError: ops run eagerly.
      TypeError: `dtype` is no dtype of numbers.
      ValueError: there is no such reduction.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     mean = tf.compat.v1.ConditionalAccumulator(tf.float32, shape=[2])
      ...     for gradient in ([1.0, 2.0], [3.0, 4.0]):
      ...         session.run(mean.apply_grad(gradient))
      ...     session.run(mean.take_grad(2)).tolist()
      [2.0, 3.0]
    """

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN") -> None:
        del shared_name
        check_options("ResourceConditionalAccumulator", dtype, reduction_type)
        super().__init__(dtype, shape, reference(name))
        self._reduction = reduction_type

    _kind = "ConditionalAccumulator"
    _make = _Dense

    def apply_grad(self, grad, local_step=0, name=None):
        """An Operation that adds a gradient, unless it is of an older step than the accumulator's.

        Args:
          grad: tensor of the accumulator's dtype and shape.
          local_step: int, or scalar int64 tensor: the step in which it was computed.
          name: name of the node.

        Raises:
          ValueError: the dtype or shape is another one.
        """
        grad = _core.convert_to_tensor(grad, dtype=self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)

        def run(state, gradient, step):
            state.add(gradient, int(step))
            return []

        given = [("gradient", grad, self._dtype), ("local_step", local_step, "int64")]
        return self._run(name or "ResourceAccumulatorApplyGradient", run, given, [])

    def take_grad(self, num_required, name=None):
        """The mean, or sum, of the gradients; it waits until there are enough, and removes them all.

        Args:
          num_required: int, or scalar int32 tensor: how many there must be at least.
          name: name of the node.
        """
        given = [("num_required", num_required, "int32")]
        name = name or "ResourceAccumulatorTakeGradient"
        return self._run(name, lambda state, required: [state.mean(int(required))], given, [self._dtype], self._shape)


def check_options(op: str, dtype, reduction_type) -> None:
    """
    Raises:
      TypeError: `dtype` is no dtype of numbers.
      ValueError: there is no such reduction.
    """
    kind = as_dtype(dtype).name
    if kind not in _DTYPES:
        raise TypeError(f"Value passed to parameter 'dtype' has DataType {kind} not in list of allowed values: {', '.join(_DTYPES)}")
    if reduction_type not in _REDUCTIONS:
        raise ValueError(
            f"Attr 'reduction_type' of '{op}' Op passed string '{reduction_type}' not in: \"MEAN\", \"SUM\"."
        )


def reference(name: str):
    """A node that stands for an accumulator."""
    if executing_eagerly():
        raise RuntimeError("Accumulators are not supported when eager execution is enabled: use them in a tf.Graph.")
    return _core.convert_to_tensor("", name=name)
