"""Tensors that a session keeps between its runs: `tf.compat.v1.get_session_handle` and the functions that go with it."""

from __future__ import annotations

from tracefn import _core
from tracefn._default_session import running
from tracefn._export import export
from tracefn._queues.base import eager_list, host_operation
from tracefn._queues.failures import Invalid
from tracefn.compat.v1.arguments import today
from tracefn.dtypes import as_dtype
from tracefn.errors import FailedPreconditionError, InvalidArgumentError
from tracefn.framework import executing_eagerly

_DTYPES = "_dtypes_of_session_handles"  # of a graph: by the names of the nodes that make handles
_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


class _Store(dict):
    """The tensors that a session keeps, by their handles."""

    def __init__(self, name: str) -> None:
        super().__init__()
        del name
        self._made = 0

    def keep(self, tensor, node: str) -> str:
        """Keeps a tensor, and returns its handle."""
        handle = f"{node};{self._made};{_DEVICE}"
        self._made += 1
        self[handle] = tensor
        return handle

    def kept(self, handle: str):
        """The tensor of a handle.

        Raises:
          Invalid: there is none.
        """
        if handle not in self:
            raise Invalid(f"The tensor with handle '{handle}' is not in the session store.")
        return self[handle]

    def cancel(self) -> None:
        """Forgets all: the session is closed."""
        self.clear()


def _store(session) -> _Store:
    return session._host_state("session tensors", _Store)


class TensorHandle:
    """A tensor that a session keeps until this object is deleted.

    Args:
      handle: str, its handle in the session.
      dtype: its dtype.
      session: the `tf.compat.v1.Session`.
    """

    def __init__(self, handle: str, dtype, session) -> None:
        self._handle = handle
        self._dtype = dtype
        self._session = session
        self._is_kept = True

    def __del__(self) -> None:
        if self._is_kept and self._session._open:
            _store(self._session).pop(self._handle, None)

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """What the placeholders of `get_session_tensor` and `delete_session_tensor` are fed."""
        return self._handle

    def _kept(self):
        if not self._is_kept:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")
        try:
            return _store(self._session).kept(self._handle)
        except Invalid as failure:
            raise InvalidArgumentError(None, None, str(failure)) from None

    def eval(self):
        """The tensor's value, as an array.

        Raises:
          TypeError: it was deleted, or `get_raw_handle` was called.
          InvalidArgumentError: `delete_session_tensor` has deleted it.
        """
        return self._kept().numpy()

    def delete(self) -> None:
        """Lets the session forget the tensor.

        Raises:
          TypeError: it was deleted, or `get_raw_handle` was called.
          InvalidArgumentError: `delete_session_tensor` has deleted it.
        """
        self._kept()
        self._is_kept = False
        del _store(self._session)[self._handle]

    def get_raw_handle(self) -> str:
        """The handle; the session keeps the tensor from now on, until it is deleted by `delete_session_tensor`."""
        self._is_kept = False
        return self._handle

    def _value_to_feed(self, dtype):
        """What a tensor gets that is fed this object: the kept tensor, or a placeholder of handles: the handle."""
        return self._handle if dtype.name == "string" != self._dtype.name else self.eval()


def handle_of(session, operation, value):
    """What a run returns for a node that makes handles: a TensorHandle; for others the value itself."""
    dtype = vars(session.graph).get(_DTYPES, {}).get(operation.name)
    return value if dtype is None else TensorHandle(value.decode("utf-8"), dtype, session)


def _check_device(handle) -> None:
    """
    Raises:
      ValueError: the end of a handle, behind the last semicolon, names no device.
    """
    today("DeviceSpec").from_string(str(handle).rpartition(";")[2])


@export("compat.v1.get_session_handle")
def get_session_handle(data, name=None):
    """Keeps a tensor in the session that runs this.

    Args:
      data: tensor of the graph.
      name: name of the node.

    Returns:
      String scalar; a run returns a `TensorHandle` for it, whose `handle` is for `get_session_tensor`.

    Raises:
      TypeError: `data` is no tensor.
      FailedPreconditionError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     kept = session.run(v1.get_session_handle(tf.constant(2.0) * 3.0))
      ...     holder, tensor = v1.get_session_tensor(kept.handle, tf.float32)
      ...     print(session.run(tensor + 1.0, {holder: kept.handle}))
      7.0
    """
    if not isinstance(data, _core.Tensor):
        raise TypeError("`data` must be of type Tensor.")
    if executing_eagerly():
        place = f"{{{{function_node __wrapped__GetSessionHandle_device_{_DEVICE}}}}}"
        raise FailedPreconditionError(
            None, None, f"{place} GetSessionHandle called on null session state [Op:GetSessionHandle] name: {name or ''}"
        )

    def run(tensor):
        return eager_list([_store(running()).keep(tensor, node.name)], ["string"])

    with _core.OpScope(name or "GetSessionHandle") as scope:
        node = host_operation(run, [data], ["string"], scope)
    vars(node.graph).setdefault(_DTYPES, {})[node.name] = data.dtype
    (handle,) = node.outputs
    handle.set_shape([])
    return handle


@export("compat.v1.get_session_tensor")
def get_session_tensor(handle, dtype, name=None):
    """The tensor that a session keeps.

    Args:
      handle: the `handle` of a TensorHandle.
      dtype: dtype of the tensor.
      name: name of the node.

    Returns:
      A placeholder for handles, and the tensor.

    Raises:
      ValueError: the handle names no device.
      InvalidArgumentError: when it runs: the session keeps no tensor of that handle.
    """
    _check_device(handle)

    def run(given):
        return [_store(running()).kept(given.numpy().decode("utf-8"))]

    holder = today("compat.v1.placeholder")("string")
    with _core.OpScope(name or "GetSessionTensor") as scope:
        node = host_operation(run, [holder], [as_dtype(dtype)], scope)
    return holder, node.outputs[0]


@export("compat.v1.delete_session_tensor")
def delete_session_tensor(handle, name=None):
    """Lets a session forget a tensor.

    Args:
      handle: the `handle` of a TensorHandle.
      name: name of the node.

    Returns:
      A placeholder for handles, and the Operation.

    Raises:
      ValueError: the handle names no device.
      InvalidArgumentError: when it runs: the session keeps no tensor of that handle.
    """
    _check_device(handle)

    def run(given):
        store, key = _store(running()), given.numpy().decode("utf-8")
        store.kept(key)
        del store[key]
        return []

    holder = today("compat.v1.placeholder")("string")
    with _core.OpScope(name or "DeleteSessionTensor") as scope:
        return holder, host_operation(run, [holder], [], scope)
