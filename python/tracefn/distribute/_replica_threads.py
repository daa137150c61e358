"""Runs a function on several replicas, each on a thread of its own: one at a time, up to its end or its next merge_call."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from tracefn import _core
from tracefn._function.impl import inside_trace_of
from tracefn._variable.creators import creators_of_thread, variable_creator_scope, with_creators
from tracefn._variable.traces import creating, creation_of_thread
from tracefn.distribute import _modes as modes
from tracefn.distribute._regroup import regroup, select_replica
from tracefn.distribute._replica_context import ReplicaContext
from tracefn.framework import current_scope, device, name_scope
from tracefn.ops.summary.state import STATE as summaries

_OTHER_GRAPH = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the function `fn` passed to "
    "`strategy.run()` contains a nested `@tf.function`, and the nested `@tf.function` contains a synchronization point, such "
    "as aggregating gradients (e.g, optimizer.apply_gradients), or if the function `fn` uses a control flow statement which "
    "contains a synchronization point in the body. Such behaviors are not yet supported. Instead, please avoid nested "
    "`tf.function`s or control flow statements that may potentially cross a synchronization boundary, for example, wrap the "
    "`fn` passed to `strategy.run` or the entire `strategy.run` inside a `tf.function` or move the control flow out of `fn`."
)


class _Stopped(BaseException):
    """Ends a replica that waits for others, of which one has failed."""


class _Merge:
    """A pending `merge_call` of one replica."""

    __slots__ = ("args", "fn", "kwargs", "scope")

    def __init__(self, fn, args, kwargs, scope) -> None:
        self.fn = fn
        self.args = args
        self.kwargs = kwargs
        self.scope = scope


class ReplicaThread(threading.Thread):
    """The thread of one replica. It runs only while `step` waits for it.

    Args:
      strategy: tf.distribute.Strategy.
      replica: int, its number.
      device_name: str, where it runs.
      variables: list that the replicas share: the variables that the first one makes.
      call: callable without arguments: the function to run.
    """

    def __init__(self, strategy, replica: int, device_name: str, variables: list, call) -> None:
        super().__init__(name=f"replica_{replica}", daemon=True)
        self.graph = _core.current_graph()
        self.replica = replica
        self.merge: _Merge | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False
        self._strategy = strategy
        self._device_name = device_name
        self._variables = variables
        self._made = 0
        self._call = call
        self._resume = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._merged: Any = None
        self._stopped = False
        self._surroundings = (current_scope(), creators_of_thread(), creation_of_thread(), modes.thread.modes)
        # The first replica records summaries for all.
        condition = summaries.condition if replica == 0 else False
        self._summaries = {"condition": condition, "writer": summaries.writer, "step": summaries.step}

    def step(self, merged=None) -> None:
        """Lets the replica go on, up to its end or its next merge_call.

        Raises:
          Whatever the function raises.
        """
        self._merged = merged
        self._resume.release()
        self._paused.acquire()
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Ends the replica where it is."""
        if self.is_alive():
            self._stopped = True
            self._resume.release()
            self.join()

    def run(self) -> None:
        self._resume.acquire()
        try:
            if not self._stopped:
                with contextlib.ExitStack() as stack:
                    self._enter(stack)
                    self.result = self._call()
                self.done = True
        except _Stopped:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self._paused.release()

    def _enter(self, stack) -> None:
        """Enters on this thread what the thread that started it is in."""
        scope, creators, creation, outer = self._surroundings
        stack.enter_context(_core.TargetContext(self.graph))
        stack.enter_context(inside_trace_of(self.graph))
        stack.enter_context(creating(creation))
        stack.enter_context(with_creators(creators))
        stack.enter_context(_core.Setting(modes.thread, "modes", outer))
        for name, value in self._summaries.items():
            stack.enter_context(_core.Setting(summaries, name, value))
        stack.enter_context(_ReplicaContext(self._strategy, self.replica))
        stack.enter_context(device(self._device_name))
        scope = scope if not self.replica else f"{scope}replica_{self.replica}/"
        if scope:
            stack.enter_context(name_scope(scope))
        stack.enter_context(variable_creator_scope(self._create))

    def _create(self, next_creator, **kwargs):
        """The next variable that the first replica made; the first replica makes it."""
        index, self._made = self._made, self._made + 1
        if self.replica == 0:
            self._variables.append(next_creator(**kwargs))
        return self._variables[index]

    def wait_for_merge(self, merge: _Merge):
        """Hands a merge_call to the thread that started this one, and returns its result."""
        self.merge = merge
        self._paused.release()
        self._resume.acquire()
        self.merge = None
        if self._stopped:
            raise _Stopped
        return self._merged


class _ReplicaContext(ReplicaContext):
    @property
    def devices(self):
        modes.require_replica(self)
        return [[self._strategy.extended.worker_devices[self._replica_id]]]

    def _merge_call(self, merge_fn, args: tuple, kwargs: dict):
        thread = threading.current_thread()
        if not isinstance(thread, ReplicaThread) or _core.current_graph() is not thread.graph:
            raise RuntimeError(_OTHER_GRAPH)
        return thread.wait_for_merge(_Merge(merge_fn, args, kwargs, current_scope()))


def _merged(strategy, threads):
    """Runs the merge function that all replicas wait for."""
    merges = [thread.merge for thread in threads]
    args = regroup([merge.args for merge in merges])
    kwargs = regroup([merge.kwargs for merge in merges])
    scope = merges[0].scope
    with name_scope(scope) if scope else contextlib.nullcontext():
        return merges[0].fn(strategy, *args, **kwargs)


def run_on_threads(strategy, devices, fn, args: tuple, kwargs: dict):
    """Calls a function for each device.

    Args:
      strategy: tf.distribute.Strategy.
      devices: names of the replicas' devices.
      fn: callable.
      args, kwargs: its arguments; each replica gets its part of distributed values.

    Returns:
      What the replicas return, as one nest.

    Raises:
      RuntimeError: the replicas call merge_call differently often, or while they define other graphs.
      Whatever the function raises.
    """
    variables: list = []
    threads = []
    for replica, name in enumerate(devices):
        mine, named = select_replica(replica, args), select_replica(replica, kwargs)
        call = lambda mine=mine, named=named: fn(*mine, **named)  # noqa: E731 - binds its loop variables
        threads.append(ReplicaThread(strategy, replica, name, variables, call))
    for thread in threads:
        thread.start()
    try:
        merged: list = [None] * len(threads)
        while True:
            for thread, value in zip(threads, merged, strict=True):
                thread.step(value)
            done = [thread.done for thread in threads]
            if all(done):
                return regroup(tuple(thread.result for thread in threads))
            if any(done):
                raise RuntimeError("Some replicas made a different number of replica_context().merge_call() calls.")
            result = _merged(strategy, threads)
            merged = [select_replica(replica, result) for replica in range(len(threads))]
    finally:
        for thread in threads:
            thread.stop()
