"""Sessions: they run parts of a tf.Graph, with values fed for some of its tensors, and hold its Variables."""

from __future__ import annotations

import contextlib
import re
import threading
from types import SimpleNamespace

from tracefn import _core
from tracefn import _numpy as np
from tracefn._default_session import entered, in_session
from tracefn._export import export
from tracefn._messages import data_type_name
from tracefn._queues.failures import Cancelled, Failure, as_error
from tracefn.compat.v1 import session_errors
from tracefn.compat.v1.callable_feeds import counterparts, fed_as_is
from tracefn.compat.v1.fetches import Element, Fetches, element_of, fed_tensor, feeds_of
from tracefn.compat.v1.partial_runs import PartialRun
from tracefn.compat.v1.run_statistics import recorded
from tracefn.compat.v1.session_handles import handle_of
from tracefn.compat.v1.session_options import Options, check_run_messages, is_config
from tracefn.compat.v1.wrap_function import prune
from tracefn.config import list_logical_devices
from tracefn.errors import CancelledError, InvalidArgumentError, NotFoundError, OpError, UnimplementedError
from tracefn.framework import Graph, default_graph, name_scope
from tracefn.tensor_shape import TensorShape


@export("compat.v1.get_default_session")
def get_default_session():
    """The session whose `with` block the program is in, or None.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.get_default_session() is None
      True
    """
    return entered()[-1] if entered() else None


class _Resources:
    """The resources of one session: its Variables and tables, by the names of the Operations that make them."""

    def __init__(self) -> None:
        self._handles: dict[str, object] = {}
        self._lock = threading.Lock()

    def handle(self, operation):
        """The handle that an Operation of the graph, or of a copy of it, makes: an eager tensor."""
        with self._lock:
            if operation.name not in self._handles:
                self._handles[operation.name] = self._made(operation)
            return self._handles[operation.name]

    def _made(self, operation):
        with _core.TargetContext(None):
            if operation.type == "VarHandleOp":
                dtype, shape = operation.get_attr("dtype"), TensorShape(operation.get_attr("shape"))
                return _core.make_variable(dtype, shape, operation.name, False)
            owner = SimpleNamespace(graph=operation.graph, _made_variables=[])
            return prune(owner, [], [operation.outputs[0]])()[0]

    def clear(self) -> None:
        self._handles.clear()


# They read their inputs once, when they make the table.
_TABLES_WITH_INPUTS = frozenset(["MutableDenseHashTableV2"])


def _makes_resource(operation) -> bool:
    """Whether an Operation makes a resource that lives as long as the session."""
    if operation.type.startswith(("Placeholder", "Anonymous")):
        return False
    if operation.inputs and operation.type not in _TABLES_WITH_INPUTS:
        return False
    return len(operation.outputs) == 1 and operation.outputs[0].dtype == "resource"


def _checked_target(target: str) -> str:
    """The target of a session, which is this process.

    Raises:
      InvalidArgumentError: it names a server by no host and port.
      NotFoundError: it is of no kind that there is.
      UnimplementedError: it is a server.
    """
    if not target:
        return target
    server = target.removeprefix("grpc://")
    if server == target:
        raise NotFoundError(
            None, None, f'No session factory registered for the given session options: {{target: "{target}"}} Registered '
            "factories are {DIRECT_SESSION}."
        )  # fmt: skip
    for place in server.split(","):
        if not re.fullmatch(r".+:\d+", place):
            raise InvalidArgumentError(None, None, f'Could not interpret "{place}" as a host-port pair.')
    raise UnimplementedError(
        None, None, f"A session runs in this process: there is none on a server, such as {target}. Leave `target` out."
    )


class SessionDevice:
    """A device of a session.

    Attributes:
      name, device_type: str.
      memory_limit_bytes, incarnation: int; the limit is TensorFlow's for CPUs, which it does not keep to.
    """

    memory_limit_bytes = 1 << 28

    def __init__(self, device) -> None:
        self.name, self.device_type = f"/job:localhost/replica:0/task:0{device.name}", device.device_type
        self.incarnation = hash((self.name, self.device_type)) & (2**63 - 1)

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"


