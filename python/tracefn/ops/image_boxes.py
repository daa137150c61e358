"""Boxes of images: those that overlap, those that are drawn, and those that are sampled."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.random_seed import get_seed, refuse_zero_seed

_NO_SCORE = float("-inf")


@export("image.non_max_suppression")
def non_max_suppression(
    boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_NO_SCORE, name=None
):
    """The boxes with the best scores that do not overlap.

    Args:
      boxes: float16 or float32 tensor [n, 4] of (y1, x1, y2, x2), any two opposite corners.
      scores: vector of n numbers of the same dtype.
      max_output_size: scalar int.
      iou_threshold: boxes overlap if the area that they share is more than this part of the area of both.
      score_threshold: boxes with another score than a greater one are left out.
      name: name of the ops.

    Returns:
      int32 vector: the indices of boxes, best first.

    Raises:
      InvalidArgumentError: shapes do not fit, or the threshold is not in [0, 1].

    Example:
      >>> import tracefn as tf
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
      >>> tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.6], 3).numpy().tolist()
      [1, 2]
    """
    with name_scope(name or "non_max_suppression"):
        return op("NonMaxSuppressionV3")(
            boxes=boxes,
            scores=scores,
            max_output_size=max_output_size,
            iou_threshold=convert(iou_threshold, name="iou_threshold"),
            score_threshold=convert(score_threshold, name="score_threshold"),
        )


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_NO_SCORE, soft_nms_sigma=0.0, name=None
):
    """`non_max_suppression` that may lower scores of boxes that overlap, and returns the scores.

    Args:
      boxes, scores, max_output_size, iou_threshold, score_threshold: as for `non_max_suppression`.
      soft_nms_sigma: 0, or the width of the Gaussian by which scores are lowered; no box is left out for overlapping.
      name: name of the ops.

    Returns:
      (indices, scores): an int32 vector, and a vector of scores' dtype.

    Raises:
      InvalidArgumentError: shapes do not fit, the threshold is not in [0, 1], or the width is negative.

    Example:
      >>> import tracefn as tf
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]
      >>> at, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.75], 2, soft_nms_sigma=0.5)
      >>> at.numpy().tolist(), scores.numpy().tolist()
      ([1, 0], [0.75, 0.5])
    """
    with name_scope(name or "non_max_suppression_with_scores"):
        indices, found, _ = op("NonMaxSuppressionV5")(
            boxes=boxes,
            scores=scores,
            max_output_size=max_output_size,
            iou_threshold=convert(iou_threshold, name="iou_threshold"),
            score_threshold=convert(score_threshold, name="score_threshold"),
            soft_nms_sigma=convert(soft_nms_sigma, name="soft_nms_sigma"),
            pad_to_max_output_size=False,
        )
        return indices, found


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=_NO_SCORE, name=None
):
    """`non_max_suppression` of things whose overlaps are given.

    Args:
      overlaps: float32 tensor [n, n].
      scores: float32 vector of n.
      max_output_size: scalar int.
      overlap_threshold: things overlap if their number is greater.
      score_threshold: things whose score is not greater are left out.
      name: name of the ops.

    Returns:
      int32 vector: indices, best first.

    Raises:
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.image.non_max_suppression_overlaps([[1.0, 0.6], [0.6, 1.0]], [0.5, 0.9], 2).numpy().tolist()
      [1]
    """
    with name_scope(name or "non_max_suppression_overlaps"):
        return op("NonMaxSuppressionWithOverlaps")(
            overlaps=overlaps,
            scores=scores,
            max_output_size=max_output_size,
            overlap_threshold=convert(overlap_threshold, name="overlap_threshold"),
            score_threshold=score_threshold,
        )


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold=0.5,
    score_threshold=_NO_SCORE,
    pad_per_class=False,
    clip_boxes=True,
    name=None,
):
    """`non_max_suppression` for each class of each image of a batch, and the best boxes of all classes.

    Args:
      boxes: float32 tensor [batch, n, q, 4], where q is 1 or the number of classes.
      scores: float32 tensor [batch, n, classes].
      max_output_size_per_class, max_total_size: scalar ints.
      iou_threshold, score_threshold: as for `non_max_suppression`.
      pad_per_class: whether results are as long as all classes together need, if that is less than `max_total_size`.
      clip_boxes: whether corners are kept in [0, 1].
      name: name of the ops.

    Returns:
      (boxes [batch, size, 4], scores [batch, size], classes [batch, size], valid_detections [batch]): float32 tensors,
      and the int32 number of boxes of each image; what is behind them is 0.

    Raises:
      InvalidArgumentError: shapes do not fit, a size is not positive, or the threshold is not in [0, 1].

    Example:
      >>> import tracefn as tf
      >>> boxes = tf.reshape([0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0], [1, 2, 1, 4])
      >>> found = tf.image.combined_non_max_suppression(boxes, tf.reshape([0.5, 0.75], [1, 2, 1]), 2, 3)
      >>> found[1].numpy().tolist(), found[3].numpy().tolist()
      ([[0.75, 0.5, 0.0]], [2])
    """
    with name_scope(name or "combined_non_max_suppression"):
        return op("CombinedNonMaxSuppression")(
            boxes=boxes,
            scores=scores,
            max_output_size_per_class=max_output_size_per_class,
            max_total_size=max_total_size,
            iou_threshold=convert(iou_threshold, dtype="float32", name="iou_threshold"),
            score_threshold=convert(score_threshold, dtype="float32", name="score_threshold"),
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
        )


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, colors, name=None):
    """Images with the edges of boxes drawn on them.

    Args:
      images: float16 or float32 tensor [batch, height, width, channels], with 1, 3 or 4 channels.
      boxes: float32 tensor [batch, n, 4] of (y1, x1, y2, x2), where 0 is the first and 1 the last pixel.
      colors: float32 tensor [m, channels], which take turns; None for ten colors.
      name: name of the op.

    Returns:
      Tensor of images' shape and dtype.

    Raises:
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])
      >>> x[0, :, :, 0].numpy().tolist()
      [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if colors is None:
        return op("DrawBoundingBoxes")(images=images, boxes=boxes, name=name)
    return op("DrawBoundingBoxesV2")(images=images, boxes=boxes, colors=colors, name=name)


def _given(**attrs) -> dict:
    """The attributes that have a value; the others have the op's defaults."""
    return {key: value for key, value in attrs.items() if value is not None}


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed=0,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """A random window of an image that covers enough of one of its boxes; the whole image if none is found.

    Args:
      image_size: integer vector (height, width, channels).
      bounding_boxes: float32 tensor [batch, n, 4] of (y1, x1, y2, x2) in [0, 1].
      seed: int, the op's own seed; see `tf.random.set_seed`. 0: from the system's entropy.
      min_object_covered: scalar: the part of a box that must be inside.
      aspect_ratio_range: two floats, of width divided by height; [0.75, 1.33] by default.
      area_range: two floats in (0, 1], the parts of the image's area; [0.05, 1] by default.
      max_attempts: int, 100 by default.
      use_image_if_no_bounding_boxes: whether an image without boxes is one box; else that is an error.
      name: name of the op.

    Returns:
      (begin, size, bboxes): vectors for `tf.slice` of image_size's dtype, and the window as a box [1, 1, 4].

    Raises:
      ValueError: the seed is 0 and determinism is on.
      InvalidArgumentError: shapes do not fit, or a range is wrong.

    Example:
      >>> import tracefn as tf
      >>> begin, size, box = tf.image.sample_distorted_bounding_box([9, 9, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=1)
      >>> box.shape
      TensorShape([1, 1, 4])
    """
    if not seed:
        refuse_zero_seed("tf.image.sample_distorted_bounding_box", seed)
    seed1, seed2 = get_seed(seed) if seed else (0, 0)
    with name_scope(name or "sample_distorted_bounding_box"):
        return op("SampleDistortedBoundingBoxV2")(
            image_size=image_size,
            bounding_boxes=bounding_boxes,
            min_object_covered=min_object_covered,
            seed=seed1,
            seed2=seed2,
            name=name,
            **_given(
                aspect_ratio_range=aspect_ratio_range,
                area_range=area_range,
                max_attempts=max_attempts,
                use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
            ),
        )


@export("image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """`sample_distorted_bounding_box` that depends only on the seed.

    Args:
      image_size, bounding_boxes: as for `sample_distorted_bounding_box`.
      seed: int vector of shape [2].
      min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes: as there.
      name: name of the op.

    Returns:
      (begin, size, bboxes), as there.

    Raises:
      InvalidArgumentError: shapes do not fit, or a range is wrong.

    Example:
      >>> import tracefn as tf
      >>> boxes = [[[0.2, 0.2, 0.8, 0.8]]]
      >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box([9, 9, 3], boxes, seed=[1, 2])
      >>> box.shape
      TensorShape([1, 1, 4])
    """
    with name_scope(name or "stateless_sample_distorted_bounding_box"):
        return op("StatelessSampleDistortedBoundingBox")(
            image_size=image_size,
            bounding_boxes=bounding_boxes,
            min_object_covered=min_object_covered,
            seed=seed,
            name=name,
            **_given(
                aspect_ratio_range=aspect_ratio_range,
                area_range=area_range,
                max_attempts=max_attempts,
                use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
            ),
        )


__all__ = [
    "combined_non_max_suppression",
    "draw_bounding_boxes",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_with_scores",
    "sample_distorted_bounding_box",
    "stateless_sample_distorted_bounding_box",
]
