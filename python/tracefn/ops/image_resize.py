"""Images of another size."""

from __future__ import annotations

from functools import partial

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_shape import stack
from tracefn.ops.casting import cast
from tracefn.ops.image_crop import pad_to_bounding_box
from tracefn.ops.image_shapes import as_batch, checked, image_checks, maximum, require, sizes, unbatched, with_shape


@export("image.ResizeMethod")
class ResizeMethod:
    """The methods of `tf.image.resize`.

    Example:
      >>> import tracefn as tf
      >>> tf.image.ResizeMethod.BICUBIC
      'bicubic'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_OPS = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor", "bicubic": "ResizeBicubic"}
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}  # those that are the same with antialiasing
_SAMPLED = ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def _sampled(images, size, kernel, antialias):
    scale = cast(size, "float32") / cast(op("Shape")(input=images)[1:3], "float32")
    return op("ScaleAndTranslate")(
        images=images, size=size, scale=scale, translation=[0.0, 0.0], kernel_type=kernel, antialias=antialias
    )


def _resized_by(method, antialias, images, size):
    """The images, resized by a method.

    Raises:
      ValueError: there is no such method.
    """
    if antialias and method in _KERNELS:
        return _sampled(images, size, _KERNELS[method], True)
    if method in _OPS:
        return op(_OPS[method])(images=images, size=size, half_pixel_centers=True)
    if method == ResizeMethod.AREA:
        return op("ResizeArea")(images=images, size=size)
    if method in _SAMPLED:
        return _sampled(images, size, method, antialias)
    raise ValueError(f"Resize method is not implemented: {method}")


def _size_tensor(size):
    try:
        size = convert(size, dtype="int32", name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size


def _within(images, size):
    """The largest size of the ratio of the images that fits into `size`."""
    given = [cast(d, "float32") for d in sizes(images, 4)[1:3]]
    wanted = [cast(size[i], "float32") for i in range(2)]
    factor = op("Minimum")(x=wanted[0] / given[0], y=wanted[1] / given[1])
    return stack([cast(op("Round")(x=factor * d), "int32") for d in given])


def _static_size(size) -> list:
    """The two numbers, None where they are unknown or no size."""
    known = get_static_value(size, partial=True)
    return [None, None] if known is None else [None if d is None or d < 0 else int(d) for d in known]


def resized(images, size, resizer, preserve_aspect_ratio, name, skips):
    """`images` resized by a function; `skips` says that images that have the size already are returned as they are.

    Raises:
      ValueError: `images` is no image or batch of images, or `size` no vector of two ints.
    """
    with name_scope(name or "resize"):
        images = convert(images, name="images")
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        batch, was_batch = as_batch(images)
        size = _size_tensor(size)
        if preserve_aspect_ratio:
            size = _within(batch, size)
        static = _static_size(size)
        if skips and None not in static and static == batch.shape.as_list()[1:3]:
            return images
        result = resizer(batch, size)
        return unbatched(with_shape(result, [None, *static, None]), was_batch)


@export("image.resize")
def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None):
    """Images of another size.

    Args:
      images: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      size: int32 vector (height, width).
      method: one of `tf.image.ResizeMethod`.
      preserve_aspect_ratio: whether images keep their ratio of width to height, and fit into `size`.
      antialias: whether pixels of a smaller image are averages of all pixels that they cover. For the methods
        "nearest" and "area" it says nothing.
      name: name of the ops.

    Returns:
      Tensor of images' rank; float32, or of images' dtype for the method "nearest".

    Raises:
      ValueError: there is no such method, or images or size have another shape.
      InvalidArgumentError: the size is not positive, or images have no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.resize(tf.reshape([0.0, 4.0], [1, 2, 1]), [1, 4])[0, :, 0].numpy().tolist()
      [0.0, 1.0, 3.0, 4.0]
    """
    return resized(images, size, partial(_resized_by, method, antialias), preserve_aspect_ratio, name, False)


def padded(image, target_height, target_width, resize_to):
    """`image` resized by `resize_to(images, size)` to fit, with zeros around it."""
    with name_scope("resize_image_with_pad"):
        image = convert(image, name="image")
        images, was_batch = as_batch(image)
        checks = image_checks(images)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        images = checked(images, checks)
        given = [cast(d, "float32") for d in sizes(images, 4)[1:3]]
        target = [cast(d, "float32") for d in (target_height, target_width)]
        ratio = maximum(given[1] / target[1], given[0] / target[0])
        wanted = [d / ratio for d in given]
        size = [cast(op("Floor")(x=d), "int32") for d in wanted]
        before = [
            maximum(0, cast(op("Floor")(x=(t - d) / 2.0), "int32")) for t, d in zip(target, wanted, strict=True)
        ]
        images = pad_to_bounding_box(resize_to(images, stack(size)), *before, target_height, target_width)
        return unbatched(images, was_batch)


@export("image.resize_with_pad")
def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    """Images resized to fit into a size, with zeros around them.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      target_height, target_width: ints, of the result.
      method, antialias: as for `tf.image.resize`.

    Returns:
      Tensor of image's rank; float32, or of image's dtype for the method "nearest".

    Raises:
      ValueError: there is no such method, a target is not positive, or the image has no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4)[:, :, 0].numpy().tolist()
      [[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]]
    """
    return padded(
        image, target_height, target_width, lambda x, size: resize(x, size, method, antialias=antialias)
    )


__all__ = ["ResizeMethod", "padded", "resize", "resize_with_pad", "resized"]
