"""`tensorflow.python.ops.list_ops`: lists of tensors, as values of dtype variant."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn.dimension import Dimension
from tracefn.ops._build import convert, op
from tracefn.tensor_shape import TensorShape

__all__ = [
    "empty_tensor_list",
    "tensor_list_concat",
    "tensor_list_from_tensor",
    "tensor_list_gather",
    "tensor_list_get_item",
    "tensor_list_pop_back",
    "tensor_list_reserve",
    "tensor_list_scatter",
    "tensor_list_set_item",
    "tensor_list_split",
    "tensor_list_stack",
]


def _element_shape(shape):
    """A shape as these ops take it: -1 for an unknown rank or size."""
    if isinstance(shape, _core.Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = None if shape.rank is None else shape.as_list()
    if shape is None:
        return convert(-1, dtype="int32")
    if isinstance(shape, (np.ndarray, np.generic)) or not shape:
        return convert(shape, dtype="int32")
    sizes = [size.value if isinstance(size, Dimension) else size for size in shape]
    return convert([-1 if size is None else size for size in sizes])


def empty_tensor_list(element_shape, element_dtype, max_num_elements=None, name=None):
    """A list without elements.

    Args:
      element_shape: the shape of all elements: TensorShape, list of ints and None, tensor, or None.
      element_dtype: their DType.
      max_num_elements: int, or None: no limit.
      name: name of the op, or None.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops import list_ops
      >>> handle = list_ops.empty_tensor_list([2], tf.float32)
      >>> int(tf.raw_ops.TensorListLength(input_handle=handle))
      0
    """
    return op("EmptyTensorList")(
        element_shape=_element_shape(element_shape),
        max_num_elements=convert(-1 if max_num_elements is None else max_num_elements, dtype="int32"),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_reserve(element_shape, num_elements, element_dtype, name=None):
    """A list of so many elements, none of which is set."""
    return op("TensorListReserve")(
        element_shape=_element_shape(element_shape),
        num_elements=convert(num_elements, dtype="int32"),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_from_tensor(tensor, element_shape, name=None):
    """The list of the rows of a tensor.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops import list_ops
      >>> handle = list_ops.tensor_list_from_tensor([[1.0], [2.0]], [1])
      >>> list_ops.tensor_list_stack(handle, tf.float32).numpy().tolist()
      [[1.0], [2.0]]
    """
    return op("TensorListFromTensor")(tensor=convert(tensor), element_shape=_element_shape(element_shape), name=name)


def tensor_list_get_item(input_handle, index, element_dtype, element_shape=None, name=None):
    """The element at an index.

    Raises:
      InvalidArgumentError: there is none.
    """
    return op("TensorListGetItem")(
        input_handle=input_handle,
        index=convert(index, dtype="int32"),
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_pop_back(input_handle, element_dtype, name=None):
    """(The list without its last element, that element)."""
    return op("TensorListPopBack")(
        input_handle=input_handle, element_shape=_element_shape(None), element_dtype=element_dtype, name=name
    )


def tensor_list_gather(input_handle, indices, element_dtype, element_shape=None, name=None):
    """The elements at some indices, stacked."""
    return op("TensorListGather")(
        input_handle=input_handle,
        indices=convert(indices, dtype="int32"),
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_scatter(tensor, indices, element_shape=None, input_handle=None, name=None):
    """A list, or `input_handle`, with the rows of a tensor at some indices."""
    tensor, indices = convert(tensor), convert(indices, dtype="int32")
    if input_handle is not None:
        return op("TensorListScatterIntoExistingList")(
            input_handle=input_handle, tensor=tensor, indices=indices, name=name
        )
    return op("TensorListScatterV2")(
        tensor=tensor,
        indices=indices,
        element_shape=_element_shape(element_shape),
        num_elements=convert(-1, dtype="int32"),
        name=name,
    )


def tensor_list_stack(input_handle, element_dtype, num_elements=-1, element_shape=None, name=None):
    """All elements, stacked; `num_elements` is their number, if it is known."""
    return op("TensorListStack")(
        input_handle=input_handle,
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def tensor_list_concat(input_handle, element_dtype, element_shape=None, name=None):
    """All elements, one after another along the first axis."""
    return op("TensorListConcatV2")(
        input_handle=input_handle,
        element_shape=_element_shape(element_shape),
        leading_dims=convert([], dtype="int64"),
        element_dtype=element_dtype,
        name=name,
    )[0]


def tensor_list_split(tensor, element_shape, lengths, name=None):
    """The list of parts of a tensor along the first axis, of these lengths."""
    return op("TensorListSplit")(
        tensor=convert(tensor),
        element_shape=_element_shape(element_shape),
        lengths=convert(lengths, dtype="int64"),
        name=name,
    )


def tensor_list_set_item(input_handle, index, item, resize_if_index_out_of_bounds=False, name=None):
    """The list with another element at an index; with `resize_if_index_out_of_bounds` it grows for it."""
    return op("TensorListSetItem")(
        input_handle=input_handle,
        index=convert(index, dtype="int32"),
        item=convert(item),
        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
        name=name,
    )
