"""Functions that select elements: gathering, slicing, masks, conditions, sorting."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dtypes import as_dtype
from tracefn.ops._build import constant, convert, ints, name_scope, op
from tracefn.ops.array_creation import meshgrid
from tracefn.ops.array_shape import shape


@export("gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices of a tensor along an axis, selected by index.

    Args:
      params: tensor or Variable of rank at least axis + 1. Of a Variable, only the selected rows of axis 0 are read.
      indices: int tensor of any shape, elements in [0, params.shape[axis]).
      validate_indices: ignored; indices are always checked.
      axis: int scalar; None: batch_dims.
      batch_dims: int, the number of leading batch dimensions of params and indices.
      name: name of the node.

    Returns:
      Tensor of shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].

    Raises:
      InvalidArgumentError: an index is out of bounds.

    Example:
      >>> import tracefn as tf
      >>> tf.gather([10, 20, 30], [2, 0]).numpy().tolist()
      [30, 10]
    """
    # The arguments stay as they are: for a RaggedTensor they go on to its own function.
    along, batch = batch_dims if axis is None else axis, batch_dims
    if get_static_value(along) == 0:
        batch = 0  # nothing is left of the batch in front of axis 0
        # A Variable's own method, which reads only the requested rows. The search for it in a tensor, in vain, takes time.
        read_rows = None if isinstance(params, _core.Tensor) else getattr(params, "sparse_read", None)
        if read_rows is not None:
            return read_rows(indices, name=name)
    return op("GatherV2")(params=params, indices=indices, axis=along, batch_dims=batch, name=name)


@export("gather_nd")
def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Slices of a tensor at the index vectors in the last dimension of indices.

    Args:
      params: tensor or Variable of rank at least 1.
      indices: int tensor whose last dimension holds index vectors into params (after the batch dimensions).
      batch_dims: int, or tensor whose value is known while tracing: the number of leading batch dimensions of params and
        indices.
      name: name of the node.
      bad_indices_policy: "" or "ERROR": an index out of bounds is an error.

    Returns:
      Tensor of shape indices.shape[:-1] + params.shape[batch_dims + indices.shape[-1]:].

    Raises:
      InvalidArgumentError: an index is out of bounds.
      TypeError: the value of batch_dims is not known.
      ValueError: batch_dims is negative or too large.

    Example:
      >>> import tracefn as tf
      >>> tf.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy().tolist()
      [3, 2]
    """
    known = get_static_value(batch_dims)
    if known is not None:
        batch_dims = int(known)
    if batch_dims == 0:
        if bad_indices_policy in ("", "DEFAULT") and (read := getattr(params, "gather_nd", None)):
            return read(indices, name=name)
        return op("GatherNd")(params=params, indices=indices, bad_indices_policy=bad_indices_policy, name=name)
    with name_scope(name or "BatchGatherND"):
        params, indices = convert(params), convert(indices)
        rank = indices.shape.rank
        if not isinstance(batch_dims, int):
            raise TypeError(f"Argument `batch_dims` must be an int; got {batch_dims}")
        if rank is None or params.shape.rank is None:
            raise ValueError("tf.gather_nd with batch_dims does not allow operands of unknown rank.")
        if batch_dims < 0:
            raise ValueError("tf.gather_nd does not allow negative batch_dims.")
        for argument, ndims in (("indices", rank), ("params", params.shape.rank)):
            if batch_dims >= ndims:
                raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`{argument}`) = {ndims}")
        outer, inner = shape(params, indices.dtype)[:batch_dims], shape(indices, indices.dtype)[batch_dims:]
        dims = op("ConcatV2")(values=[outer, inner], axis=0)
        indices = op("Reshape")(tensor=indices, shape=dims)
        zero, one = constant(0, indices.dtype), constant(1, indices.dtype)
        size = [op("GatherV2")(params=dims, indices=i, axis=0) for i in range(batch_dims)]
        grid = meshgrid(*[op("Range")(start=zero, limit=n, delta=one) for n in size], indexing="ij")
        batch = op("Pack")(values=grid, axis=batch_dims)
        middle = [1] * (rank - batch_dims - 1)
        flat = op("ConcatV2")(values=[op("Pack")(values=size), constant(middle + [batch_dims], indices.dtype)], axis=0)
        outer = op("Slice")(input=dims, begin=constant([0], indices.dtype), size=constant([rank - 1], indices.dtype))
        wide = op("ConcatV2")(values=[outer, constant([batch_dims], indices.dtype)], axis=0)
        batch = op("BroadcastTo")(input=op("Reshape")(tensor=batch, shape=flat), shape=wide)
        places = op("ConcatV2")(values=[batch, indices], axis=-1)
        return op("GatherNd")(params=params, indices=places, bad_indices_policy=bad_indices_policy)


def _static_axis(axis):
    """A scalar axis as an int, or the tensor itself if its value is not known while tracing."""
    known = _core.constant_value(axis)
    if known is None:
        return axis
    if known.ndim:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    return int(known)


@export("boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The elements of a tensor where a mask is true.

    Args:
      tensor: tensor of rank n.
      mask: bool tensor of rank k <= n, k known while tracing; its shape is that of the tensor from `axis` on.
      axis: int or int scalar, the first dimension that the mask covers; 0 if None.
      name: name of the scope.

    Returns:
      Tensor of rank n - k + 1: the k dimensions become one, with a size equal to the number of true elements.

    Raises:
      ValueError: the mask is a scalar or of unknown rank, or its shape does not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
      [1, 3]
    """
    with name_scope(name or "boolean_mask"):
        tensor = convert(tensor, name="tensor")
        mask = convert(mask, name="mask")
        depth = mask.shape.rank
        if depth == 0:
            raise ValueError("mask cannot be scalar.")
        if depth is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        first = 0 if axis is None else _static_axis(convert(axis, name="axis"))
        if isinstance(first, int):
            if first < 0 and tensor.shape.rank is not None:
                first += tensor.shape.rank
            tensor.shape[first : first + depth].assert_is_compatible_with(mask.shape)
        dims = shape(tensor)
        covered = dims[first : first + depth]
        count = op("Prod")(input=covered, reduction_indices=[0])
        parts = [dims[:first], op("Reshape")(tensor=count, shape=[1]), dims[first + depth :]]
        flat = op("Reshape")(tensor=tensor, shape=op("ConcatV2")(values=parts, axis=0))
        chosen = op("Where")(input=op("Reshape")(tensor=mask, shape=[-1]))
        return op("GatherV2")(params=flat, indices=op("Squeeze")(input=chosen, squeeze_dims=[1]), axis=first)


