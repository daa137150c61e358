"""Variable scopes of `tf.compat.v1`, and the Variables that belong to a graph by their names."""

from __future__ import annotations

import contextlib
import functools
import threading

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import default_graph, executing_eagerly
from tracefn.framework import name_scope as _name_scope
from tracefn.variable import Variable


class _AutoReuse:
    """tf.compat.v1.AUTO_REUSE: get_variable makes a Variable the first time and returns it afterwards."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"

    def __str__(self) -> str:
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE = export("compat.v1.AUTO_REUSE")(_AutoReuse())


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix of the names of Variables, and what those that it makes have in common.

    Args:
      reuse: whether `get_variable` returns existing Variables: False, True or AUTO_REUSE; while ops run eagerly, always the
        latter, which then counts in functions.
      name: str, the prefix without "/".
      initializer: initializer of Variables that have none of their own, or None.
      regularizer: function from a Variable to a loss, or None.
      partitioner: function from a shape and dtype to the numbers of pieces along each axis, or None.
      caching_device, use_resource: stored, without effect.
      custom_getter: function that is called in place of `get_variable`, with that first, or None.
      name_scope: str, the name scope of the ops.
      dtype: dtype of Variables that have none of their own.
      constraint: constraint of Variables that have none of their own, or None.
    """

    def __init__(
        self,
        reuse,
        name="",
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        name_scope="",
        dtype="float32",
        use_resource=None,
        constraint=None,
    ) -> None:
        self._name = name
        self._reuse = AUTO_REUSE if executing_eagerly() else reuse
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self._name_scope = name_scope or ""
        self.dtype = as_dtype(dtype)
        self.use_resource = use_resource
        self.constraint = constraint

    @property
    def name(self) -> str:
        """The prefix without "/"."""
        return self._name

    @property
    def reuse(self):
        """Whether existing Variables are returned."""
        return self._reuse

    @property
    def original_name_scope(self) -> str:
        """The name scope of the ops, with "/"."""
        return self._name_scope

    def reuse_variables(self) -> None:
        """From now on, `get_variable` returns existing Variables."""
        self._reuse = True

    def set_initializer(self, initializer) -> None:
        """Sets the initializer of Variables that have none of their own."""
        self.initializer = initializer

    def set_regularizer(self, regularizer) -> None:
        """Sets the regularizer of Variables that have none of their own."""
        self.regularizer = regularizer

    def set_dtype(self, dtype) -> None:
        """Sets the dtype of Variables that have none of their own."""
        self.dtype = as_dtype(dtype)

    def set_custom_getter(self, custom_getter) -> None:
        """Sets the function that is called in place of `get_variable`."""
        self.custom_getter = custom_getter

    def set_use_resource(self, use_resource) -> None:
        """Stored, without effect."""
        self.use_resource = use_resource

    def set_caching_device(self, caching_device) -> None:
        """Stored, without effect."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner) -> None:
        """Sets the function that says into how many pieces Variables are cut."""
        self.partitioner = partitioner

    def _prefix(self) -> str:
        return self._name + "/" if self._name else ""

    def get_collection(self, name) -> list:
        """The elements of a collection of the default graph whose names are in the scope."""
        return default_graph().get_collection(name, self._prefix() or None)

    def trainable_variables(self) -> list:
        """The trainable Variables in the scope."""
        return self.get_collection("trainable_variables")

    def global_variables(self) -> list:
        """The Variables in the scope."""
        return self.get_collection("variables")

    def local_variables(self) -> list:
        """The local Variables in the scope."""
        return self.get_collection("local_variables")

    def _inner(self, name: str, names: str, changes: dict) -> VariableScope:
        """A scope like this one, with another name and what was given."""
        scope = VariableScope(
            self._reuse,
            name,
            self.initializer,
            self.regularizer,
            self.caching_device,
            self.partitioner,
            self.custom_getter,
            names,
            self.dtype,
            self.use_resource,
            self.constraint,
        )
        for key, value in changes.items():
            if value is not None and not (key == "reuse" and executing_eagerly()):
                setattr(scope, "_reuse" if key == "reuse" else key, as_dtype(value) if key == "dtype" else value)
        return scope


class Store:
    """The Variables that `get_variable` made, and the scopes of one graph.

    Args:
      reuse: what its outermost scope says about Variables that are there already.
      around: the Store whose scopes it has.
      given: a library's object that it stands for: its own `get_variable` is called.
    """

    def __init__(self, reuse=False, around: Store | None = None, given=None) -> None:
        self.given = given
        self.scopes: list[VariableScope] = [VariableScope(reuse)] if around is None else around.scopes
        self.made: dict[str, Variable] = {}
        self.partitioned: dict = {}  # PartitionedVariables by name
        self.counts: dict[str, int] = {} if around is None else around.counts
        self.keeps_eager = False  # whether Variables that are made while ops run eagerly are found again

    def finds(self) -> bool:
        """Whether a Variable that is made now is found again by its name."""
        return self.keeps_eager or not executing_eagerly()

    def opened(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def unique(self, prefix: str) -> str:
        """A name of a scope below the current one that was not used."""
        around = self.scopes[-1]._prefix()
        name, count = prefix, 0
        while self.counts.get(around + name, 0):
            count += 1
            name = f"{prefix}_{count}"
        return name


class _Thread(threading.local):
    def __init__(self) -> None:
        self.eager = Store(AUTO_REUSE)


_thread = _Thread()


def eager_store() -> Store:
    """That of this thread's eager Variables."""
    return _thread.eager


