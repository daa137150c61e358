"""Non-maximum suppression of batches of boxes, with results of a fixed size."""

from __future__ import annotations

from tracefn._control_flow.loop import while_loop
from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import unstack
from tracefn.ops.casting import cast

_EPSILON = 1e-8  # keeps the divisor from zero


def _ordered(boxes):
    """Boxes whose first corner is the least one, by the order of the first box."""
    y1, x1, y2, x2 = unstack(boxes, 4, axis=-1)

    def pair(a, b):
        falls = a[0, 0] <= b[0, 0]
        select = op("SelectV2")
        return select(condition=falls, t=a, e=b), select(condition=falls, t=b, e=a)

    (top, bottom), (left, right) = pair(y1, y2), pair(x1, x2)
    return op("Pack")(values=[top, left, bottom, right], axis=-1)


def _survivors(boxes, most, threshold):
    """Whether each box [batch, n, 4] overlaps none that survives before it; decided until `most` are found."""
    top, left, bottom, right = unstack(boxes, 4, axis=-1)
    area = (bottom - top) * (right - left)
    n = op("Shape")(input=boxes)[1]
    numbers = op("Range")(start=0, limit=n, delta=1)
    real = op("Any")(input=boxes > 0.0, reduction_indices=[2])
    low, high = op("Maximum"), op("Minimum")

    def go_on(i, alive, count):
        least = op("Min")(input=count, reduction_indices=[0])
        return op("LogicalAnd")(x=i < n, y=least < most)

    def step(i, alive, count):
        def of(x):
            return op("ExpandDims")(input=x[:, i], axis=1)

        height = low(x=high(x=bottom, y=of(bottom)) - low(x=top, y=of(top)), y=0.0)
        width = low(x=high(x=right, y=of(right)) - low(x=left, y=of(left)), y=0.0)
        common = height * width
        overlap = common / (area + of(area) - common + _EPSILON)
        later = op("LogicalAnd")(x=numbers > i, y=of(alive))
        hit = op("LogicalAnd")(x=overlap >= threshold, y=later)
        found = cast(op("LogicalAnd")(x=alive[:, i], y=real[:, i]), "int32")
        return i + 1, op("LogicalAnd")(x=alive, y=op("LogicalNot")(x=hit)), count + found

    count = op("Fill")(dims=op("Shape")(input=boxes)[:1], value=0)
    alive = op("OnesLike")(x=real)
    _, alive, count = while_loop(go_on, step, [constant(0), alive, count])
    return op("LogicalAnd")(x=alive, y=real), count


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_to_max_output_size=False,
    name=None,
    sorted_input=False,
    canonicalized_coordinates=False,
    tile_size=512,
):
    """The boxes with the best scores that do not overlap, of each image of a batch.

    Args:
      boxes: floating tensor [..., n, 4] of (y1, x1, y2, x2), all with their corners in the same order. Boxes without a
        positive number are left out.
      scores: floating tensor [..., n].
      max_output_size: scalar int.
      iou_threshold: boxes overlap if the area that they share is at least this part of the area of both.
      score_threshold: boxes with another score than a greater one are left out.
      pad_to_max_output_size: whether results have the size `max_output_size`, with zeros; batches need that.
      name: name of the ops.
      sorted_input: whether boxes are in the order of their scores, best first.
      canonicalized_coordinates: whether y1 <= y2 and x1 <= x2.
      tile_size: TensorFlow's block size; it does not change results.

    Returns:
      (indices, valid): int32 tensors [..., size] and [...]: the boxes, best first, and how many they are.

    Raises:
      ValueError: boxes are a batch, and `pad_to_max_output_size` is false.

    Example:
      >>> import tracefn as tf
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
      >>> at, valid = tf.image.non_max_suppression_padded(boxes, [0.5, 0.9, 0.6], 4, pad_to_max_output_size=True)
      >>> at.numpy().tolist(), int(valid)
      ([1, 2, 0, 0], 2)
    """
    with name_scope(name or "non_max_suppression_padded"):
        boxes, scores = convert(boxes, name="boxes"), convert(scores, name="scores")
        if not pad_to_max_output_size and (boxes.shape.rank or 0) > 2:
            raise ValueError(f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input")
        most = convert(max_output_size, dtype="int32")
        shape = op("Shape")(input=boxes)
        batch, n = shape[:-2], shape[-2]
        boxes = op("Reshape")(tensor=boxes, shape=op("Pack")(values=[-1, n, 4]))
        scores = op("Reshape")(tensor=scores, shape=op("Pack")(values=[-1, n]))
        if score_threshold != float("-inf"):
            kept = scores > score_threshold
            scores = scores * cast(kept, scores.dtype)
            boxes = boxes * op("ExpandDims")(input=cast(kept, boxes.dtype), axis=2)
        if not canonicalized_coordinates:
            boxes = _ordered(boxes)
        if not sorted_input:
            _, order = op("TopKV2")(input=scores, k=n)
            boxes = op("GatherV2")(params=boxes, indices=order, axis=1, batch_dims=1)
        survive, count = _survivors(cast(boxes, "float32"), most, iou_threshold)
        # The first of those that survive: their numbers from the end are the greatest.
        from_end = op("Range")(start=n, limit=0, delta=-1) * cast(survive, "int32")
        missing = op("Maximum")(x=most - n, y=0)
        from_end = op("Pad")(input=from_end, paddings=op("Pack")(values=[[0, 0], op("Pack")(values=[0, missing])]))
        first, _ = op("TopKV2")(input=from_end, k=most)
        places = op("Minimum")(x=n - first, y=n - 1)
        if not sorted_input:
            places = op("GatherV2")(params=order, indices=places, axis=1, batch_dims=1)
        count = op("Minimum")(x=count, y=most)
        valid = op("Range")(start=0, limit=most, delta=1) < op("ExpandDims")(input=count, axis=1)
        places = op("SelectV2")(condition=valid, t=places, e=0)
        count = op("Reshape")(tensor=count, shape=batch)
        if not pad_to_max_output_size:
            return places[0, :count], count
        size = op("ConcatV2")(values=[batch, op("ExpandDims")(input=most, axis=0)], axis=0)
        return op("Reshape")(tensor=places, shape=size), count


__all__ = ["non_max_suppression_padded"]
