"""Variables by name, scopes, and switches of `tf.compat.v1`, as programs of TensorFlow 2 still use them: eagerly."""

from __future__ import annotations

import contextlib
import threading

from tracefn import _core
from tracefn._export import export
from tracefn.dimension import Dimension, dimension_value
from tracefn.dtypes import as_dtype
from tracefn.framework import name_scope as _name_scope
from tracefn.ops.control_flow import no_op
from tracefn.variable import Variable

export("compat.v1.dimension_value")(dimension_value)
export("compat.v1.Dimension")(Dimension)


class _AutoReuse:
    """tf.compat.v1.AUTO_REUSE: get_variable makes a Variable the first time and returns it afterwards."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


AUTO_REUSE = export("compat.v1.AUTO_REUSE")(_AutoReuse())


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix of the names of Variables, and whether existing ones are returned.

    Args:
      reuse: whether `get_variable` returns existing Variables: False, True or AUTO_REUSE.
      name: str, the prefix without "/".
      initializer: initializer of Variables that have none of their own, or None.
    """

    def __init__(self, reuse, name: str = "", initializer=None) -> None:
        self.reuse = reuse
        self.name = name
        self.initializer = initializer

    @property
    def original_name_scope(self) -> str:
        """The prefix with "/"."""
        return self.name + "/" if self.name else ""

    def reuse_variables(self) -> None:
        """From now on, `get_variable` returns existing Variables."""
        self.reuse = True


class _Thread(threading.local):
    def __init__(self) -> None:
        self.scopes = [VariableScope(False)]


_thread = _Thread()
_made: dict[str, Variable] = {}


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current variable scope.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.variable_scope("layer"):
      ...     print(tf.compat.v1.get_variable_scope().name)
      layer
    """
    return _thread.scopes[-1]


@export("compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
    name_or_scope=None,
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
      name_or_scope: str, or a VariableScope to enter again.
      default_name: str, the prefix if `name_or_scope` is None.
      values, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint: accepted, without
        effect.
      initializer: initializer of Variables that have none of their own.
      reuse: True, AUTO_REUSE, or None for that of the enclosing scope.
      auxiliary_name_scope: whether it is a name scope, too.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.variable_scope("layer", reuse=tf.compat.v1.AUTO_REUSE):
      ...     v = tf.compat.v1.get_variable("v", [2])
      ...     print(v.name, v is tf.compat.v1.get_variable("v", [2]))
      layer/v:0 True
    """
    del values, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint
    around = _thread.scopes[-1]
    if isinstance(name_or_scope, VariableScope):
        full = name_or_scope.name
        reuse = name_or_scope.reuse if reuse is None else reuse
    else:
        last = name_or_scope or default_name
        if last is None:
            raise ValueError("If default_name is None then name_or_scope is required")
        full = around.original_name_scope + last
    scope = VariableScope(around.reuse if reuse is None else reuse, full, initializer or around.initializer)
    names = _name_scope(full + "/") if auxiliary_name_scope and full else contextlib.nullcontext()
    _thread.scopes.append(scope)
    try:
        with names:
            yield scope
    finally:
        _thread.scopes.pop()


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
    synchronization=None,
    aggregation=None,
):
    """A Variable by name. In a variable scope with `reuse`, an existing one is returned.

    Args:
      name: str, below the current variable scope.
      shape: its shape; None if the initializer is a tensor.
      dtype: its dtype; float32 if None.
      initializer: callable that takes a shape and a dtype, or a tensor; None: that of the scope, or Glorot's uniform
        numbers (zeros for integers).
      trainable: whether tapes watch it; True if None.
      constraint: as in tf.Variable.
      regularizer, collections, caching_device, partitioner, validate_shape, use_resource, custom_getter,
        synchronization, aggregation: accepted, without effect.

    Raises:
      ValueError: with `reuse=True`, there is no such Variable; or its shape is another.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.get_variable("doc_example", [2], initializer=tf.zeros_initializer()).numpy().tolist()
      [0.0, 0.0]
    """
    del regularizer, collections, caching_device, partitioner, validate_shape, use_resource, custom_getter
    del synchronization, aggregation
    scope = _thread.scopes[-1]
    full = scope.original_name_scope + name
    if scope.reuse is not False and full in _made:
        found = _made[full]
        if shape is not None and not found.shape.is_compatible_with(shape):
            raise ValueError(
                f"Trying to share variable {full}, but specified shape {shape} and found shape {found.shape}."
            )
        return found
    if scope.reuse is True:
        raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable().")
    dtype = as_dtype("float32" if dtype is None else dtype)
    initializer = _initializer(initializer or scope.initializer, dtype)
    value = initializer(shape, dtype) if callable(initializer) else initializer
    with _name_scope(""):  # the name has the variable scope already
        made = Variable(
            value, trainable=True if trainable is None else trainable, name=full, dtype=dtype, constraint=constraint
        )
    if scope.reuse is not False:
        _made[full] = made
    return made


def _initializer(given, dtype):
    if isinstance(given, type):
        return given()
    if given is not None:
        return given
    from tracefn.compat.v1.initializers import GlorotUniform  # start-up time: few programs need initializers

    if dtype.is_floating:
        return GlorotUniform()
    return lambda shape, dtype: _core.raw_op("Fill")(dims=shape, value=_core.convert_to_tensor(0, dtype=dtype))


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


@export("compat.v1.global_variables_initializer", "compat.v1.local_variables_initializer", "compat.v1.tables_initializer")
def global_variables_initializer():
    """Nothing: a Variable has its value when it is made.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.global_variables_initializer()
    """
    return no_op()


@export("compat.v1.variables_initializer")
def variables_initializer(var_list, name="init"):
    """Nothing: a Variable has its value when it is made."""
    del var_list
    return no_op(name=name)


@export(
    "compat.v1.enable_resource_variables",
    "compat.v1.enable_tensor_equality",
    "compat.v1.enable_v2_tensorshape",
    "compat.v1.enable_control_flow_v2",
)
def enable() -> None:
    """Accepted, without effect: it is always so."""


@export("compat.v1.control_flow_v2_enabled", "compat.v1.resource_variables_enabled")
def enabled() -> bool:
    """True: it is always so."""
    return True


@export("compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether ops run eagerly outside of functions: always, unless a tf.Graph is being built.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.executing_eagerly_outside_functions()
      True
    """
    graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph.outer_graph
    return graph is None


def _refused(name: str):
    def refuse() -> None:
        raise NotImplementedError(f"tf.compat.v1.{name}: tracefn behaves as TensorFlow 2 does, and cannot be changed.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = """Refused: the behavior is that of TensorFlow 2.

    Raises:
      NotImplementedError: always.
    """
    return refuse


export("compat.v1.disable_control_flow_v2")(_refused("disable_control_flow_v2"))
export("compat.v1.disable_eager_execution")(_refused("disable_eager_execution"))
export("compat.v1.disable_resource_variables")(_refused("disable_resource_variables"))
export("compat.v1.disable_tensor_equality")(_refused("disable_tensor_equality"))
export("compat.v1.disable_v2_behavior")(_refused("disable_v2_behavior"))
export("compat.v1.disable_v2_tensorshape")(_refused("disable_v2_tensorshape"))