class BaseSession:
    """Runs parts of a tf.Graph."""

    def __init__(self, target="", graph=None, config=None) -> None:
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f"Argument `target` must be a string, but got \"{type(target).__name__}\"")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"Argument `graph` must be a tf.Graph, but got \"{type(graph).__name__}\"")
        if config is not None and not is_config(config):
            raise TypeError(f"Argument `config` must be a tf.ConfigProto, but got \"{type(config).__name__}\"")
        self.graph = default_graph() if graph is None else graph
        self._target = _checked_target(target.decode() if isinstance(target, bytes) else target or "")
        self._config = config
        self._parts: dict = {}
        self._edits = 0  # of the graph, when they were made
        self._known_size = 0  # nodes of the graph, when it was last looked at
        self._partial_runs: dict = {}
        self._resources = _Resources()
        self._file_writers: dict[str, _core.Operation] = {}
        self._host_states: dict = {}
        self._lock = threading.Lock()
        self._open = True

    @property
    def graph_def(self):
        """The graph as a GraphDef."""
        return self.graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """The target, a str."""
        return self._target

    def list_devices(self) -> list:
        """The devices that the session can use, each with `name`, `device_type`, `memory_limit_bytes` and `incarnation`."""
        return [SessionDevice(device) for device in list_logical_devices()]

    def close(self) -> None:
        """Ends the session: it runs nothing any more, and its Variables are gone."""
        with self._lock:
            self._open = False
            states = list(self._host_states.values())
        self._parts.clear()
        self._resources.clear()
        for state in states:
            state.cancel()

    def _host_state(self, name: str, make):
        """What a queue or reader of the graph keeps in this session; `make` makes it on first use.

        Raises:
          Cancelled: the session is closed.
        """
        with self._lock:
            if not self._open:
                raise Cancelled("The session is closed.")
            if name not in self._host_states:
                self._host_states[name] = make(f"_{len(self._host_states)}_{name}")
            return self._host_states[name]

    @contextlib.contextmanager
    def as_default(self):
        """A context in which this is the default session.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default():
          ...     x = tf.constant(2.0)
          ...     with tf.compat.v1.Session().as_default():
          ...         print(float(x.eval()))
          2.0
        """
        entered().append(self)
        try:
            yield self
        finally:
            entered().remove(self)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Computes tensors of the graph.

        Args:
          fetches: nest of tensors, Operations, Variables and names.
          feed_dict: dict from tensors or their names to values.
          options: RunOptions; its `timeout_in_ms` limits how long the run waits for queues. Without it,
            `operation_timeout_in_ms` of the session's ConfigProto does.
          run_metadata: RunMetadata, whose `step_stats` tell when which node ran, if `options.trace_level` is not 0.

        Returns:
          The nest with arrays in place of tensors, and None in place of Operations.

        Raises:
          RuntimeError: the session is closed, or the graph is empty.
          TypeError, ValueError: a feed or fetch is not in the graph, or a value does not fit.
          InvalidArgumentError: a placeholder is needed and not fed.
          FailedPreconditionError: a Variable is needed and not initialized.
        """
        return self._run(fetches, feed_dict, options, run_metadata)

    def _run(self, fetches, feed_dict, options, run_metadata, in_callable=False):
        """See `run`. `in_callable`: whether fed values may have any shape, and are not converted to the dtype, and errors have the
        node's own words alone."""
        check_run_messages(options, run_metadata)
        if not self._open:
            raise RuntimeError("Attempted to use a closed Session.")
        if len(self.graph) == 0:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        self._known_size = len(self.graph)
        wanted = Fetches(fetches, self.graph)
        feeds = feeds_of(self.graph, feed_dict)
        limit = _seconds(options, "timeout_in_ms") or _seconds(self._config, "operation_timeout_in_ms")
        with in_session(self, limit), recorded(self.graph, options, run_metadata):
            return wanted.values(self._computed(wanted.elements, feeds, in_callable))

    def partial_run_setup(self, fetches, feeds=None) -> str:
        """Begins a run in steps, in which each node runs once; `partial_run` makes a step.

        Args:
          fetches: nest of what the steps may ask for, as for `run`.
          feeds: list of the tensors that they may feed, or their names.

        Returns:
          A handle, for `partial_run`.

        Raises:
          RuntimeError: the session is closed.
          TypeError, ValueError: a feed or fetch is not in the graph.
          InvalidArgumentError: there are no fetches.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
          ...     x, y = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
          ...     double = 2.0 * x
          ...     product = double * y
          ...     handle = session.partial_run_setup([double, product], [x, y])
          ...     print(session.partial_run(handle, double, {x: 3.0}), session.partial_run(handle, product, {y: 10.0}))
          6.0 60.0
        """
        if not self._open:
            raise RuntimeError("Attempted to use a closed Session.")
        elements = Fetches(fetches, self.graph).elements
        if not elements:
            raise InvalidArgumentError(None, None, "Must specify at least one target to fetch or execute.")
        given = [element_of(self.graph, feed, False) for feed in feeds or []]
        handle = "->".join(";".join(element.name for element in group) for group in (given, elements))
        handle += f"/{len(self._partial_runs)}/"
        self._partial_runs[handle] = PartialRun(elements, given)
        return handle

    def partial_run(self, handle, fetches, feed_dict=None):
        """Makes a step of a run; what was fed or computed in earlier ones stays.

        Args:
          handle: what `partial_run_setup` returned.
          fetches: nest of what to compute, as for `run`, of what was named there and not asked for yet.
          feed_dict: dict from tensors or their names to values, each given in one step only.

        Returns:
          The nest with values, as of `run`.

        Raises:
          InvalidArgumentError: the handle is not known, or all was fetched and fed; something was not named, or was given
            before; or a placeholder is needed that is not fed yet.
          NotImplementedError: an Operation without results would run again in a later step.
        """
        if not self._open:
            raise RuntimeError("Attempted to use a closed Session.")
        run = self._partial_runs.get(handle)
        if run is None:
            raise InvalidArgumentError(
                None, None, session_errors.in_session("Must run 'setup' before performing partial runs!")
            )
        wanted, feeds = Fetches(fetches, self.graph), feeds_of(self.graph, feed_dict)
        with in_session(self, None):
            found = wanted.values(run.step(wanted.elements, feeds, self._computed))
        if run.is_over():
            self._partial_runs[handle] = None
        return found

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function that runs the fetches with values for the feeds, given by position.

        Args:
          fetches: as for `run`.
          feed_list: list of tensors or their names.
          accept_options: whether the function without feeds takes `options` and `run_metadata`; that with feeds does.

        Raises:
          TypeError: `feed_list` is no list, or a fetch is no element of a graph.
          ValueError: a fetch is not in the graph.
          CancelledError: there are no feeds, the session is closed, and it does not know all of the graph.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default():
          ...     x = tf.compat.v1.placeholder(tf.float32, [])
          ...     f = tf.compat.v1.Session().make_callable(x * 2.0, [x])
          >>> float(f(3.0))
          6.0
        """
        if feed_list is not None:
            if not isinstance(feed_list, (list, tuple)):
                raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")

            def run_with(*values, **options):
                return self.run(fetches, dict(zip(feed_list, values, strict=False)), **options)  # others are not fed

            return run_with
        if self._known_size != len(self.graph):
            self._check_open_for_callables()
            self._known_size = len(self.graph)
        wanted = Fetches(fetches, self.graph)  # Wrong fetches are refused before the first call.

        def run_with_options(options=None, run_metadata=None):
            self._check_open_for_callables()
            if not wanted.elements:
                raise InvalidArgumentError(None, None, "Must specify at least one target to fetch or execute.")
            return self._run(fetches, None, options, run_metadata, in_callable=True)

        def run():
            return run_with_options()

        return run_with_options if accept_options else run

    def _check_open_for_callables(self) -> None:
        if not self._open:
            raise CancelledError(None, None, "Session has been closed.")

    def _make_callable_from_options(self, callable_options):
        """`make_callable` for the names in a message CallableOptions, as Keras has it; of the results, those of its fetches."""
        feeds, fetches = list(callable_options.feed), list(callable_options.fetch)
        targets = list(callable_options.target)
        for name in feeds:
            if name in fetches:
                raise InvalidArgumentError(None, None, f"{name} is both fed and fetched.")
        sources = {link.to_tensor: link.from_tensor for link in callable_options.tensor_connection}

        def run(*values, run_metadata=None):
            if len(values) != len(feeds):
                raise InvalidArgumentError(None, None, f"Expected {len(feeds)} feed tensors, but got {len(values)}")
            given = dict(zip(feeds, values, strict=True))
            if sources:
                given.update(zip(sources, self.run(list(sources.values())), strict=True))
            return self._run([fetches, targets], given, None, run_metadata, in_callable=True)[0]

        return run

    def _computed(self, elements: list, feeds: dict, in_callable=False) -> list:
        """The values of elements: arrays, and None for Operations."""
        others = []
        with _core.TargetContext(None):
            if in_callable:
                values = [fed_as_is(tensor, value, i) for i, (tensor, value) in enumerate(feeds.items())]
                others = [t for t, v in zip(feeds, values, strict=True) if not t.value.shape.is_compatible_with(v.shape)]
            else:
                values = [fed_tensor(tensor, value) for tensor, value in feeds.items()]
        if self._edits != self.graph.edits:
            self._edits = self.graph.edits
            self._parts.clear()
        key = tuple(tuple(element.name for element in group) for group in (feeds, elements, others))
        try:
            if key not in self._parts:
                self._parts[key] = self._part(list(feeds), elements, others)
            part, makers = self._parts[key]
            with _core.TargetContext(None):
                found = part(*values, *[self._resources.handle(maker) for maker in makers])
        except OpError as error:
            told = self._error_of_run(error, in_callable)
            if told is error:
                raise
            raise told from None
        arrays = [_array(value, element in feeds) for value, element in zip(found, elements, strict=True)]
        return [
            handle_of(self, element.value.op, array) if isinstance(element.value, _core.Tensor) else array
            for element, array in zip(elements, arrays, strict=True)
        ]

    def _error_of_run(self, error: OpError, in_callable: bool) -> OpError:
        """The error of a run that one of a node becomes: with its text, and outside of callables with its Operation."""
        cause, node = error.__cause__, self._failed(error)
        told = as_error(cause, node) if isinstance(cause, Failure) else error
        if in_callable:
            told._op, told._message = None, session_errors.in_callable(told._message)
        else:
            told._op, told._message = node, session_errors.in_session(told._message, node)
        return told

    def _failed(self, error: OpError):
        """The Operation of this graph that an error names, or None."""
        node = re.search(r"\{\{node ([^{}]+)\}\}", error.message)
        return None if node is None else next((op for op in self.graph.get_operations() if op.name == node[1]), None)

    def _file_writer(self, directory: str):
        """The handle of the session's writer of summaries to a directory."""
        if directory not in self._file_writers:
            with self.graph.as_default(), name_scope("filewriter"):
                self._file_writers[directory] = _core.raw_op("SummaryWriter")(shared_name=directory).op
        return self._resources.handle(self._file_writers[directory])

    def _part(self, feeds: list[Element], elements: list[Element], others: list[Element]):
        """The function for some feeds and fetches, and the Operations whose resources it takes after the feeds. `others` are
        the feeds that have other shapes than their tensors."""
        fed, fetched, graph = [f.value for f in feeds], [e.value for e in elements], self.graph
        if others:
            graph, counterpart = counterparts(graph, [x.value for x in others])
            fed, fetched = [counterpart(x) for x in fed], [counterpart(x) for x in fetched]
        makers, effects = _needed(fetched, fed)
        owner = SimpleNamespace(graph=graph, _made_variables=[])
        # A resource is given from outside, so that an Operation that makes one need not run.
        plain = [x.outputs[0] if isinstance(x, _core.Operation) and x in makers else x for x in fetched]
        # Passes may forward a value past the operation that others wait for: as a fetch, it runs all the same.
        part = prune(owner, [*fed, *(maker.outputs[0] for maker in makers)], [*plain, *effects])

        def run(*values):
            result = part(*values)
            found = list(result) if isinstance(result, (list, tuple)) else [result]
            values = found[: len(fetched)]
            return [None if isinstance(x, _core.Operation) else value for x, value in zip(fetched, values, strict=True)]

        return run, makers


