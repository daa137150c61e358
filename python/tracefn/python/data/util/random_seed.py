"""`tensorflow.python.data.util.random_seed`: the seeds of datasets, as tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn.ops._build import name_scope, op
from tracefn.random_seed import seed_pair

__all__ = ["get_seed"]

_MAX_INT32 = 2**31 - 1


def get_seed(seed):
    """The two seeds of a dataset; both are 0 if there is neither a seed nor a global one.

    Args:
      seed: int, int64 scalar, or None.

    Returns:
      Two int64 scalars.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_seed(3)
      >>> [int(number) for number in tf.python.data.util.random_seed.get_seed(5)]
      [3, 5]
    """
    first, second = seed_pair(seed)
    first = _core.convert_to_tensor(first, dtype="int64", name="seed")
    if not isinstance(second, _core.Tensor):  # two zeros are taken care of
        return first, _core.convert_to_tensor(second, dtype="int64", name="seed2")
    with name_scope("seed2") as scope:
        zero = op("LogicalAnd")(x=op("Equal")(x=first, y=0), y=op("Equal")(x=second, y=0))
        most = _core.convert_to_tensor(_MAX_INT32, dtype="int64")
        return first, op("SelectV2")(condition=zero, t=most, e=second, name=scope)
