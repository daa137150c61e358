"""`tf.__internal__`: the names that libraries on top of TensorFlow use."""

from __future__ import annotations

import contextlib
import importlib
import types

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn._decorators import TFDecorator, make_decorator, unwrap
from tracefn._graph.creation import create_c_op
from tracefn._missing import missing
from tracefn._namespaces import root
from tracefn._nest.shallow import (
    flatten_up_to,
    get_traverse_shallow_structure,
    is_attrs,
    is_mapping,
    list_to_tuple,
    map_structure_up_to,
    sequence_like,
    yield_flat_paths,
)
from tracefn._static_value import get_static_value
from tracefn._tracking.auto import AutoTrackable
from tracefn._tracking.base import (
    CheckpointInitialValueCallable,
    Trackable,
    TrackableReference,
    no_automatic_dependency_tracking,
)
from tracefn._tracking.structure import TrackableDataStructure, sticky_attribute_assignment, wrap_or_unwrap
from tracefn.composite import CompositeTensor
from tracefn.framework import Graph, current_scope, is_tensor
from tracefn.types.abstract_tensor import AbstractTensor


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """`tf.cond`, or just one of the functions if the condition is known.

    Raises:
      TypeError: a function is not callable, or the condition is neither a bool, 0, 1 nor a tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.smart_cond.smart_cond(True, lambda: 1, lambda: 2)
      1
    """
    for role, fn in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(fn):
            raise TypeError(f"Argument `{role}` must be callable. Received {fn}")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name)
    return true_fn() if known else false_fn()


def smart_constant_value(pred):
    """The value of a condition as far as it is known: a bool, or None.

    Raises:
      TypeError: it is neither a bool, 0, 1 nor a tensor.

    Example:
      >>> from tracefn.python.framework.smart_cond import smart_constant_value
      >>> smart_constant_value(1)
      True
    """
    if is_tensor(pred):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if pred in {0, 1}:
        return bool(pred)
    raise TypeError(f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of type {type(pred).__name__}")


@contextlib.contextmanager
def eager_mode():
    """A context in which ops run when they are called, also while a function is traced.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f():
      ...     with tf.__internal__.eager_context.eager_mode():
      ...         return tf.executing_eagerly()
      >>> bool(f())
      True
    """
    with _core.TargetContext(None):
        yield


def graph_defs_equal(graph_def_1, graph_def_2, treat_nan_as_equal=False) -> bool:
    """Whether two GraphDefs have the same nodes.

    Example:
      >>> import tracefn as tf
      >>> g = tf.Graph().as_graph_def()
      >>> tf.__internal__.graph_util.graph_defs_equal(g, g)
      True
    """
    del treat_nan_as_equal
    from tracefn.test import assert_equal_graph_def  # start-up time: few programs compare graphs

    try:
        assert_equal_graph_def(graph_def_1, graph_def_2)
    except AssertionError:
        return False
    return True


class _GraphsOfFunctions(type(Graph)):  # type: ignore[misc]  # a metaclass that the extension module makes
    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Graph) and instance.is_function


class FuncGraph(Graph, metaclass=_GraphsOfFunctions):
    """A graph as a function has it: tensors from outside, Variables too, become captures.

    Args:
      name: str.
      collections, capture_by_value, structured_input_signature, structured_outputs: accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(2.0)
      >>> with tf.__internal__.FuncGraph("g").as_default() as g:
      ...     y = v * 3.0
      >>> y.graph is g, len(g.captures)
      (True, 1)
    """

    def __init__(
        self, name, collections=None, capture_by_value=None, structured_input_signature=None, structured_outputs=None
    ) -> None:
        del collections, capture_by_value, structured_input_signature, structured_outputs
        super().__init__(name, True, True)
        self.set_captures_others(True)
        self._keeps_outer = self._outer  # which the core expects to live as long


def get_config():
    """The options of sessions, with the numbers of threads that `tf.config.threading` says.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.eager_context.get_config().intra_op_parallelism_threads
      0
    """
    threading = root().config.threading
    return root().compat.v1.ConfigProto(
        intra_op_parallelism_threads=threading.get_intra_op_parallelism_threads(),
        inter_op_parallelism_threads=threading.get_inter_op_parallelism_threads(),
    )


_registered: dict[str, object] = {}


def _register(what: str):
    """A function that keeps what Keras tells TensorFlow, which nothing here asks for."""

    def register(function) -> None:
        _registered[what] = function

    register.__doc__ = f"Keeps the function by which a library answers `{what}`."
    return register


def get_name_scope() -> str:
    """The current name scope without its last "/"."""
    return current_scope().rstrip("/")


def record_gradient(op_name, inputs, attrs, outputs) -> None:
    """Does nothing: tapes know each operation as soon as it is made."""


def _namespace(path: str, **names) -> types.ModuleType:
    module = types.ModuleType(path)
    vars(module).update(names)
    return module


def _distribute() -> types.ModuleType:
    """`tf.__internal__.distribute`, whose names are imported on first use."""
    path = "tracefn.__internal__.distribute"

    def of_interim(name: str):
        if name != "maybe_merge_call":
            raise missing("__internal__.distribute.interim", name)
        from tracefn.distribute._internal import maybe_merge_call  # start-up time: it needs all of tf.distribute

        return maybe_merge_call

    def of_distribute(name: str):
        from tracefn.distribute import _internal as found  # start-up time: it needs all of tf.distribute

        if name not in found.__all__ or name == "maybe_merge_call":
            raise missing("__internal__.distribute", name)
        return getattr(found, name)

    return _namespace(path, __getattr__=of_distribute, interim=_namespace(f"{path}.interim", __getattr__=of_interim))


