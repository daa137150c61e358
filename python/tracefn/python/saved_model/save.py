"""`tensorflow.python.saved_model.save`: what libraries save, and what they learn of it."""

from __future__ import annotations

import os

from tracefn._saved_model.save import save, saved_objects
from tracefn._tracking.base import TrackableReference
from tracefn.python.util.object_identity import ObjectIdentityDictionary

__all__ = ["save", "save_and_return_nodes"]


def save_and_return_nodes(obj, export_dir, signatures=None, options=None, experimental_skip_checkpoint=False):
    """Saves a model as `tf.saved_model.save` does.

    Args:
      obj, export_dir, signatures, options: as there.
      experimental_skip_checkpoint: whether the values of Variables are left out.

    Returns:
      The objects in the order in which they are saved, and a dict from each to the references by which the first leads to it.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> from tracefn.python.saved_model.save import save_and_return_nodes
      >>> module = tf.Module()
      >>> module.v = tf.Variable(1.0)
      >>> nodes, paths = save_and_return_nodes(module, tempfile.mkdtemp())
      >>> nodes[0] is module, [reference.name for reference in paths[module.v]]
      (True, ['v'])
    """
    view = saved_objects(obj, os.fspath(export_dir), signatures, options, not experimental_skip_checkpoint)
    paths = ObjectIdentityDictionary()
    for number, path in view.paths().items():
        paths[view.objects[number]] = tuple(TrackableReference(name, view.objects[child]) for name, child in path)
    return list(view.objects), paths
