"""Saved models of sessions: `tf.compat.v1.saved_model.Builder`, `simple_save` and `load`."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._export import export
from tracefn._logging import get_logger
from tracefn._paths import text_of_path
from tracefn._proto import message_class
from tracefn._saved_model.assets import copy_assets
from tracefn._saved_model.messages import Record, encoded
from tracefn._saved_model.reading import PB, TEXT, read_saved_model
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.graphs import GraphKeys
from tracefn.compat.v1.meta_graphs.assets import COLLECTION, asset_collection, asset_paths
from tracefn.compat.v1.meta_graphs.importing import add_meta_graph, saver_of
from tracefn.compat.v1.meta_graphs.records import meta_graph_of
from tracefn.compat.v1.meta_graphs.signatures import predict_signature_def, record_of
from tracefn.tensor_shape import TensorShape

_INIT_OP = "__saved_model_init_op"
# Collections in which older programs name the op that runs when a model is loaded.
_MAIN_OPS = ("saved_model_main_op", "legacy_init_op")
_SERVING = "serve"
_DEFAULT_SIGNATURE = "serving_default"


def _path(*parts) -> str:
    return os.fsdecode(_core.local_path(os.fsencode(os.path.join(*map(text_of_path, parts)))))


@export("compat.v1.saved_model.Builder", "compat.v1.saved_model.builder.SavedModelBuilder")
class SavedModelBuilder:
    """Writes a saved model: the values of a session's Variables, and one graph or several.

    Args:
      export_dir: path of the directory, which is made; it must be empty if it exists.

    Raises:
      AssertionError: it is not empty.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> v1, path = tf.compat.v1, tempfile.mkdtemp() + "/model"
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     x = v1.placeholder(tf.float32, [], name="x")
      ...     w = v1.get_variable("w", [], initializer=v1.ones_initializer())
      ...     y = tf.identity(x + w, name="y")
      ...     session.run(v1.global_variables_initializer())
      ...     builder = v1.saved_model.Builder(path)
      ...     builder.add_meta_graph_and_variables(session, ["serve"])
      ...     _ = builder.save()
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     _ = v1.saved_model.load(session, ["serve"], path)
      ...     print(session.run("y:0", {"x:0": 2.0}))
      3.0
    """

    def __init__(self, export_dir) -> None:
        self._directory = os.fspath(export_dir)
        here = _path(self._directory)
        if os.path.isdir(here) and os.listdir(here):
            raise AssertionError(
                f"Export directory {self._directory} already exists, and isn't empty. Please choose a different export "
                f"directory, or delete all the contents of the specified directory."
            )
        os.makedirs(here, exist_ok=True)
        self._graphs: list[Record] = []
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess,
        tags,
        signature_def_map=None,
        assets_collection=None,
        legacy_init_op=None,
        clear_devices=False,
        main_op=None,
        strip_default_attrs=False,
        saver=None,
    ) -> None:
        """Adds the graph of a session, and saves the values of its Variables.

        Args:
          sess: the session.
          tags: list of str, by which the graph is loaded.
          signature_def_map: dict from names to SignatureDefs, or None.
          assets_collection: list of constant string tensors, the paths of files that belong to the model; or None.
          main_op, legacy_init_op: Operation that runs when the model is loaded, or None.
          clear_devices, strip_default_attrs: accepted, without effect.
          saver: Saver, or None: one of all Variables.

        Raises:
          AssertionError: the Variables are saved already.
          TypeError: one of the assets is no constant string.
        """
        del clear_devices, strip_default_attrs
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` instead."
            )
        os.makedirs(_path(self._directory, "variables"), exist_ok=True)
        with sess.graph.as_default():
            saver = saver or today("compat.v1.train.Saver")(sharded=True, allow_empty=True)
            saver.save(
                sess, os.path.join(self._directory, "variables", "variables"), write_meta_graph=False, write_state=False
            )
            self._add(tags, signature_def_map, assets_collection, main_op or legacy_init_op, saver)
        self._has_variables = True

    def add_meta_graph(
        self,
        tags,
        signature_def_map=None,
        assets_collection=None,
        legacy_init_op=None,
        clear_devices=False,
        main_op=None,
        strip_default_attrs=False,
        saver=None,
    ) -> None:
        """Adds the default graph, which uses the Variables that are saved already.

        Arguments are those of `add_meta_graph_and_variables`.

        Raises:
          AssertionError: no Variables are saved yet.
          TypeError: one of the assets is no constant string.
        """
        del clear_devices, strip_default_attrs
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        saver = saver or today("compat.v1.train.Saver")(sharded=True, allow_empty=True)
        self._add(tags, signature_def_map, assets_collection, main_op or legacy_init_op, saver)

    def _add(self, tags, signature_def_map, assets, init_op, saver) -> None:
        signatures = {name: record_of(signature) for name, signature in (signature_def_map or {}).items()}
        for name, signature in signatures.items():
            _check(name, signature)
        if init_op is not None:
            signatures[_INIT_OP] = _signature_of_op(_INIT_OP, init_op)
        graph = meta_graph_of(_core.current_graph(), saver.saver_def, list(tags), signatures)
        if assets:
            names: dict[str, str] = {}
            graph.collection_def[COLLECTION] = asset_collection(assets, names)
            get_logger().info("Assets added to graph.")
            copy_assets(names, _path(self._directory))
        else:
            get_logger().info("No assets to save.")
            get_logger().info("No assets to write.")
        self._graphs.append(graph)

    def save(self, as_text=False, experimental_image_format=False, experimental_image_writer_options=None) -> bytes:
        """Writes the file saved_model.pb.

        Args:
          as_text: whether to write the message as text, to saved_model.pbtxt.
          experimental_image_format: not supported.
          experimental_image_writer_options: accepted, without effect.

        Returns:
          Its path, as bytes.

        Raises:
          NotImplementedError: in the image format.
        """
        del experimental_image_writer_options
        if experimental_image_format:
            raise NotImplementedError("SavedModelBuilder.save: `experimental_image_format` is not supported.")
        model = Record("SavedModel", saved_model_schema_version=1, meta_graphs=self._graphs)
        path = write_saved_model(model, self._directory, as_text)
        get_logger().info("SavedModel written to: %s", path)
        return os.fsencode(path)


def write_saved_model(model: Record, directory: str, as_text: bool) -> str:
    """Writes the file of a message SavedModel to a directory.

    Returns:
      Its path.

    Raises:
      NotFoundError: there is no such directory.
    """
    path = os.path.join(directory, TEXT if as_text else PB)
    with today("io.gfile.GFile")(path, "wb") as file:
        file.write(_text_of(model).encode() if as_text else encoded(model))
    return path


def _text_of(model: Record) -> str:
    """A message SavedModel as protobuf prints it."""
    lines = [f"saved_model_schema_version: {model.saved_model_schema_version}"]
    for graph in model.meta_graphs:
        text = str(message_class("MetaGraphDef").FromString(encoded(graph)))
        lines += ["meta_graphs {", *(f"  {line}" for line in text.splitlines()), "}"]
    return "\n".join([*lines, ""])


def _check(name: str, signature: Record) -> None:
    """
    Raises:
      AssertionError: a tensor of a signature lacks its name or dtype.
    """
    for tensors in (signature.inputs, signature.outputs):
        for key, info in tensors.items():
            if not (info.name or info.coo_sparse) or not info.dtype:
                raise AssertionError(
                    f"All TensorInfo protos used in the SignatureDefs must have the name and dtype fields set: {name}, {key}"
                )


def _signature_of_op(key: str, op) -> Record:
    shape = TensorShape(None).as_proto().SerializeToString()
    return Record("SignatureDef", outputs={key: Record("TensorInfo", name=op.name, dtype=0, tensor_shape=shape)})


@export("compat.v1.saved_model.simple_save")
def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None) -> None:
    """Writes a saved model for serving with one signature, "serving_default".

    Args:
      session: the session.
      export_dir: path of the directory, which must be empty if it exists.
      inputs, outputs: dicts from names to tensors.
      legacy_init_op: Operation that runs when the model is loaded, or None.

    Raises:
      AssertionError: the directory is not empty.
    """
    with session.graph.as_default():
        signature = predict_signature_def(inputs, outputs)
        builder = SavedModelBuilder(export_dir)
        builder.add_meta_graph_and_variables(
            session,
            [_SERVING],
            {_DEFAULT_SIGNATURE: signature},
            assets_collection=session.graph.get_collection(GraphKeys.ASSET_FILEPATHS),
            main_op=legacy_init_op,
        )
        builder.save()


@export("compat.v1.saved_model.load", "compat.v1.saved_model.loader.load")
def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds the graph of a saved model to that of a session, and restores the Variables.

    Args:
      sess: the session.
      tags: list of str, all tags of the graph.
      export_dir: path of the directory.
      import_scope: str, the name scope of the nodes, or None.
      **saver_kwargs: accepted, without effect.

    Returns:
      The message MetaGraphDef.

    Raises:
      OSError: there is no saved model.
      RuntimeError: it has no graph with these tags.
    """
    del saver_kwargs
    meta = graph_with(read_saved_model(_path(export_dir)), tags)
    with sess.graph.as_default():
        scope = add_meta_graph(meta, import_scope)
        saver = saver_of(meta, scope)
        prefix = os.path.join(text_of_path(export_dir), "variables", "variables")
        if saver is not None:
            saver.restore(sess, prefix)
        else:
            today("compat.v1.logging").info("The specified SavedModel has no variables; no checkpoints were restored.")
        _initialize(sess, meta, scope, export_dir)
    return message_class("MetaGraphDef").FromString(encoded(meta))


