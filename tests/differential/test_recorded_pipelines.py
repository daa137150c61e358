"""Random pipelines give what TensorFlow gave when `recorded_pipelines/*.json` was written (record_pipelines.py): specs, number
and values of the elements, and errors behind them."""

import importlib
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from pipelines import answer

FOLDER = pathlib.Path(__file__).parent / "recorded_pipelines"
CASES = [
    pytest.param(expression, expected, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.json"))
    for number, (expression, expected) in enumerate(json.loads(path.read_text()).items())
]


@pytest.fixture(scope="module")
def tf():
    return importlib.import_module("tracefn")


@pytest.fixture(autouse=True)
def no_seed_of_other_tests(tf):
    tf.random.set_seed(None)


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_same(expression, expected, tf):
    assert answer(expression, tf) == expected
