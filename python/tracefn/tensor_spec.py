"""`tf.TensorSpec`, `VariableSpec` and `NoneTensorSpec`: the types of a tensor, of a variable and of None."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn._known_variables import variable_class
from tracefn._nest.kinds import leaf_specs
from tracefn._value_text import value_text
from tracefn.dtypes import DType, as_dtype, float32, resource
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.type_spec import BatchableTypeSpec, TypeSpec, spec_of_others


@leaf_specs
class DenseSpec(TypeSpec):
    """The base class of TensorSpec and VariableSpec: shape, dtype and name."""

    __slots__ = ("__weakref__", "_dtype", "_name", "_shape")

    def __init__(self, shape, dtype=float32, name=None):
        self._shape = as_shape(shape)
        self._dtype = dtype if type(dtype) is DType else as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The `tf.TensorShape` of the values."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The `tf.DType` of the values."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """Name of the described input, or None."""
        return self._name

    def _serialize(self):
        return self._shape, self._dtype, self._name

    def __eq__(self, other):
        return (type(self) is type(other) and self._dtype is other._dtype and self._shape._dims == other._shape._dims
                and self._name == other._name)

    def __hash__(self):
        return hash((self._shape._dims, self._dtype._type_enum))


class TensorSpec(DenseSpec, BatchableTypeSpec):
    """The type of a tensor: its dtype and shape, and optionally a name.

    Args:
      shape: `tf.TensorShape` or a value that converts to one; None for unknown rank.
      dtype: `tf.DType` or a value that converts to one.
      name: name of the argument it describes (str or None).

    Raises:
      TypeError: shape or dtype is invalid.
      ValueError: a size is negative.

    >>> tf.TensorSpec([None, 2], tf.int32)
    TensorSpec(shape=(None, 2), dtype=tf.int32, name=None)
    """

    __slots__ = ()

    @classmethod
    def from_spec(cls, spec, name=None) -> TensorSpec:
        """A TensorSpec with the shape and dtype of `spec`.

        Args:
          spec: an object with `shape`, `dtype` and `name`.
          name: the new name, or None to keep that of `spec`.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2]), "x")
        TensorSpec(shape=(2,), dtype=tf.float32, name='x')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None) -> TensorSpec:
        """The spec of a tensor.

        Args:
          tensor: an eager or symbolic `tf.Tensor`.
          name: the name, or None for that of a symbolic tensor's operation.

        Raises:
          ValueError: `tensor` is not a tensor.

        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        if not _is_tensor(tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and isinstance(tensor, _core.SymbolicTensor):
            name = tensor.op.name
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def value_type(self) -> type:
        """`tf.Tensor`."""
        return _core.Tensor

    def is_compatible_with(self, spec_or_tensor) -> bool:
        """Whether a spec or tensor has the same dtype and a compatible shape. False for other values.

        >>> tf.TensorSpec([2]).is_compatible_with(tf.TensorSpec([None]))
        True
        """
        if not isinstance(spec_or_tensor, DenseSpec) and (
                isinstance(spec_or_tensor, TypeSpec) or not _is_tensor(spec_or_tensor)):
            return False
        return self._dtype is spec_or_tensor.dtype and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other) -> bool:
        """Whether `other` has the same dtype and an equal or more general shape. A name of `other` must be the same.

        >>> tf.TensorSpec([2]).is_subtype_of(tf.TensorSpec([None]))
        True
        """
        return (type(other) is type(self) and self._dtype is other._dtype
                and (not self._name or self._name == other._name) and self._shape.is_subtype_of(other._shape))

    def placeholder_value(self, placeholder_context):
        """A symbolic tensor of this type: an input of the function being traced."""
        return placeholder_context.placeholder(self)

    def flatten(self) -> list:
        """A list with just this spec."""
        return [self]

    def to_tensors(self, value) -> list:
        """A list with `value` as a tensor of this type.

        Raises:
          TypeError: `value` does not convert.
        """
        return [self.cast(value, None)]

    def from_tensors(self, tensors):
        """The next tensor of the iterator `tensors`."""
        return next(tensors)

    _flat_tensor_specs = TypeSpec._flat_tensor_specs

    def _to_tensor_list(self, value) -> list:
        return self.to_tensors(value)

    _to_batched_tensor_list = _to_tensor_list

    def _from_compatible_tensor_list(self, tensor_list: list):
        (tensor,) = tensor_list
        tensor.set_shape(self._shape)
        return tensor

    def cast(self, value, casting_context):
        """`value` as a tensor; a value that is already a tensor is never converted.

        Raises:
          TypeError: `value` does not convert, or has another dtype or shape.

        >>> tf.TensorSpec([2], tf.float32).cast([1, 2], None)
        <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
        """
        if not _is_tensor(value):
            value = _core.convert_to_tensor(value, None if hasattr(value, "_type_spec") else self._dtype)
        if not self.is_compatible_with(value):
            raise TypeError(f"Can not cast {TensorSpec(value.shape, value.dtype)} to {self}")
        return value

    @property
    def _component_specs(self):
        return self

    def _to_components(self, value):
        return self.cast(value, None)

    def _from_components(self, components):
        return components

    def _without_tensor_names(self) -> TensorSpec:
        return self if self._name is None else TensorSpec(self._shape, self._dtype)

    def experimental_as_proto(self):
        """The spec as a TensorSpecProto, TensorFlow's message.

        >>> print(tf.TensorSpec([], tf.int32, "n").experimental_as_proto())
        name: "n"
        shape {
        }
        dtype: DT_INT32
        <BLANKLINE>
        """
        made = self.experimental_type_proto()
        return made(name=self.name or "", shape=self.shape.as_proto(), dtype=self.dtype.as_datatype_enum)

    @classmethod
    def experimental_from_proto(cls, proto) -> TensorSpec:
        """The spec of a TensorSpecProto."""
        return cls(TensorShape.experimental_from_proto(proto.shape), proto.dtype, proto.name or None)

    @classmethod
    def experimental_type_proto(cls) -> type:
        """The class of the result of `experimental_as_proto`."""
        from tracefn._proto import message_class  # start-up time: only programs that store types need messages

        return message_class("TensorSpecProto")

    def __repr__(self):
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def _batch(self, batch_size):
        """The spec of `batch_size` (None: any number of) tensors, stacked."""
        return TensorSpec(as_shape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self):
        """The spec of a row."""
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(self._shape[1:], self._dtype)


class VariableSpec(DenseSpec):
    """The type of a `tf.Variable`, as in the key of a trace and in signatures.

    Args:
      shape: as in TensorSpec.
      dtype: as in TensorSpec.
      trainable: whether the variable is trainable.
      alias_id: number of the variable in its call, the same for the same variable; None outside of a key.

    >>> VariableSpec([], tf.float32, alias_id=0)
    VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)
    """

    __slots__ = ("alias_id", "trainable")

    def __init__(self, shape, dtype=float32, trainable=True, alias_id=None):
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value) -> VariableSpec:
        """The spec of a variable, without alias number.

        >>> VariableSpec.from_value(tf.Variable(1.0))
        VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=None)
        """
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> type:
        """`tf.Variable`."""
        return variable_class()

    def is_compatible_with(self, spec_or_value) -> bool:
        """Whether a spec or variable has the same dtype and trainability and a compatible shape.

        >>> VariableSpec([2]).is_compatible_with(VariableSpec([None]))
        True
        """
        if not isinstance(spec_or_value, VariableSpec) and (
                isinstance(spec_or_value, TypeSpec) or not isinstance(spec_or_value, self.value_type)):
            return False
        other: Any = spec_or_value
        return (self._dtype is other.dtype and self.trainable == other.trainable
                and self._shape.is_compatible_with(other.shape))

    def is_subtype_of(self, other) -> bool:
        """Whether `other` has the same dtype, trainability and alias number, and an equal or more general shape.

        Raises:
          NotImplementedError: one of the specs has an alias number and the other has none.
        """
        if type(other) is not type(self) or self.trainable != other.trainable or self._dtype is not other._dtype:
            return False
        if (self.alias_id is None) != (other.alias_id is None):
            raise NotImplementedError("VariableSpec.is_subtype_of doesn't support alias_id=None, got self: "
                                      f"{self} and other: {other}.")
        return self.alias_id == other.alias_id and self._shape.is_subtype_of(other._shape)

    def most_specific_common_supertype(self, others) -> VariableSpec | None:
        """The spec with the common shape, or None if dtypes, trainability or alias numbers differ.

        >>> VariableSpec([2]).most_specific_common_supertype([VariableSpec([3])])
        VariableSpec(shape=(None,), dtype=tf.float32, trainable=True, alias_id=None)
        """
        common: Any = super().most_specific_common_supertype(others)
        return common

    @property
    def _component_specs(self):
        return [TensorSpec([], resource)]

    def _to_components(self, value):
        return [value.handle]

    def _from_components(self, components):
        return variable_class()._from_handle(components[0], self._shape, self._dtype, self.trainable)

    def cast(self, value, casting_context):
        """`value` itself.

        Raises:
          AssertionError: `value` is not a variable.
        """
        if not isinstance(value, self.value_type):
            raise AssertionError(f"Can not cast {value_text(value)} to type {self!r}")
        return value

    def _serialize(self):
        return self._shape, self._dtype, self.trainable, self.alias_id

    def __eq__(self, other):
        return super().__eq__(other) and self.trainable == other.trainable and self.alias_id == other.alias_id

    def __hash__(self):
        return hash((self._shape._dims, self._dtype._type_enum, self.trainable, self.alias_id))

    def __repr__(self):
        return (f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, trainable={self.trainable!r}, "
                f"alias_id={self.alias_id!r})")


class NoneTensorSpec(TypeSpec):
    """The type of None.

    >>> tf.type_spec_from_value(None)
    NoneTensorSpec()
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of None."""
        return type(None)

    @property
    def _component_specs(self):
        return []

    def _serialize(self):
        return ()

    def _to_components(self, value):
        return []

    def _from_components(self, components):
        return None

    @staticmethod
    def from_value(value):
        """The spec of None."""
        del value
        return NoneTensorSpec()

    def _batch(self, batch_size):
        return self

    def _unbatch(self):
        return self

    def most_specific_compatible_shape(self, other):
        """The spec itself.

        Raises:
          ValueError: `other` is the spec of something else.
        """
        if type(self) is not type(other):
            raise ValueError(f"No `TypeSpec` is compatible with both {self} and {other}")
        return self


@spec_of_others
def spec_of_tensor_like(value) -> TypeSpec | None:
    """The spec of None, of a tensor or of a value that converts to one; None for any other value."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, TypeSpec):
        return None
    if np.is_array_or_scalar(value):
        return TensorSpec(value.shape, value.dtype)
    if _is_tensor(value):
        return TensorSpec(value.shape, value.dtype)
    try:
        value = _core.convert_to_tensor(value)
    except (TypeError, ValueError):  # the caller says which value has no spec
        return None
    return TensorSpec(value.shape, value.dtype)


def _is_tensor(value) -> bool:
    return isinstance(value, _core.Tensor)
