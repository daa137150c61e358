"""`tf.experimental.numpy`: the expressions of numpy_cases.py have NumPy's values and dtypes, eagerly and traced."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

import numpy_cases

pytestmark = pytest.mark.rule("surface")

CASES = numpy_cases.cases()
NAMES = numpy_cases.arrays(lambda array: array)


@pytest.fixture(scope="module")
def report(tf):
    """What the program prints: expression -> results, eager and traced."""
    program = pathlib.Path(__file__).with_name("numpy_cases.py")
    root = pathlib.Path(tf.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)} if tf.__name__ == "tracefn" else dict(os.environ)
    done = subprocess.run(
        [sys.executable, str(program), tf.__name__],
        capture_output=True, text=True, timeout=600, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def compare(got, want, dtype: str) -> None:
    if not want or isinstance(want[0], list):
        assert len(got) == len(want)
        for part, wanted in zip(got, want, strict=True):
            compare(part, wanted, dtype)
        return
    assert got[0] == (dtype or want[0])
    assert got[1] == want[1]
    if want[0] == "dtype":
        assert got[2] == want[2]
        return
    tolerance = max({"float16": 2e-3, "float32": 1e-5}.get(name, 1e-12) for name in (got[0], want[0]))
    np.testing.assert_allclose(np.array(got[2]), np.array(want[2]), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["eager", "traced"])
@pytest.mark.parametrize(("expression", "dtype"), CASES, ids=[expression for expression, _ in CASES])
def test_values_and_dtypes_are_those_of_numpy(report, expression, dtype, kind):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of NumPy deprecate some
        want = numpy_cases.value(numpy_cases.evaluate(expression, np, NAMES))
    got = report[expression][kind == "traced"]
    assert not isinstance(got, str), got
    compare(got, want, dtype)


NUMBERS = """
import importlib, sys
import numpy as np
tf = importlib.import_module(sys.argv[1])
t = tf.experimental.numpy
t.experimental_enable_numpy_behavior()
b = tf.constant([1.0, 2.0], tf.bfloat16)
widened = t.exp, t.sqrt, t.ceil, t.sinc, t.cbrt, t.average, lambda x: t.hypot(x, x), lambda x: t.logaddexp(x, x), t.log2
kept = t.mean, t.var, t.std, t.sum, t.around, lambda x: t.add(x, x), lambda x: t.true_divide(x, x), t.nanmean
print([f(b).dtype.name for f in widened], [f(b).dtype.name for f in kept])
t.experimental_enable_numpy_behavior(prefer_float32=True)
h, i = tf.constant([1.0], tf.float16), tf.constant([1])
one, j = np.float64(1), np.complex128(1j)
print([x.dtype.name for x in (h + one, h + np.array([1.0]), i + one, t.add(h, one), t.array(one), h + j, t.log2(h), i + 1.0)])
"""


def test_bfloat16_and_numbers_of_numpy(tf):
    """bfloat16 is no float to NumPy; where float32 is preferred, NumPy's float64 and complex128 numbers are Python's."""
    root = pathlib.Path(tf.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)} if tf.__name__ == "tracefn" else dict(os.environ)
    done = subprocess.run(
        [sys.executable, "-c", NUMBERS, tf.__name__], capture_output=True, text=True, timeout=600, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    widened, preferred = done.stdout.splitlines()[-2:]
    assert widened == f"{['float64'] * 9} {['bfloat16'] * 8}"
    assert preferred == str(["float32", "float64", "float64", "float32", "float32", "complex64", "float32", "float64"])


def test_axes_and_conditions_that_do_not_fit(tf):
    t = tf.experimental.numpy
    for run in (lambda f: f()), (lambda f: tf.function(f, autograph=False)()):
        with pytest.raises(IndexError):
            run(lambda: t.swapaxes(tf.zeros([2, 3]), 0, 2))
        with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
            run(lambda: t.compress([True, True, True], tf.zeros([2, 2]), axis=1))
    assert isinstance(t.broadcast_arrays([1, 2]), tuple) and isinstance(t.broadcast_arrays([1], [2]), list)
