"""Random programs of nested conditionals and loops: over tensors, in one graph, they give Python's numbers."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support import programs

ARGUMENTS = ((0, 0), (1, 3), (5, 4), (7, 2))


@pytest.mark.needs("autograph")
@pytest.mark.rule(125, 137, 176)
@pytest.mark.parametrize("seed", range(1000, 1025))
def test_tensors_give_what_python_gives(tf, seed):
    program, _ = programs.function_of(seed, everything=False)
    f = tf.function(program)
    results = [int(f(tf.constant(n), tf.constant(limit))) for n, limit in ARGUMENTS]
    assert results == [program(*a) for a in ARGUMENTS] and f.experimental_get_tracing_count() == 1
