"""Random expressions give what TensorFlow gave when `recorded/*.json` was written (record.py), eagerly and traced."""

import importlib
import json
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from expressions import answer, evaluate

FOLDER = pathlib.Path(__file__).parent / "recorded"
CASES = [
    pytest.param(expression, expected, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.json"))
    for number, (expression, expected) in enumerate(json.loads(path.read_text()).items())
]
# Both warn of it; the answers were recorded without warnings as errors.
pytestmark = pytest.mark.filterwarnings("ignore:Casting complex values to real:numpy.exceptions.ComplexWarning")
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13, "complex64": 2e-6, "complex128": 1e-13}


@pytest.fixture(scope="module")
def tf():
    return importlib.import_module("tracefn")


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_eager(expression, expected, tf):
    same(answer(expression, tf), expected)


@pytest.mark.parametrize(("expression", "expected"), [c for c in CASES if "error" not in c.values[1]])
def test_traced(expression, expected, tf):
    traced = tf.function(lambda: evaluate(expression, tf), autograph=False)
    result = traced()
    static = traced.get_concrete_function().outputs[0]
    assert static.dtype.name == expected["dtype"] and static.shape.is_compatible_with(expected["shape"])
    eager = evaluate(expression, tf)
    np.testing.assert_array_equal(result.numpy(), eager.numpy())


def same(answered: dict, expected: dict) -> None:
    if "error" in expected or "error" in answered:
        assert answered == expected
        return
    assert (answered["dtype"], answered["shape"]) == (expected["dtype"], expected["shape"])
    tolerance = TOLERANCE.get(expected["dtype"])
    if tolerance is None:
        assert answered["values"] == expected["values"]
    else:
        np.testing.assert_allclose(
            np.array(answered["values"], np.float64),
            np.array(expected["values"], np.float64),
            rtol=tolerance,
            atol=tolerance,
        )
