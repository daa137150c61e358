"""Functions that create tensors: zeros, ones, fills, identity matrices, masks and grids."""

from __future__ import annotations

import functools

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import is_tensor_like
from tracefn.ops._build import constant, convert, ints, known_sizes, name_scope, op
from tracefn.ops.reduction import reduce_max

# Filled tensors of known shape with up to this many elements become constants of the graph.
_SMALL = 1000


def _filled(shape, value, dtype, scope):
    dtype = as_dtype(dtype)
    if _core.current_graph() is None and isinstance(shape, (list, tuple)) and all(type(d) is int for d in shape):
        return op("Fill")(dims=ints(shape) if not _has_large(shape) else convert(shape), value=_scalar(value, dtype))
    if not is_tensor_like(shape):
        sizes = shape if isinstance(shape, (list, tuple)) else _as_list(shape)
        if any(d is None or isinstance(d, (str, bytes, list, tuple)) for d in sizes):  # no size, or not known
            shape = convert(list(sizes), dtype="int32")
        elif not any(is_tensor_like(d) for d in sizes):
            count = 1
            for d in sizes:
                count *= int(d)
            if _core.current_graph() is not None and 0 <= count < _SMALL:
                if dtype == "string" and value:
                    return constant(value, dtype)  # which raises
                tensor = _eagerly_filled(tuple(int(d) for d in sizes), value, dtype)
                return op("Const")(value=tensor, dtype=dtype, name=scope)
            shape = constant(list(sizes), "int64" if _has_large(sizes) else "int32", scope + "shape_as_tensor")
        elif any(is_tensor_like(d) and not d.dtype.is_integer for d in sizes):
            shape = convert(sizes, dtype="int32")  # sizes given as floats are truncated
    shape = convert(shape)
    if not shape.shape.rank:  # one size, or sizes of unknown rank
        shape = op("Reshape")(tensor=shape, shape=[-1])
    return op("Fill")(dims=shape, value=constant(_plain(value, dtype), dtype, scope + "Const"), name=scope)


def _plain(value: int, dtype):
    """0 or 1 as a Python value of that dtype."""
    return bool(value) if dtype.is_bool else "" if dtype == "string" and not value else value


@functools.lru_cache(64)
def _scalar(value: int, dtype):
    with _core.TargetContext(None):
        return convert(_plain(value, dtype), dtype=dtype)


@functools.lru_cache(64)
def _eagerly_filled(sizes: tuple, value: int, dtype):
    with _core.TargetContext(None):
        return op("Fill")(dims=convert(list(sizes), dtype="int32"), value=_scalar(value, dtype))


def _as_list(shape):
    if hasattr(shape, "as_list"):
        return known_sizes(shape)
    if isinstance(shape, float):
        constant(shape, "int32")  # which raises
    with _core.TargetContext(None):  # a number has a value while tracing too
        sizes = convert(shape) if hasattr(shape, "dtype") else convert(shape, dtype="int32")
        return [int(d) for d in op("Reshape")(tensor=sizes, shape=[-1])._python_value()]


def _has_large(sizes) -> bool:
    return any(int(d) > 0x7FFFFFFF for d in sizes)


