"""Variables by name, and scopes of `tf.compat.v1`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading

from tracefn import _core
from tracefn._export import export
from tracefn.dimension import Dimension, dimension_value
from tracefn.dtypes import as_dtype
from tracefn.framework import default_graph
from tracefn.framework import name_scope as _name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.variable import Variable, VariableAggregation, VariableSynchronization

export("compat.v1.dimension_value")(dimension_value)
export("compat.v1.Dimension")(Dimension)


class _AutoReuse:
    """tf.compat.v1.AUTO_REUSE: get_variable makes a Variable the first time and returns it afterwards."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


AUTO_REUSE = export("compat.v1.AUTO_REUSE")(_AutoReuse())


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix of the names of Variables, and what those that it makes have in common.

    Args:
      reuse: whether `get_variable` returns existing Variables: False, True or AUTO_REUSE.
      name: str, the prefix without "/".
      initializer: initializer of Variables that have none of their own, or None.
      regularizer: function from a Variable to a loss, or None.
      caching_device, partitioner, use_resource: stored, without effect.
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
        self._reuse = reuse
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
        """Stored, without effect."""
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
            if value is not None:
                setattr(scope, "_reuse" if key == "reuse" else key, as_dtype(value) if key == "dtype" else value)
        return scope


class _Store:
    """The Variables that `get_variable` made, and the scopes of one graph."""

    def __init__(self) -> None:
        self.scopes = [VariableScope(False)]
        self.made: dict[str, Variable] = {}
        self.counts: dict[str, int] = {}

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
        self.eager = _Store()


_thread = _Thread()


