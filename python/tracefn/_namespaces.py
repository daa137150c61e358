"""The contents of public namespaces: the functions exported under their paths."""

from __future__ import annotations

import importlib
import sys
import types

import tracefn.ops  # noqa: F401 - registers the composed functions
from tracefn._export import exported
from tracefn._missing import missing

# Files of tracefn.ops that few programs need, and what they register: imported on first use.
_LATER = {
    "clipping": (
        "clip_by_norm",
        "linalg.global_norm",
        "clip_by_global_norm",
    ),
    "contexts": (
        "get_current_name_scope",
        "is_symbolic_tensor",
        "timestamp",
        "tuple",
    ),
    "gradient_registry": (
        "RegisterGradient",
        "compat.v1.RegisterGradient",
        "no_gradient",
        "compat.v1.no_gradient",
        "compat.v1.NoGradient",
        "compat.v1.NotDifferentiable",
    ),
    "convolution": (
        "nn.conv2d",
        "nn.conv3d",
        "nn.conv1d",
        "nn.conv2d_transpose",
        "nn.conv3d_transpose",
        "nn.conv1d_transpose",
        "nn.conv_transpose",
        "nn.convolution",
        "nn.atrous_conv2d",
        "nn.atrous_conv2d_transpose",
    ),
    "depthwise": (
        "nn.depthwise_conv2d",
        "nn.separable_conv2d",
        "nn.depthwise_conv2d_backprop_input",
        "nn.depthwise_conv2d_backprop_filter",
        "nn.dilation2d",
        "nn.erosion2d",
    ),
    "dropout": (
        "nn.dropout",
        "nn.experimental.stateless_dropout",
    ),
    "einsum": (
        "einsum",
        "linalg.einsum",
    ),
    "embedding": ("nn.embedding_lookup",),
    "functional": (
        "map_fn",
        "vectorized_map",
        "foldl",
        "foldr",
        "scan",
    ),
    "graph_import": (
        "import_graph_def",
        "graph_util.import_graph_def",
        "make_ndarray",
    ),
    "initializers": (
        "zeros_initializer",
        "ones_initializer",
        "constant_initializer",
        "random_uniform_initializer",
        "random_normal_initializer",
    ),
    "losses": (
        "nn.sigmoid_cross_entropy_with_logits",
        "nn.weighted_cross_entropy_with_logits",
        "nn.log_poisson_loss",
    ),
    "lookup": (
        "unique",
        "unique_with_counts",
        "searchsorted",
        "unravel_index",
        "math.in_top_k",
        "nn.in_top_k",
    ),
    "normalization": (
        "nn.moments",
        "nn.weighted_moments",
        "nn.sufficient_statistics",
        "nn.normalize_moments",
        "nn.batch_normalization",
        "math.l2_normalize",
        "linalg.l2_normalize",
        "nn.l2_normalize",
        "linalg.normalize",
        "math.zero_fraction",
        "nn.zero_fraction",
    ),
    "pooling": (
        "nn.max_pool2d",
        "nn.max_pool1d",
        "nn.max_pool3d",
        "nn.max_pool",
        "nn.avg_pool2d",
        "nn.avg_pool1d",
        "nn.avg_pool3d",
        "nn.avg_pool",
        "nn.max_pool_with_argmax",
        "nn.pool",
        "nn.fractional_max_pool",
        "nn.fractional_avg_pool",
    ),
    "random_generator": (
        "random.Algorithm",
        "random.experimental.Algorithm",
        "random.create_rng_state",
        "random.experimental.create_rng_state",
        "random.Generator",
        "random.experimental.Generator",
        "random.get_global_generator",
        "random.experimental.get_global_generator",
        "random.set_global_generator",
        "random.experimental.set_global_generator",
    ),
    "segments": (
        "math.segment_mean",
        "math.unsorted_segment_mean",
        "math.unsorted_segment_sqrt_n",
    ),
    "space_to_batch": (
        "required_space_to_batch_paddings",
        "nn.with_space_to_batch",
    ),
    "statistics": (
        "math.bincount",
        "math.confusion_matrix",
        "histogram_fixed_width_bins",
        "histogram_fixed_width",
        "math.is_non_decreasing",
        "math.is_strictly_increasing",
    ),
    "traceback_filtering": (
        "debugging.enable_traceback_filtering",
        "debugging.disable_traceback_filtering",
        "debugging.is_traceback_filtering_enabled",
    ),
}
_file_of = {path: file for file, paths in _LATER.items() for path in paths}


def root() -> types.ModuleType:
    """The package itself, for the namespaces implemented by it: it imports them."""
    return sys.modules["tracefn"]


def _below(paths, start: str) -> list[str]:
    """The last parts of the paths that consist of `start` and one name."""
    end = len(start)
    return [path[end:] for path in paths if path.startswith(start) and path.find(".", end) < 0]


def fill(namespace: dict, prefix: str) -> None:
    """Adds the functions with the path `prefix.name` to the namespace of a module, and their names to its __all__."""
    names = namespace.setdefault("__all__", [])
    start = prefix + "." if prefix else ""
    here = _below(exported(), start)
    for name in here:
        namespace[name] = exported()[start + name]
    names.extend(here)
    later = _below(_file_of, start)
    namespace.setdefault("__getattr__", lambda name: load(namespace, prefix, name))
    if later:
        names.extend(name for name in later if name not in namespace)
        namespace["__dir__"] = lambda: sorted({*namespace, *later})


def _import(file: str) -> None:
    importlib.import_module(f"tracefn.ops.{file}")  # start-up time: few programs need these files


def load(namespace: dict, prefix: str, name: str):
    """The `__getattr__` of a module: imports the file of a function on first use.

    Raises:
      AttributeError: the name does not exist.
    """
    path = f"{prefix}.{name}" if prefix else name
    if path not in _file_of:
        raise missing(prefix, name)
    _import(_file_of[path])
    namespace[name] = exported()[path]
    return namespace[name]


def public_paths() -> dict[str, object]:
    """All public paths and their values."""
    for file in _LATER:
        _import(file)
    return dict(exported())
