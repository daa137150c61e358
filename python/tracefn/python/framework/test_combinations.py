"""`tensorflow.python.framework.test_combinations`: tests that run for each combination of their arguments."""

from __future__ import annotations

from tracefn.python.framework._combined_tests import (
    NamedObject,
    OptionalParameter,
    ParameterModifier,
    TestCombination,
    combine,
    generate,
    times,
)

__all__ = ["NamedObject", "OptionalParameter", "ParameterModifier", "TestCombination", "combine", "generate", "times"]
