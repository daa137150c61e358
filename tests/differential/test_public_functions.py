"""Public functions give what TensorFlow gave for random arguments when `recorded_functions/*.json` was written (functions.py)."""

import importlib
import json
import pathlib
import sys
import warnings

import pytest

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from function_exceptions import difference, excused
from functions import RECORDED, answer, names_for

CASES: dict[str, list] = {}
for path in sorted(RECORDED.glob("*.json")):
    for call, expected in json.loads(path.read_text()).items():
        CASES.setdefault(call.partition("(")[0], []).append((call, expected))


@pytest.fixture(scope="module")
def tf():
    return importlib.import_module("tracefn")


@pytest.mark.parametrize("function", CASES)
def test_function(function, tf):
    names = names_for(tf)
    different = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, about the odd values
        for call, expected in CASES[function]:
            got = answer(call, tf, names)
            kind = difference(expected, got)
            if kind and not excused(call, expected, got):
                different.append(f"{kind}: {call}\n  TensorFlow: {expected}\n  tracefn: {got}")
    assert not different, "\n".join(different)


def test_there_are_enough_answers():
    """Most functions have a call that TensorFlow answers."""
    answered = [f for f, calls in CASES.items() if any("error" not in want for _, want in calls)]
    assert len(CASES) > 600 and len(answered) > 0.75 * len(CASES)
