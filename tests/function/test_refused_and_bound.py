"""Functions that cannot be traced, and methods that are called through their class."""

from __future__ import annotations

import pytest
import tracefn as tf


async def coroutine(x):
    return x


async def generator(x):
    yield x


@pytest.mark.parametrize(("function", "kind"), [(coroutine, "coroutine"), (generator, "async_generator")])
@pytest.mark.parametrize("autograph", [True, False])
def test_async_functions_are_refused_by_name(function, kind, autograph):
    traced = tf.function(function, autograph=autograph)
    with pytest.raises(TypeError, match=f"found return value of type {kind}") as error:
        traced(tf.constant(1))
    assert f"`{function.__name__}` is an `async def`" in str(error.value)


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def scale(self, x):
        return x * self.factor

    @tf.function
    def add(self, x):
        return x + self.factor


def test_a_method_called_through_its_class():
    two, three = Scaler(2.0), Scaler(3.0)
    assert float(Scaler.scale(two, 4)) == 8.0 and float(Scaler.scale(three, x=4.0)) == 12.0
    assert float(two.scale(1.0)) == 2.0 and two.scale.experimental_get_tracing_count() == 1
    assert float(Scaler.add(two, 4.0)) == 6.0 and float(two.add(1.0)) == 3.0
    concrete = Scaler.scale.get_concrete_function(three)
    assert concrete is three.scale.get_concrete_function() and float(concrete(tf.constant(1.0))) == 3.0


def test_a_method_called_through_its_class_without_an_instance():
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        Scaler.scale()
