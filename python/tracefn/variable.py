"""`tf.Variable`: a value that persists across calls and can be assigned to, eagerly and in traced functions."""

from __future__ import annotations

import functools
import itertools
from typing import Any

from tracefn import _core
from tracefn import _numpy as _np
from tracefn._decorators import show_methods_of
from tracefn._deprecated import say
from tracefn._known_variables import register_variable_class, remember
from tracefn._reference import Reference
from tracefn._tracking.base import Trackable
from tracefn._tracking.tensor_callable import TensorCallable
from tracefn._value_text import value_text
from tracefn._variable.copies import Copies, rebuild
from tracefn._variable.creation import (
    checked_shape,
    creation_scope,
    graph_around,
    initial_tensor,
    is_in_function,
    nodes_in_graph,
)
from tracefn._variable.creators import CreatedThroughScopes
from tracefn._variable.operators import Operators, claim_operators
from tracefn._variable.options import VariableAggregation, VariableSynchronization
from tracefn._variable.options import checked as checked_option
from tracefn._variable.sessions import GraphNodes, InSessions
from tracefn._variable.slices import SaveSliceInfo
from tracefn._variable.traces import creating, in_body
from tracefn._variable.updates import Updates
from tracefn.dtypes import as_dtype
from tracefn.framework import control_dependencies, current_scope, executing_eagerly, init_scope, name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import VariableSpec

_read = _core.raw_op("ReadVariableOp")
_identity = _core.raw_op("Identity")
_assign = _core.raw_op("AssignVariableOp")
_is_initialized = _core.raw_op("VarIsInitializedOp")
_gather = _core.raw_op("ResourceGather")
_gather_nd = _core.raw_op("ResourceGatherNd")

_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

__all__ = ["Variable", "VariableAggregation", "VariableSynchronization"]

_serials = itertools.count()


