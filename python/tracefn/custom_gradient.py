"""`tf.custom_gradient` and `tf.recompute_grad`: functions with their own gradient."""

from __future__ import annotations

import functools
import itertools

from tracefn import _core, nest
from tracefn._decorators import TFDecorator, make_decorator
from tracefn._gradient.values import components, pack_gradients, refuse
from tracefn._known_variables import variable_of_handle
from tracefn.composite import CompositeTensor
from tracefn.framework import default_graph, executing_eagerly
from tracefn.gradient_tape import GradientTape, UnconnectedGradients
from tracefn.indexed_slices import IndexedSlices

_numbers = itertools.count(1)
_identity_n = _core.raw_op("IdentityN")
_identity = _core.raw_op("Identity")


def _takes_variables(grad_fn) -> bool:
    import inspect  # start-up time: few programs have gradients of their own

    spec = inspect.getfullargspec(grad_fn)
    return "variables" in spec.args or "variables" in spec.kwonlyargs or spec.varkw is not None


def _run_watched(f, args, kwargs) -> tuple:
    """(f's result, the trainable Variables that it read)."""
    watcher = _core.Tape(True)
    with watcher:
        result = f(*args, **kwargs)
    found = [variable_of_handle(handle) for handle in watcher.variables]
    return result, [v for v in found if v is not None]


def _differentiated(structure) -> list:
    """The tensors and Variables that are differentiated of the leaves of a nest, of a RaggedTensor its values.

    Raises:
      ValueError: a leaf is a composite value without gradients.
    """
    found = components(nest.flatten(structure))
    for x in found:
        if isinstance(x, CompositeTensor) and not hasattr(x, "handle") and not isinstance(x, IndexedSlices):
            refuse(x)
    return found


