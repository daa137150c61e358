"""`tf.experimental.numpy`: the expressions of numpy_cases.py have NumPy's values and dtypes, eagerly and traced."""

import json
import os
import pathlib
import subprocess
import sys

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
    with np.errstate(all="ignore"):
        want = numpy_cases.value(numpy_cases.evaluate(expression, np, NAMES))
    got = report[expression][kind == "traced"]
    assert not isinstance(got, str), got
    compare(got, want, dtype)
