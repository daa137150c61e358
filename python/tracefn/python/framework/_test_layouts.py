"""Parts of `test_util`: images and their shapes with channels first, last or in fours."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.framework import is_tensor

_IN_FOURS = 4


def _moved(value, places: tuple):
    return root().transpose(value, places) if is_tensor(value) else [value[place] for place in places]


def _rank(value) -> int:
    return value.shape.rank if is_tensor(value) else len(value)


def _sizes(value) -> list:
    return value.shape.as_list() if is_tensor(value) else value


def _channels_second(rank: int) -> tuple:
    return (0, rank - 1, *range(1, rank - 1))


def _channels_last(rank: int) -> tuple:
    return (0, *range(2, rank), 1)


def NHWCToNCHW(input_tensor):  # TensorFlow's name
    """A tensor, or a list of its sizes, of rank 3 to 5, with the last axis moved to the second place."""
    return _moved(input_tensor, _channels_second(_rank(input_tensor)))


def NCHWToNHWC(input_tensor):  # TensorFlow's name
    """A tensor, or a list of its sizes, of rank 4 or 5, with the second axis moved to the last place."""
    return _moved(input_tensor, _channels_last(_rank(input_tensor)))


def NHWCToNCHW_VECT_C(input_shape_or_tensor):  # TensorFlow's name
    """A tensor, or a list of its sizes, with the channels cut into fours: (N, H, W, C) to (N, C / 4, H, W, 4).

    Raises:
      ValueError: there are not a multiple of four channels.
    """
    sizes = list(_sizes(input_shape_or_tensor))
    if sizes[-1] % _IN_FOURS:
        raise ValueError("Last dimension of input must be evenly divisible by 4 to convert to NCHW_VECT_C.")
    cut = [*sizes[:-1], sizes[-1] // _IN_FOURS, _IN_FOURS]
    places = (*_channels_second(len(sizes)), len(sizes))
    return _moved(root().reshape(input_shape_or_tensor, cut) if is_tensor(input_shape_or_tensor) else cut, places)


def NCHW_VECT_CToNHWC(input_shape_or_tensor):  # TensorFlow's name
    """A tensor, or a list of its sizes, with channels in fours put together again: (N, C / 4, H, W, 4) to (N, H, W, C).

    Raises:
      ValueError: the last axis has not four elements.
    """
    sizes = list(_sizes(input_shape_or_tensor))
    if sizes[-1] != _IN_FOURS:
        raise ValueError("Last dimension of NCHW_VECT_C must be 4.")
    places = (*_channels_last(len(sizes) - 1), len(sizes) - 1)
    whole = [sizes[place] for place in places[:-1]]
    whole[-1] *= _IN_FOURS
    return root().reshape(_moved(input_shape_or_tensor, places), whole) if is_tensor(input_shape_or_tensor) else whole
