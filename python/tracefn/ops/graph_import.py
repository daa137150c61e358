"""`tf.import_graph_def`: imports the nodes of a GraphDef into the graph being built."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._attr_value import tensor_of
from tracefn._export import export
from tracefn.framework import default_graph
from tracefn.ops.constant import constant

# The index for a node itself, and for a control edge.
_NODE = -1


@export("import_graph_def", "graph_util.import_graph_def")
def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the nodes of a GraphDef to the graph being built.

    Nodes are named `name/node`; a name that already exists gets a number. Functions in the library of the GraphDef become
    the bodies of the calls, conditionals and loops that refer to them. Shapes are inferred again, and every node is
    checked. Attributes that an op does not have are ignored.

    Outside of graphs and functions, the nodes are added to the graph that `tf.compat.v1.get_default_graph` returns there.

    Args:
      graph_def: a `tf.compat.v1.GraphDef`, the bytes of one, or an object with `SerializeToString` such as TensorFlow's own
        GraphDef.
      input_map: dict from names in the GraphDef, "node" or "node:1", to the tensors that replace them; "^node" maps to a
        tensor whose operation replaces that node as a control input.
      return_elements: list of names: "node:0" for a tensor, "node" for an Operation.
      name: str, the name scope of the nodes; "import" by default, "" for none.
      op_dict, producer_op_list: accepted, without effect.

    Returns:
      List of the tensors and Operations named in `return_elements`; None if that is None.

    Raises:
      TypeError: an argument has another type.
      ValueError: the bytes are not a GraphDef, a node does not match its op or its inputs, or a name in `input_map` or
        `return_elements` does not exist.
      tf.errors.NotFoundError: an op is not supported, or a function is not in the library.
      tf.errors.UnimplementedError: functions are mutually recursive.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def double(x):
      ...     return 2.0 * x
      >>> graph_def = double.get_concrete_function(tf.TensorSpec([], name="x")).graph.as_graph_def()
      >>> again = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=""), [])
      >>> float(again.prune("x:0", "Identity:0")(tf.constant(3.0)))
      6.0
    """
    del op_dict, producer_op_list
    data = _bytes_of(graph_def)
    input_map = _checked_input_map(input_map)
    wanted = _checked_return_elements(return_elements)
    scope = "import" if name is None else name
    if _core.current_graph() is None:
        scope = ""  # scopes are those of ops that run
    graph = default_graph()
    with _core.TargetContext(graph):
        with _core.ScopeOf(graph, scope):
            prefix = graph.scope.removesuffix("/")
            mapped = _tensors(graph, name, input_map)
        results = _core.import_graph_def(
            graph,
            data,
            prefix,
            [(_endpoint(key, 0), tensor) for key, tensor in mapped.items()],
            [_endpoint(element, _NODE) for element in wanted or ()],
        )
    return None if wanted is None else results


@export("make_ndarray")
def make_ndarray(tensor):
    """The value of a TensorProto, such as that of a constant in a GraphDef, as a NumPy array.

    Args:
      tensor: a TensorProto, of this package or of TensorFlow.

    Raises:
      TypeError: `tensor` is not a TensorProto.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     two = tf.constant([2.0])
      >>> tf.make_ndarray(graph.as_graph_def().node[0].attr["value"].tensor).tolist()
      [2.0]
    """
    if not hasattr(tensor, "SerializeToString"):
        raise TypeError(f"Argument `tensor` must be a TensorProto, not {type(tensor).__name__}.")
    found = tensor_of(tensor)
    value = found.numpy()
    if found.dtype.is_quantized:  # in NumPy they are structures of one number
        value = np.asarray(value).view(found.dtype.as_numpy_dtype)
    return np.array(value, dtype=object if isinstance(value, bytes) else None)  # also a scalar is an array


def _bytes_of(graph_def) -> bytes:
    if isinstance(graph_def, (bytes, bytearray, memoryview)):
        return bytes(graph_def)
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    kind = getattr(descriptor, "name", "GraphDef")
    if kind != "GraphDef" or isinstance(graph_def, type) or not hasattr(graph_def, "SerializeToString"):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    return bytes(graph_def.SerializeToString())


def _checked_input_map(input_map) -> dict:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if not all(isinstance(key, str) for key in input_map):
        raise TypeError(f"All keys for argument `input_map` must be strings. Obtained keys: {list(input_map)}")
    return input_map


def _checked_return_elements(return_elements) -> tuple | None:
    if return_elements is None:
        return None
    elements = tuple(return_elements)
    if not all(isinstance(element, str) for element in elements):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}.")
    return elements


def _tensors(graph, name, input_map: dict) -> dict:
    """The values of the map as tensors; values that are not tensors become constants in a scope of their own."""
    if all(isinstance(value, _core.Tensor) for value in input_map.values()):
        return input_map
    if name == "":
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try calling "
            "tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
        )
    with graph.name_scope("_inputs"):
        return {key: _tensor(value) for key, value in input_map.items()}


def _tensor(value):
    if isinstance(value, _core.Tensor):
        return value
    if value is None:
        raise ValueError("None values not supported.")
    return _core.convert_to_tensor(value) if hasattr(value, "__tf_tensor__") else constant(value)


def _endpoint(text: str, plain: int) -> tuple[str, int]:
    """("node", 1) for "node:1"; a name without an index gets `plain`, "^node" the index of the node itself.

    Raises:
      ValueError: the text after the colon is not an index.
    """
    if text.startswith("^"):
        return text[1:], _NODE
    node, *rest = text.split(":")
    if not rest:
        return node, plain
    if len(rest) > 1:
        raise ValueError(f"Cannot convert {text!r} to a tensor name.")
    if not (rest[0].isascii() and rest[0].isdigit() and len(rest[0]) < 10):
        raise ValueError(
            f"Cannot convert {text!r} to a tensor name. Second component of the name following the `:` should be an int. "
            f"Got {rest[0]}."
        )
    return node, int(rest[0])
