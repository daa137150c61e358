"""`tensorflow.python.framework.combinations`: combinations of arguments of tests, with graphs and eager execution among them."""

from __future__ import annotations

import functools

from tracefn.framework import Graph
from tracefn.python import tf2
from tracefn.python.eager import context
from tracefn.python.framework import _combined_tests
from tracefn.python.framework._combined_tests import NamedObject, OptionalParameter, combine, times

__all__ = ["EagerGraphCombination", "NamedObject", "TFVersionCombination", "combine", "generate", "times"]


class EagerGraphCombination(_combined_tests.TestCombination):
    """The argument `mode`: "graph", "eager" or None for what there is."""

    def context_managers(self, kwargs) -> list:
        """That in which ops are added to a new graph, or run.

        Raises:
          ValueError: `mode` is another one.
        """
        mode = kwargs.get("mode")
        if mode is None:
            return []
        if mode == "eager":
            return [context.eager_mode()]
        if mode == "graph":
            return [Graph().as_default(), context.graph_mode()]
        raise ValueError(f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}.")

    def parameter_modifiers(self) -> list:
        """The argument is not passed to tests without such a parameter."""
        return [OptionalParameter("mode")]


class TFVersionCombination(_combined_tests.TestCombination):
    """The argument `tf_api_version`: 1 or 2, for tests of that behavior only."""

    def should_execute_combination(self, kwargs) -> tuple:
        """Not if the behavior is the other one."""
        version = kwargs.get("tf_api_version")
        if version == 1 and tf2.enabled():
            return False, "Skipping a TF1.x test when TF2 is enabled."
        if version == 2 and not tf2.enabled():
            return False, "Skipping a TF2 test when TF2 is not enabled."
        return True, None

    def parameter_modifiers(self) -> list:
        """The argument is not passed to tests without such a parameter."""
        return [OptionalParameter("tf_api_version")]


generate = functools.partial(
    _combined_tests.generate, test_combinations=(EagerGraphCombination(), TFVersionCombination())
)
