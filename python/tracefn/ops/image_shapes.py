"""What the functions of `tf.image` have in common: checks of images and of sizes, and images as batches."""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn.framework import control_dependencies, is_tensor
from tracefn.ops._build import convert, op
from tracefn.ops.array_shape import unstack
from tracefn.ops.debugging import assert_


def require(condition, message: str) -> list:
    """Checks of a condition, for `checked`: an op if it is a tensor.

    Raises:
      ValueError: it is a false value.
    """
    if is_tensor(condition):
        return [assert_(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def checked(x, checks):
    """`x` after the checks."""
    checks = [check for check in checks if check is not None]
    if not checks:
        return x
    with control_dependencies(checks):
        return op("Identity")(input=x)


def sizes(image, rank: int) -> list:
    """The dimensions of an image: ints where they are known, scalar tensors elsewhere."""
    static = image.shape.with_rank(rank).as_list()
    if None not in static:
        return static
    dynamic = unstack(op("Shape")(input=image), rank)
    return [d if s is None else s for s, d in zip(static, dynamic, strict=True)]


def image_checks(image) -> list:
    """Checks that a tensor has at least three dimensions, of which the last three are not empty.

    Raises:
      ValueError: it is known that it has not.
    """
    shape = image.shape
    if shape.rank is None:
        size = op("Shape")(input=image)
        return [
            assert_(op("All")(input=size[-3:] > 0, reduction_indices=[0]), ["inner 3 dims of 'image.shape' must be > 0."]),
            assert_(op("Rank")(input=image) >= 3, ["'image' must be at least three-dimensional."]),
        ]
    if shape.rank < 3:
        raise ValueError(f"'image' (shape {shape}) must be at least three-dimensional.")
    inner = shape[-3:]
    if 0 in inner.as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {shape}")
    if inner.is_fully_defined():
        return []
    positive = op("Shape")(input=image)[-3:] > 0
    return [assert_(op("All")(input=positive, reduction_indices=[0]), ["inner 3 dims of 'image.shape' must be > 0."])]


def as_image(image, name="image"):
    """`image` as a tensor, after `image_checks`."""
    image = convert(image, name=name)
    return checked(image, image_checks(image))


def by_rank(image, of_image, of_batch, message="'image' (shape {}) must have either 3 or 4 dimensions."):
    """`of_image()` for an image, `of_batch()` for a batch of them; decided at run time if the rank is unknown.

    Raises:
      ValueError: it is neither.
    """
    rank = image.shape.rank
    if rank is None:
        return cond(op("Equal")(x=op("Rank")(input=image), y=3), of_image, of_batch)
    if rank not in (3, 4):
        raise ValueError(message.format(image.shape))
    return (of_image if rank == 3 else of_batch)()


def as_batch(image):
    """(images [batch, height, width, channels], whether that is what `image` was).

    Raises:
      ValueError: `image` is neither an image nor a batch of them.
    """
    rank = image.shape.rank
    if rank == 4:
        return image, True
    if rank not in (None, 3):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    batch = op("ExpandDims")(input=image, axis=0)
    if rank is None:
        batch = with_shape(batch, [None] * 4)
    return batch, False


def unbatched(images, was_batch: bool):
    """The image of a batch that `as_batch` made."""
    return images if was_batch else op("Squeeze")(input=images, squeeze_dims=[0])


def with_shape(x, dims):
    """`x`, of which it is known now that it has these dimensions; tensors and None are unknown ones."""
    if not isinstance(x, _core.EagerTensor):
        x.set_shape([None if is_tensor(d) else d for d in dims])
    return x


def minimum(x, y):
    return op("Minimum")(x=x, y=y) if is_tensor(x) or is_tensor(y) else min(x, y)


def maximum(x, y):
    return op("Maximum")(x=x, y=y) if is_tensor(x) or is_tensor(y) else max(x, y)


__all__ = [
    "as_batch",
    "as_image",
    "by_rank",
    "checked",
    "image_checks",
    "maximum",
    "minimum",
    "require",
    "sizes",
    "unbatched",
    "with_shape",
]
