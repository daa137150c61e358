"""`tf.data.experimental.group_by_reducer`: one result for each key."""

from __future__ import annotations

from tracefn.data._base import int64
from tracefn.data._functions import ElementFunction, returns_scalar
from tracefn.data._sources import tensor_dataset

_ALL = 2**63 - 1


class Reducer:
    """What `tf.data.experimental.group_by_reducer` does with the elements of a key.

    Args:
      init_func: callable that takes a key, int64, and returns the initial state, a nest of tensors.
      reduce_func: callable that takes a state and an element, and returns the next state.
      finalize_func: callable that takes the last state and returns the result.

    Example:
      >>> import tracefn as tf
      >>> count = tf.data.experimental.Reducer(lambda key: 0, lambda n, _: n + 1, lambda n: n)
      >>> int(count.finalize_func(3))
      3
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self._functions = init_func, reduce_func, finalize_func

    init_func = property(lambda self: self._functions[0], doc="The function that returns the initial state.")
    reduce_func = property(lambda self: self._functions[1], doc="The function that returns the next state.")
    finalize_func = property(lambda self: self._functions[2], doc="The function that returns the result.")


def group_by_reducer(key_func, reducer):
    """A transformation for `Dataset.apply`: the result of a reduction of the elements of each key, in the order of the keys.

    Args:
      key_func: callable that takes an element and returns an int64 scalar.
      reducer: `tf.data.experimental.Reducer`.

    Raises:
      ValueError: `key_func` returns something else.

    Example:
      >>> import tracefn as tf
      >>> count = tf.data.experimental.Reducer(lambda key: 0, lambda n, _: n + 1, lambda n: n)
      >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, count)
      >>> [int(x) for x in tf.data.Dataset.range(5).apply(by_parity)]
      [3, 2]
    """

    def reduced(key, rows):
        state = rows.reduce(reducer.init_func(key), reducer.reduce_func)
        return tensor_dataset(reducer.finalize_func(*state) if type(state) is tuple else reducer.finalize_func(state))

    def apply(dataset):
        traced = ElementFunction(key_func, "tf.data.experimental.group_by_reducer()", dataset.element_spec)
        if not returns_scalar(traced, "int64"):
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but instead "
                f"`key_func` has output types={traced.output_structure}."
            )
        return dataset.group_by_window(key_func, reduced, window_size_func=lambda _: int64(_ALL))

    return apply
