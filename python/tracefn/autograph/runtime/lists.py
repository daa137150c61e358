"""Lists that a staged loop appends to: tensor lists in the graph that can be used like Python lists where possible."""

from __future__ import annotations

from typing import NoReturn

from tracefn import _core
from tracefn.errors import InaccessibleTensorError

_WAY_OUT = "use tf.stack(the_list) to make a tensor of it"
_OUT_OF_SCOPE = (
    "What the loop appended is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
    "collections to access it."
)


def _raw(name: str, **inputs):
    return _core.raw_op(name)(**inputs)


class ListProbe:
    """Stands in for a list while the body of a loop is probed; records the appended elements."""

    def __init__(self, elements) -> None:
        self.dtype = None
        self.shape = None
        for element in elements:
            self.note(_core.convert_to_tensor(element))

    def note(self, tensor) -> None:
        if self.dtype is None:
            self.dtype, self.shape = tensor.dtype, tensor.shape
        elif self.dtype != tensor.dtype:
            raise TypeError(
                f"a list in a staged loop holds elements of one dtype; it has {self.dtype.name} and gets {tensor.dtype.name}"
            )
        else:
            self.shape = self.shape.most_specific_common_supertype([tensor.shape])


class StagedList:
    """A list in a graph: `append`, `len`, indexing, iteration over a known length, tf.stack and tf.concat work."""

    __slots__ = ("dtype", "handle", "shape")

    def __init__(self, handle, dtype, shape) -> None:
        self.handle = handle
        self.dtype = dtype
        self.shape = shape

    @classmethod
    def of(cls, elements, dtype, shape) -> StagedList:
        """A staged list initialized with the elements of a Python list."""
        handle = _raw("EmptyTensorList", element_shape=_shape_tensor(shape), max_num_elements=-1, element_dtype=dtype)
        made = cls(handle, dtype, shape)
        for element in elements:
            made = made.appended(element)
        return made

    def with_handle(self, handle) -> StagedList:
        return StagedList(handle, self.dtype, self.shape)

    def appended(self, element) -> StagedList:
        """The list with one more element."""
        tensor = _core.convert_to_tensor(element)
        if tensor.dtype != self.dtype:
            raise TypeError(
                f"a list in a staged loop holds elements of one dtype; it has {self.dtype.name} and gets {tensor.dtype.name}"
            )
        return self.with_handle(_raw("TensorListPushBack", input_handle=self.handle, tensor=tensor))

    def length(self):
        return _raw("TensorListLength", input_handle=self.handle)

    def stack(self):
        return _raw(
            "TensorListStack",
            input_handle=self.handle,
            element_shape=_shape_tensor(self.shape),
            element_dtype=self.dtype,
        )

    def concat(self):
        """The elements concatenated along their first dimension."""
        outputs = _raw(
            "TensorListConcatV2",
            input_handle=self.handle,
            element_shape=_shape_tensor(self.shape),
            leading_dims=_core.convert_to_tensor([], dtype="int64"),
            element_dtype=self.dtype,
        )
        return outputs[0]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.stack()[index]
        place = _core.convert_to_tensor(index, dtype="int32") if not isinstance(index, _core.Tensor) else index
        if isinstance(index, int) and index < 0:
            place = self.length() + index
        return _raw(
            "TensorListGetItem",
            input_handle=self.handle,
            index=place,
            element_shape=_shape_tensor(self.shape),
            element_dtype=self.dtype,
        )

    def append(self, element) -> None:
        """Appends in place, for appends outside of loops."""
        self.handle = self.appended(element).handle

    def _has_no(self, what: str) -> NoReturn:
        raise TypeError(f"a list that a staged loop appends to has no Python {what}; {_WAY_OUT}")

    def _cannot(self, what: str) -> NoReturn:
        """TensorFlow's lists hold what the loop's body traced; it refuses that where it is used."""
        raise InaccessibleTensorError(f"a list that a staged loop appends to {what}; {_WAY_OUT}. {_OUT_OF_SCOPE}")

    def __iter__(self):
        self._cannot("has a length that is known only when the graph runs, and cannot be iterated over by Python")

    def __len__(self) -> int:  # noqa: PLE0303
        self._has_no("length; len() of it in converted code gives a tensor")

    def __bool__(self) -> bool:  # noqa: PLE0304
        self._has_no("truth value")

    def __tf_tensor__(self, dtype=None, name=None):
        self._cannot("is not a tensor")

    def __tf_tracing_type__(self, context):
        self._cannot("cannot be given to a tf.function, or returned by one")


def _shape_tensor(shape):
    if shape.rank is None:
        return _core.convert_to_tensor(-1, dtype="int32")
    return _core.convert_to_tensor([-1 if size is None else size for size in shape.as_list()], dtype="int32")


def append(target, element):
    """`target.append(element)`; returns the name's new value."""
    kind = type(target)
    if kind is StagedList:
        return target.appended(element)
    if kind is ListProbe:
        target.note(_core.convert_to_tensor(element))
        return target
    target.append(element)
    return target