def graph_with(model: Record, tags) -> Record:
    wanted = {tags} if isinstance(tags, str) else set(tags)
    available = [set(graph.meta_info_def.tags) for graph in model.meta_graphs]
    for graph, found in zip(model.meta_graphs, available, strict=True):
        if found == wanted:
            return graph
    names = ", ".join(repr(tag) for tag in tags) if not isinstance(tags, str) else repr(tags)
    raise RuntimeError(
        f"MetaGraphDef associated with tags {names} could not be found in SavedModel, with available tags '{available}'. To "
        "inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
    )


def init_op_name(meta: Record) -> str | None:
    """The op that a model names for its loading; None if it names none."""
    if _INIT_OP in meta.signature_def and _INIT_OP in meta.signature_def[_INIT_OP].outputs:
        return meta.signature_def[_INIT_OP].outputs[_INIT_OP].name
    for key in _MAIN_OPS:
        if key in meta.collection_def and meta.collection_def[key].node_list is not None:
            return meta.collection_def[key].node_list.value[0]
    return None


def _initialize(session, meta: Record, scope: str, export_dir) -> None:
    """Runs the op that a model names for its loading, with the paths of its assets."""
    graph, name = session.graph, init_op_name(meta)
    if name is not None:
        paths = {graph.as_graph_element(scope + tensor): path for tensor, path in asset_paths(meta, export_dir).items()}
        session.run(graph.as_graph_element(scope + name), paths)
