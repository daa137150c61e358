"""Norms of several tensors, and clipping by a norm."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import is_tensor
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.casting import cast
from tracefn.ops.reduction import reduce_sum


def _with_values(tensor, values):
    """`values`, as IndexedSlices if the original is."""
    if isinstance(tensor, IndexedSlices):
        return IndexedSlices(values, tensor.indices, tensor.dense_shape)
    return values


def _values(tensor):
    return convert(tensor.values if isinstance(tensor, IndexedSlices) else tensor, name="t")


@export("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scales a tensor down to the norm `clip_norm` if its norm is larger.

    Args:
      t: floating tensor or IndexedSlices.
      clip_norm: scalar tensor or number, the maximum norm.
      axes: int or list of ints, the axes over which norms are taken; None: all axes.
      name: name of the ops.

    Returns:
      Tensor or IndexedSlices like `t`.

    Example:
      >>> import tracefn as tf
      >>> tf.clip_by_norm([3.0, 4.0], 2.5).numpy().tolist()
      [1.5, 2.0]
    """
    with name_scope(name or "clip_by_norm") as scope:
        values = _values(t)
        squares = reduce_sum(values * values, axes, keepdims=True)
        positive = squares > 0
        safe = op("SelectV2")(condition=positive, t=squares, e=op("OnesLike")(x=squares))
        norm = op("SelectV2")(condition=positive, t=op("Sqrt")(x=safe), e=squares)
        limit = convert(clip_norm, dtype=None if is_tensor(clip_norm) else values.dtype)
        limit = cast(op("Maximum")(x=limit, y=op("ZerosLike")(x=limit)), values.dtype)  # no norm is below 0
        scaled = values * limit
        values.shape.assert_is_compatible_with(scaled.shape)
        clipped = op("Identity")(input=scaled / op("Maximum")(x=norm, y=limit), name=scope)
        return _with_values(t, clipped)


@export("linalg.global_norm")
def global_norm(t_list, name=None):
    """The Euclidean norm of several tensors as one vector.

    Args:
      t_list: list or tuple of floating tensors, IndexedSlices and None, which is ignored.
      name: name of the ops.

    Returns:
      Scalar tensor.

    Raises:
      TypeError: `t_list` is not a list or tuple.

    Example:
      >>> import tracefn as tf
      >>> float(tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([4.0])]))
      5.0
    """
    _check_list(t_list)
    with name_scope(name or "global_norm"):
        halves = [op("L2Loss")(t=_values(t)) for t in t_list if t is not None]
        total = reduce_sum(convert(halves))
        return op("Sqrt")(x=total * convert(2.0, dtype=total.dtype), name="global_norm")


@export("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scales several tensors down by one factor so that their global norm is at most `clip_norm`.

    Args:
      t_list: list or tuple of floating tensors, IndexedSlices and None, which stays None.
      clip_norm: scalar tensor or number, the maximum norm.
      use_norm: the global norm, if it is already known.
      name: name of the ops.

    Returns:
      (list like `t_list`, the global norm before clipping); all tensors are NaN if the norm is not finite.

    Raises:
      TypeError: `t_list` is not a list or tuple.

    Example:
      >>> import tracefn as tf
      >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
      >>> [round(float(t[0]), 3) for t in clipped], float(norm)
      ([0.6, 0.8], 5.0)
    """
    _check_list(t_list)
    norm = global_norm(t_list, name) if use_norm is None else use_norm
    with name_scope(name or "clip_by_global_norm") as scope:
        norm = convert(norm)
        one = _core.convert_to_tensor(1.0, dtype=norm.dtype)
        finite = clip_norm * op("Minimum")(x=one / norm, y=one / convert(clip_norm, dtype=norm.dtype))
        # A norm that is not finite makes everything NaN, as without clipping.
        scale = finite + (norm - norm)
        clipped = [
            None if t is None else _with_values(t, op("Mul")(x=_values(t), y=scale, name=f"{scope}_{i}"))
            for i, t in enumerate(t_list)
        ]
        return clipped, norm


def _check_list(t_list) -> None:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
