"""`tf.compat.v1.image`: the functions that differ from those of `tf.image`, and all others."""

from __future__ import annotations

import tracefn.image as _image
from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import missing as _missing
from tracefn.compat.v1.arguments import today as _today
from tracefn.ops._build import op as _op
from tracefn.ops.image_resize import padded as _padded
from tracefn.ops.image_resize import resized as _resized

# Names that only TensorFlow 2 has.
_NEW = frozenset(name for name in dir(_image) if name.startswith("stateless_")) | {"resize_with_pad"}


class ResizeMethod:
    """The methods of `resize`, as numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.image.ResizeMethod.AREA
      3
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_OPS = {
    0: "ResizeBilinear",
    "bilinear": "ResizeBilinear",
    1: "ResizeNearestNeighbor",
    "nearest": "ResizeNearestNeighbor",
    2: "ResizeBicubic",
    "bicubic": "ResizeBicubic",
    3: "ResizeArea",
    "area": "ResizeArea",
}


def resize(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Images of another size, by the old correspondence of pixels: pixel (0, 0) stays where it is.

    Args:
      images: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      size: int32 vector (height, width).
      method: one of `ResizeMethod`, or "bilinear", "nearest", "bicubic" or "area".
      align_corners: whether the last pixels stay where they are, too.
      preserve_aspect_ratio: whether images keep their ratio of width to height, and fit into `size`.
      name: name of the ops.

    Returns:
      Tensor of images' rank; float32, or of images' dtype for the nearest pixels or if the size stays the same.

    Raises:
      ValueError: there is no such method, or images or size have another shape.
      InvalidArgumentError: the size is not positive, or images have no pixels.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([0.0, 4.0], [1, 2, 1])
      >>> tf.compat.v1.image.resize(x, [1, 4])[0, :, 0].numpy().tolist()
      [0.0, 2.0, 4.0, 4.0]
    """
    if method not in _OPS:
        raise ValueError(f"Resize method is not implemented: {method}")

    def resizer(batch, to):
        return _op(_OPS[method])(images=batch, size=to, align_corners=align_corners)

    return _resized(images, size, resizer, preserve_aspect_ratio, name, True)


resize_images = resize


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
    """Images resized to fit into a size by `resize`, with zeros around them.

    Args:
      image: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      target_height, target_width: ints, of the result.
      method, align_corners: as for `resize`.

    Returns:
      Tensor of image's rank.

    Raises:
      ValueError: there is no such method, a target is not positive, or the image has no pixels.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.image.resize_image_with_pad(tf.ones([2, 2, 1]), 2, 4).shape
      TensorShape([2, 4, 1])
    """
    return _padded(image, target_height, target_width, lambda x, size: resize(x, size, method, align_corners))


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images resized by bilinear interpolation.

    Args:
      images: tensor of numbers [batch, height, width, channels].
      size: int32 vector (height, width).
      align_corners: whether the corners stay where they are.
      name: name of the op.
      half_pixel_centers: whether pixels are areas, whose centers are between their edges.

    Returns:
      float32 tensor.

    Raises:
      InvalidArgumentError: shapes do not fit, or both correspondences are asked for.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([0.0, 4.0], [1, 1, 2, 1])
      >>> tf.compat.v1.image.resize_bilinear(x, [1, 3], align_corners=True)[0, 0, :, 0].numpy().tolist()
      [0.0, 2.0, 4.0]
    """
    return _op("ResizeBilinear")(
        images=images, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images resized by bicubic interpolation; arguments as for `resize_bilinear`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.image.resize_bicubic(tf.ones([1, 2, 2, 1]), [1, 3]).shape
      TensorShape([1, 1, 3, 1])
    """
    return _op("ResizeBicubic")(
        images=images, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images resized by taking the nearest pixels; arguments as for `resize_bilinear`.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1, 2], [1, 1, 2, 1])
      >>> tf.compat.v1.image.resize_nearest_neighbor(x, [1, 4])[0, 0, :, 0].numpy().tolist()
      [1, 1, 2, 2]
    """
    return _op("ResizeNearestNeighbor")(
        images=images, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_area(images, size, align_corners=False, name=None):
    """Images resized by averaging the areas that pixels cover; arguments as for `resize_bilinear`.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 3.0], [1, 1, 2, 1])
      >>> float(tf.compat.v1.image.resize_area(x, [1, 1])[0, 0, 0, 0])
      2.0
    """
    return _op("ResizeArea")(images=images, size=size, align_corners=align_corners, name=name)


def crop_and_resize(
    image,
    boxes,
    box_ind=None,
    crop_size=None,
    method="bilinear",
    extrapolation_value=0,
    name=None,
    box_indices=None,
):
    """`tf.image.crop_and_resize`, whose `box_indices` were called `box_ind`.

    Raises:
      ValueError: both are given.

    Example:
      >>> import tracefn as tf
      >>> x = tf.ones([1, 4, 4, 1])
      >>> tf.compat.v1.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2]).shape
      TensorShape([1, 2, 2, 1])
    """
    if box_indices is not None:
        if box_ind is not None:
            raise ValueError("Cannot specify both 'box_ind' and 'box_indices'.")
        box_ind = box_indices
    return _image.crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value, name)


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """`tf.image.draw_bounding_boxes` with colors of its own by default.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]]).shape
      TensorShape([1, 3, 3, 1])
    """
    return _image.draw_bounding_boxes(images, boxes, colors, name)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):
    """`tf.image.extract_glimpse` with uniform or Gaussian noise, and windows around the places in every case.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.image.extract_glimpse(tf.ones([1, 4, 4, 1]), [2, 2], [[0.0, 0.0]]).shape
      TensorShape([1, 2, 2, 1])
    """
    return _op("ExtractGlimpse")(
        input=input,
        size=size,
        offsets=offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )


def sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed=None,
    seed2=None,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """`tf.image.sample_distorted_bounding_box`, whose op takes two seeds.

    Example:
      >>> import tracefn as tf
      >>> begin, size, box = tf.compat.v1.image.sample_distorted_bounding_box(
      ...     [10, 10, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=1, seed2=2)
      >>> box.shape
      TensorShape([1, 1, 4])
    """
    return _op("SampleDistortedBoundingBoxV2")(
        image_size=image_size,
        bounding_boxes=bounding_boxes,
        seed=seed or 0,
        seed2=seed2 or 0,
        min_object_covered=min_object_covered,
        aspect_ratio_range=[0.75, 1.33] if aspect_ratio_range is None else aspect_ratio_range,
        area_range=[0.05, 1.0] if area_range is None else area_range,
        max_attempts=100 if max_attempts is None else max_attempts,
        use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
        name=name,
    )


extract_image_patches = _today("compat.v1.extract_image_patches")
resize_image_with_crop_or_pad = _image.resize_with_crop_or_pad
transpose_image = _image.transpose


def __getattr__(name: str):
    if name.startswith("_") or name in _NEW or not hasattr(_image, name):
        raise _missing("compat.v1.image", name)
    return getattr(_image, name)
_leave_out(globals(), "compat.v1.image")