@export("slice")
def slice(input_, begin, size, name=None):
    """A block of a tensor.

    Args:
      input_: tensor of rank n.
      begin: int vector of n elements: the start of the block.
      size: int vector of n elements: the size of the block; -1 takes the rest of a dimension.
      name: name of the node.

    Returns:
      Tensor of shape `size`.

    Raises:
      InvalidArgumentError: the block is not inside the tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.slice([1, 2, 3, 4], [1], [2]).numpy().tolist()
      [2, 3]
    """
    return op("Slice")(input=input_, begin=begin, size=size, name=name)


@export("strided_slice")
def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
):
    """A strided slice, as input_[begin:end:strides].

    Args:
      input_: tensor of rank n.
      begin: int vector of m <= n numbers.
      end: int vector of m numbers.
      strides: int vector of m nonzero numbers; None: ones.
      begin_mask: int; bit i says that begin[i] is ignored.
      end_mask: int; bit i says that end[i] is ignored.
      ellipsis_mask: int; bit i says that entry i is an ellipsis.
      new_axis_mask: int; bit i says that entry i is a new axis.
      shrink_axis_mask: int; bit i says that begin[i] is a single index.
      var: ignored; to assign, use the slices of the Variable.
      name: name of the node.

    Returns:
      Tensor of input's dtype.

    Raises:
      InvalidArgumentError: a single index is out of bounds, or a stride is zero (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.strided_slice([1, 2, 3, 4], [3], [0], [-2]).numpy().tolist()
      [4, 2]
    """
    begin = convert(begin)
    if strides is None:
        strides = op("OnesLike")(x=begin)
    return op("StridedSlice")(
        input=input_,
        begin=begin,
        end=end,
        strides=strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name or "StridedSlice",
    )