# What tf.__internal__.feature_column has, and in which module it is.
_COLUMNS = {
    "DenseColumn": "base",
    "FeatureColumn": "base",
    "FeatureTransformationCache": "base",
    "SequenceDenseColumn": "base",
    "StateManager": "states",
    "deserialize_feature_column": "configs",
    "serialize_feature_column": "configs",
}


def _of_columns(name: str):
    """The `__getattr__` of `tf.__internal__.feature_column`."""
    if name not in _COLUMNS:
        raise missing("__internal__.feature_column", name)
    # start-up time: few programs have columns
    return getattr(importlib.import_module(f"tracefn._feature_columns.{_COLUMNS[name]}"), name)


def _of_checkpoints(path: str, names: dict):
    """The `__getattr__` of a namespace with names of tracefn._checkpoint: which module has which."""

    def load(name: str):
        if name not in names:
            raise missing(path, name)
        module = importlib.import_module(f"tracefn._checkpoint.{names[name]}")  # start-up time: few programs need them
        return getattr(module, "update_state" if name == "update_checkpoint_state" else name)

    return load


def namespace() -> types.ModuleType:
    """The module `tf.__internal__`."""
    from tracefn._for_libraries import parts  # start-up time: few programs need them
    from tracefn.compat.v1.metric_parts import broadcast_weights  # start-up time: it needs all of tf.compat.v1
    from tracefn.python.eager.monitoring import BoolGauge  # start-up time: few programs need it

    path = "tracefn.__internal__"
    found = _namespace(
        path,
        CompositeTensor=CompositeTensor,
        EagerTensor=_core.EagerTensor,
        FuncGraph=FuncGraph,
        SymbolicTensor=_core.SymbolicTensor,
        autograph=_namespace(
            f"{path}.autograph", control_status_ctx=parts.conversion.control_status_ctx, tf_convert=parts.conversion.tf_convert
        ),
        create_c_op=create_c_op,
        decorator=_namespace(f"{path}.decorator", TFDecorator=TFDecorator, make_decorator=make_decorator, unwrap=unwrap),
        dispatch=_namespace(
            f"{path}.dispatch",
            GlobalOpDispatcher=parts.dispatching.GlobalOpDispatcher,
            OpDispatcher=parts.dispatching.OpDispatcher,
            add_dispatch_support=parts.dispatching.add_dispatch_support,
        ),
        distribute=_distribute(),
        eager_context=_namespace(f"{path}.eager_context", eager_mode=eager_mode, get_config=get_config),
        feature_column=_namespace(f"{path}.feature_column", __getattr__=_of_columns),
        function=_namespace(f"{path}.function", Function=parts.functions.Function),
        get_enclosing_xla_context=lambda: None,
        get_name_scope=get_name_scope,
        graph_util=_namespace(f"{path}.graph_util", graph_defs_equal=graph_defs_equal),
        is_tfrt_enabled=lambda: False,
        load_context=parts.loading.load_context,
        mixed_precision=_namespace(
            f"{path}.mixed_precision", register_loss_scale_wrapper=parts.training.register_loss_scale_wrapper
        ),
        monitoring=_namespace(f"{path}.monitoring", BoolGauge=BoolGauge),
        nest=_namespace(
            f"{path}.nest",
            flatten_up_to=flatten_up_to,
            get_traverse_shallow_structure=get_traverse_shallow_structure,
            is_attrs=is_attrs,
            is_mapping=is_mapping,
            list_to_tuple=list_to_tuple,
            map_structure_up_to=map_structure_up_to,
            sequence_like=sequence_like,
            yield_flat_paths=yield_flat_paths,
        ),
        ops=_namespace(
            f"{path}.ops",
            broadcast_weights=broadcast_weights,
            is_resource_variable=lambda value: hasattr(value, "handle") and is_tensor(value),
        ),
        record_gradient=record_gradient,
        **{name: _register(name) for name in (
            "register_call_context_function", "register_clear_session_function", "register_get_session_function",
            "register_load_model_function")},
        saved_model=_namespace(
            f"{path}.saved_model",
            **{name: getattr(parts.models, name) for name in parts.models.__all__},
            load=_namespace(
                f"{path}.saved_model.load", **{name: getattr(parts.revived_types, name) for name in parts.revived_types.__all__}
            ),
        ),
        smart_cond=_namespace(f"{path}.smart_cond", smart_cond=smart_cond),
        tf2=_namespace(f"{path}.tf2", enabled=lambda: True),
        tracking=_namespace(
            f"{path}.tracking",
            __getattr__=_of_checkpoints(
                "__internal__.tracking",
                {"ObjectGraphView": "graph_view", "register_session_provider": "writing", "streaming_restore": "status"},
            ),
            AutoTrackable=AutoTrackable,
            DelegatingTrackableMixin=parts.delegation.DelegatingTrackableMixin,
            CheckpointInitialValueCallable=CheckpointInitialValueCallable,
            Trackable=Trackable,
            TrackableDataStructure=TrackableDataStructure,
            TrackableReference=TrackableReference,
            no_automatic_dependency_tracking=no_automatic_dependency_tracking,
            sticky_attribute_assignment=sticky_attribute_assignment,
            wrap=wrap_or_unwrap,
        ),
        train=_namespace(
            f"{path}.train",
            assign_moving_average=parts.training.assign_moving_average,
            is_mixed_precision_graph_rewrite_enabled=parts.training.is_mixed_precision_graph_rewrite_enabled,
            set_using_mixed_precision_policy=parts.training.set_using_mixed_precision_policy,
            __getattr__=_of_checkpoints("__internal__.train", {"update_checkpoint_state": "state_file"}),
        ),
        types=_namespace(f"{path}.types", Tensor=AbstractTensor),
    )
    parts.combinations.add_to(found)
    parts.lacking.add_to(found)
    return found
