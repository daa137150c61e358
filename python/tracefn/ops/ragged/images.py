"""`tf.image.resize` of a ragged batch of images."""

from __future__ import annotations

from tracefn._static_value import known_value
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.by_path import public_function
from tracefn.ops.functional import map_fn
from tracefn.ops.ragged.row_partition import size_of
from tracefn.ops.ragged.tensor import is_ragged
from tracefn.tensor_spec import TensorSpec


def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None):
    """Images of different sizes, each resized to the same size."""
    with name_scope(name or "RaggedResizeImages"):
        if images.shape.rank != 4:
            raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")
        size = convert(size, dtype="int32", name="size")
        known = known_value(size)
        wanted = [None, None] if known is None else [int(side) for side in known]
        spec = TensorSpec([*wanted, images.shape[3]], "float32")

        def of_one(image):
            image = image.to_tensor() if is_ragged(image) else image
            return public_function("image.resize")(image, size, method, preserve_aspect_ratio, antialias)

        def of_none():
            channels = op("Shape")(input=images.flat_values)[-1:]
            shape = op("ConcatV2")(values=[[0], size, channels], axis=0)
            return op("Fill")(dims=shape, value=convert(0.0, dtype="float32"))

        def of_all():
            return map_fn(of_one, images, fn_output_signature=spec)

        count = size_of(images.shape, 0)
        if count is not None:
            return of_all() if count else of_none()
        rows = images.nrows()
        return public_function("cond")(op("Equal")(x=rows, y=convert(0, dtype=rows.dtype)), of_none, of_all)
