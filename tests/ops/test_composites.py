"""Ragged and sparse tensors answer as TensorFlow's do (tests/support/composite_expressions.py)."""

import json
import pathlib

import pytest
import tracefn as tf
from support.composite_expressions import EXPRESSIONS, answer, names

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "oracle" / "composites.json").read_text(encoding="utf-8"))
KNOWN = {subject: names(subject, tf) for subject in EXPRESSIONS}
CASES = [(subject, expression) for subject, expressions in EXPRESSIONS.items() for expression in expressions]


@pytest.mark.parametrize(("subject", "expression"), CASES)
def test_as_tensorflow(subject, expression):
    assert answer(expression, KNOWN[subject]) == RECORDED[subject][expression]