def _store() -> _Store:
    """What belongs to the graph being built; while ops run eagerly, to the thread."""
    graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph.outer_graph
    if graph is None:
        return _thread.eager
    return graph.__dict__.setdefault("_variable_store", _Store())


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current variable scope.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.variable_scope("layer"):
      ...     print(tf.compat.v1.get_variable_scope().name)
      layer
    """
    return _store().scopes[-1]


@export("compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
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
):
    """A context in which Variables made by `get_variable` have a prefix; it is a name scope, too.

    Args:
      name_or_scope: str, or a VariableScope to enter again, or None.
      default_name: str, the prefix if `name_or_scope` is None; it is made unique.
      values: accepted, without effect.
      initializer, regularizer, custom_getter, dtype, constraint: for Variables that have none of their own.
      caching_device, partitioner, use_resource: stored, without effect.
      reuse: True, AUTO_REUSE, or None for that of the enclosing scope.
      auxiliary_name_scope: whether it is a name scope, too.

    Raises:
      ValueError: there is neither a name nor a default name.
      TypeError: `name_or_scope` has another type.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.variable_scope("layer", reuse=tf.compat.v1.AUTO_REUSE):
      ...     v = tf.compat.v1.get_variable("v", [2])
      ...     print(v.name, v is tf.compat.v1.get_variable("v", [2]))
      layer/v:0 True
    """
    del values
    if default_name is None and name_or_scope is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
        raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
    if reuse and name_or_scope is None:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    store = _store()
    around = store.scopes[-1]
    changes = {
        "initializer": initializer,
        "regularizer": regularizer,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "custom_getter": _combined(custom_getter, around.custom_getter),
        "reuse": reuse or around.reuse or None,
        "dtype": dtype,
        "use_resource": use_resource,
        "constraint": constraint,
    }
    if isinstance(name_or_scope, VariableScope):
        full, last = name_or_scope.name, name_or_scope.name.rpartition("/")[2]
        base = name_or_scope
        changes["reuse"] = reuse or name_or_scope.reuse or around.reuse or None
        changes["custom_getter"] = _combined(custom_getter, name_or_scope.custom_getter)
    else:
        last = name_or_scope if name_or_scope is not None else store.unique(default_name)
        full, base = around._prefix() + last, around
    names = _name_scope(last) if auxiliary_name_scope and last else contextlib.nullcontext(around.original_name_scope)
    store.opened(full)
    counts = {name: count for name, count in store.counts.items() if name.startswith(full + "/")}
    with names as opened:
        original = name_or_scope.original_name_scope if isinstance(name_or_scope, VariableScope) else opened
        store.scopes.append(base._inner(full, original, changes))
        try:
            yield store.scopes[-1]
        finally:
            store.scopes.pop()
            # The scopes inside are counted anew the next time.
            for name in [name for name in store.counts if name.startswith(full + "/")]:
                store.counts[name] = counts.get(name, 0)


def _combined(getter, outer):
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


@export("compat.v1.get_variable")
def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
):
    """A Variable by name. In a variable scope with `reuse`, an existing one is returned.

    Args:
      name: str, below the current variable scope.
      shape: its shape; None if the initializer is a tensor.
      dtype: its dtype; that of the scope if None.
      initializer: callable that takes a shape and a dtype, or a tensor; None: that of the scope, or Glorot's uniform
        numbers (zeros for integers).
      regularizer: function from the Variable to a loss, which is added to the graph's regularization losses.
      trainable: whether tapes and optimizers watch it; True if None.
      collections: list of the graph's collections to add it to; that of global Variables by default.
      validate_shape: whether, in a graph, all values have the shape of the initial value.
      custom_getter: function that is called instead, with this one first.
      constraint, synchronization, aggregation: as in tf.Variable.
      caching_device, partitioner, use_resource: accepted, without effect.

    Raises:
      ValueError: with `reuse=True`, there is no such Variable; or its shape is another; in a graph without reuse, there is
        one already.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.get_variable("doc_example", [2], initializer=tf.zeros_initializer()).numpy().tolist()
      [0.0, 0.0]
    """
    store = _store()
    scope = store.scopes[-1]
    # Without the marks of name scopes around: the name has the variable scope already.
    arguments = {
        "name": scope._prefix() + name,
        "shape": shape,
        "dtype": scope.dtype if dtype is None else as_dtype(dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    if dtype is None and initializer is not None and not callable(initializer):
        arguments["dtype"] = None
    getter = _combined(custom_getter, scope.custom_getter)
    make = functools.partial(_found_or_made, store)
    return make(**arguments) if getter is None else getter(getter=make, **arguments)


def _found_or_made(store: _Store, name, shape=None, dtype=None, initializer=None, reuse=None, regularizer=None, **rest):
    if name in store.made:
        if reuse is not False or store is not _thread.eager:
            return _found(store.made[name], name, shape, dtype, reuse)
    elif reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = _made(name, shape, dtype, initializer, rest)
    if store is not _thread.eager or reuse is not False:
        store.made[name] = made
    if regularizer is not None and store is not _thread.eager:
        with _name_scope(name + "/Regularizer/"):
            loss = regularizer(made)
        if loss is not None:
            default_graph().add_to_collection("regularization_losses", loss)
    return made


def _found(variable, name: str, shape, dtype, reuse):
    if reuse is False or reuse is None:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not variable.shape.is_compatible_with(shape):
        raise ValueError(f"Trying to share variable {name}, but specified shape {shape} and found shape {variable.shape}.")
    if dtype is not None and not as_dtype(dtype).is_compatible_with(variable.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and found dtype {variable.dtype.name}."
        )
    return variable


def _made(name: str, shape, dtype, initializer, rest: dict):
    if initializer is None and shape is None:
        raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
    initializer = _initializer(initializer, dtype)
    sizes = TensorShape(shape)
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        value = initializer
    elif sizes.is_fully_defined():
        value = functools.partial(initializer, sizes.as_list(), dtype=dtype)
    elif _needs_no_arguments(initializer):
        value, dtype = initializer, None
    else:
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
            "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
        )
    trainable, collections = rest.get("trainable"), rest.get("collections")
    with _name_scope(""):  # the name has the variable scope already
        made = Variable(
            value,
            trainable=True if trainable is None else trainable,
            validate_shape=rest.get("validate_shape", True),
            name=name,
            dtype=dtype,
            constraint=rest.get("constraint"),
            synchronization=rest.get("synchronization") or VariableSynchronization.AUTO,
            aggregation=rest.get("aggregation") or VariableAggregation.NONE,
        )
    if collections is not None:
        move_to_collections(made, collections)
    return made


def _needs_no_arguments(function) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def move_to_collections(variable, collections) -> None:
    """Puts a new Variable of a graph into other collections than that of global Variables."""
    if variable._nodes is None:
        return
    graph = variable.graph
    everywhere = graph.get_collection_ref("variables")
    everywhere[:] = [v for v in everywhere if v is not variable]
    graph.add_to_collections(collections, variable)


@export("compat.v1.get_local_variable")
def get_local_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=False,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
):
    """`get_variable` in the collection of local Variables, and not trainable."""
    del trainable
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or []), "local_variables"],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def _initializer(given, dtype):
    if isinstance(given, type):
        return given()
    if given is not None:
        return given
    from tracefn.compat.v1.initial_values import GlorotUniform, Zeros  # start-up time: few programs need initializers

    if dtype is None or dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype == "bool" or dtype == "string":
        return Zeros()
    raise ValueError(f"An initializer for variable of {dtype!r} is required")


class _V1Class(type):
    """The class of `tf.compat.v1.Variable`: all Variables are its instances."""

    def __call__(cls, *args, **kwargs):
        return _variable(*args, **kwargs)

    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Variable)

    def __subclasscheck__(cls, subclass) -> bool:
        return issubclass(subclass, Variable)


def _variable(
    initial_value=None,
    trainable=None,
    collections=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    variable_def=None,
    dtype=None,
    expected_shape=None,
    import_scope=None,
    constraint=None,
    use_resource=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
    shape=None,
):
    del expected_shape, use_resource
    made = Variable(
        initial_value,
        trainable,
        validate_shape,
        caching_device,
        name,
        variable_def,
        dtype,
        import_scope,
        constraint,
        synchronization,
        aggregation,
        shape,
    )
    if collections is not None:
        move_to_collections(made, collections)
    return made


@export("compat.v1.Variable")
class VariableV1(metaclass=_V1Class):
    """`tf.Variable` with the arguments of TensorFlow 1: `collections` is the third.

    Args:
      initial_value, trainable, validate_shape, name, dtype, constraint, synchronization, aggregation, shape: as in
        tf.Variable.
      collections: list of the graph's collections to add it to; that of global Variables by default.
      caching_device, variable_def, expected_shape, import_scope, use_resource: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     v = tf.compat.v1.Variable([1.0, 2.0], name="v")
      ...     with tf.compat.v1.Session() as session:
      ...         session.run(v.initializer)
      ...         print(session.run(v * 2.0))
      [2. 4.]
    """


@export("compat.v1.name_scope")
def name_scope(name, default_name=None, values=None):
    """`tf.name_scope`, with a name for the case that `name` is None.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.name_scope(None, "layer") as scope:
      ...     print(scope)
      layer/
    """
    del values
    return _name_scope((default_name if name is None else name) or "")


def new_slot(name: str, primary, initial=None):
    """A Variable that belongs to another one, as optimizers make them: of its shape and dtype, and not trainable.

    Args:
      name: its name, which is made unique.
      primary: the Variable that it belongs to.
      initial: function from a shape and dtype to the initial value; zeros by default.
    """
    store = _store()
    full = store.unique(name)
    store.opened(full)
    value = initial or (lambda shape, dtype: _core.raw_op("Fill")(dims=shape, value=_core.convert_to_tensor(0, dtype=dtype)))
    with _name_scope(""):
        return Variable(
            lambda: value(primary.shape.as_list(), primary.dtype), trainable=False, name=full, dtype=primary.dtype
        )
