"""`tf.Variable`: a value that lives across calls and is assigned to, eagerly and in traced functions."""

from __future__ import annotations

import enum
import itertools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as _np

from tracefn import _core
from tracefn.dtypes import as_dtype
from tracefn.framework import current_scope, executing_eagerly, name_scope
from tracefn.tensor_shape import TensorShape

_read = _core.raw_op("ReadVariableOp")
_identity = _core.raw_op("Identity")
_assign = _core.raw_op("AssignVariableOp")
_assign_add = _core.raw_op("AssignAddVariableOp")
_assign_sub = _core.raw_op("AssignSubVariableOp")
_is_initialized = _core.raw_op("VarIsInitializedOp")
_gather = _core.raw_op("ResourceGather")
_gather_nd = _core.raw_op("ResourceGatherNd")
_equal = _core.raw_op("Equal")
_not_equal = _core.raw_op("NotEqual")

_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class VariableSynchronization(enum.Enum):
    """When a distributed Variable is kept in step; accepted and kept, without effect on one machine."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """How updates of a distributed Variable are combined; accepted and kept, without effect on one machine."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self):
        return hash(self.value)


VariableAggregation = VariableAggregationV2

# The Variable object of each resource that has one.
_by_resource: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_serials = itertools.count()


def variable_of_handle(handle) -> Variable | None:
    """The Variable that an eager handle belongs to; None when the program dropped it.

    Args:
      handle: scalar tensor of dtype resource.
    """
    return _by_resource.get(_core.resource_key(handle))


