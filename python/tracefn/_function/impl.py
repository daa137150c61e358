"""The Python half of a Function: handles calls that the native fast path does not."""

from __future__ import annotations

import threading
import time
import weakref
from collections import namedtuple
from functools import partial
from typing import Any

from tracefn import _core, config
from tracefn._caller import caller_line
from tracefn._function import notices
from tracefn._function.explain import RetracingError, explain, tracing_is_refused
from tracefn._function.initialization import initialize, initializer, value_around, value_outside
from tracefn._function.keyword_names import sanitized
from tracefn._function.tracing import trace
from tracefn._surroundings import trace_key
from tracefn._variable.traces import CreationScope
from tracefn.autograph.api import converted
from tracefn.autograph.marks import DO_NOT_CONVERT
from tracefn.autograph.unrolled import warn_if_unrolled


def _forgetter(impl: Impl, key: int):
    """A callback that drops the traces of an instance when it dies; does not keep `impl` alive."""
    reference = weakref.ref(impl)

    def forget(dead) -> None:
        owner = reference()
        if owner is not None and owner.bound.get(key, (None,))[0] is dead:
            del owner.bound[key]

    return forget


def _takes_self(python_function) -> bool:
    """Whether the function looks like a method in a class body, whose input_signature starts after `self` (rule 58)."""
    code = getattr(python_function, "__code__", None)
    if getattr(python_function, "__self__", None) is not None:
        return False  # already bound to an instance
    return code is not None and code.co_argcount > 0 and code.co_varnames[0] == "self"


class TraceRecord:
    """One trace of a Function: its number, the key of the call that needed it, its own key (which may be more general), its
    concrete function, and the Function's history of traces."""

    __slots__ = ("call", "caller", "concrete", "history", "key", "milliseconds", "number")

    def __init__(self, number: int, call, key, concrete, milliseconds: float, caller: str, history: list) -> None:
        self.number = number
        self.call = call
        self.key = key
        self.concrete = concrete
        self.milliseconds = milliseconds
        self.caller = caller
        self.history = history

    def explain(self, function: str, options: Options):
        """The Explanation of this trace."""
        earlier = [past for past in list(self.history) if past.number < self.number]
        return explain(self.number, function, self.call, earlier, self.caller, self.milliseconds, options, self.key)


# Number and key of a trace, without its graph, which an evicted trace releases.
_Past = namedtuple("_Past", "number key")


class _Thread(threading.local):
    depth = 0  # how many traces are running on this thread


_thread = _Thread()


def inside_trace_of(graph):
    """A context for a thread that goes on with a trace of another one, of `graph`; None: that traces nothing."""
    return _core.Setting(_thread, "depth", 0 if graph is None else 1)


CacheInfo = namedtuple("CacheInfo", "hits misses maxsize currsize")


class Options:
    """The arguments of tf.function, unchanged."""

    __slots__ = (
        "attributes",
        "autograph",
        "autograph_options",
        "implements",
        "input_signature",
        "jit_compile",
        "max_traces",
        "reduce_retracing",
    )

    attributes: Any
    autograph: Any
    autograph_options: Any
    implements: Any
    input_signature: Any
    jit_compile: Any
    max_traces: Any
    reduce_retracing: Any

    def __init__(self, **values) -> None:
        for name in self.__slots__:
            setattr(self, name, values.get(name))


