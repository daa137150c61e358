"""Images changed at random, by generators with and without state."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.debugging import assert_
from tracefn.ops.image_color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_jpeg_quality,
    adjust_saturation,
)
from tracefn.ops.image_shapes import checked
from tracefn.ops.random_draws import draws, stateless_draws


def _about_zero(max_delta, most=None):
    """The range of a change.

    Raises:
      ValueError: it is negative, or too large.
    """
    if most is not None and max_delta > most:
        raise ValueError(f"max_delta must be <= {most}.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return -max_delta, max_delta


def _between(lower, upper):
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return lower, upper


def _qualities(least, most):
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return least, most


@export("image.random_brightness")
def random_brightness(image, max_delta, seed=None):
    """`adjust_brightness` by a number from [-max_delta, max_delta).

    Args:
      image: tensor of real numbers.
      max_delta: float, not negative.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: max_delta is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_brightness(tf.ones([2, 2, 3]), 0.2, seed=1).shape
      TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, draws(seed)([], *_about_zero(max_delta)))


@export("image.stateless_random_brightness")
def stateless_random_brightness(image, max_delta, seed):
    """`random_brightness` that depends only on the seed.

    Args:
      image: tensor of real numbers.
      max_delta: float, not negative.
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: max_delta is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_brightness(tf.ones([2, 2, 3]), 0.2, [1, 2]).shape
      TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, stateless_draws(seed)([], *_about_zero(max_delta)))


@export("image.random_contrast")
def random_contrast(image, lower, upper, seed=None):
    """`adjust_contrast` by a number from [lower, upper).

    Args:
      image: tensor of real numbers [..., height, width, channels].
      lower, upper: floats, not negative.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: `upper` is not greater than `lower`, or `lower` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_contrast(tf.ones([2, 2, 3]), 0.2, 0.5, seed=1).shape
      TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, draws(seed)([], *_between(lower, upper)))


@export("image.stateless_random_contrast")
def stateless_random_contrast(image, lower, upper, seed):
    """`random_contrast` that depends only on the seed.

    Args:
      image: tensor of real numbers [..., height, width, channels].
      lower, upper: floats, not negative.
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: `upper` is not greater than `lower`, or `lower` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_contrast(tf.ones([2, 2, 3]), 0.2, 0.5, [1, 2]).shape
      TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, stateless_draws(seed)([], *_between(lower, upper)))


@export("image.random_hue")
def random_hue(image, max_delta, seed=None):
    """`adjust_hue` by a number from [-max_delta, max_delta).

    Args:
      image: tensor of real numbers [..., height, width, 3].
      max_delta: float in [0, 0.5].
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: max_delta is something else.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_hue(tf.ones([2, 2, 3]), 0.2, seed=1).shape
      TensorShape([2, 2, 3])
    """
    return adjust_hue(image, draws(seed)([], *_about_zero(max_delta, 0.5)))


@export("image.stateless_random_hue")
def stateless_random_hue(image, max_delta, seed):
    """`random_hue` that depends only on the seed.

    Args:
      image: tensor of real numbers [..., height, width, 3].
      max_delta: float in [0, 0.5].
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: max_delta is something else.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_hue(tf.ones([2, 2, 3]), 0.2, [1, 2]).shape
      TensorShape([2, 2, 3])
    """
    return adjust_hue(image, stateless_draws(seed)([], *_about_zero(max_delta, 0.5)))


@export("image.random_saturation")
def random_saturation(image, lower, upper, seed=None):
    """`adjust_saturation` by a number from [lower, upper).

    Args:
      image: tensor of real numbers [..., height, width, 3].
      lower, upper: floats, not negative.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: `upper` is not greater than `lower`, or `lower` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_saturation(tf.ones([2, 2, 3]), 0.2, 0.5, seed=1).shape
      TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, draws(seed)([], *_between(lower, upper)))


@export("image.stateless_random_saturation")
def stateless_random_saturation(image, lower, upper, seed=None):
    """`random_saturation` that depends only on the seed.

    Args:
      image: tensor of real numbers [..., height, width, 3].
      lower, upper: floats, not negative.
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: `upper` is not greater than `lower`, or `lower` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_saturation(tf.ones([2, 2, 3]), 0.2, 0.5, [1, 2]).shape
      TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, stateless_draws(seed)([], *_between(lower, upper)))


@export("image.random_jpeg_quality")
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """`adjust_jpeg_quality` with a quality from [min_jpeg_quality, max_jpeg_quality).

    Args:
      image: tensor of real numbers [height, width, channels], with 1 or 3 channels.
      min_jpeg_quality, max_jpeg_quality: ints from 0 to 100.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: a quality is something else, or they are not in this order.
      ImportError: Pillow is missing; `tracefn[image]` installs it.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_jpeg_quality(tf.ones([8, 8, 3]), 75, 95, seed=1).shape
      TensorShape([8, 8, 3])
    """
    return adjust_jpeg_quality(image, draws(seed)([], *_qualities(min_jpeg_quality, max_jpeg_quality), "int32"))


@export("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """`random_jpeg_quality` that depends only on the seed.

    Args:
      image: tensor of real numbers [height, width, channels], with 1 or 3 channels.
      min_jpeg_quality, max_jpeg_quality: ints from 0 to 100.
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: a quality is something else, or they are not in this order.
      ImportError: Pillow is missing; `tracefn[image]` installs it.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_jpeg_quality(tf.ones([8, 8, 3]), 75, 95, [1, 2]).shape
      TensorShape([8, 8, 3])
    """
    return adjust_jpeg_quality(image, stateless_draws(seed)([], *_qualities(min_jpeg_quality, max_jpeg_quality), "int32"))


def _window(value, size, draw, scope):
    """A window of that size, at a place that `draw` of random_draws.py draws."""
    with name_scope(scope) as name:
        value = convert(value, name="value")
        size = convert(size, dtype="int32", name="size")
        shape = op("Shape")(input=value)
        fits = op("All")(input=shape >= size, reduction_indices=[0])
        check = assert_(fits, ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = checked(shape, [check])
        limit = shape - size + 1
        offset = draw(op("Shape")(input=shape), 0, convert(2**31 - 1, dtype="int32"), "int32") % limit
        return op("Slice")(input=value, begin=offset, size=size, name=name)


@export("image.random_crop")
def random_crop(value, size, seed=None, name=None):
    """A window of a tensor, at a random place.

    Args:
      value: a tensor.
      size: int vector: the shape of the window.
      seed: int, the op's own seed; see `tf.random.set_seed`.
      name: name of the ops.

    Returns:
      Tensor of value's dtype and of the shape `size`.

    Raises:
      InvalidArgumentError: the window is larger than the tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_crop(tf.ones([4, 5, 3]), [2, 2, 3], seed=1).shape
      TensorShape([2, 2, 3])
    """
    return _window(value, size, draws(seed), name or "random_crop")


@export("image.stateless_random_crop")
def stateless_random_crop(value, size, seed, name=None):
    """`random_crop` that depends only on the seed.

    Args:
      value: a tensor.
      size: int vector: the shape of the window.
      seed: int vector of shape [2].
      name: name of the ops.

    Returns:
      Tensor of value's dtype and of the shape `size`.

    Raises:
      InvalidArgumentError: the window is larger than the tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.image.stateless_random_crop(tf.range(6), [2], [1, 2]).shape
      TensorShape([2])
    """
    return _window(value, size, stateless_draws(seed), name or "random_crop")


__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
]