class Variable:
    """A tensor-shaped value that can be assigned to.

    Args:
      initial_value: what `tf.convert_to_tensor` takes, or a callable of no arguments that returns it.
      trainable: bool; whether tapes watch it by themselves. None means True (False for synchronization ON_READ).
      validate_shape: False lets a later value have any shape.
      caching_device, variable_def, import_scope, experimental_enable_variable_lifting: accepted, without effect.
      name: str; default "Variable". Name scopes prefix it; it need not be unique.
      dtype: the type to convert the initial value to.
      constraint: a callable for optimizers to apply after updates, or None.
      synchronization, aggregation: kept as given.
      shape: what every value must be compatible with; by default the initial value's shape.

    Raises:
      ValueError: there is no initial value, it does not fit `shape`, or a Variable may not be created here (a
        `tf.function` creates Variables in its first call only).
      TypeError: the value does not convert.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable([1.0, 2.0])
      >>> v.assign_add([10.0, 10.0]).numpy()
      array([11., 12.], dtype=float32)
      >>> v[0].assign(5.0).numpy()
      array([ 5., 12.], dtype=float32)
    """

    if TYPE_CHECKING:  # made at the end of this file, each from the tensor's
        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __floordiv__: Any
        __rfloordiv__: Any
        __mod__: Any
        __rmod__: Any
        __pow__: Any
        __rpow__: Any
        __matmul__: Any
        __rmatmul__: Any
        __and__: Any
        __rand__: Any
        __or__: Any
        __ror__: Any
        __xor__: Any
        __rxor__: Any
        __neg__: Any
        __abs__: Any
        __invert__: Any
        __lt__: Any
        __le__: Any
        __gt__: Any
        __ge__: Any

        def __getattr__(self, name: str) -> Any: ...

    is_tensor_like = True
    __array_priority__ = 100

    def __new__(cls, *args, **kwargs):
        del args, kwargs
        return object.__new__(ResourceVariable if cls is Variable else cls)

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
        aggregation=VariableAggregationV2.NONE,
        shape=None,
        experimental_enable_variable_lifting=True,
    ) -> None:
        del caching_device, variable_def, import_scope, experimental_enable_variable_lifting
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
        if trainable is None:
            trainable = synchronization != VariableSynchronization.ON_READ
        scope = _creation_scope()
        base = current_scope() + ("Variable" if name is None else name)
        value = _initial_tensor(initial_value, dtype, shape)
        if shape is None:
            shape = value.shape if validate_shape else TensorShape(None)
        else:
            shape = _checked_shape(shape, value)
        self._set(_core.make_variable(value.dtype, shape, base, bool(trainable)), shape, value.dtype, base, trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        _by_resource[_core.resource_key(self._handle)] = self
        assigned = _assign(resource=self._handle, value=value)
        if scope is not None:
            scope.register(self, assigned)

    def _set(self, handle, shape, dtype, name: str, trainable) -> None:
        self._serial = next(_serials)
        self._is_argument = False
        self._handle = handle
        self._shape = shape
        self._dtype = dtype
        self._name = name
        self._trainable = trainable
        self._constraint = None
        self._synchronization = VariableSynchronization.AUTO
        self._aggregation = VariableAggregationV2.NONE

    @classmethod
    def _from_handle(cls, handle, shape, dtype, trainable=True, name: str = "Variable") -> Variable:
        """A Variable around a handle that exists, such as the placeholder of a variable argument."""
        self = Variable.__new__(Variable)
        self._set(handle, TensorShape(shape), as_dtype(dtype), name, trainable)
        self._is_argument = isinstance(handle, _core.SymbolicTensor)
        return self

    @property
    def _type_spec(self):
        from tracefn.tensor_spec import VariableSpec

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
        """What every value is compatible with."""
        return self._shape

    @property
    def name(self) -> str:
        """The name, ending in ":0"."""
        return self._name + ":0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def trainable(self):
        """Whether tapes watch it by themselves."""
        return self._trainable

    @property
    def constraint(self):
        """The callable given for optimizers, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """As given."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregationV2:
        """As given."""
        return self._aggregation

    @property
    def device(self) -> str:
        """The CPU's name."""
        return _CPU

    @property
    def graph(self):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def op(self):
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def initializer(self) -> None:
        """None: a Variable has its value when it is made."""
        return None

    @property
    def initial_value(self):
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """`shape`."""
        return self._shape

    def set_shape(self, shape) -> None:
        """Says more about the shape.

        Raises:
          ValueError: it contradicts what is known.
        """
        self._shape = self._shape.merge_with(shape)

    def value(self):
        """The value at this point of the program, as a tensor."""
        self._accessed()
        return _read(resource=self._handle, dtype=self._dtype)

    def _accessed(self) -> None:
        """Tells tapes of a Variable that is an argument of the function being traced; others tell them themselves."""
        if self._is_argument and self._trainable:
            _core.variable_accessed(self._handle)

    def read_value(self):
        """The value at this point of the program, as a tensor that later assignments do not change."""
        if executing_eagerly():
            return self.value()
        with name_scope("Read"):
            value = self.value()
        return _identity(input=value)

    def numpy(self):
        """The value as a numpy array or scalar, a copy.

        Raises:
          NotImplementedError: while a function is being traced.
        """
        if executing_eagerly():
            return self.value().numpy()
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def is_initialized(self, name=None):
        """A bool tensor: whether it has a value."""
        return _is_initialized(resource=self._handle, name=name)

    def _convert(self, value):
        return _core.convert_to_tensor(value, dtype=self._dtype)

    def _after(self, operation, read_value: bool):
        """What an assignment returns: a Variable that reads the new value; an Operation, or None eagerly."""
        if read_value:
            return _UnreadVariable._of(self, operation)
        return operation

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Gives it a new value.

        Args:
          value: converts to a tensor of its dtype and of a shape compatible with its own.
          use_locking: accepted; assignments are always atomic.
          name: name of the op.
          read_value: whether to return something that reads the new value.

        Returns:
          A Variable that reads the value after the assignment; with `read_value=False` None, in a trace the Operation.

        Raises:
          ValueError: the shape does not fit.
          TypeError, ValueError: the value does not convert.
        """
        del use_locking
        tensor = self._convert(value)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self._shape}, and "
                f"the assigned value shape {tensor.shape} are incompatible."
            )
        return self._after(_assign(resource=self._handle, value=tensor, name=name), read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Adds `delta`, of the value's shape; see `assign`.

        Raises:
          InvalidArgumentError, in a trace ValueError: the shape differs.
        """
        del use_locking
        return self._after(_assign_add(resource=self._handle, value=self._convert(delta), name=name), read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtracts `delta`, of the value's shape; see `assign`.

        Raises:
          InvalidArgumentError, in a trace ValueError: the shape differs.
        """
        del use_locking
        return self._after(_assign_sub(resource=self._handle, value=self._convert(delta), name=name), read_value)

    def load(self, value, session=None) -> None:
        """`assign`, without a result."""
        del session
        self.assign(value)

    def gather_nd(self, indices, name=None):
        """The slices at the index vectors along the last axis of `indices`."""
        self._accessed()
        name = "GatherNd" if name is None else name
        slices = _gather_nd(resource=self._handle, indices=_indices(indices), dtype=self._dtype, name=name)
        return slices if executing_eagerly() else _identity(input=slices)

    def sparse_read(self, indices, name=None):
        """The rows at `indices`."""
        self._accessed()
        name = "Gather" if name is None else name
        return _gather(resource=self._handle, indices=_indices(indices), dtype=self._dtype, name=name)

    def ref(self):
        """A hashable reference to it; `ref().deref()` is the Variable."""
        from tracefn._reference import Reference

        return Reference(self)

    def experimental_ref(self):
        """`ref`."""
        return self.ref()

    def __tf_tensor__(self, dtype=None, name=None):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(self._dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type {as_dtype(dtype).name} for `tf.Variable of type "
                f"{self._dtype.name}. (Variable: {self!r})"
            )
        return self.value()

    def __array__(self, dtype=None, copy=None):
        value = _np.asarray(self.numpy())
        return value if dtype is None else value.astype(dtype)

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value().numpy())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __iter__(self):
        return iter(self.read_value())

    def __getitem__(self, key):
        """A slice of the value; its `assign(value)` assigns to that slice of the Variable."""
        piece = self.value()[key]

        def assign(value, name=None):
            del name
            return self._after(_core.assign_slice(self._handle, key, self._convert(value)), True)

        piece.assign = assign
        return piece

    def __eq__(self, other):
        return self._compare(_equal, other)

    def __ne__(self, other):
        return self._compare(_not_equal, other)

    def _compare(self, op, other):
        return getattr(_core.Tensor, "__eq__" if op is _equal else "__ne__")(self.value(), other)

    def __hash__(self):
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}"
        if not executing_eagerly():
            return head + ">"
        if not bool(self.is_initialized()):
            return head + ", numpy=<uninitialized>>"
        # The tensor's own text, from "numpy=" on.
        text = repr(self.value())
        return head + ", " + text[text.index("numpy=") :]

    def __copy__(self):
        function, args = self.__reduce__()
        return function(*args)

    def __deepcopy__(self, memo):
        if not executing_eagerly():
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        copied = _rebuild(self.value(), *self._rest())
        memo[id(self)] = copied
        return copied

    def __reduce__(self):
        return _rebuild, (self.numpy(), *self._rest())

    def _rest(self) -> tuple:
        return (self._trainable, self._name, self._dtype.name, self._constraint, self._synchronization.name,
                self._aggregation.name, None if self._shape.rank is None else self._shape.as_list())


class ResourceVariable(Variable):
    """What `tf.Variable(...)` makes: the value lies behind a resource handle."""


class _UnreadVariable(Variable):
    """What an assignment returns: the same Variable, whose reads come after the assignment."""

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
        return self

    @property
    def name(self) -> str:
        return self._name

    @property
    def _shared_name(self) -> str:
        return self._parent_name

    @property
    def op(self):
        """The Operation that assigned; None eagerly."""
        return self._operation

    def __reduce__(self):
        return _rebuild, (self.numpy(), self._trainable, self._parent_name, *self._rest()[2:])


def _rebuild(value, trainable, name, dtype, constraint, synchronization, aggregation, shape) -> Variable:
    """A Variable from what pickling and copying keep."""
    copied = Variable(
        value, trainable=trainable, dtype=dtype, constraint=constraint,
        synchronization=VariableSynchronization[synchronization], aggregation=VariableAggregationV2[aggregation],
        shape=TensorShape(shape),
    )  # fmt: skip
    copied._name = name
    return copied


def _creation_scope():
    """Where a Variable made now is noted: None when it is made outside of functions."""
    from tracefn._function.creation import scope_for_new_variable

    scope = scope_for_new_variable()
    if scope is None and not executing_eagerly():
        raise NotImplementedError("A tf.Variable cannot be created in a tf.Graph outside of a tf.function.")
    return scope


def _initial_tensor(initial_value, dtype, shape):
    if callable(initial_value) and not isinstance(initial_value, Variable):
        initial_value = initial_value()
    try:
        return _core.convert_to_tensor(initial_value, dtype=dtype)
    except ValueError as error:
        if str(error).startswith("Tensor conversion requested"):
            raise ValueError(f"initial_value: {error}") from None
        raise


def _checked_shape(shape, value) -> TensorShape:
    given = TensorShape(shape)
    if not given.is_compatible_with(value.shape):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with the "
            f"explicitly supplied `shape` argument ({shape})."
        )
    return given


def _indices(indices):
    """Indices as a tensor; Python numbers are int32."""
    return _core.convert_to_tensor(indices)


def _add_scatter(name: str, op_name: str, what: str) -> None:
    op = _core.raw_op(op_name)

    def scatter(self, sparse_delta, use_locking=False, name=None):
        del use_locking
        from tracefn.indexed_slices import IndexedSlices

        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        updates = _core.convert_to_tensor(sparse_delta.values, dtype=self._dtype)
        return self._after(op(resource=self._handle, indices=sparse_delta.indices, updates=updates, name=name), True)

    scatter.__name__, scatter.__qualname__ = name, f"Variable.{name}"
    scatter.__doc__ = (
        f"{what} the rows at `sparse_delta.indices`, one after the other.\n\n"
        "        Args:\n          sparse_delta: `tf.IndexedSlices` with values of its dtype.\n\n"
        "        Raises:\n          TypeError: `sparse_delta` is something else.\n"
        "          InvalidArgumentError: an index is out of range, or shapes do not fit.\n        "
    )
    setattr(Variable, name, scatter)


def _add_scatter_nd(name: str, op_name: str, what: str) -> None:
    op = _core.raw_op(op_name)

    def scatter_nd(self, indices, updates, name=None):
        operation = op(ref=self._handle, indices=_indices(indices), updates=self._convert(updates), name=name)
        return self._after(operation, True)

    scatter_nd.__name__, scatter_nd.__qualname__ = name, f"Variable.{name}"
    scatter_nd.__doc__ = (
        f"{what} the slices at the index vectors along the last axis of `indices`.\n\n"
        "        Raises:\n          InvalidArgumentError: an index is out of range, or shapes do not fit.\n        "
    )
    setattr(Variable, name, scatter_nd)


for _name, _what in (("add", "Adds to"), ("sub", "Subtracts from"), ("mul", "Multiplies"), ("div", "Divides"),
                     ("min", "Takes the minimum with"), ("max", "Takes the maximum with"), ("update", "Sets")):
    _add_scatter(f"scatter_{_name}", f"ResourceScatter{_name.title()}", _what)
for _name, _what in (("add", "Adds to"), ("sub", "Subtracts from"), ("min", "Takes the minimum with"),
                     ("max", "Takes the maximum with"), ("update", "Sets")):
    _add_scatter_nd(f"scatter_nd_{_name}", f"ResourceScatterNd{_name.title()}", _what)


def _add_operator(name: str) -> None:
    method = getattr(_core.Tensor, name)

    def operator(self, *args):
        return method(self.value(), *args)

    operator.__name__, operator.__qualname__ = name, f"Variable.{name}"
    setattr(Variable, name, operator)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    _add_operator(f"__{_name}__")
    _add_operator(f"__r{_name}__")
for _name in ("neg", "abs", "invert", "lt", "le", "gt", "ge"):
    _add_operator(f"__{_name}__")


def _refuse_in_place(name: str, text: str) -> None:
    def refuse(self, other):
        raise RuntimeError(text)

    setattr(Variable, name, refuse)


_refuse_in_place("__iadd__", "`variable += value` with `tf.Variable`s is not supported. Use `variable.assign_add(value)` "
                 "to modify the variable, or `out = variable + value` if you need to get a new output Tensor.")
_refuse_in_place("__isub__", "`variable -= value` with `tf.Variable`s is not supported. Use `variable.assign_sub(value)` "
                 "to modify the variable, or `out = variable * value` if you need to get a new output Tensor.")
for _name, _sign in (("__imul__", "*"), ("__itruediv__", "/"), ("__ipow__", "**")):
    _refuse_in_place(_name, f"`var {_sign}= value` with `tf.Variable`s is not supported. Use `var.assign(var {_sign} "
                     f"value)` to modify the variable, or `out = var {_sign} value` if you need to get a new output "
                     "Tensor.")

_core.register_variable_class(Variable)
