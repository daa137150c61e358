"""`tensorflow.python.framework.ops`: classes of tensors, conversion and name scopes, as code inside TensorFlow calls them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

from tracefn import _core
from tracefn._core import EagerTensor, SymbolicTensor
from tracefn._graph.statistics import OpStats, RegisterStatistics, get_stats_for_node_def
from tracefn._internal import get_name_scope
from tracefn._namespaces import root
from tracefn.composite import CompositeTensor
from tracefn.framework import Graph, default_graph, executing_eagerly, is_tensor
from tracefn.python.framework._gradient_table import gradient_table
from tracefn.types.abstract_tensor import AbstractTensor

__all__ = [
    "EagerTensor",
    "EagerTensorType",
    "NullContextmanager",
    "OpStats",
    "RegisterStatistics",
    "SymbolicTensor",
    "add_exit_callback_to_default_func_graph",
    "colocate_with",
    "convert_n_to_tensor",
    "convert_n_to_tensor_or_composite",
    "convert_to_tensor",
    "convert_to_tensor_or_composite",
    "get_all_collection_keys",
    "get_name_scope",
    "get_stats_for_node_def",
    "internal_convert_n_to_tensor",
    "internal_convert_n_to_tensor_or_composite",
    "internal_convert_to_tensor",
    "internal_convert_to_tensor_or_composite",
    "internal_name_scope_v1",
    "is_dense_tensor_like",
    "name_from_scope_name",
    "name_scope",
    "numpy_text",
    "prepend_name_scope",
    "strip_name_scope",
    "tensor_id",
    "uid",
]

EagerTensorType = EagerTensor
_gradient_registry = gradient_table
_uids = itertools.count(1)
# In names that a scope is put before or taken from.
_PREFIXES = ("^", "loc:@")


class NullContextmanager(contextlib.nullcontext):
    """A context without effect; takes any arguments."""

    def __init__(self, *args, **kwargs) -> None:
        del args, kwargs
        super().__init__()


def convert_to_tensor(
    value,
    dtype=None,
    name=None,
    as_ref=False,
    preferred_dtype=None,
    dtype_hint=None,
    ctx=None,
    accepted_result_types=None,
):
    """`tf.convert_to_tensor` with the arguments of TensorFlow 1.

    Args:
      value: what `tf.convert_to_tensor` takes.
      dtype: DType, or None: that of the value.
      name: name of the op, or None.
      preferred_dtype: DType that is taken if `dtype` is None and the value allows it.
      dtype_hint: another name of `preferred_dtype`.
      as_ref, ctx, accepted_result_types: have no effect.

    Raises:
      TypeError, ValueError: as in `tf.convert_to_tensor`.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.ops.convert_to_tensor([1, 2], preferred_dtype=tf.float32).dtype
      tf.float32
    """
    del as_ref, ctx, accepted_result_types
    return _core.convert_to_tensor(value, dtype=dtype, dtype_hint=preferred_dtype or dtype_hint, name=name)


internal_convert_to_tensor = convert_to_tensor


def _numbered(name, i: int):
    return None if name is None else f"{name}_{i}"


def _require_sequence(values) -> None:
    if not isinstance(values, Sequence):
        raise TypeError("values must be a sequence.")


def internal_convert_n_to_tensor(values, dtype=None, name=None, as_ref=False, preferred_dtype=None, ctx=None) -> list:
    """Several values as tensors; the i-th has the name `name_i`.

    Raises:
      TypeError: `values` is no sequence.
    """
    del as_ref, ctx
    _require_sequence(values)
    return [
        convert_to_tensor(value, dtype, _numbered(name, i), preferred_dtype=preferred_dtype)
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None) -> list:
    """`internal_convert_n_to_tensor` without the arguments that have no effect."""
    return internal_convert_n_to_tensor(values, dtype, name, preferred_dtype=preferred_dtype)


def convert_to_tensor_or_composite(value, dtype=None, name=None):
    """The value as a tensor; a composite tensor as it is.

    Raises:
      ValueError: a composite tensor is of another dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.ops.convert_to_tensor_or_composite(tf.ragged.constant([[1], []]))
      <tf.RaggedTensor [[1], []]>
    """
    if not isinstance(value, CompositeTensor):
        return convert_to_tensor(value, dtype, name)
    wanted = None if dtype is None else root().as_dtype(dtype)
    found = getattr(value, "dtype", None)
    if wanted is not None and not wanted.is_compatible_with(found):
        raise ValueError(
            f"Tensor conversion dtype mismatch. Requested dtype is {wanted.name}, Tensor has dtype "
            f"{getattr(found, 'name', found)}: {value!r}"
        )
    return value


def internal_convert_to_tensor_or_composite(value, dtype=None, name=None, as_ref=False):
    """`convert_to_tensor_or_composite`; `as_ref` has no effect."""
    del as_ref
    return convert_to_tensor_or_composite(value, dtype, name)


def internal_convert_n_to_tensor_or_composite(values, dtype=None, name=None, as_ref=False) -> list:
    """Several values as tensors; composite tensors and None as they are.

    Raises:
      TypeError: `values` is no sequence.
    """
    del as_ref
    _require_sequence(values)
    return [
        None if value is None else convert_to_tensor_or_composite(value, dtype, _numbered(name, i))
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor_or_composite(values, dtype=None, name=None) -> list:
    """`internal_convert_n_to_tensor_or_composite` without the argument that has no effect."""
    return internal_convert_n_to_tensor_or_composite(values, dtype, name)


def internal_name_scope_v1(name, default_name=None, values=None):
    """`tf.compat.v1.name_scope`.

    Raises:
      TypeError: `default_name` is no str.
      ValueError: there are `values` and no name.
    """
    if not (default_name is None or isinstance(default_name, str)):
        raise TypeError(
            f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass this into the "
            "`values` kwarg."
        )
    if name is None and default_name is None and values is not None:
        raise ValueError(f"At least one of name ({name}) and default_name ({default_name}) should be provided.")
    return root().compat.v1.name_scope(name, default_name, values)


def name_scope(name, default_name=None, values=None, skip_on_eager=True):
    """A name scope for the ops of a function of the library.

    Args:
      name: str or None.
      default_name: str that is taken if `name` is None.
      values: the arguments of the function. If one is symbolic, the scope is in its graph.
      skip_on_eager: whether there is no scope while ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.python.framework.ops.name_scope(None, "layer") as scope:
      ...     print(scope)
      layer/
    """
    if not executing_eagerly():
        return internal_name_scope_v1(name, default_name, values)
    if skip_on_eager:
        return NullContextmanager()
    name = default_name if name is None else name
    symbolic = next((value for value in values or () if isinstance(value, SymbolicTensor)), None)
    if symbolic is not None:
        return symbolic.graph.name_scope(name)
    return root().name_scope(name or "")


def colocate_with(op, ignore_existing=False):
    """A context without effect: there is one device."""
    return root().compat.v1.colocate_with(op, ignore_existing)


def name_from_scope_name(name):
    """The name of a scope without the slash at its end."""
    return name.removesuffix("/") if name else name


def strip_name_scope(name, export_scope):
    """A name of a graph without a scope at its begin; "^" and "loc:@" before it stay.

    Example:
      >>> from tracefn.python.framework.ops import strip_name_scope
      >>> strip_name_scope("^scope/x", "scope"), strip_name_scope("other/x", "scope")
      ('^x', 'other/x')
    """
    if not export_scope:
        return name
    scope = export_scope.removesuffix("/") + "/"
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    return prefix + name.removeprefix(prefix).removeprefix(scope)


def prepend_name_scope(name, import_scope):
    """A name of a graph below a scope; "^" and "loc:@" stay before it.

    Example:
      >>> from tracefn.python.framework.ops import prepend_name_scope
      >>> prepend_name_scope("loc:@x", "scope/")
      'loc:@scope/x'
    """
    if not import_scope:
        return name
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    return f"{prefix}{import_scope.removesuffix('/')}/{name.removeprefix(prefix)}"


def _get_graph_from_inputs(op_input_list, graph=None):
    """The graph for an op with these inputs: the given one, that of the first symbolic input, or the default one.

    Raises:
      TypeError: `graph` is no Graph.
      ValueError: an input is of another graph.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    first = None
    for value in op_input_list:
        found = value if isinstance(value, _core.Operation) else _as_graph_element(value)
        if found is None:
            continue
        if graph is None:
            first, graph = found, found.graph
        elif found.graph is not graph:
            if first is None:
                raise ValueError(f"{found} is not from the passed-in graph.")
            raise ValueError(f"{found} must be from the same graph as {first} (graphs are {found.graph} and {graph}).")
    return default_graph() if graph is None else graph


