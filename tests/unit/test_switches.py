"""Switches and merges in functions, whose nodes with effects all run."""

import pytest
import tracefn as tf
from tracefn.python.ops.control_flow_ops import merge, switch


def test_a_side_in_a_function():
    @tf.function
    def halve_or_add(x):
        odd, even = switch(x, x % 2 == 0)
        return merge([odd * 3 + 1, even // 2])

    assert [int(part) for part in halve_or_add(tf.constant(6))] == [3, 1]
    assert [int(part) for part in halve_or_add(tf.constant(7))] == [22, 0]


def test_effects_in_a_function():
    v = tf.Variable(1.0)

    @tf.function
    def add(x):
        no, yes = switch(x, x > 0.0)
        return merge([no, v.assign_add(yes)])

    with pytest.raises(NotImplementedError, match="has an effect and stands after a switch in a function.*use tf.cond"):
        add(tf.constant(1.0))
    with pytest.raises(RuntimeError, match="A switch needs a graph"):
        switch(tf.constant(1.0), tf.constant(True))
    with pytest.raises(RuntimeError, match="A merge needs a graph"):
        merge([tf.constant(1.0)])
