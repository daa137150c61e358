"""`tf.distribute.ReduceOp`: how values of replicas are combined."""

from __future__ import annotations

import enum

from tracefn._variable.options import VariableAggregation


class ReduceOp(enum.Enum):
    """How the values of replicas are combined: their sum or their mean.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.ReduceOp("SUM") is tf.distribute.ReduceOp.SUM
      True
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        """The member that a `tf.VariableAggregation` asks for.

        Raises:
          ValueError: it asks for none.
        """
        found = _OF_AGGREGATION.get(aggregation)
        if found is None:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
            )
        return found


_OF_AGGREGATION = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}


def reduce_op_of(value):
    """A ReduceOp, also from its name.

    Raises:
      ValueError: no member has that name.
    """
    return ReduceOp(value.upper()) if isinstance(value, str) else value
