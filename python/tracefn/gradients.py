"""`tf.gradients` and `tf.hessians`: gradients through the nodes of a graph under construction."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._gradient.values import components, flat_outputs, flat_sources, pack_gradients, replace_missing
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly
from tracefn.gradient_tape import UnconnectedGradients, unconnected


class AggregationMethod:
    """How `tf.gradients` accumulates gradients in TensorFlow 1; accepted, without effect."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


_METHODS = (None, AggregationMethod.ADD_N, AggregationMethod.EXPERIMENTAL_TREE, AggregationMethod.EXPERIMENTAL_ACCUMULATE_N)


def _as_list(x) -> list:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """The derivatives of the sum of `ys` with respect to each of `xs`, in a traced function.

    Args:
      ys: tensor or list of tensors to be differentiated.
      xs: tensor or Variable, or list of them; numbers and arrays are constants.
      grad_ys: None, or a tensor or None for each of `ys`: weights of its elements.
      name: scope of the created ops.
      gate_gradients: accepted, without effect.
      aggregation_method: one of `tf.AggregationMethod`, without effect.
      stop_gradients: None, or tensors that are treated as constants.
      unconnected_gradients: the result for an x that no y depends on: None, or zeros.

    Returns:
      List of tensors, IndexedSlices and None, one for each of `xs`.

    Raises:
      RuntimeError: called eagerly.
      TypeError: one of `ys` is complex and has no weight.
      ValueError: `unconnected_gradients` or `aggregation_method` has another value, or the lengths of `grad_ys` and `ys`
        differ.
    """
    del gate_gradients
    if aggregation_method not in _METHODS:
        raise ValueError(f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are {list(_METHODS[1:])}.")
    if executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    if (own := _core.other_graph(ys)) is not None:
        with own.as_default():
            return gradients(ys, xs, grad_ys, name, False, aggregation_method, stop_gradients, unconnected_gradients)
    rule = unconnected(unconnected_gradients)
    graph = _core.current_graph()
    leaves = nest.flatten(components(nest.flatten(_as_list(ys))), expand_composites=True)
    targets = [_core.convert_to_tensor(y) for y in leaves]
    sources = [_as_source(x) for x in _as_list(xs)]
    flat, handles = flat_sources(sources)
    given = [None] * len(targets) if grad_ys is None else _as_list(grad_ys)
    if len(given) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(targets)} ys")
    for y, weight in zip(targets, given, strict=True):
        if weight is None and y.dtype.is_complex:
            raise TypeError(f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})")
    weights = flat_outputs(given, len(targets))
    _, stops = flat_sources([] if stop_gradients is None else _as_list(stop_gradients))
    with graph.name_scope(name or "gradients"):
        found = _core.graph_gradients(graph, targets, weights, handles, stops)
        if rule is UnconnectedGradients.ZERO:
            found = replace_missing(found, flat)
        return found if _is_flat(xs) else pack_gradients(sources, found)


def _as_source(x):
    """A source, or a constant of numbers, which nothing depends on.

    Raises:
      AttributeError: it is None.
    """
    if x is None:
        raise AttributeError("'NoneType' object has no attribute 'op'")
    parts = nest.flatten(x)
    if not parts or any(isinstance(part, (_core.Tensor, CompositeTensor)) or hasattr(part, "handle") for part in parts):
        return x
    return _core.convert_to_tensor(x)


def _is_flat(xs) -> bool:
    """Whether no source is a composite value."""
    return not any(isinstance(x, CompositeTensor) for x in nest.flatten(_as_list(xs)))


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """The second derivatives of the sum of `ys` with respect to each of `xs`, in a traced function.

    Args:
      ys: scalar tensor or list of them.
      xs: tensor or list of tensors.
      gate_gradients, aggregation_method: accepted, without effect.
      name: scope of the created ops.

    Returns:
      List of tensors of shape x.shape + x.shape.

    Raises:
      RuntimeError: called eagerly.
    """
    del gate_gradients, aggregation_method
    from tracefn._gradient.rows import graph_jacobian  # start-up time: few programs take second derivatives

    result = []
    for x, slope in zip(_as_list(xs), gradients(ys, xs, name=name), strict=True):
        result.append(None if slope is None else graph_jacobian(slope, x))
    return result
