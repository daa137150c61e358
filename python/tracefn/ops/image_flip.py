"""Images flipped and turned."""

from __future__ import annotations

from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.case import case
from tracefn.ops.casting import cast
from tracefn.ops.image_shapes import as_image, by_rank, with_shape
from tracefn.ops.random_draws import draws, stateless_draws


def _reversed(image, axes):
    return op("ReverseV2")(tensor=image, axis=axes)


def _flipped(image, axis, scope):
    with name_scope(scope):
        image = as_image(image)
        return by_rank(
            image,
            lambda: _reversed(image, [axis]),
            lambda: _reversed(image, [axis + 1]),
            "'image' (shape {})must have either 3 or 4 dimensions.",
        )


@export("image.flip_left_right")
def flip_left_right(image):
    """Images with their left and right sides exchanged.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.flip_left_right(tf.reshape([1, 2], [1, 2, 1]))[0, :, 0].numpy().tolist()
      [2, 1]
    """
    return _flipped(image, 1, "flip_left_right")


@export("image.flip_up_down")
def flip_up_down(image):
    """Images upside down.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.flip_up_down(tf.reshape([1, 2], [2, 1, 1]))[:, 0, 0].numpy().tolist()
      [2, 1]
    """
    return _flipped(image, 0, "flip_up_down")


def _flipped_at_random(image, axis, draw, scope):
    """Flipped with a probability of 1/2, each image of a batch for itself. `draw(shape)` draws numbers in [0, 1)."""
    with name_scope(scope) as full:
        image = as_image(image)

        def one():
            flips = draw([]) < 0.5
            result = cond(flips, lambda: _reversed(image, [axis]), lambda: image, name=full)
            return with_shape(result, image.shape.as_list() if image.shape.rank is not None else [None] * 3)

        def batch():
            count = op("Shape")(input=image)[0]
            numbers = op("Reshape")(tensor=draw(op("Pack")(values=[count])), shape=op("Pack")(values=[count, 1, 1, 1]))
            flips = cast(op("Round")(x=numbers), image.dtype)
            return flips * _reversed(image, [axis + 1]) + (1 - flips) * image

        return by_rank(image, one, batch)


@export("image.random_flip_left_right")
def random_flip_left_right(image, seed=None):
    """Images of which each has its left and right sides exchanged with a probability of 1/2.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_flip_left_right(tf.ones([2, 3, 1]), seed=1).shape
      TensorShape([2, 3, 1])
    """
    return _flipped_at_random(image, 1, draws(seed), "random_flip_left_right")


@export("image.random_flip_up_down")
def random_flip_up_down(image, seed=None):
    """Images of which each is upside down with a probability of 1/2.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.random_flip_up_down(tf.ones([2, 3, 1]), seed=1).shape
      TensorShape([2, 3, 1])
    """
    return _flipped_at_random(image, 0, draws(seed), "random_flip_up_down")


@export("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image, seed):
    """`random_flip_left_right` that depends only on the seed.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1, 2], [1, 2, 1])
      >>> tf.image.stateless_random_flip_left_right(x, [2, 3])[0, :, 0].numpy().tolist()
      [2, 1]
    """
    return _flipped_at_random(image, 1, stateless_draws(seed), "stateless_random_flip_left_right")


@export("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image, seed):
    """`random_flip_up_down` that depends only on the seed.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      seed: int vector of shape [2].

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1, 2], [2, 1, 1])
      >>> tf.image.stateless_random_flip_up_down(x, [2, 3])[:, 0, 0].numpy().tolist()
      [2, 1]
    """
    return _flipped_at_random(image, 0, stateless_draws(seed), "stateless_random_flip_up_down")


def _turned(image, k, first, scope):
    """`image`, whose rows are axis `first`, turned k times."""
    perm = [*range(first), first + 1, first, first + 2]

    def swapped(x):
        return op("Transpose")(x=x, perm=perm)

    turns = [
        lambda: swapped(_reversed(image, [first + 1])),
        lambda: _reversed(image, [first, first + 1]),
        lambda: _reversed(swapped(image), [first + 1]),
    ]
    pairs = [(op("Equal")(x=k, y=i + 1), turn) for i, turn in enumerate(turns)]
    result = case(pairs, default=lambda: image, exclusive=True, name=scope)
    dims = image.shape.as_list() if image.shape.rank is not None else [None] * (first + 3)
    return with_shape(result, [*dims[:first], None, None, dims[-1]])


@export("image.rot90")
def rot90(image, k=1, name=None):
    """Images turned counter-clockwise by right angles.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      k: scalar int: how many right angles.
      name: name of the ops.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: the image has another rank, or no pixels; or k is no scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.image.rot90(tf.reshape([1, 2, 3, 4], [2, 2, 1]))[:, :, 0].numpy().tolist()
      [[2, 4], [1, 3]]
    """
    with name_scope(name or "rot90") as scope:
        image = as_image(image)
        k = convert(k, dtype="int32", name="k")
        k.shape.assert_has_rank(0)
        k = k % 4
        return by_rank(image, lambda: _turned(image, k, 0, scope), lambda: _turned(image, k, 1, scope))


@export("image.transpose")
def transpose(image, name=None):
    """Images with their rows and columns exchanged.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      name: name of the op.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: the image has another rank, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.transpose(tf.reshape([1, 2, 3, 4], [2, 2, 1]))[:, :, 0].numpy().tolist()
      [[1, 3], [2, 4]]
    """
    with name_scope(name or "transpose"):
        image = as_image(image)
        return by_rank(
            image,
            lambda: op("Transpose")(x=image, perm=[1, 0, 2], name="transpose"),
            lambda: op("Transpose")(x=image, perm=[0, 2, 1, 3], name="transpose"),
        )


__all__ = [
    "flip_left_right",
    "flip_up_down",
    "random_flip_left_right",
    "random_flip_up_down",
    "rot90",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "transpose",
]
