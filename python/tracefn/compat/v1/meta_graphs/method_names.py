"""`tf.compat.v1.saved_model.signature_def_utils.MethodNameUpdater`."""

from __future__ import annotations

import os

from tracefn._export import export
from tracefn._paths import text_of_path
from tracefn._saved_model.reading import TEXT, read_saved_model
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.meta_graphs.saved_models import write_saved_model


@export("compat.v1.saved_model.signature_def_utils.MethodNameUpdater")
class MethodNameUpdater:
    """Changes the methods that the signatures of a saved model name, for programs that serve it.

    Args:
      export_dir: path of its directory.

    Raises:
      OSError: there is no saved model, or it cannot be read.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> v1, path = tf.compat.v1, tempfile.mkdtemp()
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     x = v1.placeholder(tf.float32, [2])
      ...     v1.saved_model.simple_save(session, path, {"x": x}, {"y": x * 2})
      >>> updater = v1.saved_model.signature_def_utils.MethodNameUpdater(path)
      >>> updater.replace_method_name("serving_default", "regress", tags="serve")
      >>> updater.save()
    """

    def __init__(self, export_dir) -> None:
        self._directory = text_of_path(export_dir)
        self._model = read_saved_model(export_dir)

    def replace_method_name(self, signature_key, method_name, tags=None) -> None:
        """Changes the method of one signature.

        Args:
          signature_key: str, the signature's key.
          method_name: str, the new method.
          tags: str, or list of all tags of the graph that has the signature; None: all graphs must have it.

        Raises:
          ValueError: `signature_key` or `method_name` is empty, no graph has these tags, or a graph lacks the signature.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        if tags is not None and not isinstance(tags, list):
            tags = [tags]
        graphs = [g for g in self._model.meta_graphs if tags is None or set(tags) == set(g.meta_info_def.tags)]
        for graph in graphs:
            if signature_key not in graph.signature_def:
                raise ValueError(
                    f"MetaGraphDef associated with tags {tags} does not have a signature_def with key: '{signature_key}'. This "
                    "means either you specified the wrong signature key or forgot to put the signature_def with the "
                    "corresponding key in your SavedModel."
                )
            graph.signature_def[signature_key].method_name = method_name
        if not graphs:
            raise ValueError(
                f"MetaGraphDef associated with tags {tags} could not be found in SavedModel. This means either you specified "
                "invalid tags or your SavedModel does not have a MetaGraphDef with the specified tags."
            )

    def save(self, new_export_dir=None) -> None:
        """Writes the file of the saved model, as text if it was read as text.

        Args:
          new_export_dir: path of a directory that exists, for the file alone; None: the saved model's own.

        Raises:
          NotFoundError: there is no such directory.
        """
        as_text = today("io.gfile.exists")(os.path.join(self._directory, TEXT))
        path = write_saved_model(self._model, text_of_path(new_export_dir or self._directory), as_text)
        today("compat.v1.logging").info("SavedModel written to: %s", path)
