"""Dtypes, color spaces and colors of images."""

from __future__ import annotations

from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly, is_tensor
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.casting import cast, saturate_cast
from tracefn.ops.debugging import assert_
from tracefn.ops.image_shapes import as_image, checked, require, with_shape
from tracefn.ops.linear_algebra import tensordot
from tracefn.ops.reduction import reduce_std

_FLOATS = ("float16", "float32")


@export("image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Images of another dtype. Floats are in [0, 1], integers from 0 to the greatest of their dtype.

    Args:
      image: tensor of real numbers.
      dtype: a floating or integer dtype.
      saturate: whether what the dtype does not hold becomes the nearest number that it holds.
      name: name of the ops.

    Returns:
      Tensor of image's shape.

    Raises:
      AttributeError: a dtype is neither floating nor an integer.

    Example:
      >>> import tracefn as tf
      >>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8).numpy().tolist()
      [0, 127, 255]
    """
    image = convert(image, name="image")
    dtype = as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    given = image.dtype
    if not (given.is_floating or given.is_integer):
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == given:
        return op("Identity")(input=image, name=name)
    limited = saturate_cast if saturate else cast
    with name_scope(name or "convert_image") as scope:
        if given.is_integer and dtype.is_integer:
            if given.max > dtype.max:
                return limited(image // ((given.max + 1) // (dtype.max + 1)), dtype, name=scope)
            factor = convert((dtype.max + 1) // (given.max + 1), dtype=dtype)
            return op("Mul")(x=limited(image, dtype), y=factor, name=scope)
        if given.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if given.is_integer:
            return op("Mul")(x=cast(image, dtype), y=convert(1.0 / given.max, dtype=dtype), name=scope)
        return limited(image * (dtype.max + 0.5), dtype, name=scope)


def as_floats(image):
    """`image` as float16, if that is what it is, or float32."""
    return image if image.dtype.name in _FLOATS else convert_image_dtype(image, "float32")


def _in_floats(image, change, saturate=True, name="image"):
    """change(image as floats), in the image's dtype again."""
    image = convert(image, name=name)
    return convert_image_dtype(change(as_floats(image)), image.dtype, saturate=saturate)


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images, name=None):
    """Images without their colors.

    Args:
      images: tensor of real numbers whose last dimension is 3.
      name: name of the ops.

    Returns:
      Tensor of images' dtype whose last dimension is 1.

    Example:
      >>> import tracefn as tf
      >>> tf.image.rgb_to_grayscale(tf.constant([[[0, 255, 0]]], tf.uint8)).numpy().tolist()
      [[[149]]]
    """
    with name_scope(name or "rgb_to_grayscale") as scope:
        images = convert(images, name="images")
        gray = tensordot(convert_image_dtype(images, "float32"), [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(op("ExpandDims")(input=gray, axis=-1), images.dtype, name=scope)


def _require_gray(images):
    shape = images.shape
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(f"A grayscale image (shape {shape}) must be at least two-dimensional.")
    text = "Last dimension of a grayscale image should be size 1."
    if shape.is_fully_defined():
        if shape[-1] != 1:
            raise ValueError(text)
        return images
    size = op("Shape")(input=images)
    rank = op("Rank")(input=images)
    checks = [
        assert_(op("Equal")(x=size[-1], y=1), [text]),
        assert_(rank >= 3, ["A grayscale image must be at least two-dimensional."]),
    ]
    return checked(images, checks)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    """Gray images with three equal channels.

    Args:
      images: tensor of numbers whose last dimension is 1.
      name: name of the ops.

    Returns:
      Tensor of images' dtype whose last dimension is 3.

    Raises:
      ValueError: the last dimension is something else. If that is known only when a graph runs: InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> tf.image.grayscale_to_rgb(tf.ones([1, 1, 1])).numpy().tolist()
      [[[1.0, 1.0, 1.0]]]
    """
    with name_scope(name or "grayscale_to_rgb") as scope:
        images = _require_gray(convert(images, name="images"))
        before = op("ExpandDims")(input=op("Rank")(input=images) - 1, axis=0)
        multiples = op("ConcatV2")(values=[op("Fill")(dims=before, value=1), [3]], axis=0)
        result = op("Tile")(input=images, multiples=multiples, name=scope)
        rank = images.shape.rank
        return result if rank is None else with_shape(result, [*images.shape.as_list()[:-1], 3])


# The rows are those of red, green and blue, or of Y, I and Q, or of Y, U and V.
_RGB_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YIQ_TO_RGB = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_YUV_TO_RGB = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _transformed(images, matrix):
    images = convert(images, name="images")
    kernel = convert(matrix, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, axes=[[images.shape.rank - 1], [0]])


@export("image.rgb_to_yiq")
def rgb_to_yiq(images):
    """The luminances and chrominances Y, I and Q of RGB colors.

    Args:
      images: floating tensor whose last dimension is 3.

    Returns:
      Tensor of images' shape and dtype.

    Example:
      >>> import tracefn as tf
      >>> [round(float(v), 3) for v in tf.image.rgb_to_yiq([[[1.0, 0.5, 0.25]]])[0, 0]]
      [0.621, 0.378, 0.028]
    """
    return _transformed(images, _RGB_TO_YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images):
    """The RGB colors of luminances and chrominances Y, I and Q.

    Args:
      images: floating tensor whose last dimension is 3.

    Returns:
      Tensor of images' shape and dtype.

    Example:
      >>> import tracefn as tf
      >>> [round(float(v), 3) for v in tf.image.yiq_to_rgb([[[1.0, 0.5, 0.25]]])[0, 0]]
      [1.633, 0.702, 0.873]
    """
    return _transformed(images, _YIQ_TO_RGB)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images):
    """The luminances and chrominances Y, U and V of RGB colors.

    Args:
      images: floating tensor whose last dimension is 3.

    Returns:
      Tensor of images' shape and dtype.

    Example:
      >>> import tracefn as tf
      >>> [round(float(v), 3) for v in tf.image.rgb_to_yuv([[[1.0, 0.5, 0.25]]])[0, 0]]
      [0.621, -0.183, 0.332]
    """
    return _transformed(images, _RGB_TO_YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images):
    """The RGB colors of luminances and chrominances Y, U and V.

    Args:
      images: floating tensor whose last dimension is 3.

    Returns:
      Tensor of images' shape and dtype.

    Example:
      >>> import tracefn as tf
      >>> [round(float(v), 3) for v in tf.image.yuv_to_rgb([[[1.0, 0.5, 0.25]]])[0, 0]]
      [1.285, 0.658, 2.016]
    """
    return _transformed(images, _YUV_TO_RGB)


@export("image.adjust_brightness")
def adjust_brightness(image, delta):
    """Images to which a number is added.

    Args:
      image: tensor of real numbers.
      delta: scalar, in units in which white is 1.

    Returns:
      Tensor of image's shape and dtype; integers are kept in their range.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_brightness(tf.constant([0, 200], tf.uint8), 0.5).numpy().tolist()
      [127, 255]
    """
    with name_scope("adjust_brightness") as scope:
        return _in_floats(image, lambda x: op("AddV2")(x=x, y=cast(delta, x.dtype), name=scope))


@export("image.adjust_contrast")
def adjust_contrast(images, contrast_factor):
    """Images whose differences from the mean of each channel are multiplied by a number.

    Args:
      images: tensor of real numbers [..., height, width, channels].
      contrast_factor: scalar.

    Returns:
      Tensor of images' shape and dtype; integers are kept in their range.

    Raises:
      InvalidArgumentError: images have less than three dimensions.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_contrast(tf.reshape([0.0, 2.0], [1, 2, 1]), 2.0)[0, :, 0].numpy().tolist()
      [-1.0, 3.0]
    """
    with name_scope("adjust_contrast") as scope:
        changed = op("AdjustContrastv2")
        return _in_floats(
            images, lambda x: changed(images=x, contrast_factor=contrast_factor, name=scope), name="images"
        )


@export("image.adjust_gamma")
def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma, for images in [0, 1].

    Args:
      image: tensor of real numbers.
      gamma: scalar, not negative.
      gain: scalar.

    Returns:
      Tensor of image's shape and dtype; integers are kept in their range.

    Raises:
      ValueError: gamma is negative; InvalidArgumentError if it is a tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_gamma([0.5, 1.0], 2.0).numpy().tolist()
      [0.25, 1.0]
    """
    with name_scope("adjust_gamma"):
        checks = require(gamma >= 0, "Gamma should be a non-negative real number.")
        if is_tensor(gamma):
            gamma = checked(gamma, checks)
        return _in_floats(image, lambda x: gain * x**gamma)


@export("image.adjust_hue")
def adjust_hue(image, delta, name=None):
    """RGB images whose hue, a number in [0, 1), is turned.

    Args:
      image: tensor of real numbers [..., height, width, 3].
      delta: scalar in [-1, 1].
      name: name of the ops.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ValueError: delta is something else, when eager.
      InvalidArgumentError: image has another shape.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().tolist()
      [[[0.0, 1.0, 1.0]]]
    """
    with name_scope(name or "adjust_hue"):
        if executing_eagerly() and (delta < -1 or delta > 1):
            raise ValueError("delta must be in the interval [-1, 1]")
        return _in_floats(image, lambda x: op("AdjustHue")(images=x, delta=delta), saturate=False)


@export("image.adjust_saturation")
def adjust_saturation(image, saturation_factor, name=None):
    """RGB images whose saturation is multiplied by a number, and kept in [0, 1].

    Args:
      image: tensor of real numbers [..., height, width, 3].
      saturation_factor: scalar.
      name: name of the ops.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      InvalidArgumentError: image has another shape.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().tolist()
      [[[1.0, 0.0, 0.0]]]
    """
    with name_scope(name or "adjust_saturation"):
        return _in_floats(image, lambda x: op("AdjustSaturation")(images=x, scale=saturation_factor), saturate=False)


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None):
    """An image as it is read from a JPEG file of some quality. Needs Pillow, which `tracefn[image]` installs.

    Args:
      image: tensor of real numbers [height, width, channels], with 1 or 3 channels.
      jpeg_quality: scalar int from 0 to 100.
      dct_method: as for `tf.image.decode_jpeg`.
      name: name of the ops.

    Returns:
      Tensor of image's shape and dtype.

    Raises:
      ImportError: Pillow is missing.
      InvalidArgumentError: the shape or the quality does not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 75).shape
      TensorShape([8, 8, 3])
    """
    with name_scope(name or "adjust_jpeg_quality"):
        image = convert(image, name="image")
        channels = image.shape.as_list()[-1]
        bytes_ = convert_image_dtype(image, "uint8", saturate=True)
        if not is_tensor(jpeg_quality):
            jpeg_quality = convert(jpeg_quality, dtype="int32")
        file = op("EncodeJpegVariableQuality")(images=bytes_, quality=jpeg_quality)
        result = op("DecodeJpeg")(contents=file, channels=channels, dct_method=dct_method)
        return convert_image_dtype(result, image.dtype, saturate=True)


@export("image.per_image_standardization")
def per_image_standardization(image):
    """Images with mean 0 and variance 1, or less for images that are nearly uniform.

    Args:
      image: tensor of real numbers [..., height, width, channels].

    Returns:
      float32 tensor of image's shape.

    Raises:
      ValueError: the image has less than three dimensions, or no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.image.per_image_standardization(tf.reshape([1.0, 3.0], [1, 2, 1]))[0, :, 0].numpy().tolist()
      [-1.0, 1.0]
    """
    with name_scope("per_image_standardization") as scope:
        image = cast(as_image(image), "float32")
        axes = [-1, -2, -3]
        pixels = op("Prod")(input=op("Shape")(input=image)[-3:], reduction_indices=[0])
        mean = op("Mean")(input=image, reduction_indices=axes, keep_dims=True)
        least = op("Rsqrt")(x=cast(pixels, "float32"))
        deviation = op("Maximum")(x=reduce_std(image, axis=axes, keepdims=True), y=least)
        return op("RealDiv")(x=image - mean, y=deviation, name=scope)


__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "as_floats",
    "convert_image_dtype",
    "grayscale_to_rgb",
    "per_image_standardization",
    "rgb_to_grayscale",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "yiq_to_rgb",
    "yuv_to_rgb",
]