class _Call:
    """One call of a decorated function: its results, inputs and gradient function."""

    def __init__(self, f, args, kwargs) -> None:
        outcome, variables = _run_watched(f, args, kwargs)
        if not isinstance(outcome, (tuple, list)) or len(outcome) != 2 or not callable(outcome[1]):
            name = getattr(f, "__name__", repr(f))
            raise TypeError(
                f"{name}, decorated with tf.custom_gradient, must return its result and the function of its gradient, as "
                f"`return y, grad`; it returned {outcome!r}."
            )
        self.result, self.grad_fn = outcome
        given = _differentiated((args, kwargs))
        read = (v for v in variables if all(v is not x for x in given))
        self.variables = sorted(read, key=lambda v: v.name)
        if self.variables and not _takes_variables(self.grad_fn):
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{self.variables}"
            )
        self.results = [_core.convert_to_tensor(x) for x in _differentiated(self.result)]
        self.arguments = [x for x in _differentiated(args) if x is not None]

    def input_gradients(self, dys) -> list:
        """The gradients with respect to arguments and Variables.

        Raises:
          ValueError: the gradient function returns too few or too many.
        """
        dys = pack_gradients(nest.flatten(self.result), dys)
        if self.variables:
            inputs, of_variables = self.grad_fn(*dys, variables=list(self.variables))
            if len(of_variables) != len(self.variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            inputs, of_variables = self.grad_fn(*dys), []
        flat = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        flat = _differentiated(flat)
        if len(flat) != len(self.arguments):
            raise ValueError(
                f"custom_gradient function expected to return {len(self.arguments)} gradients, but returned {len(flat)} "
                "instead."
            )
        return flat + list(of_variables)

    def pack(self, tensors):
        """The structure of the result with these tensors."""
        return pack_gradients(self.result, tensors)


def _tensor_inputs(call: _Call) -> list:
    """The tensors that stand for the arguments and Variables on a tape."""
    values = [getattr(x, "handle", x) for x in [*call.arguments, *call.variables]]
    return [_core.convert_to_tensor(x) for x in values]


def _eager_call(f, args, kwargs):
    call = _Call(f, args, kwargs)
    # Backprop must not enter the body: the gradient function replaces it.
    outputs = [_core.detached(x) for x in call.results]
    _core.record_gradient(_tensor_inputs(call), call.results, outputs, lambda *dys: call.input_gradients(dys))
    return call.pack(outputs)


def _traced_argument(x):
    """A tensor of the graph that is being traced, so that all that the gradient function takes of it is in one graph."""
    if x is None:
        return x
    if isinstance(x, CompositeTensor) and not hasattr(x, "handle"):
        return nest.map_structure(_traced_argument, x, expand_composites=True)
    x = _core.convert_to_tensor(x)
    is_outside = isinstance(x, _core.SymbolicTensor) and x.graph is not default_graph()
    return _identity(input=x) if is_outside else x


def _traced_call(f, args, kwargs):
    if kwargs:
        raise ValueError(
            "The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled."
        )
    args = nest.map_structure(_traced_argument, list(args))
    call = _Call(f, args, {})
    count = len(call.results)
    if not call.results:
        return call.result
    # The values of Variables, not their handles: as other loaders of saved models expect.
    inputs = [*call.results, *(_core.convert_to_tensor(x) for x in [*call.arguments, *call.variables])]
    with _core.PausedTapes():
        outputs = _identity_n(input=inputs)
    name = f"CustomGradient-{next(_numbers)}"
    _core.set_node_gradient(outputs[0], lambda *dys: [None] * count + call.input_gradients(dys), count, name)
    _core.record_node(inputs, outputs, count)
    return call.pack(outputs[:count])


def custom_gradient(f=None):
    """A decorator for a function that returns its result and its gradient function.

    Args:
      f: callable that takes tensors and returns `(y, grad_fn)`. `grad_fn(*dy)` takes the gradients of the results and
        returns those of the arguments; they are ragged for RaggedTensors. If `f` reads trainable Variables, `grad_fn(*dy, variables)` returns a pair whose
        second part is the list of the gradients of the Variables.

    Returns:
      A function that returns `y`.

    Raises:
      TypeError: `f` reads Variables but `grad_fn` has no parameter `variables`.
      ValueError: keyword arguments in a traced function; an argument or result that is composite and has no gradients; or,
        when differentiated, too few or too many gradients.

    Example:
      >>> import tracefn as tf
      >>> @tf.custom_gradient
      ... def twice(x):
      ...     return 2.0 * x, lambda dy: 10.0 * dy
      >>> x = tf.constant(1.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = twice(x)
      >>> float(tape.gradient(y, x))
      10.0
    """
    if f is None:
        return custom_gradient

    return _WithGradient(f)


class _WithGradient:
    """A function with its own gradient. As a method, it is that of the bound function: the instance is no argument."""

    def __init__(self, f) -> None:
        functools.update_wrapper(self, f)
        self._f = self.__original_wrapped__ = f
        self._tf_decorator = TFDecorator("custom_gradient", f)

    def __call__(self, *args, **kwargs):
        return (_eager_call if executing_eagerly() else _traced_call)(self._f, args, kwargs)

    @functools.cached_property
    def __signature__(self):
        import inspect  # start-up time: few programs ask for signatures

        return inspect.signature(self._f)

    def __get__(self, instance, owner=None):
        return self if instance is None else _WithGradient(self._f.__get__(instance, owner))


def recompute_grad(f):
    """A function that recomputes its intermediate values for the gradient instead of keeping them.

    Args:
      f: callable that takes and returns tensors; it may read Variables.

    Returns:
      A function with the same result.

    Example:
      >>> import tracefn as tf
      >>> square = tf.recompute_grad(lambda x: x * x)
      >>> x = tf.constant(3.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = square(x)
      >>> float(tape.gradient(y, x))
      6.0
    """

    def inner(*args, **kwargs):
        with _core.PausedTapes():
            result, read = _run_watched(f, args, kwargs)
        for variable in read:
            _core.variable_accessed(variable.handle)

        def gradient(*dys, variables=None):
            again = nest.map_structure(
                lambda x: x if hasattr(x, "handle") else _identity(input=_core.convert_to_tensor(x)), list(args)
            )
            variables = list(variables or ())
            with GradientTape() as tape:
                tape.watch(again)
                tape.watch(variables)
                recomputed = f(*again, **kwargs)
            found = tape.gradient(
                recomputed, [*again, *variables], list(dys), unconnected_gradients=UnconnectedGradients.ZERO
            )
            inputs = nest.flatten(found[: len(again)])
            return (inputs, found[len(again) :]) if variables else inputs

        return result, gradient

    return make_decorator(f, _WithGradient(inner))


def grad_pass_through(f):
    """A function with the values of `f` and the gradient of the identity.

    Args:
      f: callable that takes and returns tensors of the same shapes; it may read Variables, which get no gradient.

    Returns:
      A function with the same result.

    Example:
      >>> import tracefn as tf
      >>> x = tf.constant(1.6)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = tf.grad_pass_through(tf.round)(x) * 3.0
      >>> float(y), float(tape.gradient(y, x))
      (6.0, 3.0)
    """

    def inner(*args, **kwargs):
        def gradient(*dys, variables=None):
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return make_decorator(f, _WithGradient(inner))
