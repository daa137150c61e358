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
from tracefn.ops.vectorized import vectorized_map
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

__all__ = ["for_loop", "pfor", "vectorized_map"]
PFOR_CONFIG_ARG = "pfor_config"


class PForConfig:
    """What a function with a parameter `pfor_config` gets: reductions over all numbers, which are not supported."""

    def reduce(self, fn, *args):
        """Not supported.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("pfor_config.reduce is not supported.")

    reduce_concat = reduce_mean = reduce_sum = reduce


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
        return _run(_with_config(loop_fn), iters, fallback_to_while_loop, warn)

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


def _with_config(loop_fn):
    names = inspect.signature(loop_fn).parameters
    return (lambda i: loop_fn(i, pfor_config=PForConfig())) if PFOR_CONFIG_ARG in names else loop_fn


def _run(loop_fn, iters, fallback_to_while_loop, warn):
    results: list = []

    def traced(i):
        with _core.NameScope("loop_body"):
            results.append(loop_fn(i))
            return [_value(leaf) for leaf in nest.flatten(results[-1]) if leaf is not None]

    # Traced once: a function may find other things the second time, as a tape that is not persistent does.
    once = function(traced, autograph=False).get_concrete_function(TensorSpec([], "int32"))
    wanted = nest.map_structure(_spec, once.structured_outputs)
    rows = iter(_rows(once, iters, wanted, fallback_to_while_loop, warn) if wanted else ())
    return nest.map_structure(lambda leaf: None if leaf is None else next(rows), results[0])


def _rows(concrete, iters, wanted, fallback_to_while_loop, warn) -> list:
    """The stacked results of a concrete function of a number."""
    known = _core.constant_value(_core.convert_to_tensor(iters))
    count = _core.convert_to_tensor(iters, dtype="int32") if known is None else int(known)
    none = isinstance(count, int) and count == 0
    if not none and all(isinstance(spec, TensorSpec) for spec in wanted):
        try:
            return convert(concrete.graph, concrete.graph.inputs[0], concrete.outputs, count)
        except NoRuleError as error:
            check_fallback(error, fallback_to_while_loop, warn)
    return map_fn(concrete, numbers(iters), fn_output_signature=wanted)


def _value(leaf):
    return leaf if isinstance(leaf, CompositeTensor) and not isinstance(leaf, IndexedSlices) else _core.convert_to_tensor(leaf)


def _spec(leaf):
    if isinstance(leaf, CompositeTensor):
        return leaf._type_spec
    return leaf if isinstance(leaf, TypeSpec) else TensorSpec(leaf.shape, leaf.dtype)


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """`pfor` for results of known dtypes.

    Args:
      loop_fn: as in `pfor`.
      loop_fn_dtypes: dtype, or nest of dtypes like the result.
      iters: as in `pfor`.
      parallel_iterations: int, accepted, without effect.

    Returns:
      As `pfor`.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.parallel_for import control_flow_ops
      >>> control_flow_ops.for_loop(lambda i: i * i, tf.int32, 3).numpy().tolist()
      [0, 1, 4]
    """
    return map_fn(loop_fn, numbers(iters), fn_output_signature=loop_fn_dtypes, parallel_iterations=parallel_iterations)
