"""Random programs: plain Python, converted with Python values, and converted with tensors give the same numbers."""

import re

import pytest
from support import programs
from support.program_runs import seeds

import tracefn as tf

ARGUMENTS = ((0, 0), (1, 3), (5, 4), (7, 2))
# Rules 149 and 150: a return that some ways through a tensor's `if` do not reach.
REFUSED = re.compile(r"the (main|else) branch must also have a return statement\.")


@pytest.mark.parametrize("seed", seeds(60))
def test_converted_python_values(seed):
    program, text = programs.function_of(seed)
    converted = tf.autograph.to_graph(program)
    assert (converted is program) == ("if" not in text and "limit:" not in text and "range" not in text)
    assert [converted(*a) for a in ARGUMENTS] == [program(*a) for a in ARGUMENTS]


@pytest.mark.parametrize("seed", seeds(60))
def test_tensors(seed):
    program, text = programs.function_of(seed)
    f = tf.function(program)
    try:
        results = [int(f(tf.constant(n), tf.constant(limit))) for n, limit in ARGUMENTS]
    except ValueError as error:
        assert REFUSED.search(str(error)) and "return a + b * 3" in text
        return
    assert results == [program(*a) for a in ARGUMENTS]
    assert f.experimental_get_tracing_count() == 1
