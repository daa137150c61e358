"""`tensorflow.python.checkpoint.checkpoint`: Variables of objects, and what checkpoints have of objects."""

from __future__ import annotations

import functools
import inspect

from tracefn._checkpoint.files import load_checkpoint
from tracefn._checkpoint.graph_view import ObjectGraphView
from tracefn._checkpoint.graph_view import list_objects as objects_of_view
from tracefn._checkpoint.object_graph import OBJECT_GRAPH
from tracefn._namespaces import root
from tracefn.as_tensorflow.message_modules import required_message_module
from tracefn.dtypes import as_dtype

__all__ = ["add_variable", "gather_initializers", "list_objects", "object_metadata"]

tf = root()


def add_variable(trackable, name, shape=None, dtype=tf.float32, initializer=None, trainable=True):
    """A new Variable as a child of an object; its initial value is the one that a checkpoint has for it, if one waits.

    Args:
      trackable: Trackable.
      name: str, of the Variable and of the child.
      shape: TensorShape; None if the initial value has it.
      dtype: of the Variable.
      initializer: value, or function from shape and dtype to one, or class of such functions. None for random numbers
        (`tf.keras.initializers.GlorotUniform`), and for zeros if the dtype is no floating one.
      trainable: whether the Variable is trained.

    Raises:
      ValueError: there is a child of that name; or the initializer is a value, and there is a shape.

    Example:
      >>> import tracefn as tf
      >>> holder = tf.Module()
      >>> tf.python.checkpoint.checkpoint.add_variable(holder, "v", shape=[2], dtype=tf.int32).numpy().tolist()
      [0, 0]
    """
    return trackable._add_variable_with_custom_getter(
        name=name, shape=shape, dtype=dtype, initializer=initializer, getter=_new_variable, trainable=trainable
    )


def _new_variable(name, shape, dtype, initializer=None, **kwargs):
    dtype = as_dtype(dtype)
    with tf.init_scope():
        if initializer is None:
            v1 = tf.compat.v1
            initializer = v1.glorot_uniform_initializer if dtype.is_floating else v1.zeros_initializer
        if not callable(initializer):
            if shape is not None:
                raise ValueError("If initializer is a constant, do not specify shape.")
            value = initializer
        else:
            if isinstance(initializer, type):
                initializer = initializer(dtype=dtype)
            sizes = None if shape is None else tf.TensorShape(shape).as_list()
            known = {"partition_info": None} if "partition_info" in inspect.signature(initializer).parameters else {}
            value = functools.partial(initializer, sizes, dtype=dtype, **known)
    return tf.compat.v1.Variable(value, name=name, dtype=dtype, use_resource=True, **kwargs)


def list_objects(root_trackable) -> list:
    """All objects that a checkpoint of an object keeps, itself first."""
    return objects_of_view(ObjectGraphView(root_trackable))


def gather_initializers(root_trackable) -> list:
    """The operations that give the Variables of an object their initial values; a session runs them.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     checkpoint = tf.train.Checkpoint(v=tf.Variable(3.0))
      ...     _ = session.run(tf.python.checkpoint.checkpoint.gather_initializers(checkpoint))
      ...     float(session.run(checkpoint.v))
      3.0
    """
    initializers = [getattr(one, "initializer", None) for one in list_objects(root_trackable)]
    return [initializer for initializer in initializers if initializer is not None]


def object_metadata(save_path):
    """The objects of a checkpoint, their children and the keys of their tensors.

    Args:
      save_path: str, as `save` returns it.

    Returns:
      TrackableObjectGraph, a message of protobuf.

    Raises:
      ValueError: the checkpoint has Variables by their names only.
    """
    reader = load_checkpoint(save_path)
    if not reader.has_tensor(OBJECT_GRAPH):
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it is missing the '
            f'key "{OBJECT_GRAPH}". Likely it was created with the TF1 name-based saver and does not contain an object '
            "dependency graph."
        )
    messages = required_message_module(
        "core.protobuf.trackable_object_graph_pb2", "object_metadata", "TrackableObjectGraph"
    )
    return messages.TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH))
