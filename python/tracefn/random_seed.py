"""Seeds of random ops: the global seed, the op's own, and TensorFlow's combination of the two."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn.config.experimental import is_op_determinism_enabled

DEFAULT_GRAPH_SEED = 87654321
_MAX_INT32 = 2**31 - 1


class _Global:
    """The seed that `set_seed` set, and the generator of op seeds for eager ops that have none."""

    seed: float | None = None
    generator: Any = None  # a random.Random once a seed was set


def set_seed(seed: float | None) -> None:
    """Sets the global seed. Random ops without a seed of their own become reproducible, and all streams restart.

    Args:
      seed: int, or None for no global seed. While a graph is built, a function's too, it is the seed of that graph alone.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_seed(1)
      >>> a = tf.random.uniform([2])
      >>> tf.random.set_seed(1)
      >>> bool(tf.reduce_all(a == tf.random.uniform([2])))
      True
    """
    graph = _core.current_graph()
    if graph is not None:
        graph._random_seed = seed
        return
    import random  # start-up time: only programs that set a seed need it

    key: Any = seed
    seedable = key is None or isinstance(key, (int, float, str, bytes, bytearray))
    generator = random.Random(key if seedable else int(key))  # NumPy's numbers and tensors
    _Global.seed = seed
    _Global.generator = generator
    _core.reset_random_states()


def eager_seed():
    """The global seed; None without one."""
    return _Global.seed


def eager_op_seed() -> int:
    """The seed for an eager op that has none of its own; each is given once.

    Raises:
      ValueError: there is no global seed.
    """
    if _Global.generator is None:
        raise ValueError("There is no global seed: call tf.random.set_seed first.")
    return _Global.generator.randint(0, _MAX_INT32)


def get_seed(op_seed: float | None) -> tuple[int, int]:
    """The attributes `seed` and `seed2` of a random op.

    Args:
      op_seed: the op's own seed, or None.

    Returns:
      Two ints; (0, 0) requests a seed from the system's entropy.

    Raises:
      RuntimeError: there is neither a seed nor a global one, and determinism is on.
    """
    seed, seed2 = seed_pair(op_seed)
    return int(seed), int(seed2)  # a float is truncated


def refuse_zero_seed(function: str, seed: float | None) -> None:
    """Refuses the seed 0, by which some functions mean none, if determinism is on.

    Args:
      function: the public name of the function, for the message.
      seed: the seed that it got.

    Raises:
      ValueError: determinism is on.
    """
    if is_op_determinism_enabled():
        raise ValueError(
            f"{function} requires a non-zero seed to be passed in when determinism is enabled, but got seed={seed}. Please "
            'pass in a non-zero seed, e.g. by passing "seed=1".'
        )


def seed_pair(op_seed: float | None) -> tuple[float, float]:
    """As `get_seed`, but seeds that are floats remain so."""
    graph = _core.current_graph()
    global_seed = _Global.seed if graph is None else graph_seed(graph)
    if global_seed is None:
        if op_seed is None:
            if is_op_determinism_enabled():
                raise RuntimeError(
                    "Random ops require a seed to be set when determinism is enabled. Please set a seed before running the "
                    "op, e.g. by calling tf.random.set_seed(1)."
                )
            return 0, 0
        pair: tuple[float, float] = DEFAULT_GRAPH_SEED, op_seed % _MAX_INT32
    else:
        if op_seed is None:
            op_seed = eager_op_seed() if graph is None else _next_op_seed(graph)
        pair = global_seed % _MAX_INT32, op_seed % _MAX_INT32
    # Two zeros would mean no seed at all. A tensor has no value while a graph is built.
    known = not any(isinstance(seed, _core.Tensor) for seed in pair)
    return (0, _MAX_INT32) if known and (int(pair[0]), int(pair[1])) == (0, 0) else pair


def graph_seed(graph) -> float | None:
    """The seed of a graph: its own, or that of the graph around it. A function's is the one that held when its trace began."""
    around = graph
    while not hasattr(around, "_random_seed"):
        if around._outer is None:
            return _Global.seed if around.is_function else None
        around = around._outer
    return around._random_seed


def _next_op_seed(graph) -> int:
    """0, 1, 2, ... for the random ops of one graph."""
    seed = getattr(graph, "_next_random_op", 0)
    graph._next_random_op = seed + 1
    return seed
