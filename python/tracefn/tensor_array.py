"""`tf.TensorArray`: a list of tensors, each written once. A TensorList in graphs, a Python list eagerly."""

from __future__ import annotations

import operator
from typing import Any

from tracefn import _core, errors
from tracefn import _numpy as np
from tracefn._dropped import report_dropped
from tracefn._static_value import known_value
from tracefn._value_text import dtype_in_graph
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly, inside_function, name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

_op = _core.raw_op
_reserve, _length = _op("TensorListReserve"), _op("TensorListLength")
_get, _set, _stack = _op("TensorListGetItem"), _op("TensorListSetItem"), _op("TensorListStack")
_gather, _scatter = _op("TensorListGather"), _op("TensorListScatterIntoExistingList")
_concat, _split, _from_tensor = _op("TensorListConcatV2"), _op("TensorListSplit"), _op("TensorListFromTensor")
_pack, _concat_tensors, _identity = _op("Pack"), _op("ConcatV2"), _op("Identity")


class TensorArray(CompositeTensor):
    """A list of tensors of one dtype, for values computed in a loop.

    Every method that changes the array returns the new array; the old one must not be used any more.

    Args:
      dtype: the dtype of the elements.
      size: scalar int, the initial number of elements.
      dynamic_size: whether writing past the end grows the array.
      clear_after_read: whether an element may be read only once; by default True eagerly. Without effect in graphs.
      tensor_array_name, colocate_with_first_write_call: accepted, without effect.
      handle: None.
      flow: a list handle to continue from, instead of `size`.
      infer_shape: whether all elements have the same shape, inferred at the first write.
      element_shape: the shape of the elements, as far as it is known.
      name: name of the ops that create the array.

    Raises:
      ValueError: there is no size.

    Example:
      >>> import tracefn as tf
      >>> ta = tf.TensorArray(tf.float32, size=2)
      >>> ta = ta.write(0, 1.0).write(1, 2.0)
      >>> ta.stack().numpy()
      array([1., 2.], dtype=float32)
    """

    _is_written = False

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ) -> None:
        del tensor_array_name, colocate_with_first_write_call
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._shape_cell = [TensorShape(element_shape)]
        self._items: Any = None  # a list when eager
        self._flow = flow
        self._fixed_size: int | None = None  # see _known_size; None: not asked for yet
        if flow is not None:
            return
        if executing_eagerly():
            if handle is not None:
                raise ValueError("TensorArray handles are not supported when eager execution is enabled.")
            if size is None:
                raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
            self._clear_after_read = clear_after_read is None or bool(clear_after_read)
            self._items = [None for _ in range(size)]
            self._cleared: set[int] = set()
            return
        if size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        with name_scope(name or "TensorArrayV2") as scope:
            self._flow = _reserve(element_shape=_shape_tensor(self._element_shape), num_elements=_int32(size),
                                  element_dtype=self._dtype, name=scope)

    @classmethod
    def _like(cls, other: TensorArray, flow) -> TensorArray:
        """The array after an update in a graph."""
        made = cls(other._dtype, flow=flow, dynamic_size=other._dynamic_size, infer_shape=other._infer_shape)
        made._shape_cell = other._shape_cell
        made._fixed_size = other._known_size()  # that of the array as it was made, whatever is written to it
        return made

    @property
    def _element_shape(self) -> TensorShape:
        return self._shape_cell[0]

    @_element_shape.setter
    def _element_shape(self, shape: TensorShape) -> None:
        self._shape_cell[0] = shape

    def continue_from(self, other: TensorArray) -> None:
        """Marks this as the same array at another point of the program: type information about either one applies to both."""
        self._shape_cell = other._shape_cell
        if self._flow is not None and other._flow is not None:
            self._fixed_size = other._known_size()

    def _known_size(self) -> int:
        """The static number of elements, if it is known while tracing and constant, else -1."""
        if self._fixed_size is None:
            self._fixed_size = -1 if self._dynamic_size else _static_size(self._flow)
        return self._fixed_size

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def flow(self):
        """The list handle in graphs; eagerly, a dummy tensor."""
        return _core.convert_to_tensor(0) if self._flow is None else self._flow

    @property
    def handle(self) -> None:
        """None."""
        return None

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end grows the array."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._element_shape

    def identity(self) -> TensorArray:
        """The same array, with the current control dependencies."""
        return self if self._items is not None else TensorArray._like(self, _identity(input=self._flow))

    def grad(self, source, flow=None, name=None):
        """Not supported: tapes compute the gradients of arrays.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation does not use/need "
            "this function to compute gradients of operations that use TensorArrays."
        )

    def size(self, name=None):
        """The number of elements, a scalar int32 tensor."""
        if self._items is not None:
            return _core.convert_to_tensor(len(self._items), dtype="int32")
        return _length(input_handle=self._flow, name=name)

    def read(self, index, name=None):
        """The element at `index`; zeros if it was not written and the shape is known.

        Raises:
          OutOfRangeError (eager), InvalidArgumentError (traced): the index is out of range.
          InvalidArgumentError: the element was read before (eager, see `clear_after_read`).
        """
        if self._items is not None:
            return self._read_eagerly(_position(index))
        with name_scope(name or "TensorArrayV2Read"):
            return _get(input_handle=self._flow, index=_int32(index), element_shape=_shape_tensor(self._element_shape),
                        element_dtype=self._dtype)

    def _read_eagerly(self, index: int):
        if index < 0:
            raise errors.OutOfRangeError(None, None, f"Reading from negative indices (index {index}) is not allowed.")
        if index >= len(self._items):
            raise errors.OutOfRangeError(
                None, None, f"Tried to read from index {index} but array size is: {len(self._items)} "
            )
        value = self._items[index]
        if value is None and index in self._cleared:  # `stack` and the like fill up what was cleared, too
            raise errors.InvalidArgumentError(
                None, None, f"Could not read index {index} twice because it was cleared after a previous read (perhaps "
                "try setting clear_after_read = false?)"
            )
        if value is None:
            value = self._items[index] = self._zeros()
        if self._clear_after_read:
            self._items[index] = None
            self._cleared.add(index)
        return value

    def _zeros(self):
        if not self._element_shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {self._element_shape} to a Tensor.")
        if self._dtype.name == "string":
            return _op("Fill")(dims=self._element_shape.as_list(), value="")
        zero = _op("Cast")(x=_core.convert_to_tensor(0), DstT=self._dtype)
        return _op("Fill")(dims=_core.convert_to_tensor(self._element_shape.as_list(), dtype="int32"), value=zero)

    def write(self, index, value, name=None) -> TensorArray:
        """Writes an element.

        Args:
          index: scalar int.
          value: tensor of the array's dtype.

        Returns:
          The new array.

        Raises:
          OutOfRangeError (eager), InvalidArgumentError (traced): the index is out of range and the size is fixed.
          InvalidArgumentError: the dtype of the value is not that of the array.
          ValueError: the shape differs from that of the other elements.
        """
        if self._items is not None:
            self._write_eagerly(_position(index), value)
            if not self._is_written:  # told once: this takes as long as a write
                self._is_written = True
                report_dropped(self)
            return self
        with name_scope(name or "TensorArrayV2Write"):
            value = self._checked(_core.convert_to_tensor(value, dtype_hint=self._dtype, name="value"))
            self._merge_shape(value.shape)
            flow = _set(input_handle=self._flow, index=_int32(index), item=value,
                        resize_if_index_out_of_bounds=self._dynamic_size)
            written = TensorArray._like(self, flow)
        if not inside_function():
            report_dropped(written)
        return written

    def _write_eagerly(self, index: int, value) -> None:
        if index < 0:
            raise errors.OutOfRangeError(None, None, f"Writing to negative indices (index {index}) is not allowed.")
        size = len(self._items)
        if index >= size:
            if not self._dynamic_size:
                raise errors.OutOfRangeError(
                    None, None, f"Tried to write to index {index} but array is not resizeable and size is: {size} \n"
                    "Make it larger, or with tf.TensorArray(..., dynamic_size=True).",
                )
            self._items.extend([None] * (index - size + 1))
        if not isinstance(value, _core.Tensor):
            value = _core.convert_to_tensor(value, dtype_hint=self._dtype)
        self._checked(value)
        if not self._element_shape.is_compatible_with(value.shape):
            raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({self._element_shape})")
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(value.shape)
        self._cleared.discard(index)
        self._items[index] = value

    def _checked(self, value):
        if value.dtype != self._dtype:
            text = f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name} "
            if self._items is None:  # what TensorFlow's graph says when it runs
                texts = dtype_in_graph(value.dtype), dtype_in_graph(self._dtype)
                text += "(Invalid data types; op elements {} but list elements {})".format(*texts)
            raise errors.InvalidArgumentError(None, None, text)
        return value

    def _merge_shape(self, shape) -> None:
        """Records the shape of a written element."""
        if not self._element_shape.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self._element_shape} ")
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(shape)

    def stack(self, name=None):
        """All elements, stacked along a new first axis.

        Raises:
          ValueError (eager), InvalidArgumentError (traced): nothing was written and the element shape is not known.
        """
        if self._items is not None:
            if not self._items:
                return _empty([0, *(self._element_shape.as_list() if self._element_shape.is_fully_defined() else [])],
                              self._dtype)
            items = self._filled()
            # As in TensorFlow, which lets `unstack` put elements of other dtypes there.
            return _pack(values=[one if one.dtype == self._dtype else _op("Cast")(x=one, DstT=self._dtype) for one in items])
        with name_scope(name or "TensorArrayV2Stack"):
            size = self._known_size()
            return _stack(input_handle=self._flow, element_shape=_shape_tensor(self._element_shape),
                          element_dtype=self._dtype, num_elements=size)

    def _filled(self) -> list:
        for i, item in enumerate(self._items):
            if item is None:
                self._items[i] = self._zeros()
        return list(self._items)

    def gather(self, indices, name=None):
        """The elements at `indices` (an int32 vector), stacked along a new first axis.

        Eagerly, without indices: an empty float32 vector, as in TensorFlow.
        """
        if self._items is not None:
            picked = [self._filled()[i] for i in _core.convert_to_tensor(indices)._python_value()]
            return _pack(values=picked) if picked else _core.convert_to_tensor(picked)
        return _gather(input_handle=self._flow, indices=indices, element_shape=_shape_tensor(self._element_shape),
                       element_dtype=self._dtype, name=name)

    def concat(self, name=None):
        """All elements, concatenated along their first axis.

        Raises:
          InvalidArgumentError: the elements are scalars.
        """
        if self._items is None:
            shape = self._element_shape
            if shape.rank is not None and shape.rank > 0:
                shape = TensorShape([None, *shape.as_list()[1:]])
            joined = _concat(input_handle=self._flow, element_shape=_shape_tensor(shape), element_dtype=self._dtype,
                             leading_dims=_core.convert_to_tensor([], dtype="int64"), name=name)
            return joined.tensor
        items = self._filled()
        for i, item in enumerate(items):
            if item.shape.rank == 0:
                raise errors.InvalidArgumentError(
                    None, None, f"Concat saw a scalar shape at index {i} but requires at least vectors."
                )
        return items[0] if len(items) == 1 else _concat_tensors(values=items, axis=0)

    def unstack(self, value, name=None) -> TensorArray:
        """The array with the rows of `value` as its elements.

        Eagerly, they keep their dtype, as in TensorFlow; `stack` casts them.
        """
        if self._items is not None:
            return self._replace(_rows(_core.convert_to_tensor(value)))
        value = _core.convert_to_tensor(value, dtype_hint=self._dtype)
        with name_scope(name or "TensorArrayUnstack"):
            self._merge_shape(value.shape[1:])
            shape = value.shape[1:] if self._infer_shape else self._element_shape
            return TensorArray._like(self, _from_tensor(tensor=value, element_shape=_shape_tensor(shape)))

    def _replace(self, rows) -> TensorArray:
        if len(rows) > len(self._items) and not self._dynamic_size:
            raise ValueError(f"Cannot unstack {len(rows)} tensors into a TensorArray of static size {len(self._items)} ")
        self._items[:] = rows
        self._cleared.clear()
        return self

    def scatter(self, indices, value, name=None) -> TensorArray:
        """The array with row i of `value` at index indices[i].

        Raises:
          InvalidArgumentError: the dtype of the values is not that of the array; eagerly, Python numbers have their own.
        """
        if self._items is not None:
            # TensorFlow writes as many as there are of both.
            rows = _rows(_core.convert_to_tensor(value))
            for index, row in zip(_core.convert_to_tensor(indices)._python_value(), rows, strict=False):
                self._write_eagerly(_position(index), row)
            return self
        value = _core.convert_to_tensor(value, dtype_hint=self._dtype)
        with name_scope(name or "TensorArrayScatter"):
            self._merge_shape(value.shape[1:])
            return TensorArray._like(self, _scatter(input_handle=self._flow, tensor=value, indices=indices))

    def split(self, value, lengths, name=None) -> TensorArray:
        """The array with consecutive slices of `value`, of the given lengths along the first axis, as its elements."""
        value = _core.convert_to_tensor(value, dtype_hint=self._dtype)
        lengths = _core.convert_to_tensor(lengths)
        if self._items is not None:
            if lengths.shape.rank != 1:
                raise errors.InvalidArgumentError(
                    None, None, f"Expected lengths to be a vector, received shape: {lengths.shape.as_list()} "
                )
            if value.shape.rank == 0:
                raise errors.InvalidArgumentError(
                    None, None, f"Expected value to be at least a vector, but received shape: {value.shape.as_list()} "
                )
            sizes = lengths._python_value()
            if sum(sizes) != value.shape[0]:
                raise errors.InvalidArgumentError(
                    None, None, "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                    f"{sum(sizes)} and value's shape is: {value.shape.as_list()} "
                )
            if not self._dynamic_size and len(sizes) != len(self._items):
                raise errors.InvalidArgumentError(
                    None, None, f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. {len(sizes)}), "
                    "and the TensorArray is not marked as dynamically resizeable."
                )
            self._items[:] = _op("SplitV")(value=value, size_splits=sizes, split_dim=0, num_split=len(sizes))
            self._cleared.clear()
            return self
        with name_scope(name or "TensorArraySplit"):
            known = known_value(lengths)
            sizes = [] if known is None else [int(size) for size in np.reshape(known, -1)]
            first = sizes[0] if len(set(sizes)) == 1 else None
            shape = TensorShape([first, *value.shape.as_list()[1:]]) if value.shape.rank is not None else TensorShape(None)
            self._merge_shape(shape)
            lengths = lengths if lengths.dtype.name == "int64" else _op("Cast")(x=lengths, DstT="int64")
            flow = _split(tensor=value, element_shape=_shape_tensor(self._element_shape), lengths=lengths)
            return TensorArray._like(self, flow)

    def mark_used(self) -> None:
        """Does nothing: it tells TensorFlow that a program drops the result of `write` on purpose."""

    def close(self, name=None):
        """Drops the elements."""
        if self._items is not None:
            self._items.clear()
            return None
        return _op("NoOp")(name=name)

    @property
    def _type_spec(self):
        return TensorArraySpec(self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)

    __iter__ = None


class TensorArraySpec(TypeSpec):
    """The TypeSpec of a TensorArray.

    Args:
      element_shape, dtype, dynamic_size, infer_shape: as in `tf.TensorArray`.
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(self, element_shape=None, dtype="float32", dynamic_size=False, infer_shape=True):
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type:
        """`tf.TensorArray`."""
        return TensorArray

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """The spec of an array."""
        return value._type_spec

    def is_compatible_with(self, other) -> bool:
        """Whether dtype and dynamic_size are equal and the element shapes are compatible."""
        if isinstance(other, TensorArray):
            other = other._type_spec
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype == other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def _serialize(self):
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self):
        return [TensorSpec([], "variant")]

    def _to_components(self, value):
        if value._items is None:
            return [value.flow]
        # An array created eagerly enters a graph as a list of its elements.
        shape = _shape_tensor(value._element_shape)
        flow = _reserve(element_shape=shape, num_elements=len(value._items), element_dtype=value._dtype)
        for i, item in enumerate(value._items):
            if item is not None:
                flow = _set(input_handle=flow, index=i, item=item)
        return [flow]

    def _from_components(self, components):
        return TensorArray(self._dtype, flow=components[0], dynamic_size=self._dynamic_size,
                           infer_shape=self._infer_shape, element_shape=self._element_shape)


