"""Rounding errors are not above those of TensorFlow, as recorded by tests/oracle/record_accuracy.py."""

import json
import pathlib

import pytest
import tracefn as tf
from support.accuracy_cases import CASES, DTYPES, errors

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "oracle" / "accuracy.json").read_text())["errors"]
EPSILON = {"float32": 2**-23, "float16": 2**-10, "bfloat16": 2**-7}
# TensorFlow sums the 40 channels of each place of the filter alone, then the nine sums; here 64 products are one sum.
FACTORS = {"convolution, gradient of images, float32": 1.2}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_errors(name, dtype):
    if f"{name}, {dtype}" not in RECORDED:
        pytest.skip("TensorFlow has no kernel")
    square, largest = RECORDED[f"{name}, {dtype}"]
    found_square, found_largest = errors(tf, name, dtype)
    factor = FACTORS.get(f"{name}, {dtype}", 1)
    rounding = EPSILON[dtype]
    # An error below the last place counts as none. Sums in different orders differ by chance, the largest of many errors more so.
    assert found_square <= max(1.1 * factor * square, rounding)
    assert found_largest <= max(1.6 * factor * largest, rounding)