def _seconds(options, name: str) -> float | None:
    """How long a run may wait for queues, by a field of options; None: for ever."""
    # Asked for a field that is not set, Options make it; others are messages, or None.
    milliseconds = vars(options).get(name, 0) if isinstance(options, Options) else getattr(options, name, 0)
    return milliseconds / 1000 if milliseconds > 0 else None


def _array(value, fed: bool):
    """The value of a fetch: a scalar is a NumPy scalar, unless it was fed."""
    if value is None:
        return None
    return np.asarray(value) if fed else value.numpy()


def _needed(fetched, fed) -> tuple[list, list]:
    """The Operations that the fetches need: those that make resources, and those that others wait for.

    Raises:
      InvalidArgumentError: a placeholder is needed that is not fed.
    """
    given = {tensor.name for tensor in fed}
    pending, makers = list(fetched), []
    seen: set[str] = set()
    waited_for: dict = {}
    while pending:
        element = pending.pop()
        if element.name in given:
            continue
        op = element.op if isinstance(element, _core.Tensor) else element
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type == "Placeholder":
            raise InvalidArgumentError(None, op, _not_fed(op))
        if _makes_resource(op):
            makers.append(op)
        waited_for.update((before.name, before) for before in op.control_inputs)
        pending.extend((*op.inputs, *(before for before in op.control_inputs if not _is_given(before, given))))
    made = {maker.name for maker in makers}
    effects = [op for name, op in waited_for.items() if name not in made and not _is_given(op, given)]
    return makers, effects


