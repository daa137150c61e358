"""`tf.compat.v1.distribute`: the strategies with the methods that TensorFlow 1 had."""

from __future__ import annotations

from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.distribute._alone import CentralStorageStrategy, ExperimentalMultiWorkerMirroredStrategy
from tracefn.distribute._mirrored import MirroredStrategy
from tracefn.distribute._reduce_op import ReduceOp
from tracefn.distribute._single import OneDeviceStrategy
from tracefn.distribute._strategy import Strategy


@export("compat.v1.distribute.Strategy")
class StrategyV1(Strategy):
    """A `tf.distribute.Strategy` with further methods, and one argument that may be left out.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
      >>> isinstance(strategy, tf.compat.v1.distribute.Strategy), float(strategy.reduce("sum", 3.0))
      (True, 3.0)
    """

    def reduce(self, reduce_op, value, axis=None):
        """As `tf.distribute.Strategy.reduce`; without an axis, only the replicas' values are combined."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of a nest of arrays.

        Args:
          numpy_input: nest of NumPy arrays.
          session: accepted, without effect.
        """
        del session
        return today("data.Dataset").from_tensor_slices(numpy_input)


@export("compat.v1.distribute.OneDeviceStrategy")
class OneDeviceStrategyV1(StrategyV1, OneDeviceStrategy):
    """`tf.distribute.OneDeviceStrategy`, as a strategy of TensorFlow 1."""


@export("compat.v1.distribute.MirroredStrategy")
class MirroredStrategyV1(StrategyV1, MirroredStrategy):
    """`tf.distribute.MirroredStrategy`, as a strategy of TensorFlow 1."""


@export("compat.v1.distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategyV1(StrategyV1, CentralStorageStrategy):
    """`tf.distribute.experimental.CentralStorageStrategy`, as a strategy of TensorFlow 1."""


@export("compat.v1.distribute.experimental.MultiWorkerMirroredStrategy")
class CollectiveAllReduceStrategyV1(StrategyV1, ExperimentalMultiWorkerMirroredStrategy):
    """`tf.distribute.experimental.MultiWorkerMirroredStrategy`, as a strategy of TensorFlow 1."""


@export("compat.v1.distribute.get_loss_reduction")
def get_loss_reduction():
    """`tf.distribute.ReduceOp.SUM`: losses are divided by the number of replicas where they are made.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.distribute.get_loss_reduction()
      <ReduceOp.SUM: 'SUM'>
    """
    return ReduceOp.SUM