@export("where")
def where(condition, x=None, y=None, name=None):
    """x where the condition is true, else y; or, without x and y, the indices of the true elements.

    Args:
      condition: bool tensor; without x and y, a tensor of bools or numbers.
      x: tensor, or None.
      y: tensor of x's dtype, or None; condition, x and y are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype; without x and y an int64 tensor of shape [count, rank].

    Raises:
      ValueError: one of x and y is None.

    Example:
      >>> import tracefn as tf
      >>> tf.where([True, False], [1, 2], -1).numpy().tolist()
      [1, -1]
      >>> tf.where([True, False, True]).numpy().tolist()
      [[0], [2]]
    """
    if x is None and y is None:
        return op("Where")(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return op("SelectV2")(condition=condition, t=x, e=y, name=name)


@export("math.argmax", "argmax")
def argmax(input, axis=None, output_type="int64", name=None):
    """The index of the largest element along an axis; the first one if there are several.

    Args:
      input: tensor of real numbers or bools.
      axis: int scalar; 0 if None.
      output_type: int64, int32, int16 or uint16.
      name: name of the node.

    Returns:
      Tensor of input's shape without `axis`.

    Raises:
      InvalidArgumentError: the axis is out of range or empty (ValueError while tracing).
      TypeError: it is no int.

    Example:
      >>> import tracefn as tf
      >>> int(tf.argmax([1, 9, 4]))
      1
    """
    if hasattr(axis, "dtype"):
        if not as_dtype(axis.dtype).is_integer:
            raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported")
    elif axis is not None and not hasattr(axis, "__index__"):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return op("ArgMax")(input=input, dimension=0 if axis is None else axis, output_type=output_type, name=name)


@export("math.argmin", "argmin")
def argmin(input, axis=None, output_type="int64", name=None):
    """The index of the smallest element along an axis; the first one if there are several.

    Args:
      input: tensor of real numbers or bools.
      axis: int scalar; 0 if None.
      output_type: int64 or int32.
      name: name of the node.

    Returns:
      Tensor of input's shape without `axis`.

    Raises:
      InvalidArgumentError: the axis is out of range or empty (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> int(tf.argmin([3, 1, 4]))
      1
    """
    return op("ArgMin")(input=input, dimension=0 if axis is None else axis, output_type=output_type, name=name)


@export("math.top_k", "nn.top_k")
def top_k(input, k=1, sorted=True, index_type="int32", name=None):
    """The k largest elements along the last axis, and their indices.

    Args:
      input: tensor of real numbers, rank at least 1.
      k: int scalar.
      sorted: whether the result must be in descending order (it always is).
      index_type: dtype of the indices: int16, int32 or int64.
      name: name of the node.

    Returns:
      Named tuple (values, indices), each with the shape of input except for the last axis, which has size k.

    Raises:
      InvalidArgumentError: k is negative or larger than the axis (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> values, indices = tf.math.top_k([1, 5, 3], k=2)
      >>> values.numpy().tolist(), indices.numpy().tolist()
      ([5, 3], [1, 2])
    """
    return op("TopKV2")(input=input, k=k, sorted=sorted, index_type=index_type, name=name)


@export("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements of a tensor, sorted along an axis.

    Args:
      values: tensor of real numbers, rank at least 1.
      axis: int.
      direction: "ASCENDING" or "DESCENDING".
      name: name of the scope.

    Returns:
      Tensor of values' shape and dtype.

    Raises:
      ValueError: `direction` has another value, or `axis` is no constant scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.sort([3, 1, 2]).numpy().tolist()
      [1, 2, 3]
    """
    with name_scope(name or "sort"):
        return _in_order(convert(values), axis, direction)


@export("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The indices that sort a tensor along an axis.

    Args:
      values: tensor of real numbers, rank at least 1.
      axis: int.
      direction: "ASCENDING" or "DESCENDING".
      stable: ignored; equal elements always keep their order.
      name: name of the scope.

    Returns:
      int32 tensor of values' shape.

    Raises:
      ValueError: `direction` has another value, or `axis` is no constant scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.argsort([3, 1, 2]).numpy().tolist()
      [1, 2, 0]
    """
    with name_scope(name or "argsort"):
        return _in_order(convert(values), axis, direction, places=True)


# Finding the places takes longer than sorting the values alone.
_values_in_order = _core.raw_op_reading("TopKV2", 0)


def _constant_axis(axis) -> int:
    if type(axis) is int:
        return axis
    tensor = convert(axis, name="axis")
    known = get_static_value(tensor)
    if known is None or tensor.shape.rank != 0:
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis if known is None else known}.")
    return int(known)


def _in_order(values, axis, direction: str, places: bool = False):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    axis = _constant_axis(axis)
    k = shape(values)[axis]
    rank = values.shape.rank
    swap = axis != -1 and axis + 1 != rank
    if swap:
        order = _swapped_with_last(axis, rank) if rank is not None else _swapped_in(values, axis)
        values = op("Transpose")(x=values, perm=order)
    # Ascending order is descending order of the mirrored numbers.
    mirrored = values if direction == "DESCENDING" else _mirrored(values)
    if places:
        found = op("TopKV2")(input=mirrored, k=k)[1]
    else:
        found = _values_in_order(input=mirrored, k=k)[0]
        if direction == "ASCENDING":
            found = _mirrored(found)
    return op("Transpose")(x=found, perm=order) if swap else found


def _swapped_with_last(axis: int, rank: int):
    """The order of the axes with `axis` and the last one exchanged."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return ints(order)


def _swapped_in(values, axis: int):
    """The same for a tensor of unknown rank."""
    rank = op("Rank")(input=values)
    at = rank + axis if axis < 0 else convert(axis)
    pair = [at, rank - 1]
    order = op("Range")(start=0, limit=rank, delta=1)
    places = op("ExpandDims")(input=op("Pack")(values=pair), dim=1)
    return op("TensorScatterUpdate")(tensor=order, indices=places, updates=op("Pack")(values=pair[::-1]))


def _mirrored(x):
    """Mirrors the numbers to reverse their order, without overflow: -x, -1 - x or max - x."""
    if not x.dtype.is_integer:  # of other dtypes than floats, Neg refuses those without an order
        return op("Neg")(x=x)
    return op("Sub")(x=constant(x.dtype.max if x.dtype.is_unsigned else -1, x.dtype), y=x)
