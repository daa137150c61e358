"""Names of `tf.compat.v1.test` that are not in `tf.test`: the folder of a process, attributes replaced for a test, Jacobians
in graphs, and GraphDefs that differ in random names."""

from __future__ import annotations

import atexit
import functools
import inspect
import os
import re
import shutil
import sys
import tempfile
from unittest import mock

from tracefn._export import export
from tracefn.python.ops.gradient_checker import compute_gradient, compute_gradient_error
from tracefn.test._graphs import assert_equal_graph_def as assert_equal

export("compat.v1.test.compute_gradient")(compute_gradient)
export("compat.v1.test.compute_gradient_error")(compute_gradient_error)
export("compat.v1.test.mock")(mock)
# What TensorFlow puts into attributes by chance: folders of checkpoints, and names that tables share.
_RANDOM_FOLDER = re.compile(rb"_temp_[0-9a-z]{32}/part")
_RANDOM_TABLE = re.compile(rb"hash_table_[0-9a-z\-]+")


@export("compat.v1.test.assert_equal_graph_def")
def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False) -> None:
    """`tf.test.assert_equal_graph_def`, which may ignore what differs from one run to the next.

    Args:
      actual, expected: GraphDefs.
      checkpoint_v2: bool, whether to ignore the random folders in which checkpoints are written.
      hash_table_shared_name: bool, whether to ignore the random names that tables share.

    Raises:
      AssertionError: they differ.
      TypeError: one is no GraphDef.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     _ = tf.constant(1)
      >>> tf.compat.v1.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())
    """
    ignored = {"value": _RANDOM_FOLDER} if checkpoint_v2 else {}
    ignored |= {"shared_name": _RANDOM_TABLE} if hash_table_shared_name else {}
    assert_equal(*(_without(graph_def, ignored) for graph_def in (expected, actual)))


def _without(graph_def, ignored: dict):
    """A copy of a GraphDef without the attributes whose texts match; the message itself if none is ignored."""
    if not ignored or not hasattr(graph_def, "node"):
        return graph_def
    copied = type(graph_def)()
    copied.CopyFrom(graph_def)
    for node in copied.node:
        for name, pattern in ignored.items():
            if name in node.attr and pattern.match(_text_of(node.attr[name])):
                del node.attr[name]
    return copied


def _text_of(attribute) -> bytes:
    """The text that an attribute holds itself, or in a tensor of one string."""
    kind = attribute.WhichOneof("value")
    texts = [attribute.s] if kind == "s" else attribute.tensor.string_val if kind == "tensor" else []
    return texts[0] if len(texts) == 1 else b""


@export("compat.v1.test.get_temp_dir")
@functools.lru_cache(None)
def get_temp_dir() -> str:
    """A folder for the files of the tests of this process, the same at every call; it is removed when the process ends.

    It is made at the path in the environment variable TEST_TMPDIR, with letters added, where that is set.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.test.get_temp_dir() == tf.compat.v1.test.get_temp_dir()
      True
    """
    program = os.path.splitext(os.path.basename(sys.argv[0]))[0] if sys.argv else ""
    folder = tempfile.mkdtemp(prefix=os.environ.get("TEST_TMPDIR") or os.path.join(tempfile.gettempdir(), program))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@export("compat.v1.test.test_src_dir_path")
def test_src_dir_path(relative_path) -> str:
    """The path of a file of TensorFlow's sources, as Bazel lays them out for a test.

    Args:
      relative_path: str, from the folder `tensorflow`.

    Raises:
      KeyError: the environment variables TEST_SRCDIR and TEST_WORKSPACE, which Bazel sets, are not there.
    """
    return os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tensorflow", relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]  # no test, whatever its name says


@export("compat.v1.test.StubOutForTesting")
class StubOutForTesting:
    """Replaces attributes for as long as a test runs.

    Used in `with`, it restores them at the end of the block.

    Example:
      >>> import os
      >>> import tracefn as tf
      >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
      ...     stubs.Set(os.path, "exists", lambda path: True)
      ...     os.path.exists("/no/such/file")
      True
      >>> os.path.exists("/no/such/file")
      False
    """

    def __init__(self) -> None:
        self.cache: list[tuple] = []  # of Set: owner, attribute, name
        self.stubs: list[tuple] = []  # of SmartSet: owner, name, attribute

    def __del__(self) -> None:
        if hasattr(self, "stubs"):  # else it was made with wrong arguments
            self.CleanUp()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Restores all attributes."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent, child_name, new_child) -> None:
        """Replaces an attribute of an object itself.

        Args:
          parent: module, class or other object.
          child_name: str.
          new_child: the attribute until `UnsetAll`.

        Raises:
          AttributeError: the object has no such attribute.
        """
        self.cache.append((parent, _as_defined(parent, child_name), child_name))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Restores what `Set` replaced."""
        for parent, child, name in reversed(self.cache):
            setattr(parent, name, child)
        self.cache = []

    def SmartSet(self, obj, attr_name, new_attr) -> None:
        """Replaces an attribute of a module or class; of another object, that of its class unless it has its own.

        Args:
          obj: module, class or other object.
          attr_name: str.
          new_attr: the attribute until `SmartUnsetAll`.

        Raises:
          AttributeError: the object has no such attribute.
        """
        itself = inspect.ismodule(obj) or inspect.isclass(obj) or attr_name in obj.__dict__
        if not inspect.ismodule(obj) and not hasattr(obj, attr_name):
            raise AttributeError("Attribute not found.")
        owner = obj if itself else type(obj)
        self.stubs.append((owner, attr_name, _as_defined(obj, attr_name)))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Restores what `SmartSet` replaced."""
        for owner, name, attribute in reversed(self.stubs):
            setattr(owner, name, attribute)
        self.stubs = []


def _as_defined(owner, name: str):
    """An attribute as `setattr` needs it to give the same again: a static method with its wrapper."""
    found = getattr(owner, name)
    return staticmethod(found) if isinstance(owner.__dict__.get(name), staticmethod) else found