class Variable(Operators, Updates, InSessions, Trackable, metaclass=CreatedThroughScopes):
    """A tensor-shaped value that can be assigned to.

    Args:
      initial_value: a value for `tf.convert_to_tensor`, or a callable without arguments that returns one.
      trainable: bool; whether tapes watch it automatically. None means True (False for synchronization ON_READ).
      validate_shape: whether, in a tf.Graph, all values have the shape of the initial value.
      caching_device, import_scope, experimental_enable_variable_lifting: accepted, without effect.
      variable_def: must be None.
      name: str; default "Variable". It is prefixed with the name scope, and need not be unique.
      dtype: the dtype to convert the initial value to.
      constraint: a callable for optimizers to apply after updates, or None.
      synchronization, aggregation: stored, without effect.
      shape: the shape that every value must be compatible with; by default that of the initial value.

    Raises:
      NotImplementedError: it is called for a class that derives from tf.Variable; one with a value of its own derives from
        the class of what `tf.Variable(...)` returns.
      ValueError: there is no initial value, it does not fit `shape`, an option has no such value, or a Variable may not be
        created here (a `tf.function` may create Variables only in its first call).
      TypeError: the value does not convert.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable([1.0, 2.0])
      >>> v.assign_add([10.0, 10.0]).numpy()
      array([11., 12.], dtype=float32)
      >>> v[0].assign(5.0).numpy()
      array([ 5., 12.], dtype=float32)
    """

    SaveSliceInfo = SaveSliceInfo
    is_tensor_like = True
    __array_priority__ = 100
    _save_slice_info: Any = None
    _device_name = _CPU
    _distribute_strategy: Any  # the tf.distribute.Strategy in whose scope it is made; no class attribute, for wrappers

    def __new__(cls, *args, **kwargs):
        del args, kwargs
        return object.__new__(ResourceVariable if cls is Variable else cls)

    @classmethod
    def _OverloadAllOperators(cls) -> None:  # TensorFlow's name, which subclasses of libraries call
        """Gives the class the operators of Variables as its own."""
        claim_operators(cls)

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        import_scope=None,
        constraint=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
        shape=None,
        experimental_enable_variable_lifting=True,
        **ignored,
    ) -> None:
        # TensorFlow ignores arguments that it does not know, such as TensorFlow 1's.
        del caching_device, import_scope, experimental_enable_variable_lifting, ignored
        if not isinstance(self, ResourceVariable):  # of a class that only looks like a Variable
            raise NotImplementedError
        if variable_def is not None:
            _refuse_variable_def(variable_def, initial_value)
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
            )
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        synchronization = checked_option(VariableSynchronization, synchronization, name)
        aggregation = checked_option(VariableAggregation, aggregation, name)
        if trainable is None:
            trainable = synchronization != VariableSynchronization.ON_READ
        scope = creation_scope()
        short = "Variable" if name is None else name
        # Such a name is a whole scope.
        base = short.removesuffix("/") if not short or short.endswith("/") else current_scope() + short
        if graph_around() is not None:
            if scope is None:
                handle, shape, base, nodes = nodes_in_graph(initial_value, dtype, shape, short, validate_shape)
            else:  # of a function in it
                initial_value = scope.lift(initial_tensor(initial_value, dtype, shape))
                with init_scope():
                    handle, shape, base, nodes = nodes_in_graph(initial_value, dtype, shape, short, validate_shape)
                scope.register(self, None)
            self._set(handle, shape, nodes.initial_value.dtype, base, trainable)
            self._nodes = nodes
            self._keep(constraint, synchronization, aggregation)
            remember(self)
            # As in TensorFlow, those of functions are in one collection only.
            keys = ["variables", *(["trainable_variables"] if trainable and scope is None else [])]
            nodes.graph.add_to_collections(keys, self)
            return
        value = initial_tensor(initial_value, dtype, shape)
        at_once = scope is not None and in_body()
        if at_once and not isinstance(value, _core.EagerTensor):
            value = scope.evaluate(value)
        shape = checked_shape(shape, value)
        self._set(_core.make_variable(value.dtype, shape, base, bool(trainable)), shape, value.dtype, base, trainable)
        self._keep(constraint, synchronization, aggregation)
        remember(self)
        if at_once:
            with init_scope():
                _assign(resource=self._handle, value=value)
            scope.register(self, None)
            return
        assigned = _assign(resource=self._handle, value=value)
        if scope is not None:
            scope.register(self, assigned)

    def _keep(self, constraint, synchronization, aggregation) -> None:
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation

    def _set(self, handle, shape, dtype, name: str, trainable) -> None:
        self._serial = next(_serials)
        self._is_argument = False
        self._handle = handle
        self._shape = shape
        self._dtype = dtype
        self._name = name
        self._trainable = trainable
        self._distribute_strategy = None
        self._constraint = None
        self._synchronization = VariableSynchronization.AUTO
        self._aggregation = VariableAggregation.NONE

    @classmethod
    def _from_handle(cls, handle, shape, dtype, trainable=True, name: str = "Variable") -> Variable:
        """A Variable for an existing handle, such as the placeholder of a variable argument."""
        self = Variable.__new__(Variable)
        self._set(handle, TensorShape(shape), as_dtype(dtype), name, trainable)
        self._is_argument = isinstance(handle, _core.SymbolicTensor)
        return self

    @property
    def _type_spec(self):
        return VariableSpec(self._shape, self._dtype, self._trainable)

    @property
    def handle(self):
        """The scalar resource tensor that ops take."""
        return self._handle

    @property
    def dtype(self):
        """The type of the value."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape that every value is compatible with."""
        return self._shape

    @property
    def name(self) -> str:
        """The name, ending in ":0"."""
        return self._name + ":0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def _unique_id(self) -> str:
        return f"{self._shared_name}_{self._serial}"

    @property
    def _in_graph_mode(self) -> bool:
        return not isinstance(self.handle, _core.EagerTensor)

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        """The value, as TensorFlow's registered conversion of Variables gives it: NotImplemented for another dtype.

        Raises:
          NotImplementedError: `as_ref` is true.
        """
        del name
        if as_ref:
            raise NotImplementedError("ResourceVariable doesn't support as_ref=True.")
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self.dtype):
            return NotImplemented
        return self.value()

    def _should_act_as_resource_variable(self) -> None:
        """That it is there tells TensorFlow's libraries that this has a resource variable's methods."""

    @property
    def trainable(self):
        """Whether tapes watch it automatically."""
        return self._trainable

    @property
    def constraint(self):
        """The callable given for optimizers, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The value given to the constructor."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The value given to the constructor."""
        return self._aggregation

    @property
    def device(self) -> str:
        """The CPU's name; in a graph, what its node carries: the name of a `tf.device` around it, or ""."""
        return self._device_name if self._nodes is None else self._handle.device

    def get_shape(self) -> TensorShape:
        """`shape`."""
        return self._shape

    def set_shape(self, shape) -> None:
        """Refines the static shape.

        Raises:
          ValueError: the shapes are not compatible.
        """
        self._shape = self._shape.merge_with(shape)

    def value(self):
        """The current value, as a tensor."""
        self._accessed()
        return _read(resource=self._handle, dtype=self._dtype)

    def read_value_no_copy(self):
        """`value()`; reading never copies."""
        return self.value()

    def _accessed(self) -> None:
        """Notifies tapes of a read, if this is an argument of the function being traced, or in a graph; other reads notify
        them anyway."""
        if (self._is_argument or self._nodes is not None) and self._trainable:
            _core.variable_accessed(self._handle)

    def read_value(self):
        """The current value, as a tensor that later assignments do not change."""
        if executing_eagerly():
            return self.value()
        with name_scope("Read"):
            value = self.value()
        return _identity(input=value)

    def numpy(self):
        """A copy of the value as a NumPy array or scalar.

        Raises:
          NotImplementedError: while a function is being traced.
        """
        if executing_eagerly():
            return self.value().numpy()
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def is_initialized(self, name=None):
        """A bool tensor: whether the Variable has a value."""
        return _is_initialized(resource=self._handle, name=name)

    def gather_nd(self, indices, name=None):
        """The slices at the index vectors in the last axis of `indices`."""
        self._accessed()
        name = "GatherNd" if name is None else name
        slices = _gather_nd(resource=self._handle, indices=_core.convert_to_tensor(indices), dtype=self._dtype, name=name)
        return slices if executing_eagerly() else _identity(input=slices)

    def sparse_read(self, indices, name=None):
        """The rows at `indices`."""
        self._accessed()
        name = "Gather" if name is None else name
        return _gather(resource=self._handle, indices=_core.convert_to_tensor(indices), dtype=self._dtype, name=name)

    def _gather_saveables_for_checkpoint(self) -> dict:
        """For wrappers in libraries, whose own method asks that of what they wrap."""
        return {"VARIABLE_VALUE": self}

    def _serialize_to_tensors(self) -> dict:
        def value():
            return None if executing_eagerly() and not self.is_initialized() else self.value()

        return {"VARIABLE_VALUE": TensorCallable(value, self._dtype, self.device)}

    def _restore_from_tensors(self, restored_tensors):
        """Assigns a value from a checkpoint."""
        value = restored_tensors["VARIABLE_VALUE"]
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with shape "
                f"{self._shape} and name {self.name}."
            )
        return self.assign(value, read_value=False)

    def _set_save_slice_info(self, save_slice_info) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def _unread(self, operation) -> _UnreadVariable:
        return _UnreadVariable._of(self, operation)

    def ref(self):
        """A hashable reference to the Variable; `ref().deref()` is the Variable."""
        return Reference(self)

    def experimental_ref(self):
        """`ref`."""
        say("Variable", "experimental_ref")
        return self.ref()

    def __tf_tensor__(self, dtype=None, name=None):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self._dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type {as_dtype(dtype).name} for `tf.Variable of type "
                f"{self._dtype.name}. (Variable: {value_text(self)})"
            )
        return self.value()

    def __array__(self, dtype=None, copy=None):
        value = _np.asarray(self.numpy())
        return value if dtype is None else value.astype(dtype)

    def __getitem__(self, key):
        """A slice of the value; its `assign(value)` assigns to that slice of the Variable."""
        piece = self.value()[key]

        def assign(value, name=None):
            del name
            return self._after(_core.assign_slice(self._handle, key, self._convert(value)), True)

        piece.assign = assign
        return piece

    def __hash__(self):
        if self._nodes is not None:
            return id(self._nodes)
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {value_text(self)})")

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}"
        if not executing_eagerly() or type(self._handle) is _core.SymbolicTensor:  # no value: a Variable of a graph
            return head + ">"
        if not bool(self.is_initialized()):
            return head + ", numpy=<uninitialized>>"
        # The tensor's own text, from "numpy=" on.
        text = repr(self.value())
        return head + ", " + text[text.index("numpy=") :]


class ResourceVariable(Copies, Variable):
    """The class of `tf.Variable(...)`: a Variable whose value is behind a resource handle.

    Called by its own name, it is created outside of functions that are being traced, in each trace: none owns it.
    """

    @staticmethod
    def _created_by(make, *args, **kwargs):
        if not is_in_function():
            return make(*args, **kwargs)
        value = args[0] if args else kwargs.get("initial_value")
        if isinstance(value, _core.SymbolicTensor):
            raise ValueError(
                f"Argument `initial_value` ({value}) could not be lifted out of a `tf.function`. (Tried to create "
                f"variable with name='{kwargs.get('name')}'). To avoid this error, when constructing `tf.Variable`s inside of "
                "`tf.function` you can create the `initial_value` tensor in a `tf.init_scope` or pass a callable "
                "`initial_value` (e.g., `tf.Variable(lambda : tf.truncated_normal([10, 40]))`)."
            )
        with creating(None), init_scope():
            return make(*args, **kwargs)


class _UnreadVariable(Copies, Variable):
    """The result of an assignment: the same Variable, with reads that run after the assignment."""

    _parent_name: str
    _operation: Any

    def __init__(self) -> None:
        raise TypeError("made by assignments only")

    @classmethod
    def _of(cls, variable: Variable, operation) -> _UnreadVariable:
        self = cls.__new__(cls)
        self.__dict__.update(variable.__dict__)
        self._name = "UnreadVariable"
        self._parent_name = variable._name
        self._operation = operation
        if self._nodes is not None:
            self._name = operation.name
            self._nodes = GraphNodes(self._nodes.graph, self._nodes.initial_value, self._nodes.initializer, self.value())
        return self

    @property
    def name(self) -> str:
        return self._name

    @property
    def _shared_name(self) -> str:
        return self._parent_name

    def value(self):
        """The value after the assignment."""
        if self._operation is None:
            return super().value()
        with control_dependencies([self._operation]):
            return super().value()

    @property
    def op(self):
        """The assign Operation; None eagerly."""
        return self._operation

    def _update_after(self, update, args, kwargs):
        """Updates after the assignment. Traces order all updates of a Variable; graphs of TensorFlow 1 only these."""
        if self._operation is None:
            return update(self, *args, **kwargs)
        with control_dependencies([self._operation]):
            return update(self, *args, **kwargs)

    def __reduce__(self):
        return rebuild, (self.numpy(), self._trainable, self._parent_name, *self._rest()[2:])


def _order_updates() -> None:
    def ordered(update):
        @functools.wraps(update)
        def after(self, *args, **kwargs):
            return self._update_after(update, args, kwargs)

        return after

    for name, update in vars(Updates).items():
        if not name.startswith("_") and callable(update):
            setattr(_UnreadVariable, name, ordered(update))


_order_updates()
show_methods_of("BaseResourceVariable", [Updates, InSessions, Copies, Variable],
                others=("__init__", "experimental_ref", "get_shape", "ref"))


def _refuse_variable_def(variable_def, initial_value) -> None:
    if initial_value is None:
        raise NotImplementedError("tf.Variable: variable_def is not supported; give an initial_value.")
    raise ValueError(
        "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: "
        f"variable_def={variable_def},\ninitial_value={initial_value}"
    )


register_variable_class(Variable)
