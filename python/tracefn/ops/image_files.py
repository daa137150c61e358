"""Files of images."""

from __future__ import annotations

from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.image_color import convert_image_dtype
from tracefn.ops.image_shapes import with_shape


@export("image.is_jpeg", "io.is_jpeg")
def is_jpeg(contents, name=None):
    """Whether files start as JPEG files do.

    Args:
      contents: string tensor.
      name: name of the ops.

    Returns:
      bool tensor of the same shape.

    Raises:
      InvalidArgumentError: a file has less than three bytes.

    Example:
      >>> import tracefn as tf
      >>> tf.image.is_jpeg([bytes([255, 216, 255, 224]), b"GIF89a"]).numpy().tolist()
      [True, False]
    """
    with name_scope(name or "is_jpeg"):
        start = op("Substr")(input=contents, pos=0, len=3)
        return op("Equal")(x=start, y=b"\xff\xd8\xff", name=name)


@export("image.encode_png", "io.encode_png")
def encode_png(image, compression=-1, name=None):
    """PNG files with the pixels of images.

    Args:
      image: uint8 or uint16 tensor [..., height, width, channels] with 1 (gray), 2 (gray and alpha), 3 (RGB) or 4 (RGBA)
        channels. Arrays and lists keep their dtype: a list of ints is int32.
      compression: int from 0 to 9, or -1 for zlib's default.
      name: name of the op.

    Returns:
      String tensor [...] with a file for each image.

    Raises:
      InvalidArgumentError: shapes do not fit, or the image has another dtype. In a graph, the latter is a TypeError.

    Example:
      >>> import tracefn as tf
      >>> file = tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))
      >>> tf.io.decode_png(file).shape
      TensorShape([2, 3, 1])
    """
    return op("EncodePng")(image=convert(image, name="image"), compression=compression, name=name)


@export("image.decode_image", "io.decode_image")
def decode_image(contents, channels=None, dtype="uint8", name=None, expand_animations=True):
    """The pixels of a file of any known format: PNG and BMP; JPEG, GIF and WebP with Pillow (`tracefn[image]`).

    Args:
      contents: scalar string.
      channels: int; 0 or None for those of the file, 1 for gray, 3 for RGB, 4 for RGBA, as far as the format has them.
      dtype: a dtype of real numbers; floats are in [0, 1].
      name: name of the ops.
      expand_animations: whether GIF and WebP files give all their frames; else the first one.

    Returns:
      Tensor [height, width, channels], or [frames, height, width, channels] for a GIF or WebP file with
      `expand_animations`.

    Raises:
      InvalidArgumentError: the file is damaged, or has another format.
      ImportError: Pillow is missing.

    Example:
      >>> import tracefn as tf
      >>> file = tf.image.encode_png(tf.zeros([2, 3, 1], tf.uint8))
      >>> tf.image.decode_image(file).shape
      TensorShape([2, 3, 1])
    """
    with name_scope(name or "decode_image"):
        channels = channels or 0
        dtype = as_dtype(dtype)
        read = dtype if dtype.name in ("float32", "uint8", "uint16") else as_dtype("uint16")
        image = op("DecodeImage")(contents=contents, channels=channels, expand_animations=expand_animations, dtype=read)
        if read != dtype:
            image = convert_image_dtype(image, dtype)
        return image if expand_animations else with_shape(image, [None, None, channels or None])


__all__ = ["decode_image", "encode_png", "is_jpeg"]