def _position(index) -> int:
    """An index of a Python list."""
    try:
        return operator.index(index)
    except TypeError:
        raise TypeError(f"list indices must be integers or slices, not {type(index).__name__}") from None


def _int32(value):
    """An input of dtype int32, also of NumPy's integers. The op refuses other values: its words name op and input."""
    return operator.index(value) if isinstance(value, np.integer) else value


def _rows(value) -> list:
    """The rows of an eager tensor."""
    if value.shape.rank == 0:
        raise ValueError("Argument `axis` = 0 not in range [0, 0)")
    return _op("Unpack")(value=value, num=value.shape[0], axis=0)


def _shape_tensor(shape: TensorShape):
    """An element shape as the input of list ops, with -1 for unknown."""
    if shape.rank is None:
        return _core.convert_to_tensor(-1, dtype="int32")
    return _core.convert_to_tensor([-1 if d is None else d for d in shape.as_list()], dtype="int32")


def _empty(dims: list, dtype):
    if dtype.name == "string":
        return _op("Fill")(dims=_core.convert_to_tensor(dims, dtype="int32"), value="")
    if dtype.name == "variant":
        shape = _core.convert_to_tensor(dims[1:], dtype="int32")
        none = _reserve(element_shape=shape, num_elements=0, element_dtype=dtype)
        return _stack(input_handle=none, element_shape=shape, element_dtype=dtype, num_elements=0)
    return _op("Cast")(x=_op("Fill")(dims=_core.convert_to_tensor(dims, dtype="int32"), value=0), DstT=dtype)


def _static_size(flow) -> int:
    """The number of elements if the list was created with a known size in this graph, else -1."""
    op = getattr(flow, "op", None)
    while op is not None and op.type in ("TensorListSetItem", "TensorListScatterIntoExistingList", "Identity"):
        op = op.inputs[0].op
    if op is not None and op.type == "TensorListFromTensor":
        shape = op.inputs[0].shape
        return -1 if shape.rank is None or shape[0] is None else shape[0]
    if op is None or op.type != "TensorListReserve":
        return -1
    known = known_value(op.inputs[1])
    return -1 if known is None else int(known)
