"""What a test of `tf.test` runs in: seeds, sessions, threads and a folder of its own."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import threading

import numpy as np

from tracefn import _core, nest
from tracefn._namespaces import root
from tracefn.compat.v1.ragged_arrays import RaggedTensorValue
from tracefn.compat.v1.switches import graph_is_nested, reset_default_graph
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly, is_tensor
from tracefn.random_seed import DEFAULT_GRAPH_SEED, set_seed
from tracefn.test._files import FileCase


class _EagerSession:
    """What `cached_session` gives while ops run eagerly."""

    def __init__(self, case) -> None:
        self._case = case

    def run(self, fetches, *args, feed_dict=None, **kwargs):
        """The values of tensors; nothing can be fed."""
        del args, kwargs
        if feed_dict:
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled (in this case, sess.run(t) is shorthand for t.numpy()"
            )
        return self._case.evaluate(fetches)


class _NoSession:
    """What `session` gives while ops run eagerly."""

    def __getattr__(self, name: str):
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), self.cached_session(), etc while eager "
            "execution is enabled. If you're porting this test case to TF 2.0, either adapt the test to work with eager execution "
            "or insert a call to tf.disable_eager_execution() in the main() function of this test file."
        )


class _Thread(threading.Thread):
    """A thread whose exception fails the test that joins it."""

    def __init__(self, case, target, args, kwargs) -> None:
        super().__init__()
        self._case, self._call = case, (target, args or (), kwargs or {})
        self._error: BaseException | None = None
        self.joined = False

    def run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as error:
            self._error = error

    def join(self, timeout=None) -> None:
        super().join(timeout)
        self.joined = True
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {self._error}")


class CapturedWrites:
    """What was written to a stream."""

    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        """The text, as far as it is written."""
        with open(self._path, encoding="utf-8") as file:
            return file.read()


class RunningCase(FileCase):
    """A test case that runs tensors of graphs in sessions; without assertions about tensors."""

    def __init__(self, methodName="runTest") -> None:
        super().__init__(methodName)
        self._threads: list[_Thread] = []
        self._cached_session = None

    def setUp(self) -> None:
        """Seeds the generators of Python, NumPy and this package, so that every test sees the same random numbers.

        The test has a new default graph; in a `with` block of a graph, called once more, that graph.
        """
        super().setUp()
        self._close_cached_session()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        if not graph_is_nested():
            reset_default_graph()
        set_seed(DEFAULT_GRAPH_SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def tearDown(self) -> None:
        """Checks that the threads of `checkedThread` were joined."""
        for thread in self._threads:
            if not thread.joined:
                self.fail("A checked thread was not joined.")
        self._close_cached_session()
        super().tearDown()

    def _close_cached_session(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def evaluate(self, tensors):
        """A nest of tensors as NumPy arrays and scalars; eager callables are called. In a graph, the session around it runs, or
        that of the test.

        Raises:
          ValueError: something else is in it.
        """
        if executing_eagerly():
            return None if tensors is None else nest.map_structure(self._evaluated, tensors)
        session, flat = root().compat.v1.get_default_session(), nest.flatten(tensors)
        if session is not None:
            return nest.pack_sequence_as(tensors, session.run(flat))
        with self.cached_session() as session:
            return nest.pack_sequence_as(tensors, session.run(flat))

    def _evaluated(self, value):
        if value is None:
            return None
        if callable(value):
            return self.evaluate(value())
        if isinstance(value, CompositeTensor):
            return self._evaluated_composite(value)
        if hasattr(value, "numpy"):
            return value.numpy()
        raise ValueError(f"Unsupported type {type(value).__name__!r}.")

    def _evaluated_composite(self, value):
        """As a session has it: sparse and ragged tensors and IndexedSlices as their values, others with a method `numpy`."""
        v1 = root().compat.v1
        if isinstance(value, root().SparseTensor):
            return v1.SparseTensorValue(value.indices.numpy(), value.values.numpy(), value.dense_shape.numpy())
        if isinstance(value, root().RaggedTensor):
            return RaggedTensorValue(self._evaluated(value.values), value.row_splits.numpy())
        if isinstance(value, root().IndexedSlices):
            shape = None if value.dense_shape is None else value.dense_shape.numpy()
            from tracefn.compat.v1.fetches import IndexedSlicesValue  # start-up time: few tests have such values

            return IndexedSlicesValue(value.values.numpy(), value.indices.numpy(), shape)
        return value.numpy() if hasattr(value, "numpy") else value

    def evaluate_if_both_tensors(self, a, b):
        """The two values; as arrays if both are symbolic tensors."""
        symbolic = all(is_tensor(value) and isinstance(value, _core.SymbolicTensor) for value in (a, b))
        return self.evaluate((a, b)) if symbolic else (a, b)

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """A context with a session for a graph. While ops run eagerly it has no effect, and there is no session."""
        del use_gpu, force_gpu
        if executing_eagerly():
            yield _NoSession()
            return
        from tracefn.compat.v1.session import Session  # start-up time: few tests run sessions

        with Session(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """The same as `session`, but one session for a test."""
        del use_gpu, force_gpu
        if executing_eagerly():
            yield _EagerSession(self)
            return
        from tracefn.compat.v1.session import Session  # start-up time: few tests run sessions

        if self._cached_session is None:
            self._cached_session = Session(graph=graph, config=config)
        elif graph is not None and self._cached_session.graph is not graph:
            raise ValueError("The graph used to get the cached session is different than the one that was used to create "
                             "the session. Maybe create a new session with self.session()")
        with self._cached_session.graph.as_default(), self._cached_session.as_default():
            yield self._cached_session

    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """An older name of `cached_session`, which gives None while ops run eagerly."""
        from tracefn._deprecated.decorators import Known, warn_of_function  # start-up time: few tests run sessions

        known = Known("tensorflow.python.framework.test_util", "TensorFlowTestCase.test_session")
        warn_of_function(known, None, "Use `self.session()` or `self.cached_session()` instead.")
        if executing_eagerly():
            return contextlib.nullcontext()
        return self.cached_session(graph, config, use_gpu, force_gpu)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream):
        """A context that takes what is written to a stream with a file descriptor; `contents()` gives it as text."""
        stream.flush()
        descriptor = stream.fileno()
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        before = os.dup(descriptor)
        os.dup2(file, descriptor)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(before, descriptor)
            os.close(before)
            os.close(file)

    def checkedThread(self, target, args=None, kwargs=None):
        """A thread to start and join; the test fails if `target` raises an exception, or nobody joins it."""
        self._threads.append(_Thread(self, target, args, kwargs))
        return self._threads[-1]
