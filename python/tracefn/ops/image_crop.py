"""Parts of images, and images with a frame around them."""

from __future__ import annotations

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.framework import is_tensor
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_shape import stack
from tracefn.ops.casting import cast
from tracefn.ops.image_shapes import (
    as_batch,
    checked,
    image_checks,
    maximum,
    minimum,
    require,
    sizes,
    unbatched,
    with_shape,
)


@export("image.central_crop")
def central_crop(image, central_fraction):
    """The middle of images.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      central_fraction: float in (0, 1]: the part of the height, and of the width, that is kept.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: the fraction is something else, or the image has another rank or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.central_crop(tf.ones([8, 4, 3]), 0.5).shape
      TensorShape([4, 2, 3])
    """
    with name_scope("central_crop"):
        image = convert(image, name="image")
        fraction = get_static_value(central_fraction)
        if fraction is not None:
            if fraction <= 0.0 or fraction > 1.0:
                raise ValueError("central_fraction must be within (0, 1]")
            if fraction == 1.0:
                return image
        else:
            inside = op("LogicalOr")(x=central_fraction > 0.0, y=central_fraction <= 1.0)
            image = checked(image, require(inside, "central_fraction must be within (0, 1]"))
        image = checked(image, image_checks(image))
        rank = image.shape.rank
        if rank not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}.")

        def cut(size):
            """(start, size) of the part of a dimension."""
            if fraction is not None and not is_tensor(size):
                start = int((float(size) - float(size) * fraction) / 2)
            else:
                whole = cast(size, "float64")
                start = cast((whole - whole * cast(central_fraction, "float64")) / 2.0, "int32")
            return start, size - start * 2

        at = rank - 3
        dims = image.shape.as_list()
        dynamic = op("Shape")(input=image) if None in dims[at : at + 2] else None
        (top, height), (left, width) = (cut(dynamic[i] if dims[i] is None else dims[i]) for i in (at, at + 1))
        begin, size = [top, left, 0], [height, width, -1]
        result = op("Slice")(input=image, begin=stack([0] * at + begin), size=stack([-1] * at + size))
        return with_shape(result, [*dims[:at], height, width, dims[-1]])


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Images with zeros around them.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      offset_height, offset_width: ints: rows and columns of zeros before the image.
      target_height, target_width: ints, of the result.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: the image does not fit there, or has no pixels. If that is known only when a graph runs:
        InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 1, 3)[0, :, 0].numpy().tolist()
      [0.0, 1.0, 0.0]
    """
    with name_scope("pad_to_bounding_box"):
        images, was_batch = as_batch(convert(image, name="image"))
        batch, height, width, depth = sizes(images, 4)
        below = target_height - offset_height - height
        right = target_width - offset_width - width
        checks = image_checks(images)
        checks += require(offset_height >= 0, "offset_height must be >= 0")
        checks += require(offset_width >= 0, "offset_width must be >= 0")
        checks += require(right >= 0, "width must be <= target - offset")
        checks += require(below >= 0, "height must be <= target - offset")
        images = checked(images, checks)
        paddings = stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        result = op("Pad")(input=images, paddings=op("Reshape")(tensor=paddings, shape=[4, 2]))
        return unbatched(with_shape(result, [batch, target_height, target_width, depth]), was_batch)


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """A window of images.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      offset_height, offset_width: ints: the first row and column of the window.
      target_height, target_width: ints: its size.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: the window is not inside the image, or the image has no pixels. If that is known only when a graph
        runs: InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(6), [2, 3, 1])
      >>> tf.image.crop_to_bounding_box(x, 0, 1, 2, 2)[:, :, 0].numpy().tolist()
      [[1, 2], [4, 5]]
    """
    with name_scope("crop_to_bounding_box"):
        images, was_batch = as_batch(convert(image, name="image"))
        checks = image_checks(images)
        batch, height, width, depth = sizes(images, 4)
        checks += require(offset_width >= 0, "offset_width must be >= 0.")
        checks += require(offset_height >= 0, "offset_height must be >= 0.")
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        checks += require(width >= target_width + offset_width, "width must be >= target + offset.")
        checks += require(height >= target_height + offset_height, "height must be >= target + offset.")
        images = checked(images, checks)
        result = op("Slice")(
            input=images,
            begin=stack([0, offset_height, offset_width, 0]),
            size=stack([-1, target_height, target_width, -1]),
        )
        return unbatched(with_shape(result, [batch, target_height, target_width, depth]), was_batch)


@export("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(image, target_height, target_width):
    """The middle of images, or images with zeros around them, so that they have a size.

    Args:
      image: tensor [height, width, channels], or [batch, height, width, channels].
      target_height, target_width: ints, of the result.

    Returns:
      Tensor of image's dtype and rank.

    Raises:
      ValueError: a target is not positive, or the image has no pixels. If that is known only when a graph runs:
        InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1, 2, 3], [1, 3, 1])
      >>> tf.image.resize_with_crop_or_pad(x, 3, 1)[:, :, 0].numpy().tolist()
      [[0], [2], [0]]
    """
    with name_scope("resize_image_with_crop_or_pad"):
        images, was_batch = as_batch(convert(image, name="image"))
        checks = image_checks(images)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        images = checked(images, checks)
        _, height, width, _ = sizes(images, 4)
        more_width, more_height = target_width - width, target_height - height
        images = crop_to_bounding_box(
            images,
            maximum(-more_height // 2, 0),
            maximum(-more_width // 2, 0),
            minimum(target_height, height),
            minimum(target_width, width),
        )
        images = pad_to_bounding_box(
            images, maximum(more_height // 2, 0), maximum(more_width // 2, 0), target_height, target_width
        )
        return unbatched(images, was_batch)


@export("image.crop_and_resize")
def crop_and_resize(
    image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None
):
    """Boxes of images, resized to one size. Gradients flow to `image` and `boxes`.

    Args:
      image: tensor of real numbers [batch, height, width, channels].
      boxes: float32 tensor [n, 4] of (y1, x1, y2, x2), where 0 is the first and 1 the last pixel; y1 > y2 flips a box.
      box_indices: int32 vector of n: the image of each box.
      crop_size: int32 vector (height, width).
      method: "bilinear" or "nearest".
      extrapolation_value: the number that pixels beyond an image have.
      name: name of the op.

    Returns:
      float32 tensor [n, height, width, channels].

    Raises:
      InvalidArgumentError: shapes do not fit, or a box is not finite.
      OutOfRangeError: there is no such image.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])[0, :, :, 0].numpy().tolist()
      [[0.0, 2.0], [6.0, 8.0]]
    """
    return op("CropAndResize")(
        image=image,
        boxes=boxes,
        box_ind=box_indices,
        crop_size=crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )


@export("image.extract_patches")
def extract_patches(images, sizes, strides, rates, padding, name=None):
    """Patches of images, as a convolution reads them, flattened into the last dimension.

    Args:
      images: tensor [batch, height, width, channels].
      sizes: list of 4 ints, the size of patches: [1, rows, columns, 1].
      strides: list of 4 ints: how far patches are apart.
      rates: list of 4 ints: how far the pixels of a patch are apart.
      padding: "VALID" or "SAME", which adds zeros around the images.
      name: name of the op.

    Returns:
      Tensor [batch, places along the height, along the width, rows * columns * channels] of images' dtype.

    Raises:
      InvalidArgumentError: images have another rank, or are smaller than a patch.
      UnimplementedError: a first or last number of a list is not 1.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
      >>> tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").numpy().tolist()
      [[[[0, 1, 3, 4]]]]
    """
    return op("ExtractImagePatches")(
        images=images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name
    )


@export("image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, noise="uniform", name=None):
    """Windows of images around given places; what is beyond an image is noise.

    Args:
      input: float32 tensor [batch, height, width, channels].
      size: int32 vector (height, width), of the windows.
      offsets: float32 tensor [batch, 2]: the places (y, x).
      centered: whether (0, 0) is the middle of an image; else its first pixel.
      normalized: whether 1 is the size of the image, or half of it if `centered`; else offsets count pixels.
      noise: "uniform", "gaussian" or "zero".
      name: name of the op.

    Returns:
      float32 tensor [batch, height, width, channels].

    Raises:
      InvalidArgumentError: shapes do not fit, or there is no such noise.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> tf.image.extract_glimpse(x, [2, 2], [[1.0, 1.0]], False, False, "zero")[0, :, :, 0].numpy().tolist()
      [[4.0, 5.0], [7.0, 8.0]]
    """
    return op("ExtractGlimpseV2")(
        input=input,
        size=size,
        offsets=offsets,
        centered=centered,
        normalized=normalized,
        noise=noise,
        uniform_noise=False,
        name=name,
    )


__all__ = [
    "central_crop",
    "crop_and_resize",
    "crop_to_bounding_box",
    "extract_glimpse",
    "extract_patches",
    "pad_to_bounding_box",
    "resize_with_crop_or_pad",
]
