"""Small programs with Keras return the numbers that they return on TensorFlow, as recorded by record.py."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest
import tracefn as tf

pytest.importorskip("keras")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from answers import FILE, answer
from programs import PROGRAMS

RECORDED = json.loads(FILE.read_text())


def assert_same(found, wanted, where: str) -> None:
    """Asserts that two structures have the same numbers, up to roundings that a few steps of training multiply."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted), where
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], (dict, str, bool)):
        assert len(found) == len(wanted), where
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            assert_same(a, b, f"{where}[{i}]")
    elif isinstance(wanted, (str, bool)):
        assert found == wanted, where
    elif (
        isinstance(wanted, list)
        and any(isinstance(item, list) for item in wanted)
        and len({np.shape(i) for i in wanted}) > 1
    ):
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            assert_same(a, b, f"{where}[{i}]")
    else:
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5, err_msg=where)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert_same(json.loads(json.dumps(answer(name, tf))), RECORDED[name], name)
