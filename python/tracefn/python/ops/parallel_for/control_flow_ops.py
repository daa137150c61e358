"""`tensorflow.python.ops.parallel_for.control_flow_ops`: results of a function for all numbers below another, stacked."""

from __future__ import annotations

import inspect

from tracefn import _core, nest
from tracefn._vectorized.conversion import convert
from tracefn._vectorized.rules import NoRuleError
from tracefn._vectorized.tracing import check_fallback
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly
from tracefn.function import function
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops.functional import map_fn
from tracefn.ops.ranges import range as numbers
from tracefn.ops.reduction import reduce_mean, reduce_sum
from tracefn.ops.vectorized import vectorized_map
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

__all__ = ["for_loop", "pfor", "vectorized_map"]
PFOR_CONFIG_ARG = "pfor_config"


class PForConfig:
    """What a function with a parameter `pfor_config` gets: reductions of a value over all numbers.

    A result is the same for all numbers, so that it stands outside the function, which captures it.

    Args:
      count: int, or scalar int32 tensor: how many numbers there are.
      parallel_iterations: as in `pfor`.
    """

    def __init__(self, count, parallel_iterations) -> None:
        self._count = count
        self._parallel_iterations = parallel_iterations
        self._outer = _core.current_graph()
        self.values: dict = {}

    def reduce(self, fn, *args):
        """The result of a function of values for all numbers at once.

        Args:
          fn: callable that takes tensors with one more axis in front, the numbers, and returns a tensor.
          *args: tensors of the function that has this object.

        Returns:
          Tensor.

        Raises:
          NotImplementedError: the values for all numbers are not found without a loop.
          ValueError: `parallel_iterations` is given.
        """
        if self._parallel_iterations is not None:
            raise ValueError(
                "Setting `parallel_iterations` currently unsupported if reductions across iterations are performed."
            )
        graph = _core.current_graph()
        own = [_core.convert_to_tensor(arg) for arg in args]
        own = [arg if arg.graph is graph else graph.capture(arg) for arg in own]
        with _core.TargetContext(self._outer):
            try:
                stacked = convert(graph, graph.inputs[0], own, self._count, self.values)
            except NoRuleError as error:
                raise NotImplementedError(
                    f"pfor_config.reduce needs values that a {error.operation.type} node computes, which only runs row by row."
                ) from None
            return fn(*stacked)

    def reduce_concat(self, x):
        """The values of a tensor for all numbers, stacked."""
        return self.reduce(lambda rows: rows, x)

    def reduce_mean(self, x):
        """The mean of a tensor over all numbers."""
        return self.reduce(lambda rows: reduce_mean(rows, axis=0), x)

    def reduce_sum(self, x):
        """The sum of a tensor over all numbers."""
        return self.reduce(lambda rows: reduce_sum(rows, axis=0), x)


def pfor(loop_fn, iters, fallback_to_while_loop=True, parallel_iterations=None, warn=False):
    """The results of a function for the numbers 0, 1, …, `iters` - 1, stacked.

    It is traced, and runs for all numbers at once, as in `tf.vectorized_map`, or as a loop.

    Args:
      loop_fn: callable that takes a scalar int32 tensor and returns a nest of tensors, None and values made of tensors.
      iters: int or scalar int tensor.
      fallback_to_while_loop, warn: as in `tf.vectorized_map`.
      parallel_iterations: None or an int above 1, without effect.

    Returns:
      Nest like the function's result, with one row for each number.

    Raises:
      ValueError: `loop_fn` is not callable, or `parallel_iterations` is less; an op has no rule, and `fallback_to_while_loop` is
        False.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.parallel_for import control_flow_ops
      >>> control_flow_ops.pfor(lambda i: {"square": i * i}, 4)["square"].numpy().tolist()
      [0, 1, 4, 9]
    """

    def run():
        if not callable(loop_fn):
            raise ValueError("`loop_fn` object did not have a __call__ method")
        _check(parallel_iterations)
        return _run(loop_fn, iters, fallback_to_while_loop, parallel_iterations, warn)

    return function(run, autograph=False)() if executing_eagerly() else run()


