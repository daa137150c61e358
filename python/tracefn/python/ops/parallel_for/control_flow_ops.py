"""`tensorflow.python.ops.parallel_for.control_flow_ops`: results of a function for all numbers below another, stacked."""

from __future__ import annotations

import inspect

from tracefn import _core, nest
from tracefn._control_flow.bodies import new_graph
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly
from tracefn.function import function
from tracefn.ops.functional import map_fn, vectorized_map
from tracefn.ops.ranges import range as numbers
from tracefn.tensor_spec import TensorSpec

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
    """The results of a function for the numbers 0, 1, …, `iters` - 1, stacked. It is traced, and runs as a loop.

    Args:
      loop_fn: callable that takes a scalar int32 tensor and returns a nest of tensors, None and values made of tensors.
      iters: int or scalar int tensor.
      fallback_to_while_loop, warn: accepted, without effect.
      parallel_iterations: accepted, without effect.

    Returns:
      Nest like the function's result, with one row for each number.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.parallel_for import control_flow_ops
      >>> control_flow_ops.pfor(lambda i: {"square": i * i}, 4)["square"].numpy().tolist()
      [0, 1, 4, 9]
    """
    del fallback_to_while_loop, parallel_iterations, warn

    def run():
        return _run(_with_config(loop_fn), iters)

    return function(run, autograph=False)() if executing_eagerly() else run()


def _with_config(loop_fn):
    names = inspect.signature(loop_fn).parameters if callable(loop_fn) else ()
    return (lambda i: loop_fn(i, pfor_config=PForConfig())) if PFOR_CONFIG_ARG in names else loop_fn


def _run(loop_fn, iters):
    with _core.TargetContext(new_graph("probe")):
        probed = loop_fn(_core.convert_to_tensor(0))
        flat = nest.flatten(probed)
        specs = [None if leaf is None else _spec(leaf) for leaf in flat]
    wanted = [spec for spec in specs if spec is not None]

    def row(i):
        found = nest.flatten(loop_fn(i))
        return [_value(leaf) for leaf in found if leaf is not None]

    rows = iter(map_fn(row, numbers(iters), fn_output_signature=wanted)) if wanted else iter(())
    return nest.pack_sequence_as(probed, [None if spec is None else next(rows) for spec in specs])


def _value(leaf):
    return leaf if isinstance(leaf, CompositeTensor) else _core.convert_to_tensor(leaf)


def _spec(leaf):
    if isinstance(leaf, CompositeTensor):
        return leaf._type_spec
    tensor = _core.convert_to_tensor(leaf)
    return TensorSpec(tensor.shape, tensor.dtype)


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
