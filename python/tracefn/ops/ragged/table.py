"""The public functions that take ragged tensors, besides the elementwise ones, and what they do with them."""

from __future__ import annotations

import importlib
import itertools

from tracefn._dispatch import add_handler
from tracefn.ops.ragged.tensor import is_ragged

_FILES = {
    "arrays": {
        "bitcast": "bitcast",
        "concat": "concat",
        "expand_dims": "expand_dims",
        "nn.dropout": "dropout",
        "nn.experimental.stateless_dropout": "stateless_dropout",
        "one_hot": "one_hot",
        "rank": "rank",
        "reshape": "reshape",
        "reverse": "reverse",
        "size": "size",
        "split": "split",
        "squeeze": "squeeze",
        "stack": "stack",
        "tile": "tile",
    },
    "composed": {
        "clip_by_value": "clip_by_value",
        "math.is_non_decreasing": "is_non_decreasing",
        "math.is_strictly_increasing": "is_strictly_increasing",
        "nn.batch_normalization": "batch_normalization",
        "nn.moments": "moments",
        "nn.scale_regularization_loss": "scale_regularization_loss",
    },
    "dynamic_shape": {"shape": "shape"},
    "images": {"image.resize": "resize"},
    "reduction": {
        "math.add_n": "add_n",
        "math.cumsum": "cumsum",
        "math.reduce_all": "reduce_all",
        "math.reduce_any": "reduce_any",
        "math.reduce_logsumexp": "reduce_logsumexp",
        "math.reduce_max": "reduce_max",
        "math.reduce_mean": "reduce_mean",
        "math.reduce_min": "reduce_min",
        "math.reduce_prod": "reduce_prod",
        "math.reduce_std": "reduce_std",
        "math.reduce_sum": "reduce_sum",
        "math.reduce_variance": "reduce_variance",
        "math.unsorted_segment_max": "segment_max",
        "math.unsorted_segment_mean": "segment_mean",
        "math.unsorted_segment_min": "segment_min",
        "math.unsorted_segment_prod": "segment_prod",
        "math.unsorted_segment_sqrt_n": "segment_sqrt_n",
        "math.unsorted_segment_sum": "segment_sum",
        "nn.softmax": "softmax",
    },
    "selection": {
        "compat.v1.batch_gather": "batch_gather",
        "compat.v1.where": "where_of_rows",
        "dynamic_partition": "dynamic_partition",
        "gather": "gather",
        "gather_nd": "gather_nd",
        "linalg.matmul": "matmul",
        "nn.embedding_lookup": "embedding_lookup",
        "where": "where",
    },
    "strings": {
        "strings.format": "format",
        "strings.join": "join",
        "strings.reduce_join": "reduce_join",
    },
}

# The parameters that may be ragged, or lists with ragged tensors; of other functions it is the first one.
_SEGMENTS = ("data", "segment_ids")
_PARAMETERS = {
    "batch_gather": ("params", "indices"),
    "batch_normalization": ("x", "mean", "variance", "offset", "scale"),
    "clip_by_value": ("t", "clip_value_min", "clip_value_max"),
    "dynamic_partition": ("data", "partitions"),
    "embedding_lookup": ("ids",),
    "format": ("inputs",),
    "gather": ("params", "indices"),
    "gather_nd": ("params", "indices"),
    "matmul": ("a", "b"),
    "segment_max": _SEGMENTS,
    "segment_mean": _SEGMENTS,
    "segment_min": _SEGMENTS,
    "segment_prod": _SEGMENTS,
    "segment_sqrt_n": _SEGMENTS,
    "segment_sum": _SEGMENTS,
    "where": ("condition", "x", "y"),
    "where_of_rows": ("condition", "x", "y"),
}


def _has_ragged(value) -> bool:
    return is_ragged(value) or (isinstance(value, (list, tuple)) and any(map(is_ragged, value)))


def _handler(file: str, name: str):
    places = _PARAMETERS.get(name)

    def handle(arguments):
        candidates = map(arguments.get, places) if places else itertools.islice(arguments.values(), 1)
        if not any(map(_has_ragged, candidates)):
            return NotImplemented
        module = importlib.import_module(f".{file}", __package__)  # start-up time: few programs need all of them
        return getattr(module, name)(**arguments)

    return handle


# Those that take shapes of ragged tensors: path -> (name, the argument).
_OF_SHAPES = {
    "broadcast_dynamic_shape": ("broadcast_dynamic_shape", ("shape_x", "shape_y")),
    "broadcast_to": ("broadcast_to", ("shape",)),
    "fill": ("fill", ("dims",)),
    "ones": ("ones", ("shape",)),
    "reshape": ("reshape", ("shape",)),
    "zeros": ("zeros", ("shape",)),
}


def _shape_handler(name: str, places):
    def handle(arguments):
        if not any(type(arguments.get(place)).__name__ == "DynamicRaggedShape" for place in places):
            return NotImplemented
        from tracefn.ops.ragged import dynamic_shape  # start-up time: few programs need it

        return getattr(dynamic_shape, name)(**arguments)

    return handle


def register() -> None:
    """Makes these functions take ragged tensors."""
    for path, (name, places) in _OF_SHAPES.items():
        add_handler(path, _shape_handler(name, places), first=True)
    for file, targets in _FILES.items():
        for path, name in targets.items():
            add_handler(path, _handler(file, name))
