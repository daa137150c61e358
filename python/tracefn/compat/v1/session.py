"""Sessions: they run parts of a tf.Graph, with values fed for some of its tensors."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from tracefn import _core, nest
from tracefn._export import export
from tracefn.compat.v1.wrap_function import prune
from tracefn.dtypes import as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.framework import default_graph, executing_eagerly
from tracefn.tensor_shape import TensorShape


class _Thread(threading.local):
    """The sessions that `with` entered on one thread."""

    def __init__(self) -> None:
        self.entered: list = []


_thread = _Thread()


class _Options(SimpleNamespace):
    """Options of sessions by name; accepted, without effect."""

    def __init__(self, **options) -> None:
        super().__init__(**options)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        value = _Options()
        setattr(self, name, value)
        return value


@export("compat.v1.ConfigProto")
class ConfigProto(_Options):
    """Options of a session; accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
      >>> config.gpu_options.allow_growth = True
    """


@export("compat.v1.GPUOptions")
class GPUOptions(_Options):
    """Options of GPUs; accepted, without effect."""


@export("compat.v1.placeholder")
def placeholder(dtype, shape=None, name=None):
    """A tensor of the graph being built, to be fed in a session.

    Args:
      dtype: its dtype.
      shape: its static shape, or None.
      name: name of the node.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.placeholder(tf.float32, [2], "x").name)
      x:0
    """
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    return _core.raw_op("Placeholder")(dtype=as_dtype(dtype), shape=TensorShape(shape), name=name or "Placeholder")


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """A tensor that has the value of `input` unless another is fed.

    Args:
      input: tensor.
      shape: static shape with which that of `input` must be compatible.
      name: name of the node.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.placeholder_with_default(3, []))
      3
    """
    tensor = _core.convert_to_tensor(input)
    shape = TensorShape(shape)
    shape.assert_is_compatible_with(tensor.shape)
    result = _core.raw_op("Identity")(input=tensor, name=name or "PlaceholderWithDefault")
    return result


@export("compat.v1.get_default_session")
def get_default_session():
    """The session whose `with` block the program is in, or None.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.get_default_session() is None
      True
    """
    return _thread.entered[-1] if _thread.entered else None


@export("compat.v1.Session")
class Session:
    """Runs parts of a tf.Graph. Random ops continue their streams from run to run. Graphs hold no Variables.

    Args:
      target: accepted, without effect.
      graph: a tf.Graph; None: the default one.
      config: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.compat.v1.placeholder(tf.float32, [2], "x")
      ...     y = x * 2.0
      >>> with tf.compat.v1.Session(graph=graph) as session:
      ...     session.run({"y": y}, feed_dict={"x:0": [1.0, 2.0]})
      {'y': array([2., 4.], dtype=float32)}
    """

    def __init__(self, target="", graph=None, config=None) -> None:
        del target, config
        self.graph = default_graph() if graph is None else graph
        self._parts: dict = {}
        self._open = True
        self._contexts: list = []

    def __enter__(self):
        context = self.graph.as_default()
        context.__enter__()
        self._contexts.append(context)
        _thread.entered.append(self)
        return self

    def __exit__(self, *error) -> None:
        _thread.entered.pop()
        self._contexts.pop().__exit__(*error)
        self.close()

    def close(self) -> None:
        """Ends the session: it runs nothing any more."""
        self._open = False
        self._parts.clear()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Computes tensors of the graph.

        Args:
          fetches: nest of tensors, Operations and their names.
          feed_dict: dict from tensors or their names to values.
          options, run_metadata: accepted, without effect.

        Returns:
          The nest with arrays in place of tensors, and None in place of Operations.

        Raises:
          RuntimeError: the session is closed.
          TypeError, ValueError: a feed or fetch is not in the graph, or a value does not fit.
          InvalidArgumentError: a placeholder is needed and not fed.
        """
        del options, run_metadata
        if not self._open:
            raise RuntimeError("Attempted to use a closed Session.")
        feeds = {self._element(tensor, False): value for tensor, value in (feed_dict or {}).items()}
        elements = nest.map_structure(lambda fetch: self._element(fetch, True), fetches)
        key = tuple(t.name for t in feeds), tuple(e.name for e in nest.flatten(elements))
        if key not in self._parts:
            self._parts[key] = self._part(list(feeds), nest.flatten(elements))
        with _core.TargetContext(None):
            values = [_fed(tensor, value) for tensor, value in feeds.items()]
            found = self._parts[key](*values)
        arrays = [None if value is None else value.numpy() for value in found]
        return nest.pack_sequence_as(elements, arrays)

    def _element(self, name, allow_operation: bool):
        if not isinstance(name, (str, _core.Tensor, _core.Operation)):
            what = f"Can not convert a {type(name).__name__} into a Tensor or Operation."
            if not allow_operation:
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {what}")
            kind = type(name).__name__
            raise TypeError(f'Argument `fetch` = {name} has invalid type "{kind}" must be a string or Tensor. ({what})')
        try:
            return _Element(self.graph.as_graph_element(name, allow_operation=allow_operation))
        except (KeyError, ValueError) as error:
            kind = "Fetch argument" if allow_operation else "Cannot interpret feed_dict key as Tensor:"
            raise ValueError(f"{kind} {name!r} cannot be interpreted as a Tensor. ({error})") from None

    def _part(self, feeds, fetches):
        feeds, fetches = [f.value for f in feeds], [f.value for f in fetches]
        _check_fed(fetches, feeds)
        owner = SimpleNamespace(graph=self.graph, _made_variables=[])
        part = prune(owner, feeds, fetches)

        def run(*values):
            result = part(*values)
            return result if isinstance(result, (list, tuple)) else [result]

        return run


class _Element:
    """A tensor or an Operation as a key and a leaf: tensors are compared elementwise."""

    __slots__ = ("name", "value")

    def __init__(self, value) -> None:
        self.value = value
        self.name = value.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other) -> bool:
        return isinstance(other, _Element) and self.name == other.name


def _check_fed(fetches, feeds) -> None:
    """Raises an error if a placeholder that is not fed is needed."""
    given = {tensor.name for tensor in feeds}
    pending, seen = list(fetches), set()
    while pending:
        element = pending.pop()
        if element.name in given:
            continue
        op = element.op if isinstance(element, _core.Tensor) else element
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type == "Placeholder":
            raise InvalidArgumentError(
                None, op, f"You must feed a value for placeholder tensor '{op.name}' with dtype {op.outputs[0].dtype.name}"
            )
        pending.extend((*op.inputs, *op.control_inputs))


def _fed(element: _Element, value):
    tensor = _core.convert_to_tensor(value, dtype=element.value.dtype)
    if not element.value.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(tensor.shape)} for Tensor {element.name}, which has shape {element.value.shape}"
        )
    return tensor


@export("compat.v1.InteractiveSession")
class InteractiveSession(Session):
    """A session that is the default one until it is closed.

    Example:
      >>> import tracefn as tf
      >>> session = tf.compat.v1.InteractiveSession(graph=tf.Graph())
      >>> tf.compat.v1.get_default_session() is session
      True
      >>> session.close()
    """

    def __init__(self, target="", graph=None, config=None) -> None:
        super().__init__(target, graph, config)
        _thread.entered.append(self)

    def close(self) -> None:
        """Ends the session."""
        super().close()
        if self in _thread.entered:
            _thread.entered.remove(self)