def _not_fed(placeholder) -> str:
    (tensor,) = placeholder.outputs
    sizes = ",".join("?" if size is None else str(size) for size in tensor.shape.as_list()) if tensor.shape.rank else ""
    kind = data_type_name(tensor.dtype)[3:].lower() + (f" and shape [{sizes}]" if sizes else "")
    name = placeholder.name
    return f"You must feed a value for placeholder tensor '{name}' with dtype {kind}\n\t [[{{{{node {name}}}}}]]"


def _is_given(operation, given: set) -> bool:
    """Whether an Operation need not run, because all its outputs are fed."""
    return bool(operation.outputs) and all(x.name in given for x in operation.outputs)


@export("compat.v1.Session")
class Session(BaseSession):
    """Runs parts of a tf.Graph, and holds the values of its Variables.

    Args:
      target: "": a session runs in this process.
      graph: a tf.Graph; None: the default one.
      config: a ConfigProto, without effect.

    Raises:
      TypeError: an argument has another type.
      InvalidArgumentError, NotFoundError, UnimplementedError: there is no such target.

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
        super().__init__(target, graph, config)
        self._contexts: list = []

    @staticmethod
    def reset(target, containers=None, config=None) -> None:
        """Accepted, without effect: the resources of a session are its own, and end with it."""
        del target, containers, config

    def __enter__(self):
        if self._contexts:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a session "
                "multiple times."
            )
        context = self.graph.as_default()
        context.__enter__()
        self._contexts.append(context)
        entered().append(self)
        return self

    def __exit__(self, *error) -> None:
        entered().remove(self)
        self._contexts.pop().__exit__(*error)
        self.close()


@export("compat.v1.InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default one, like its graph, until it is closed.

    Example:
      >>> import tracefn as tf
      >>> session = tf.compat.v1.InteractiveSession(graph=tf.Graph())
      >>> tf.compat.v1.get_default_session() is session
      True
      >>> session.close()
    """

    def __init__(self, target="", graph=None, config=None) -> None:
        super().__init__(target, graph, config)
        self._context = None if graph is None else graph.as_default()
        if self._context is not None:
            self._context.__enter__()
        entered().append(self)

    def close(self) -> None:
        """Ends the session."""
        super().close()
        if self in entered():
            entered().remove(self)
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None
