"""The pure Python part of the API answers as TensorFlow did when `recorded/*.json` was written."""

import json

import pytest
import tracefn as tf
from recorded import record


# Both warn of it; the answers were recorded without warnings as errors.
@pytest.mark.filterwarnings("ignore:Casting complex values to real:numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", record.names())
def test_as_tensorflow(name):
    module = record.load(name)
    expected = json.loads((record.FOLDER / f"{name}.json").read_text())
    namespace = module.setup(tf)
    answers = {expression: record.answer(expression, namespace) for expression in record.expressions(name)}
    differ = {expression: answer for expression, answer in answers.items() if answer != expected[expression]}
    assert differ == {expression: expected[expression] for expression in differ}
    assert answers.keys() == expected.keys()
