"""`tensorflow.python.tools.freeze_graph`: graphs whose Variables become constants, with the values in a checkpoint."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._checkpoint.reader import NewCheckpointReader
from tracefn._namespaces import root
from tracefn._proto import message_class
from tracefn.python.tools.saved_model_utils import get_meta_graph_def

__all__ = ["freeze_graph", "freeze_graph_with_def_protos"]

tf = root()


def freeze_graph_with_def_protos(
    input_graph_def,
    input_saver_def,
    input_checkpoint,
    output_node_names,
    restore_op_name,
    filename_tensor_name,
    output_graph,
    clear_devices,
    initializer_nodes,
    variable_names_whitelist="",
    variable_names_denylist="",
    input_meta_graph_def=None,
    input_saved_model_dir=None,
    saved_model_tags=None,
    checkpoint_version=2,
):
    """A graph whose Variables are constants.

    Args:
      input_graph_def: GraphDef, or None.
      input_saver_def: accepted, without effect: Variables have their names in the checkpoint.
      input_checkpoint: path of a checkpoint, or None for a saved model.
      output_node_names: names of the nodes that are wanted, with commas between them.
      restore_op_name, filename_tensor_name, checkpoint_version: accepted, without effect.
      output_graph: path of the file to write, or "".
      clear_devices: whether nodes lose their devices.
      initializer_nodes: names of Operations to run once the values are restored, with commas between them, or "".
      variable_names_whitelist: names of the Variables that become constants, with commas between them; "" for all.
      variable_names_denylist: names of Variables that do not, with commas between them.
      input_meta_graph_def: MetaGraphDef, or None.
      input_saved_model_dir: path of a saved model, or None.
      saved_model_tags: list of all tags of its graph.

    Returns:
      GraphDef.

    Raises:
      ValueError: there is no such checkpoint, no node is wanted, or there are no Variables.
    """
    del input_saver_def, restore_op_name, filename_tensor_name, checkpoint_version
    if not input_saved_model_dir and not tf.compat.v1.train.checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    wanted = _names(output_node_names)
    if not wanted:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else input_graph_def
    if clear_devices and graph_def is not None:
        for node in graph_def.node:
            node.device = ""
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        if input_meta_graph_def is not None:
            saver = tf.compat.v1.train.import_meta_graph(input_meta_graph_def, clear_devices=True)
            saver.restore(session, input_checkpoint)
        elif input_saved_model_dir:
            tf.compat.v1.saved_model.load(session, saved_model_tags or [], input_saved_model_dir)
        else:
            tf.import_graph_def(graph_def, name="")
            _restore(session, input_checkpoint)
        if initializer_nodes and not input_saved_model_dir:
            session.run(_names(initializer_nodes))
        frozen = tf.compat.v1.graph_util.convert_variables_to_constants(
            session, graph_def, wanted, _names(variable_names_whitelist) or None, _names(variable_names_denylist)
        )
    if output_graph:
        with open(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def freeze_graph(
    input_graph,
    input_saver,
    input_binary,
    input_checkpoint,
    output_node_names,
    restore_op_name,
    filename_tensor_name,
    output_graph,
    clear_devices,
    initializer_nodes,
    variable_names_whitelist="",
    variable_names_denylist="",
    input_meta_graph=None,
    input_saved_model_dir=None,
    saved_model_tags="serve",
    checkpoint_version=2,
):
    """`freeze_graph_with_def_protos` for messages in files.

    Args:
      input_graph: path of a GraphDef, or None.
      input_saver: accepted, without effect.
      input_binary: whether files hold messages as bytes; else as text, for which protobuf must be installed.
      input_meta_graph: path of a MetaGraphDef, or None.
      saved_model_tags: all tags of the saved model's graph, with commas between them.
      input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph, clear_devices,
        initializer_nodes, variable_names_whitelist, variable_names_denylist, input_saved_model_dir, checkpoint_version: as in
        `freeze_graph_with_def_protos`.

    Returns:
      GraphDef.

    Raises:
      OSError: there is no such file.
      ValueError: there is no such checkpoint, no node is wanted, or there are no Variables.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> from tracefn.python.tools.freeze_graph import freeze_graph
      >>> path = tempfile.mkdtemp()
      >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
      ...     y = tf.identity(2.0 * tf.compat.v1.get_variable("v", initializer=3.0), name="y")
      ...     session.run(tf.compat.v1.global_variables_initializer())
      ...     checkpoint = tf.compat.v1.train.Saver().save(session, f"{path}/model")
      >>> tf.compat.v1.train.write_graph(graph, path, "graph.pb", as_text=False) == f"{path}/graph.pb"
      True
      >>> frozen = freeze_graph(f"{path}/graph.pb", "", True, checkpoint, "y", "", "", "", True, "")
      >>> sorted({node.op for node in frozen.node})
      ['Const', 'Identity', 'Mul']
    """
    graph_def = meta_graph_def = None
    if input_saved_model_dir:
        graph_def = get_meta_graph_def(input_saved_model_dir, saved_model_tags).graph_def
    elif input_graph:
        graph_def = _message("GraphDef", input_graph, input_binary, "graph")
    if input_meta_graph:
        meta_graph_def = _message("MetaGraphDef", input_meta_graph, input_binary, "meta graph")
        print(f"Loaded meta graph file '{input_meta_graph}")
    return freeze_graph_with_def_protos(
        graph_def,
        input_saver,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_denylist,
        meta_graph_def,
        input_saved_model_dir,
        _names(saved_model_tags),
        checkpoint_version,
    )


def _names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name for name in text.replace(" ", "").split(",") if name]


def _message(kind: str, path, is_binary: bool, what: str):
    if not os.path.exists(path):
        raise OSError(f"Input {what} file '{path}' does not exist!")
    with open(path, "rb") as file:
        content = file.read()
    message = message_class(kind)()
    if is_binary:
        message.ParseFromString(content)
    else:
        from google.protobuf import text_format  # optional: few programs have graphs as text

        text_format.Merge(content.decode(), message)
    return message


def _restore(session, checkpoint) -> None:
    """Gives the Variables of a session's graph the values that a checkpoint has under their names.

    Raises:
      ValueError: the graph has no Variables.
    """
    reader = NewCheckpointReader(checkpoint)
    made = [op for op in session.graph.get_operations() if op.type == "VarHandleOp" and reader.has_tensor(op.name)]
    if not made:
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. "
            "You cannot freeze a graph twice."
        )
    assign = _core.raw_op("AssignVariableOp")
    session.run([assign(resource=op.outputs[0], value=tf.constant(reader.get_tensor(op.name))) for op in made])
