"""`tf.compat.v1.graph_util`: parts of GraphDefs, and GraphDefs whose Variables are constants."""

from __future__ import annotations

from tracefn._export import export
from tracefn._graph.edits import constant_node, reading_constant, source, with_inputs, with_nodes
from tracefn._graph_def import as_message
from tracefn.dtypes import as_dtype

_READ = "/Read/ReadVariableOp:0"


def _checked(graph_def):
    """The GraphDef, which may be protobuf's.

    Raises:
      TypeError: it is none.
    """
    if type(graph_def).__name__ != "GraphDef":
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    return as_message("GraphDef", graph_def)


@export("compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def, dest_nodes):
    """The part of a GraphDef that some of its nodes depend on.

    Args:
      graph_def: a GraphDef.
      dest_nodes: list of names of nodes.

    Returns:
      GraphDef with those nodes and all that they depend on, in the order of `graph_def`, and with its library.

    Raises:
      TypeError: `graph_def` is no GraphDef, or `dest_nodes` is a str.
      AssertionError: there is no such node.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     y = tf.constant(1.0, name="x") + tf.constant(2.0, name="y")
      >>> part = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["x"])
      >>> [node.name for node in part.node]
      ['x']
    """
    graph_def = _checked(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    by_name = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    needed: set[str] = set()
    waiting = list(dest_nodes)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += map(source, by_name[name].input)
    return with_nodes(graph_def, [node for node in graph_def.node if node.name in needed])


@export("compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None
):
    """A GraphDef with the Variables' values in a session as constants: a frozen graph.

    Args:
      sess: the session.
      input_graph_def: GraphDef of its graph.
      output_node_names: list of names of the nodes that are wanted.
      variable_names_whitelist: names of the Variables to convert, or None for all.
      variable_names_blacklist: names of Variables that stay as they are, or None.

    Returns:
      GraphDef of what those nodes depend on.

    Raises:
      TypeError, AssertionError: as `extract_sub_graph`.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
      ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
      ...     y = tf.identity(2.0 * v, name="y")
      ...     session.run(v.initializer)
      ...     frozen = tf.compat.v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
      >>> [node.op for node in frozen.node]
      ['Const', 'Identity', 'Const', 'Mul', 'Identity']
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    refused = set(variable_names_blacklist or ())
    names = [
        node.name
        for node in part.node
        if node.op == "VarHandleOp"
        and node.name not in refused
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
    ]
    values = dict(zip(names, sess.run([name + _READ for name in names]), strict=True)) if names else {}
    nodes = []
    for node in part.node:
        variable = node.name if node.op == "VarHandleOp" else source(node.input[0]) if node.input else ""
        if variable not in values:
            nodes.append(node)
        elif node.op == "VarHandleOp":
            nodes.append(constant_node(node.name, values[variable], node.attr["dtype"]))
        else:
            nodes += reading_constant(node)
    return with_nodes(part, nodes)


@export("compat.v1.graph_util.remove_training_nodes")
def remove_training_nodes(input_graph, protected_nodes=None):
    """A GraphDef without nodes that only training needs: checks for finite numbers, and nodes of type Identity.

    Args:
      input_graph: GraphDef.
      protected_nodes: list of names of nodes to keep, or None.

    Returns:
      GraphDef; nodes with control inputs, and those that are control inputs, stay.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     y = tf.sqrt(tf.identity(tf.constant(4.0, name="x")), name="y")
      >>> [node.name for node in tf.compat.v1.graph_util.remove_training_nodes(graph.as_graph_def()).node]
      ['x', 'y']
    """
    input_graph = _checked(input_graph)
    kept = set(protected_nodes or ())
    checks = {node.name for node in input_graph.node if node.op == "CheckNumerics"} - kept
    nodes = [
        with_inputs(node, [name for name in node.input if source(name) not in checks])
        for node in input_graph.node
        if node.name not in checks
    ]
    for node in nodes:
        orders = [source(name) for name in node.input if name.startswith("^")]
        kept.update(orders, [node.name] if orders else [])
    inside = {node.name: node.input[0] for node in nodes if node.op == "Identity" and node.name not in kept}

    def spliced(name: str) -> str:
        while source(name) in inside:
            name = inside[source(name)]
        return name

    rest = [with_inputs(node, map(spliced, node.input)) for node in nodes if node.name not in inside]
    return with_nodes(input_graph, rest)


@export("compat.v1.graph_util.must_run_on_cpu")
def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether TensorFlow runs a node on the CPU only, where there are other devices.

    Args:
      node: an Operation or a NodeDef.
      pin_variables_on_cpu: whether nodes of Variables of TensorFlow 1 count among them.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     tf.compat.v1.graph_util.must_run_on_cpu(tf.constant("a").op)
      True
    """
    node = getattr(node, "node_def", node)
    if pin_variables_on_cpu and node.op in ("Variable", "VariableV2"):
        return True
    attribute = {"Const": "dtype", "DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}.get(node.op)
    dtype = as_dtype(node.attr[attribute].type) if attribute else None
    return dtype == "int32" or (node.op == "Const" and dtype == "string")


@export("compat.v1.graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph, input_name):
    """The static shape of a tensor of a graph, or of the first output of a node.

    Args:
      graph: a Graph.
      input_name: "node" or "node:0".

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.constant([1.0], name="x")
      >>> tf.compat.v1.graph_util.tensor_shape_from_node_def_name(graph, "x")
      TensorShape([1])
    """
    return graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").shape
