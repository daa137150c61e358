"""Traces a function of the number of a row, and says what its nodes without a batch rule mean for who called it."""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.bodies import new_graph
from tracefn._logging import get_logger
from tracefn._vectorized.rules import RULES, NoRuleError

# TensorFlow converts these, too; here they run row by row, without a word.
_CONVERTED_ELSEWHERE = frozenset(
    """
    If StatelessIf Case StatelessCase While StatelessWhile PartitionedCall StatefulPartitionedCall IdentityN Print PrintV2
    StringFormat Conv2DBackpropFilter DepthwiseConv2dNativeBackpropFilter FusedBatchNormV3 FusedBatchNormGradV3 AdjustContrastv2
    AdjustHue AdjustSaturation BatchToSpaceND SpaceToBatchND TopK Diag DiagPart RandomGamma RandomPoissonV2 StatelessMultinomial
    StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomNormal
    StatelessRandomPoisson StatelessRandomUniform StatelessRandomUniformInt StatelessRandomUniformFullInt
    StatelessTruncatedNormal OptionalFromValue OptionalGetValue DecodeCSV ParseSingleExample ParseExampleV2
    """.split()
)


def trace(function):
    """Traces a function of a scalar int32 tensor, in a graph of its own.

    Returns:
      (the graph, the tensor with the number, the function's result).
    """
    outer = _core.current_graph()
    graph = new_graph("loop_body")
    graph._next_random_op = getattr(outer, "_next_random_op", 0)
    with _core.TargetContext(graph):
        number = graph.placeholder("int32", [], "loop_var")
        with _core.NameScope("loop_body"):
            result = function(number)
    if outer is not None:  # the seeds of random ops go on from here, as if they stood in the outer graph
        outer._next_random_op = graph._next_random_op
    return graph, number, result


def check_fallback(error: NoRuleError, allowed: bool, warns: bool) -> None:
    """Refuses or announces that a function runs row by row.

    Args:
      error: says which node has no batch rule.
      allowed: whether it may.
      warns: whether a warning says so.

    Raises:
      ValueError: it may not.
    """
    kind = error.operation.type
    if kind in RULES or kind in _CONVERTED_ELSEWHERE or kind.startswith(("TensorArray", "TensorList")):
        return
    if not allowed:
        raise ValueError(
            f"No pfor vectorization defined for {kind}\n{error.operation}\n inputs: {list(error.inputs)}."
            "Consider enabling the fallback_to_while_loop option to pfor, which may run slower."
        )
    if warns:
        get_logger().warning(
            "Using a while_loop for converting %s cause there is no registered converter for this op.", kind
        )