def _as_graph_element(value):
    """The symbolic tensor that a value is or stands for; else None."""
    converted = value if isinstance(value, SymbolicTensor) else getattr(value, "_as_graph_element", lambda: None)()
    return converted if isinstance(converted, SymbolicTensor) else None


def get_all_collection_keys() -> list:
    """The names of the collections of the default graph."""
    return default_graph().get_all_collection_keys()


def is_dense_tensor_like(value) -> bool:
    """Whether a value is a tensor or a Variable."""
    return is_tensor(value) and isinstance(value, AbstractTensor)


def numpy_text(tensor, is_repr=False) -> str:
    """The value of an eager tensor as text; lines of a longer one are below one another."""
    value = tensor.numpy()
    is_scalar = getattr(value, "shape", ()) == () and not isinstance(value, bytes)
    text = (repr(value.item() if is_scalar and hasattr(value, "item") else value)) if is_repr else str(value)
    return f"\n{text}" if "\n" in text else text


def tensor_id(tensor) -> int:
    """The number of a tensor, which no other one has."""
    return tensor._id


def add_exit_callback_to_default_func_graph(fn) -> None:
    """Lets a function be called, without arguments, when the trace of the function that is traced now ends.

    Raises:
      TypeError: `fn` is not callable.
      RuntimeError: no function is traced.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f(x):
      ...     tf.python.framework.ops.add_exit_callback_to_default_func_graph(lambda: print("traced"))
      ...     return x + 1.0
      >>> _ = f(tf.constant(1.0)), f(tf.constant(2.0))
      traced
    """
    if not callable(fn):
        raise TypeError(f"fn is not callable: {fn}")
    graph = _core.current_graph()
    while graph is not None and graph.is_function and not getattr(graph, "_is_function_root", False):
        graph = graph._outer  # a branch or loop ends with its function
    if graph is None or not graph.is_function:
        raise RuntimeError(f"Cannot add scope exit callbacks when not building a function.  Default graph: {default_graph()}")
    graph.__dict__.setdefault("_exit_callbacks", []).append(fn)


def uid() -> int:
    """A number that no earlier call returned."""
    return next(_uids)