@export("zeros")
def zeros(shape, dtype="float32", name=None, layout=None):
    """A tensor of zeros.

    Args:
      shape: list of ints, TensorShape, or int tensor of shape [rank].
      dtype: dtype of the result; False for bool, b"" for string.
      name: name of the node.
      layout: ignored; there is one device.

    Returns:
      Tensor of the given shape and dtype.

    Raises:
      TypeError: a size is no number.
      InvalidArgumentError: a size is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.zeros([2])
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    with name_scope(name or "zeros") as scope:
        return _filled(shape, 0, dtype, scope)


@export("ones")
def ones(shape, dtype="float32", name=None, layout=None):
    """A tensor of ones.

    Args:
      shape: list of ints, TensorShape, or int tensor of shape [rank].
      dtype: dtype of the result; True for bool.
      name: name of the node.
      layout: ignored; there is one device.

    Returns:
      Tensor of the given shape and dtype.

    Raises:
      TypeError: a size is no number.
      InvalidArgumentError: a size is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.ones([2], tf.int32)
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
    """
    with name_scope(name or "ones") as scope:
        return _filled(shape, 1, dtype, scope)


@export("zeros_like")
def zeros_like(input, dtype=None, name=None, layout=None):
    """Zeros with the shape of another tensor.

    Args:
      input: tensor of any shape.
      dtype: dtype of the result; None for the input's.
      name: name of the node.
      layout: ignored; there is one device.

    Returns:
      Tensor of input's shape.

    Example:
      >>> import tracefn as tf
      >>> tf.zeros_like([1, 2])
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
    """
    if (own := _core.other_graph(input)) is not None:
        with own.as_default():
            return zeros_like(input, dtype, name, layout)
    with name_scope(name or "zeros_like") as scope:
        x = convert(input, name="tensor")
        wanted = x.dtype if dtype is None else as_dtype(dtype)
        if _core.current_graph() is not None and x.shape.is_fully_defined() and wanted not in ("variant", "resource"):
            return _filled(x.shape.as_list(), 0, wanted, scope)
        if wanted == x.dtype:
            return op("ZerosLike")(x=x, name=scope)
        return _filled(op("Shape")(input=x), 0, wanted, scope)


@export("ones_like")
def ones_like(input, dtype=None, name=None, layout=None):
    """Ones with the shape of another tensor.

    Args:
      input: tensor of any shape.
      dtype: dtype of the result; None for the input's.
      name: name of the node.
      layout: ignored; there is one device.

    Returns:
      Tensor of input's shape.

    Example:
      >>> import tracefn as tf
      >>> tf.ones_like([1.5, 2.5])
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
    """
    if (own := _core.other_graph(input)) is not None:
        with own.as_default():
            return ones_like(input, dtype, name, layout)
    with name_scope(name or "ones_like") as scope:
        x = convert(input, name="tensor")
        wanted = x.dtype if dtype is None else as_dtype(dtype)
        if x.shape.is_fully_defined():
            return _filled(x.shape.as_list(), 1, wanted, scope)
        if wanted == x.dtype and wanted != "string":
            return op("OnesLike")(x=x, name=scope)
        return _filled(op("Shape")(input=x), 1, wanted, scope)


@export("fill")
def fill(dims, value, name=None, layout=None):
    """A tensor filled with a scalar.

    Args:
      dims: int tensor of shape [rank]: the shape of the result.
      value: scalar of any dtype.
      name: name of the node.
      layout: ignored; there is one device.

    Returns:
      Tensor of shape `dims` and value's dtype.

    Raises:
      TypeError: a size is no number.
      InvalidArgumentError: a size is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.fill([2, 2], 7)
      <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
      array([[7, 7],
             [7, 7]], dtype=int32)>
    """
    return op("Fill")(dims=dims, value=value, name=name)


def _is_int(value) -> bool:
    return hasattr(value, "__index__")


def _size(value):
    """A size; one that is given as a tensor of another dtype is truncated to int32."""
    return op("Cast")(x=value, DstT="int32") if is_tensor_like(value) and not value.dtype.is_integer else value


def _all_ints(dims) -> bool:
    return hasattr(dims, "as_list") or (isinstance(dims, (list, tuple)) and all(type(d) is int for d in dims))


@export("eye", "linalg.eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """An identity matrix, or a batch of them.

    Args:
      num_rows: int scalar.
      num_columns: int scalar; None for num_rows.
      batch_shape: list of ints or int tensor with leading dimensions, or None.
      dtype: dtype of the result.
      name: name of the node.

    Returns:
      Tensor of shape batch_shape + [num_rows, num_columns].

    Example:
      >>> import tracefn as tf
      >>> tf.eye(2)
      <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
      array([[1., 0.],
             [0., 1.]], dtype=float32)>
    """
    with name_scope(name or "eye"):
        rows = _size(num_rows)
        columns = rows if num_columns is None else _size(num_columns)
        if not is_tensor_like(rows) and not is_tensor_like(columns) and not (_is_int(rows) and _is_int(columns)):
            raise TypeError(
                "Arguments `num_rows` and `num_columns` must be positive integer values. "
                f"Received: num_rows={rows}, num_columns={columns}"
            )
        if isinstance(rows, int) and isinstance(columns, int):
            shape = [min(rows, columns)]
        else:
            shape = op("Reshape")(tensor=op("Minimum")(x=rows, y=columns), shape=ints([1]))
        if batch_shape is not None:
            batch = ints(batch_shape) if _all_ints(batch_shape) else convert(batch_shape)
            shape = op("ConcatV2")(values=[batch, convert(shape, dtype=batch.dtype)], axis=0)
        diagonal = ones(shape, dtype)
        zero = constant(_plain(0, as_dtype(dtype)), dtype)
        matrix = op("MatrixDiagV3")(
            diagonal=diagonal, k=0, num_rows=rows, num_cols=columns, padding_value=zero,
            name="diag" if num_columns is None else "set_diag",
        )
        if isinstance(rows, int) != isinstance(columns, int) and matrix.shape.rank is not None:
            # The rule of the op tells either both sizes or none.
            sizes = [size if isinstance(size, int) else None for size in (rows, columns)]
            matrix.set_shape([None] * (matrix.shape.rank - 2) + sizes)
        return matrix


@export("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """A one-hot encoding: on_value at each index along a new axis, off_value elsewhere.

    Args:
      indices: int tensor of any shape; an index outside [0, depth) gives only off_value.
      depth: int scalar, the size of the new axis.
      on_value: scalar; 1 if None.
      off_value: scalar of the same dtype; 0 if None.
      axis: int, the position of the new axis; None or -1: last.
      dtype: dtype of the result; None: that of the values, or float32 if both are None.
      name: name of the node.

    Returns:
      Tensor of indices' shape with an axis of size `depth` inserted.

    Raises:
      TypeError: on_value and off_value differ in dtype, or from `dtype`.

    Example:
      >>> import tracefn as tf
      >>> tf.one_hot([0, 2], 3, dtype=tf.int32)
      <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
      array([[1, 0, 0],
             [0, 0, 1]], dtype=int32)>
    """
    with name_scope(name or "one_hot") as scope:
        hint = None if dtype is None else as_dtype(dtype)
        on, off = (None if value is None else convert(value, dtype_hint=hint) for value in (on_value, off_value))
        for given, what in ((on, "on_value"), (off, "off_value")):
            if hint is not None and given is not None and given.dtype != hint:
                raise TypeError(f"dtype {given.dtype} of {what} does not match dtype parameter {hint}")
        if on is not None and off is not None and on.dtype != off.dtype:
            raise TypeError(f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value")
        dtype = hint or next((given.dtype for given in (on, off) if given is not None), as_dtype("float32"))
        on = constant(1, dtype, "on_value") if on is None else on
        off = constant(0, dtype, "off_value") if off is None else off
        return op("OneHot")(
            indices=indices, depth=depth, on_value=on, off_value=off, axis=-1 if axis is None else axis, name=scope
        )


@export("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype="bool", name=None):
    """For each length, a row whose first `length` elements are True.

    Args:
      lengths: int tensor of any shape.
      maxlen: int scalar, the length of the rows; None: the largest length.
      dtype: dtype of the result; None: bool.
      name: name of the node.

    Returns:
      Tensor of shape lengths.shape + [maxlen].

    Raises:
      ValueError: maxlen is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.sequence_mask([1, 2], 3, tf.int32)
      <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
      array([[1, 0, 0],
             [1, 1, 0]], dtype=int32)>
    """
    with name_scope(name or "SequenceMask"):
        lengths = convert(lengths)
        if maxlen is None:
            longest = reduce_max(lengths)
            maxlen = op("Maximum")(x=constant(0, lengths.dtype), y=longest)
        else:
            maxlen = convert(maxlen)
        if maxlen.shape.rank not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} "
                f"with shape '{maxlen.shape}' instead"
            )
        row = op("Range")(start=constant(0, maxlen.dtype), limit=maxlen, delta=constant(1, maxlen.dtype))
        column = op("Cast")(x=op("ExpandDims")(input=lengths, dim=-1), DstT=maxlen.dtype)
        mask = op("Less")(x=row, y=column)
        return mask if dtype is None or as_dtype(dtype) == "bool" else op("Cast")(x=mask, DstT=dtype)


@export("meshgrid")
def meshgrid(*args, **kwargs):
    """Coordinates of a grid over the given vectors.

    Args:
      *args: n tensors, each flattened to a vector.
      **kwargs: indexing: "xy" (the first two axes are swapped, as in NumPy) or "ij"; name: name of the scope.

    Returns:
      List of n tensors of rank n.

    Raises:
      ValueError: `indexing` has another value.
      TypeError: there is another keyword.

    Example:
      >>> import tracefn as tf
      >>> x, y = tf.meshgrid([1, 2], [3, 4, 5])
      >>> x.shape, int(y[2, 0])
      (TensorShape([3, 2]), 5)
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    with name_scope(name):
        n = len(args)
        swap = {0: 1, 1: 0} if indexing == "xy" and n > 1 else {}
        vectors, sizes = [], []
        for i, arg in enumerate(args):
            shape = [1] * n
            shape[swap.get(i, i)] = -1
            arg = convert(arg)
            vectors.append(op("Reshape")(tensor=arg, shape=ints(shape)))
            sizes.append(op("Size")(input=arg))
        if not args:
            return []
        order = [swap.get(i, i) for i in range(n)]
        shape = op("Pack")(values=[sizes[i] for i in order])
        return [op("BroadcastTo")(input=v, shape=shape, name="mul") for v in vectors]  # the name in TensorFlow