def current_store() -> Store:
    """What belongs to the graph being built; while ops run eagerly, to the thread."""
    graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph._outer
    if graph is None:
        return _thread.eager
    return graph.__dict__.setdefault("_variable_store", Store())


def default_variable_store():
    """The store that `get_variable` asks: that of the graph or thread, or the one of `with_variable_store` around."""
    store = current_store()
    return store if store.given is None else store.given


@contextlib.contextmanager
def with_variable_store(store):
    """A context in which `get_variable` asks a store.

    Args:
      store: Store, or an object whose `get_variable` takes the arguments that custom getters get, with a `custom_getter`.
    """
    before = current_store()
    inside = store if isinstance(store, Store) else Store(around=before, given=store)
    inside.scopes, inside.counts = before.scopes, before.counts
    _put(inside, before)
    try:
        yield
    finally:
        _put(before, inside)


def _put(store: Store, instead: Store) -> None:
    """Makes it the store of the graph or thread that has the other one."""
    if _thread.eager is instead:
        _thread.eager = store
        return
    graph = _core.current_graph()
    while graph.is_function:
        graph = graph._outer
    graph.__dict__["_variable_store"] = store


class EagerVariableStore:
    """Keeps the Variables that `get_variable` makes while ops run eagerly, so that it finds them again.

    Args:
      store: the Store of another one, to share its Variables.

    Raises:
      ValueError: it is a Store that does not keep them.
    """

    def __init__(self, store=None) -> None:
        if store is not None and not store.keeps_eager:
            raise ValueError(
                "Cannot construct EagerVariableStore from a VariableStore object that does not hold eager variables."
            )
        self._store = store or Store(around=_thread.eager)
        self._store.keeps_eager = True

    @contextlib.contextmanager
    def as_default(self):
        """A context in which it is the one that is used."""
        with with_variable_store(self._store):
            yield

    def variables(self) -> list:
        """The Variables, by name."""
        return sorted(self._store.made.values(), key=lambda v: v.name)

    def trainable_variables(self) -> list:
        """Those that are trainable."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list:
        """Those that are not."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self) -> EagerVariableStore:
        """One with new Variables of the same values."""
        new = EagerVariableStore()
        for name, v in self._store.made.items():
            new._store.made[name] = Variable(v.read_value(), name=v.name.partition(":")[0], trainable=v.trainable)
        return new


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current variable scope.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.variable_scope("layer"):
      ...     print(tf.compat.v1.get_variable_scope().name)
      layer
    """
    return current_store().scopes[-1]


@export("compat.v1.variable_scope")
class variable_scope:
    """A context in which Variables made by `get_variable` have a prefix; it is a name scope, too.

    Args:
      name_or_scope: str, or a VariableScope to enter again, or None.
      default_name: str, the prefix if `name_or_scope` is None; it is made unique.
      values: accepted, without effect.
      initializer, regularizer, partitioner, custom_getter, dtype, constraint: for Variables that have none of their own.
      caching_device, use_resource: stored, without effect.
      reuse: True, AUTO_REUSE, or None for that of the enclosing scope.
      auxiliary_name_scope: whether it is a name scope, too.

    Raises:
      ValueError: `reuse` is another value; or, when the context is entered, `reuse` comes without a name.
      TypeError: there is neither a name nor a default name, or `auxiliary_name_scope` is no bool; or, when the context is
        entered, `name_or_scope` has another type.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer", reuse=tf.compat.v1.AUTO_REUSE):
      ...     v = tf.compat.v1.get_variable("v", [2])
      ...     print(v.name, v is tf.compat.v1.get_variable("v", [2]))
      layer/v:0 True
    """

    def __init__(
        self,
        name_or_scope,
        default_name=None,
        values=None,
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        reuse=None,
        dtype=None,
        use_resource=None,
        constraint=None,
        auxiliary_name_scope=True,
    ) -> None:
        del values
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse is not None and not isinstance(reuse, (bool, _AutoReuse)):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope, self._default_name = name_or_scope, default_name
        self._reuse, self._custom_getter, self._is_name_scope = reuse, custom_getter, auxiliary_name_scope
        self._changes = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered: list = []  # it may be entered again inside
        # From the first time on, its own name and its name scope stay.
        self._last: str | None = None
        self._original: str | None = None

    def __enter__(self) -> VariableScope:
        context = self._opened()
        scope = context.__enter__()
        self._entered.append(context)
        return scope

    def __exit__(self, *error) -> bool | None:
        return self._entered.pop().__exit__(*error)

    @contextlib.contextmanager
    def _opened(self):
        given, reuse = self._name_or_scope, self._reuse
        if given is not None and not isinstance(given, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse and given is None:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        store = current_store()
        around = store.scopes[-1]
        changes = {
            **self._changes,
            "custom_getter": combined_getters(self._custom_getter, around.custom_getter),
            "reuse": reuse or around.reuse or None,
        }
        if isinstance(given, VariableScope):
            full, last = given.name, given.name.rpartition("/")[2]
            base = given
            changes["reuse"] = reuse or given.reuse or around.reuse or None
            changes["custom_getter"] = combined_getters(self._custom_getter, given.custom_getter)
        else:
            if self._last is None:
                self._last = given if given is not None else store.unique(self._default_name)
            last = self._last
            full, base = around._prefix() + last, around
        # A default name is made unique among scopes of Variables and among those of ops by itself.
        ops = last if given is not None else self._default_name
        names = _name_scope(ops) if self._is_name_scope and ops else contextlib.nullcontext(around.original_name_scope)
        store.opened(full)
        counts = {name: count for name, count in store.counts.items() if name.startswith(full + "/")}
        with names as opened:
            if self._original is None:
                self._original = given.original_name_scope if isinstance(given, VariableScope) else opened
            store.scopes.append(base._inner(full, self._original, changes))
            try:
                yield store.scopes[-1]
            finally:
                store.scopes.pop()
                # The scopes inside are counted anew the next time.
                for name in [name for name in store.counts if name.startswith(full + "/")]:
                    store.counts[name] = counts.get(name, 0)


def combined_getters(getter, outer):
    """A custom getter in another one."""
    if getter is None or outer is None:
        return getter if outer is None else outer

    inner = getter

    def combined(getter, *args, **kwargs):
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return combined


@export("compat.v1.variable_op_scope")
@contextlib.contextmanager
def variable_op_scope(
    values,
    name_or_scope,
    default_name=None,
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    reuse=None,
    dtype=None,
    use_resource=None,
    constraint=None,
):
    """`variable_scope`, with another order of arguments."""
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    ) as scope:
        yield scope


@export("compat.v1.name_scope")
class name_scope(contextlib.AbstractContextManager):
    """`tf.name_scope`, with a name for the case that `name` is None.

    Args:
      name: str, or None.
      default_name: str, or None.
      values: accepted, without effect.

    Attributes:
      name: the name that is given.

    Raises:
      ValueError: the name is no str; or, when the context is entered, there are `values` and no name.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.name_scope(None, "layer") as scope:
      ...     print(scope)
      layer/
    """

    def __init__(self, name, default_name=None, values=None) -> None:
        self._name = default_name if name is None else name
        if not (self._name is None or isinstance(self._name, str)):
            raise ValueError("name for name_scope must be a string.")
        self._lacks_name = self._name is None and values is not None
        self._entered: list = []  # it may be entered again inside

    @property
    def name(self):
        return self._name

    def __enter__(self) -> str:
        if self._lacks_name and not executing_eagerly():
            raise ValueError("At least one of name (None) and default_name (None) must be provided.")
        context = _name_scope(self._name or "")
        scope = context.__enter__()
        self._entered.append(context)
        return scope

    def __exit__(self, *error) -> bool | None:
        return self._entered.pop().__exit__(*error)