def _check(parallel_iterations) -> None:
    if parallel_iterations is None:
        return
    if parallel_iterations < 1:
        raise ValueError(
            f"Argument `parallel_iterations` must be None or a positive integer. Received: {parallel_iterations}."
        )
    if parallel_iterations == 1:
        raise ValueError("Found `parallel_iterations == 1`. Use `for_loop` instead.")


def _run(loop_fn, iters, fallback_to_while_loop, parallel_iterations, warn):
    results: list = []
    known = _core.constant_value(_core.convert_to_tensor(iters))
    count = _core.convert_to_tensor(iters, dtype="int32") if known is None else int(known)
    config = PForConfig(count, parallel_iterations)
    extra = {PFOR_CONFIG_ARG: config} if PFOR_CONFIG_ARG in inspect.signature(loop_fn).parameters else {}

    def traced(i):
        with _core.NameScope("loop_body"):
            results.append(loop_fn(i, **extra))
            return [_value(leaf) for leaf in nest.flatten(results[-1]) if leaf is not None]

    # Traced once: a function may find other things the second time, as a tape that is not persistent does.
    once = function(traced, autograph=False).get_concrete_function(TensorSpec([], "int32"))
    wanted = nest.map_structure(_spec, once.structured_outputs)
    rows = iter(_rows(once, count, wanted, config.values, fallback_to_while_loop, warn) if wanted else ())
    return nest.map_structure(lambda leaf: None if leaf is None else next(rows), results[0])


def _rows(concrete, count, wanted, values, fallback_to_while_loop, warn) -> list:
    """The stacked results of a concrete function of a number."""
    none = isinstance(count, int) and count == 0
    if not none and all(isinstance(spec, TensorSpec) for spec in wanted):
        try:
            return convert(concrete.graph, concrete.graph.inputs[0], concrete.outputs, count, values)
        except NoRuleError as error:
            check_fallback(error, fallback_to_while_loop, warn)
    return map_fn(concrete, numbers(count), fn_output_signature=wanted)


def _value(leaf):
    return leaf if isinstance(leaf, CompositeTensor) and not isinstance(leaf, IndexedSlices) else _core.convert_to_tensor(leaf)


def _spec(leaf):
    if isinstance(leaf, CompositeTensor):
        return leaf._type_spec
    return leaf if isinstance(leaf, TypeSpec) else TensorSpec(leaf.shape, leaf.dtype)


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """The results of a function for the numbers below another, stacked, by a loop.

    Args:
      loop_fn: as in `pfor`.
      loop_fn_dtypes: dtype, or nest of dtypes like the result.
      iters: as in `pfor`.
      parallel_iterations: None, or an int above 0; without effect.

    Returns:
      As `pfor`.

    Raises:
      TypeError: `parallel_iterations` is less.
      ValueError: the function returns another number of values than there are dtypes.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.parallel_for import control_flow_ops
      >>> control_flow_ops.for_loop(lambda i: i * i, tf.int32, 3).numpy().tolist()
      [0, 1, 4]
    """
    if parallel_iterations is not None and parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    dtypes = nest.flatten(loop_fn_dtypes)

    def flat(i):
        found = nest.flatten(loop_fn(i))
        if len(found) != len(dtypes):
            raise ValueError(
                f"Number of expected outputs {len(dtypes)}, does not match the number of actual outputs {len(found)} from "
                f"loop_fn: {loop_fn} with output {found}."
            )
        return found

    once = function(lambda i: flat(i), autograph=False).get_concrete_function(TensorSpec([], "int32"))
    wanted = [TensorSpec(output.shape, dtype) for output, dtype in zip(once.outputs, dtypes, strict=True)]
    rows = map_fn(once, numbers(iters), fn_output_signature=wanted, parallel_iterations=parallel_iterations)
    return nest.pack_sequence_as(loop_fn_dtypes, rows)
