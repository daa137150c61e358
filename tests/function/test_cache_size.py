"""`max_traces`, `cache_info()` and `cache_clear()`: how many traces a Function keeps, and which."""

import pytest
import tracefn as tf


def counted(**options):
    """A Function, and the list of the values it was traced for."""
    traced = []

    @tf.function(**options)
    def f(x):
        traced.append(x)
        return tf.constant(x)

    return f, traced


def test_unbounded_by_default():
    f, traced = counted()
    for _ in range(2):
        assert [int(f(n)) for n in range(50)] == list(range(50))
    assert traced == list(range(50))
    assert f.cache_info() == (50, 50, None, 50)


def test_the_least_recently_used_trace_is_dropped():
    f, traced = counted(max_traces=2)
    for n in (1, 2, 1, 3, 1, 2):
        assert int(f(n)) == n
    assert traced == [1, 2, 3, 2]
    assert f.cache_info().currsize == f.cache_info().maxsize == 2


def test_a_concrete_function_outlives_its_place_in_the_cache():
    f, _ = counted(max_traces=1)
    concrete = f.get_concrete_function(1)
    f(2)
    assert int(concrete()) == 1


def test_cache_clear():
    f, traced = counted()
    f(1), f(1)
    f.cache_clear()
    assert f.cache_info().currsize == 0
    assert int(f(1)) == 1 and traced == [1, 1]


@pytest.mark.parametrize("limit", [0, -1, "2", 1.5])
def test_a_bound_is_a_positive_int(limit):
    with pytest.raises(ValueError, match="max_traces must be None or a positive int"):
        tf.function(lambda: 1, max_traces=limit)
