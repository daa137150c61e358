"""Variables of `tf.compat.v1`, by name and by value."""

from __future__ import annotations

import functools
import inspect

from tracefn import _core
from tracefn._contexts import context
from tracefn._export import export
from tracefn._variable.creation import graph_around
from tracefn._variable.creators import creators_of_thread, through_creators
from tracefn.compat.v1.partitioned import partitioned_variable
from tracefn.compat.v1.variable_scopes import (
    AUTO_REUSE,
    Store,
    combined_getters,
    current_store,
    eager_store,
    variable_scope,
)
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.framework import default_graph, executing_eagerly
from tracefn.framework import name_scope as _name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.variable import Variable, VariableAggregation, VariableSynchronization

export("compat.v1.Dimension")(Dimension)


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
    """A Variable by name. In a variable scope with `reuse`, an existing one is returned; while ops run eagerly, a new one.

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
      partitioner: function from a shape and dtype to the numbers of pieces along each axis, one of them more than 1. The
        result then is a PartitionedVariable: a sequence of Variables, and as a tensor their concatenation.
      custom_getter: function that is called instead, with this one first.
      constraint, synchronization, aggregation: as in tf.Variable.
      caching_device, use_resource: accepted, without effect.

    Raises:
      ValueError: with `reuse=True`, there is no such Variable; or its shape is another; in a graph without reuse, there is
        one already.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.get_variable("doc_example", [2], initializer=tf.zeros_initializer()).numpy().tolist()
      [0.0, 0.0]
    """
    store = current_store()
    scope = store.scopes[-1]
    # Without the marks of name scopes around: the name has the variable scope already.
    arguments = {
        "name": scope._prefix() + name,
        "shape": shape,
        "dtype": scope.dtype if dtype is None else as_dtype(dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": False if executing_eagerly() else scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": scope.partitioner if partitioner is None else partitioner,
        "validate_shape": validate_shape,
        "use_resource": scope.use_resource if use_resource is None else use_resource,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    if dtype is None and initializer is not None and not callable(initializer):
        arguments["dtype"] = None
    getter = combined_getters(custom_getter, scope.custom_getter)
    if store.given is not None:
        with _name_scope(""):
            return store.given.get_variable(custom_getter=getter, **arguments)
    make = functools.partial(_found_or_made, store)
    return make(**arguments) if getter is None else getter(getter=make, **arguments)


def _found_or_made(
    store: Store,
    name,
    shape=None,
    dtype=None,
    initializer=None,
    reuse=None,
    regularizer=None,
    partitioner=None,
    **rest,
):
    if partitioner is not None and not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if partitioner is not None or (reuse is True and name in store.partitioned):
        make = functools.partial(_found_or_made, store)
        rest["regularizer"] = regularizer
        if dtype is None:
            dtype = _core.convert_to_tensor(initializer).dtype
        return partitioned_variable(store, make, name, partitioner, shape, dtype, initializer, reuse, **rest)
    if f"{name}/part_0" in store.made:
        raise ValueError(
            f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. Perhaps a "
            "variable of the same name was already created with partitioning?"
        )
    finds = store.finds()
    if finds and store.keeps_eager and executing_eagerly():
        reuse = AUTO_REUSE
    if finds and name in store.made:
        return _found(store.made[name], name, shape, dtype, reuse)
    if finds and reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = _made(name, shape, dtype, initializer, rest)
    if finds:
        store.made[name] = made
    if regularizer is not None and store is not eager_store():
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
        wanted = TensorShape(shape)
        raise ValueError(f"Trying to share variable {name}, but specified shape {wanted} and found shape {variable.shape}.")
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
        part = {"partition_info": rest.get("partition_info")} if _takes_partition_info(initializer) else {}
        value = functools.partial(initializer, sizes.as_list(), dtype=dtype, **part)
    elif _needs_no_arguments(initializer):
        value, dtype = initializer, None
    else:
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
            "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
        )
    trainable, is_function = rest.get("trainable"), callable(initializer)
    use_resource = rest.get("use_resource")

    def make(shape=None, **kwargs):
        return _without_creators(**kwargs)  # the initial value has the shape

    with _named_as_given():
        return through_creators(
            make,
            initial_value=value,
            trainable=True if trainable is None else trainable,
            collections=rest.get("collections"),
            validate_shape=rest.get("validate_shape", True),
            caching_device=rest.get("caching_device"),
            name=name,
            variable_def=None,
            dtype=dtype,
            expected_shape=None,
            import_scope=None,
            constraint=rest.get("constraint"),
            use_resource=True if use_resource is None else use_resource,
            synchronization=rest.get("synchronization") or VariableSynchronization.AUTO,
            aggregation=rest.get("aggregation") or VariableAggregation.NONE,
            shape=sizes if is_function and sizes.is_fully_defined() else None,
            experimental_enable_variable_lifting=None,
        )


def _named_as_given():
    """A context in which Variables are made outside of branches and loops, and names are whole: they have the variable scope."""
    graph = None if executing_eagerly() or not _core.current_graph().is_function else graph_around()
    return _name_scope("") if graph is None else _around(graph)


@context
def _around(graph):
    return None, (_core.TargetContext(graph), _core.ScopeOf(graph, ""))


def _takes_partition_info(function) -> bool:
    try:
        return "partition_info" in inspect.signature(function).parameters
    except ValueError:  # a function of C without a signature
        return False


def _needs_no_arguments(function) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def move_to_collections(variable, collections) -> None:
    """Puts a new Variable of a graph into other collections than that of global Variables.

    Raises:
      ValueError: `collections` are not a list, tuple or set.
    """
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError("collections argument to Variable constructor must be a list, tuple, or set. Got "
                         f"{collections} of type {type(collections)}")
    if variable._nodes is None:
        return
    graph = variable.graph
    everywhere = graph.get_collection_ref("variables")
    everywhere[:] = [v for v in everywhere if v is not variable]
    graph.add_to_collections(collections, variable)


@export("compat.v1.create_partitioned_variables")
def create_partitioned_variables(
    shape, slicing, initializer, dtype="float32", trainable=True, collections=None, name=None, reuse=None
):
    """Variables that are the pieces of one.

    Args:
      shape: list of ints, the shape of the whole.
      slicing: list of ints, the numbers of pieces along each axis, one of them more than 1.
      initializer: callable that takes a shape and a dtype, once for each piece, or a tensor for the whole.
      dtype: their dtype; of no effect if the initializer is a tensor.
      trainable: whether tapes and optimizers watch them.
      collections: list of the graph's collections to add them to; that of global Variables by default.
      name: str, their variable scope; "PartitionedVariable", made unique, if None.
      reuse: True, AUTO_REUSE, or None for that of the enclosing scope.

    Returns:
      List of Variables.

    Raises:
      ValueError: `shape` and `slicing` do not fit.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     pieces = tf.compat.v1.create_partitioned_variables([5, 2], [2, 1], tf.zeros_initializer())
      >>> [(v.name, v.shape.as_list()) for v in pieces]
      [('PartitionedVariable/part_0:0', [3, 2]), ('PartitionedVariable/part_1:0', [2, 2])]
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        if scope.custom_getter is not None:
            raise ValueError(
                "Private access to _get_partitioned_variable is not allowed when a custom getter is set.  Current custom "
                f"getter: {scope.custom_getter}.  It is likely that you're using create_partitioned_variables.  If so, "
                "consider instead using get_variable with a non-empty partitioner parameter instead."
            )
        whole = _found_or_made(
            current_store(),
            scope.name,
            shape,
            as_dtype(dtype),
            scope.initializer if initializer is None else initializer,
            scope.reuse,
            scope.regularizer,
            lambda **unused: slicing,
            trainable=trainable,
            collections=collections,
            constraint=scope.constraint,
        )
        return list(whole)


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


class _V1Class(type(Variable)):  # type: ignore[misc]
    """The class of `tf.compat.v1.Variable`. Its instances are Variables of graphs that it made with `use_resource=False`."""

    def __call__(cls, *args, **kwargs):
        return _variable(*args, **kwargs) if cls is VariableV1 else super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance) -> bool:
        if cls is not VariableV1:
            return super().__instancecheck__(instance)
        return isinstance(instance, Variable) and getattr(instance, "_by_reference", False)


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
    experimental_enable_variable_lifting=None,
):
    given = dict(locals())
    return through_creators(_without_creators, **given) if creators_of_thread() else _without_creators(**given)


def _without_creators(collections=None, expected_shape=None, use_resource=None, **kwargs):
    """A `tf.Variable` in the given collections, by the arguments of TensorFlow 1's."""
    del expected_shape
    made = Variable(**kwargs)
    if use_resource is False and not executing_eagerly():
        made._by_reference = True
    if collections is not None:
        move_to_collections(made, collections)
    return made


@export("compat.v1.Variable")
class VariableV1(Variable, metaclass=_V1Class):
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


def new_slot(name: str, primary, initial=None, dtype=None):
    """A Variable that belongs to another one, as optimizers make them: of its shape and dtype, and not trainable.

    Args:
      name: its name, which is made unique.
      primary: the Variable that it belongs to.
      initial: function from a shape and dtype to the initial value; zeros by default.
      dtype: its dtype; that of `primary` by default.
    """
    dtype = dtype or primary.dtype
    store = current_store()
    full = store.unique(name)
    store.opened(full)
    value = initial or (lambda shape, dtype: _core.raw_op("Fill")(dims=shape, value=_core.convert_to_tensor(0, dtype=dtype)))
    with _name_scope(""):
        return Variable(
            lambda: value(primary.shape.as_list(), dtype), trainable=False, name=full, dtype=dtype
        )
