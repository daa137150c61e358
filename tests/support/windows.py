"""Convolutions and pooling as plain loops over places and taps in double precision: what the ops are compared with.

Images have any number of spatial dimensions and the channels last.
"""

from __future__ import annotations

import itertools

import numpy as np


def places(size: int, window: int, stride: int, dilation: int, padding) -> tuple[int, int]:
    """(how many places the window has, the padding before the first element); `padding` may be a pair."""
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        count = -(-size // stride)
        return count, max(0, (count - 1) * stride + reach - size) // 2
    before, after = (0, 0) if padding == "VALID" else padding
    return (size + before + after - reach) // stride + 1, before


def geometry(shape, window, strides, dilations, padding):
    """(places, paddings before) for each spatial dimension; explicit padding is a list of pairs."""
    pads = [padding] * len(window) if isinstance(padding, str) else padding
    pairs = [places(*each) for each in zip(shape, window, strides, dilations, pads, strict=True)]
    return [p for p, _ in pairs], [b for _, b in pairs]


def inside(place, tap, strides, dilations, before, shape):
    """The element of the image under a tap, or None in the padding."""
    at = tuple(p * s + t * d - b for p, t, s, d, b in zip(place, tap, strides, dilations, before, strict=True))
    return at if all(0 <= a < n for a, n in zip(at, shape, strict=True)) else None


def conv(x, f, strides, dilations, padding):
    """Images [batch, ..., channels] with filters [..., channels of a group, filters]."""
    window, shape = f.shape[:-2], x.shape[1:-1]
    counts, before = geometry(shape, window, strides, dilations, padding)
    y = np.zeros((x.shape[0], *counts, f.shape[-1]))
    groups = x.shape[-1] // f.shape[-2]
    each, of_each = f.shape[-2], f.shape[-1] // groups
    for place in np.ndindex(*counts):
        for tap in np.ndindex(*window):
            at = inside(place, tap, strides, dilations, before, shape)
            if at is None:
                continue
            for g in range(groups):
                columns = slice(g * of_each, (g + 1) * of_each)
                pixel = x[(slice(None), *at)][:, g * each : (g + 1) * each]
                y[(slice(None), *place)][:, columns] += pixel @ f[tap][:, columns]
    return y


def depthwise(x, f, strides, dilations, padding):
    """Images with filters [height, width, channels, multiplier]."""
    counts, before = geometry(x.shape[1:-1], f.shape[:-2], strides, dilations, padding)
    y = np.zeros((x.shape[0], *counts, f.shape[-2], f.shape[-1]))
    for place in np.ndindex(*counts):
        for tap in np.ndindex(*f.shape[:-2]):
            at = inside(place, tap, strides, dilations, before, x.shape[1:-1])
            if at is not None:
                y[(slice(None), *place)] += x[(slice(None), *at)][:, :, None] * f[tap]
    return y.reshape(*y.shape[:-2], -1)


def pool(x, window, strides, padding, function):
    """`function` of the elements of each window that are inside, along axis 0."""
    ones = [1] * len(window)
    counts, before = geometry(x.shape[1:-1], window, strides, ones, padding)
    y = np.zeros((x.shape[0], *counts, x.shape[-1]), x.dtype)
    for place in np.ndindex(*counts):
        found = [
            inside(place, tap, strides, ones, before, x.shape[1:-1]) for tap in itertools.product(*map(range, window))
        ]
        y[(slice(None), *place)] = function(np.stack([x[(slice(None), *at)] for at in found if at is not None]))
    return y


def channels_second(x):
    """The same images with the channels after the batch."""
    return np.moveaxis(x, -1, 1)


def differences(function, values, delta):
    """The gradients of a function with one number as result, by central differences."""
    found = []
    for i, value in enumerate(values):
        gradient = np.zeros(value.shape)
        for at in np.ndindex(*value.shape):
            moved = []
            for sign in (1, -1):
                other = value.copy()
                other[at] += sign * delta
                moved.append(float(function(*values[:i], other, *values[i + 1 :])))
            gradient[at] = (moved[0] - moved[1]) / (2 * delta)
        found.append(gradient)
    return found
