"""tf.sparse and what else takes SparseTensors: results of TensorFlow 2.21, eagerly and traced."""

import pytest

import sparse_elsewhere
import sparse_functions
from sparse_values import assert_same, plain

pytestmark = pytest.mark.rule(27)

CASES = {**sparse_functions.CASES, **sparse_elsewhere.CASES}


@pytest.mark.parametrize("name", CASES)
def test_eager(tf, name):
    program, expected = CASES[name]
    assert_same(plain(program(tf)), expected)


@pytest.mark.parametrize("name", [name for name in CASES if "sqrtn variable" not in name])
def test_traced(tf, name):
    program, expected = CASES[name]
    assert_same(plain(tf.function(lambda: program(tf))()), expected)
