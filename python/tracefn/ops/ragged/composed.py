"""Functions that consist of elementwise ones and reductions, of ragged tensors."""

from __future__ import annotations

from tracefn.framework import name_scope
from tracefn.ops._build import convert, op
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.tensor import is_ragged


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """The values between two bounds, at least one of which is ragged."""
    with name_scope(name or "clip_by_value"):
        values = t if is_ragged(t) else convert(t, name="t")
        below = public_function("math.minimum")(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        result = public_function("math.maximum")(below, clip_value_min)
        values.shape.assert_is_compatible_with(result.shape)
        return result


def is_non_decreasing(x, name=None):
    """Whether no value is smaller than the one before it."""
    return public_function("math.is_non_decreasing")(x.flat_values, name)


def is_strictly_increasing(x, name=None):
    """Whether each value is larger than the one before it."""
    return public_function("math.is_strictly_increasing")(x.flat_values, name)


def scale_regularization_loss(regularization_loss):
    """The sum of the values."""
    return public_function("nn.scale_regularization_loss")(regularization_loss.flat_values)


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset."""
    cast, rsqrt = public_function("cast"), public_function("math.rsqrt")
    with name_scope(name or "batchnorm"):
        x, variance = (value if is_ragged(value) else convert(value) for value in (x, variance))
        factor = rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        moved = mean * factor
        return x * cast(factor, x.dtype) + cast(offset - moved if offset is not None else -moved, x.dtype)


def moments(x, axes, shift=None, keepdims=False, name=None):
    """Mean and variance along axes."""
    del shift
    cast, reduce_mean = public_function("cast"), public_function("math.reduce_mean")
    with name_scope(name or "moments"):
        narrow = x.dtype.name in ("float16", "bfloat16")
        values = cast(x, "float32") if narrow else x
        mean = reduce_mean(values, axes, keepdims=True)
        center = mean.with_flat_values(_constant(mean.flat_values)) if is_ragged(mean) else _constant(mean)
        variance = reduce_mean(public_function("math.squared_difference")(values, center), axes, keepdims=True)
        found = (mean, variance) if keepdims else (public_function("squeeze")(t, axes) for t in (mean, variance))
        return tuple(cast(t, x.dtype) if narrow else t for t in found)


def _constant(x):
    return op("StopGradient")(input=x)
