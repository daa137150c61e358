"""Strategies that need other machines or devices: the classes are there, and refuse to be instantiated."""

from __future__ import annotations

from tracefn._missing.refused import refuse, refused_class
from tracefn.distribute._resolvers import SEVERAL_MACHINES, TPUClusterResolver
from tracefn.distribute._strategy import Strategy


class TPUStrategy(Strategy):
    """A strategy for TPUs.

    Raises:
      ValueError: there is no TPUClusterResolver.
      NotImplementedError: there is one.
    """

    is_refused = True

    def __init__(self, tpu_cluster_resolver=None, *args, **kwargs) -> None:
        del args, kwargs
        if tpu_cluster_resolver is None:
            TPUClusterResolver()
        refuse("distribute.TPUStrategy", "there is only the CPU. Use tf.distribute.MirroredStrategy, or no strategy.")


class ExperimentalTPUStrategy(TPUStrategy):
    """`tf.distribute.TPUStrategy` by its older name.

    Raises:
      ValueError: there is no TPUClusterResolver.
      NotImplementedError: there is one.
    """


ExperimentalTPUStrategy.__name__ = "TPUStrategy"


def _strategy(name: str, reason: str) -> type:
    return refused_class(f"distribute.{name}", reason, (Strategy,))


ParameterServerStrategy = _strategy("ParameterServerStrategy", SEVERAL_MACHINES)
ExperimentalParameterServerStrategy = _strategy("experimental.ParameterServerStrategy", SEVERAL_MACHINES)

__all__ = ["SEVERAL_MACHINES", "ExperimentalParameterServerStrategy", "ExperimentalTPUStrategy", "ParameterServerStrategy",
           "TPUStrategy"]  # fmt: skip