class Impl:
    """The traces, cache and options of one Function (or of one bound to an instance).

    It does not refer to the Function object: dropping that object frees everything at once.
    """

    def __init__(self, python_function, name: str, options: Options, instance=None) -> None:
        self._python_function = python_function
        self._instance = None if instance is None else weakref.ref(instance)
        self.name = name
        self.options = options
        self.table = _core.DispatchTable()
        self.fast = _core.new_fast_cache()
        self.records: dict[int, TraceRecord] = {}
        self.history: list[_Past] = []
        self.next_number = 0
        self.tracing_count = 0
        self._root: weakref.ref[Impl] | None = None
        self.elsewhere: dict = {}  # where in a strategy -> its Impl
        self.lifted = False
        self.fast_hits_seen = 0
        self.pending: list = []  # (key, lock held until it ends) of the running traces
        self.slow_hits = 0
        self.bound: dict[int, tuple] = {}  # id of an instance -> (weak reference to it, its Impl)
        self._binder = None

    @property
    def python_function(self):
        """The wrapped function; for a method, bound to its instance."""
        if self._instance is None:
            return self._python_function
        instance = self._instance()
        if instance is None:
            raise ReferenceError(f"The instance that {self.name} was taken from is gone.")
        get = getattr(self._python_function, "__get__", None)
        if get is None:
            return partial(self._python_function, instance)
        return get(instance, type(instance))

    def decorate(self, decorator) -> None:
        """Replaces the Python function by `decorator(python_function)`.

        Raises:
          ValueError: the function has been traced.
        """
        if self.tracing_count:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._python_function = decorator(self._python_function)
        self._binder = None
        self.bound.clear()

    def impl_of_instance(self, instance) -> Impl:
        """The Impl of the method bound to `instance`, which has its own traces."""
        reference, impl = self.bound.get(id(instance), (None, None))
        if reference is None or reference() is not instance:
            impl = Impl(self._python_function, self.name, self.options, instance)
            self.bound[id(instance)] = (weakref.ref(instance, _forgetter(self, id(instance))), impl)
        return impl

    @property
    def _is_method_with_signature(self) -> bool:
        """Whether this is an unbound method whose input_signature excludes `self`."""
        return (
            self._instance is None
            and self.options.input_signature is not None
            and _takes_self(self._python_function)
        )

    @property
    def binder(self):
        """The binder of calls; created on first use, or at once if there is an input_signature to check."""
        if self._binder is None:
            without_self = self._instance is not None or self._is_method_with_signature
            self._binder = _core.Binder(self._python_function, self.options.input_signature, without_self)
        return self._binder

    @property
    def function_type(self):
        return self.binder.function_type

    @property
    def code(self):
        """The key of the retracing warning: the code of the innermost wrapped function, or this Impl if there is none."""
        function = self._python_function
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        function = getattr(function, "__func__", function)
        return getattr(function, "__code__", None) or self

    def call(self, *args, **kwargs):
        """Handles a call that the fast path did not: binds the arguments, finds or makes a trace, and runs it."""
        if config.functions_run_eagerly():
            return self.python_function(*args, **kwargs)
        if args and self._is_method_with_signature:  # C.f(instance, ...)
            return self.impl_of_instance(args[0]).call(*args[1:], **kwargs)
        return self._here()._call(args, kwargs)

    @property
    def root(self) -> Impl:
        """The Impl for calls outside of strategies, which keeps those for places in them."""
        return self if self._root is None else self._root() or self

    def _here(self) -> Impl:
        """The Impl with the traces for where this thread is in a `tf.distribute` strategy; outside of strategies, this one."""
        key = trace_key()
        if key is None:
            return self
        found = self.elsewhere.get(key)
        if found is None:
            found = Impl(self._python_function, self.name, self.options)
            found._instance, found._root = self._instance, weakref.ref(self)
            self.elsewhere[key] = found
        return found

    def _call(self, args, kwargs):
        kwargs = sanitized(kwargs, self.function_type.parameters)
        bound = self.binder.bind(args, kwargs)
        record = self.find(bound.key)
        eager = _core.current_graph() is None  # calls from inside a trace do not count towards the retracing warning
        traced = False
        if record is None:
            record, traced = self.trace(bound.key, bound.leaves)
        if not traced:
            self.slow_hits += 1
        if eager:
            self._notify(record) if traced else self._count_hits(1)
        leaves = bound.leaves()
        result = record.concrete._call_flat(leaves)
        self.remember(record, leaves, args, kwargs)
        return result

    def _count_hits(self, more: int) -> None:
        """Reports calls that found a trace to the retracing notice."""
        hits = _core.fast_hits(self.fast)
        notices.count_calls(self.code, hits - self.fast_hits_seen + more)
        self.fast_hits_seen = hits

    def remember(self, record: TraceRecord, leaves, args, kwargs) -> None:
        """Lets the fast path handle calls like this one from now on."""
        table = None if self.options.max_traces is None else self.table
        _core.remember_call(self.fast, record.concrete, leaves, args, kwargs, table, record.number)

    def find(self, key) -> TraceRecord | None:
        number = self.table.lookup(key)
        return None if number is None else self.records.get(number)

    def concrete_for(self, args, kwargs):
        """The concrete function for these arguments or specs, traced if necessary; runs nothing."""
        if args and self._is_method_with_signature:
            return self.impl_of_instance(args[0]).concrete_for(args[1:], kwargs)
        return self._here()._concrete_for(args, kwargs)

    def _concrete_for(self, args, kwargs):
        kwargs = sanitized(kwargs, self.function_type.parameters)
        if self.binder.has_signature and not args and not kwargs:
            key = self.binder.signature_key()
        else:
            key = self.binder.bind(args, kwargs).key
        record = self.find(key) or self.trace(key, None)[0]
        return record.concrete

    def trace(self, key, leaves) -> tuple[TraceRecord, bool]:
        """Traces for `key` and stores the result. Of several threads with equal keys, one traces and the others wait.

        Returns the trace and whether this call made it.

        Args:
          key: CallKey.
          leaves: None, or a function that returns the tensors of the call, which the initial values of Variables created
            in the first trace may depend on.

        Raises:
          RetracingError: inside `tf.no_retrace`.
        """
        while True:
            mine = (key, threading.Lock())
            # Appending is atomic: the first of equal keys is the one that traces.
            with mine[1], _core.Listed(self.pending, mine):
                other = next((p for p in list(self.pending) if p is mine or p[0] == key), mine)
                if other is mine or _thread.depth:
                    # A tracing thread never waits: what it waits for may wait for it.
                    found = self.find(key)
                    return (self._trace(key, leaves), True) if found is None else (found, False)
            with other[1]:
                pass  # that trace is made, or has failed
            found = self.find(key)
            if found is not None:
                return found, False

    def _trace(self, key, leaves) -> TraceRecord:
        call = key
        if self.options.reduce_retracing and self.records:
            key = self.table.generalize(key)
        number = self.next_number
        if tracing_is_refused():
            raise RetracingError(
                f"tf.no_retrace: {explain(number, self.name, call, list(self.history), caller_line(), 0.0, self.options)}"
            )
        self.next_number += 1
        start = time.perf_counter()
        creation = self._creation(leaves)
        with _core.Setting(_thread, "depth", _thread.depth + 1):
            concrete = self._trace_once(key, creation, leaves)
            if creation.variables:
                self.root.lifted = True
                concrete = self._initialize_and_retrace(key, concrete, creation, leaves)
        self.root.lifted = True
        milliseconds = (time.perf_counter() - start) * 1e3
        record = TraceRecord(number, call, key, concrete, milliseconds, caller_line(), self.history)
        self.records[number] = record
        self.history.append(_Past(number, key))
        self.table.add(key, number)
        self._evict()
        return record

    def _creation(self, leaves) -> CreationScope:
        """Where Variables of a trace are recorded; only the first one makes any."""
        return CreationScope(
            allowed=not self.root.lifted,
            evaluate=lambda tensor: value_outside(tensor, None if leaves is None else leaves()),
            lift=value_around,
        )

    def initializer_for(self, args, kwargs):
        """Traces for these arguments, and returns a function that initializes the Variables of the trace.

        Raises:
          RuntimeError: the function has been traced.
        """
        if args and self._is_method_with_signature:
            return self.impl_of_instance(args[0]).initializer_for(args[1:], kwargs)
        if self.root.lifted:
            raise RuntimeError("get_initialization_function cannot be called after the function has been used")
        key = self.binder.bind(args, sanitized(kwargs, self.function_type.parameters)).key
        creation = self._creation(None)
        with _core.Setting(_thread, "depth", _thread.depth + 1):
            first = self._trace_once(key, creation, None)
        self.root.lifted = True
        return initializer(first, creation)

    def _notify(self, record: TraceRecord) -> None:
        """Issues the retracing warning if it is due, with the reason for this trace."""
        self._count_hits(0)
        is_method = self._instance is not None
        function = getattr(self.python_function, "__func__", self.python_function) if is_method else self.python_function
        notices.count_trace(
            self.code, function, lambda: record.explain(self.name, self.options).briefly(is_method)
        )

    def _trace_once(self, key, creation: CreationScope, leaves):
        told = None
        try:
            given = None if leaves is None else leaves()
            concrete = trace(self.python_function, self.target, key, self.name, creation, self.options, given=given)
        except Exception as error:
            outermost = _thread.depth == 1
            if isinstance(error, RecursionError) and not outermost:
                raise  # at the recursion limit there is no room for a message
            # start-up time: only failing traces need it
            from tracefn._function.user_errors import advised, in_user_code

            if not self.options.autograph or getattr(self.python_function, DO_NOT_CONVERT, False):
                advised(error, self.options.autograph)  # TensorFlow names the frames of converted code alone
                raise
            told = in_user_code(error, outermost)
        if told is not None:
            try:
                raise told
            finally:
                del told  # its traceback may have this frame
        self.root.tracing_count += 1
        if self.options.autograph:
            warn_if_unrolled(concrete.graph)
        return concrete

    def _initialize_and_retrace(self, key, first, creation: CreationScope, leaves):
        """Initializes the Variables of the first trace, then traces again without allowing new ones (rules 115-117)."""
        initialize(first, creation, None if leaves is None else leaves())
        return self._trace_once(key, CreationScope(allowed=False), leaves)

    def _evict(self) -> None:
        limit = self.options.max_traces
        while limit is not None and len(self.records) > limit:
            number = self.table.least_recently_used()
            if number is None:  # another thread has filed a trace that will be in the table in a moment
                break
            self.table.erase(number)
            self.records.pop(number, None)  # another thread may have removed it
            _core.forget_calls(self.fast)
        if limit is not None:
            # explain()'s history is bounded like the cache.
            del self.history[: -max(64, 2 * limit)]

    def cache_info(self) -> CacheInfo:
        """Calls that found a trace, traces made, the limit on kept traces, and the traces kept now."""
        hits = self.slow_hits + sum(other.slow_hits for other in self.elsewhere.values()) + _core.fast_hits(self.fast)
        return CacheInfo(hits, self.tracing_count, self.options.max_traces, len(self.records))

    def cache_clear(self) -> None:
        """Drops every trace."""
        self.elsewhere.clear()
        self.table.clear()
        self.records.clear()
        self.history = []
        _core.forget_calls(self.fast)

    @property
    def target(self):
        """The traced callable: the Python function, converted by AutoGraph unless that is off."""
        if not self.options.autograph:
            return self.python_function
        return converted(self.python_function, self.options.autograph_options)
