"""The switches between the behaviors of TensorFlow 1 and 2, and the default graph."""

from __future__ import annotations

import contextlib
from typing import Any

from tracefn import _core
from tracefn._deprecated import say
from tracefn._export import export
from tracefn._shapes_of_v1 import use_dimensions
from tracefn.framework import default_graph, default_graph_outside, executing_eagerly, new_default_graph

export("compat.v1.executing_eagerly")(executing_eagerly)


class _Mode:
    """The context of the default graph, while eager execution is disabled; whether TensorFlow 2's behavior is on."""

    context: Any = None
    is_v2 = True
    # What programs ask about; nodes and Variables are those of TensorFlow 2 in any case.
    control_flow_v2 = True
    resource_variables = True


@export("compat.v1.get_default_graph")
def get_default_graph():
    """The graph being built; while ops run eagerly, a default Graph.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     tf.compat.v1.get_default_graph() is graph
      True
    """
    return default_graph()


@export("compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    """Makes a new default Graph.

    Raises:
      AssertionError: a tf.Graph is being built in a `with` block.

    Example:
      >>> import tracefn as tf
      >>> before = tf.compat.v1.get_default_graph()
      >>> tf.compat.v1.reset_default_graph()
      >>> tf.compat.v1.get_default_graph() is before
      False
    """
    if graph_is_nested():
        raise AssertionError(_NESTED)
    if _Mode.context is None:
        new_default_graph()
        return
    _leave()
    new_default_graph()
    _enter()


def graph_is_nested() -> bool:
    """Whether another graph than the default one outside of all `with` blocks and functions is being built."""
    graph = _core.current_graph()
    return graph is not (None if _Mode.context is None else default_graph_outside())


_NESTED = (
    "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting and create a "
    "new graph."
)


def _enter() -> None:
    _Mode.context = default_graph_outside().as_default()
    _Mode.context.__enter__()


def _leave() -> None:
    context, _Mode.context = _Mode.context, None
    if context is not None:
        context.__exit__(None, None, None)


@contextlib.contextmanager
def graph_mode():
    """A context in which ops outside of functions are added to the graph being built, or else to the default graph."""
    if _core.current_graph() is not None:
        yield
        return
    outer = _Mode.context
    _enter()
    try:
        yield
    finally:
        _leave()
        _Mode.context = outer


@export("compat.v1.disable_eager_execution")
def disable_eager_execution() -> None:
    """From now on, ops outside of functions are added to the default graph of this thread, and run in sessions.

    Raises:
      ValueError: a function or tf.Graph is being built.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.disable_eager_execution()
      >>> x = tf.compat.v1.placeholder(tf.float32, [])
      >>> float(tf.compat.v1.Session().run(x * 2.0, {x: 3.0}))
      6.0
      >>> tf.compat.v1.enable_eager_execution()
    """
    if _Mode.context is not None:
        return
    if _core.current_graph() is not None:
        raise ValueError("tf.disable_eager_execution must be called at program startup.")
    _enter()


@export("compat.v1.enable_eager_execution")
def enable_eager_execution(config=None, device_policy=None, execution_mode=None) -> None:
    """Ops outside of functions run at once: undoes `disable_eager_execution`. The arguments have no effect."""
    del config, device_policy, execution_mode
    _leave()


@export("compat.v1.disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """From now on, the sizes of a `tf.TensorShape` are Dimensions, as in TensorFlow 1: `shape[0].value` is an int or None.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.disable_v2_tensorshape()
      >>> shape = tf.TensorShape([None, 3])
      >>> shape, shape[1], shape[0].value, str(shape)
      (TensorShape([Dimension(None), Dimension(3)]), Dimension(3), None, '(?, 3)')
      >>> tf.compat.v1.enable_v2_tensorshape()
    """
    use_dimensions(True)


@export("compat.v1.enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """The sizes of a `tf.TensorShape` are ints, or None if unknown: undoes `disable_v2_tensorshape`."""
    use_dimensions(False)


@export("compat.v1.disable_v2_behavior")
def disable_v2_behavior() -> None:
    """`disable_eager_execution` and `disable_v2_tensorshape`. Variables and control flow stay those of TensorFlow 2."""
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_control_flow_v2()
    disable_resource_variables()
    _Mode.is_v2 = False


@export("compat.v1.enable_v2_behavior")
def enable_v2_behavior() -> None:
    """`enable_eager_execution` and `enable_v2_tensorshape`."""
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_control_flow_v2()
    enable_resource_variables()
    _Mode.is_v2 = True


def behaves_as_v2() -> bool:
    """False after `disable_v2_behavior`."""
    return _Mode.is_v2


@export("compat.v1.enable_control_flow_v2")
def enable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` answer True."""
    _Mode.control_flow_v2 = True


@export("compat.v1.disable_control_flow_v2")
def disable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` answer False. Conditionals and loops are single nodes all the same.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.disable_control_flow_v2()
      >>> int(tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: -x))(tf.constant(-2)))
      2
      >>> tf.compat.v1.enable_control_flow_v2()
    """
    _Mode.control_flow_v2 = False


@export("compat.v1.control_flow_v2_enabled")
def control_flow_v2_enabled() -> bool:
    """What was asked for last: True, until `disable_control_flow_v2`."""
    return _Mode.control_flow_v2


@export("compat.v1.enable_resource_variables")
def enable_resource_variables() -> None:
    """Makes `resource_variables_enabled` answer True."""
    _Mode.resource_variables = True


@export("compat.v1.disable_resource_variables")
def disable_resource_variables() -> None:
    """Makes `resource_variables_enabled` answer False. Variables are resources all the same: a read is a value, which a
    later assignment does not change."""
    say("compat.v1.disable_resource_variables")
    _Mode.resource_variables = False


@export("compat.v1.resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """What was asked for last: True, until `disable_resource_variables`."""
    return _Mode.resource_variables


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
        graph = graph._outer
    return graph is None
