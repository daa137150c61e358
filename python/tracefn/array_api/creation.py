"""New arrays."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.arguments import ALL, NUMERIC, as_dtype, check_device, number_of, one
from tracefn.array_api.promotion import DEFAULTS, kind_of

tf = root()

_FLOAT = DEFAULTS["real floating"]


def _filled(shape, value, dtype, device):
    check_device(device)
    shape = (shape,) if isinstance(shape, int) else tuple(shape) if isinstance(shape, tf.TensorShape) else shape
    dtype = dtype or _default(value)
    return tf.fill(shape, tf.constant(number_of(value, dtype), dtype))


def _default(value):
    """The default dtype of a Python number."""
    if isinstance(value, bool):
        return tf.bool
    if isinstance(value, int):
        return tf.int32 if -(2**31) <= value < 2**31 else tf.int64 if value < 2**63 else tf.uint64
    return DEFAULTS["complex floating"] if isinstance(value, complex) else _FLOAT


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """A tensor of a value.

    Args:
      obj: tensor, array of another library, Python number, or nested sequence of numbers.
      dtype: dtype of the result; None: that of the array, for Python's numbers bool, int32 (int64 if they need it),
        float32 or complex64.
      device: the device, None or that of every tensor.
      copy: True: the result is a tensor of its own; False: fails if that is needed.

    Returns:
      A tensor.

    Raises:
      ValueError: `copy` is False and a copy is needed, or there is no such device.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.asarray([1, 2.5])
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>
    """
    check_device(device)
    if isinstance(obj, (tf.Tensor, tf.Variable)):
        result = obj if isinstance(obj, tf.Tensor) else obj.value()
        if dtype is not None and result.dtype != dtype:
            if copy is False:
                raise ValueError(f"Unable to avoid copy while casting {result.dtype.name} to {tf.as_dtype(dtype).name}")
            return tf.cast(result, dtype)
        return tf.identity(result) if copy else result
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if hasattr(obj, "dtype") or hasattr(obj, "__dlpack__"):
        result = tf.convert_to_tensor(obj) if hasattr(obj, "__array__") else from_dlpack(obj)
        return result if dtype is None else tf.cast(result, dtype)
    leaves = tf.nest.flatten(obj)
    if not all(isinstance(leaf, (bool, int, float, complex)) and not hasattr(leaf, "dtype") for leaf in leaves):
        return tf.convert_to_tensor(obj, dtype)
    wide = _widest(leaves)
    kind = complex if (dtype or wide).is_complex else float if (dtype or wide).is_floating else None
    if kind is not None:
        obj = tf.nest.map_structure(kind, obj)
    if dtype is not None and kind is None and (wide.is_floating or dtype.is_bool != wide.is_bool):
        return tf.cast(tf.convert_to_tensor(obj), dtype)
    return tf.convert_to_tensor(obj, dtype or wide)


def _widest(leaves):
    """The default dtype of the widest kind among Python numbers; the default float if there are none."""
    found = {_default(leaf) for leaf in leaves}
    for dtype in (tf.complex64, tf.float32, tf.uint64, tf.int64, tf.int32, tf.bool):
        if dtype in found:
            return dtype
    return _FLOAT


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor of the array of another library.

    Args:
      x: object with `__dlpack__`.
      device: the device, None or that of every tensor.
      copy: True: the result is a copy.

    Returns:
      A tensor.

    Raises:
      ValueError: there is no such device.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.from_dlpack(np.arange(2.0)).numpy().tolist()
      [0.0, 1.0]
    """
    check_device(device)
    if isinstance(x, tf.Tensor):
        return tf.identity(x) if copy else x
    result = tf.experimental.dlpack.from_dlpack(x)
    return tf.identity(result) if copy else result


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """The numbers start, start + step, … below `stop`.

    Args:
      start: number; the end of the range if `stop` is None, which then starts at 0.
      stop: number.
      step: number, not 0.
      dtype: dtype of the result; None: int32 if all numbers are ints, else float32.
      device: the device, None or that of every tensor.

    Returns:
      Vector.

    Raises:
      ValueError: `step` is 0.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.arange(1, 7, 2).numpy().tolist()
      [1, 3, 5]
    """
    check_device(device)
    first, last = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ValueError("step must be non-zero")
    if dtype is None:
        dtype = _widest([first, last, step])
    # Counted in Python, so that the size does not depend on roundings of the dtype.
    count = max(0, -((first - last) // step)) if all(isinstance(x, int) for x in (first, last, step)) else None
    if count is None:
        count = max(0, -int((first - last) // step))
    work = dtype if dtype in (tf.int64, tf.float64) else tf.float64 if dtype.is_floating else tf.int64
    places = tf.range(count, dtype=tf.int64)
    return tf.cast(tf.cast(places, work) * tf.constant(step, work) + tf.constant(first, work), dtype)


def empty(shape, *, dtype=None, device=None):
    """The same as `zeros`: there are no elements without a value.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.empty(2).shape
      TensorShape([2])
    """
    return _filled(shape, 0, dtype or _FLOAT, device)


def zeros(shape, *, dtype=None, device=None):
    """Zeros.

    Args:
      shape: int or sequence of ints.
      dtype: dtype of the result; None: float32.
      device: the device, None or that of every tensor.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.zeros(2).numpy().tolist()
      [0.0, 0.0]
    """
    return _filled(shape, 0, dtype or _FLOAT, device)


def ones(shape, *, dtype=None, device=None):
    """Ones; the arguments are those of `zeros`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.ones(2, dtype=tf.int8).numpy().tolist()
      [1, 1]
    """
    return _filled(shape, 1, dtype or _FLOAT, device)


def full(shape, fill_value, *, dtype=None, device=None):
    """One number everywhere.

    Args:
      shape: int or sequence of ints.
      fill_value: Python number.
      dtype: dtype of the result; None: the default one of the number.
      device: the device, None or that of every tensor.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.full((1, 2), 7).numpy().tolist()
      [[7, 7]]
    """
    if isinstance(fill_value, tf.Tensor):
        check_device(device)
        return tf.fill((shape,) if isinstance(shape, int) else shape, asarray(fill_value, dtype=dtype))
    return _filled(shape, fill_value, dtype, device)


def _like(name: str, x, value, dtype, device):
    x = one(name, x)
    dtype = dtype or x.dtype
    check_device(device)
    shape = x.shape.as_list() if x.shape.is_fully_defined() else tf.shape(x)
    return tf.fill(shape, as_dtype(value, dtype))


def empty_like(x, /, *, dtype=None, device=None):
    """The same as `zeros_like`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.empty_like(tf.constant([1, 2])).shape
      TensorShape([2])
    """
    return _like("empty_like", x, 0, dtype, device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros in the shape of an array, and of its dtype if none is given.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.zeros_like(tf.constant([1, 2])).numpy().tolist()
      [0, 0]
    """
    return _like("zeros_like", x, 0, dtype, device)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones in the shape of an array, and of its dtype if none is given.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.ones_like(tf.constant([1, 2])).numpy().tolist()
      [1, 1]
    """
    return _like("ones_like", x, 1, dtype, device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """One number in the shape of an array, and of its dtype if none is given.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.full_like(tf.constant([1, 2]), 7).numpy().tolist()
      [7, 7]
    """
    return _like("full_like", x, fill_value, dtype, device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on diagonal k of a matrix of zeros.

    Args:
      n_rows: int.
      n_cols: int; None: as many as rows.
      k: int; positive ones are above the main diagonal.
      dtype: dtype of the result; None: float32.
      device: the device, None or that of every tensor.

    Returns:
      Matrix.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.eye(2, k=1).numpy().tolist()
      [[0.0, 1.0], [0.0, 0.0]]
    """
    check_device(device)
    columns = tf.range(n_rows if n_cols is None else n_cols, dtype=tf.int64)
    return tf.cast(tf.equal(columns, tf.range(n_rows, dtype=tf.int64)[:, tf.newaxis] + k), dtype or _FLOAT)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """`num` numbers from `start` to `stop` at equal distances.

    Args:
      start, stop: numbers.
      num: int, how many.
      dtype: dtype of the result; None: float32, complex64 if a bound is complex.
      device: the device, None or that of every tensor.
      endpoint: whether `stop` is the last of them.

    Returns:
      Vector.

    Raises:
      ValueError: `num` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linspace(0, 1, 3).numpy().tolist()
      [0.0, 0.5, 1.0]
    """
    check_device(device)
    if num < 0:
        raise ValueError(f"num must be non-negative, got {num}")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    dtype = dtype or (DEFAULTS["complex floating"] if is_complex else _FLOAT)
    work = tf.complex128 if dtype.is_complex else tf.float64
    if dtype.is_integer and all(isinstance(x, int) for x in (start, stop)):
        start, stop = float(start), float(stop)
    steps = max(num - 1 if endpoint else num, 1)
    number = complex if work.is_complex else float
    first, last = tf.constant(number(start), work), tf.constant(number(stop), work)
    places = tf.range(num, dtype=tf.int64)
    result = first + tf.cast(places, work) * ((last - first) / tf.constant(number(steps), work))
    if endpoint and num > 1:
        result = tf.where(tf.equal(places, num - 1), last, result)
    return tf.cast(result, dtype)


def meshgrid(*arrays, indexing="xy"):
    """Grids of coordinates: each vector, repeated along the axes of the others.

    Args:
      *arrays: vectors of one dtype.
      indexing: "xy" or "ij".

    Returns:
      Tuple of tensors.

    Raises:
      ValueError: their dtypes are not the same, or another indexing.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.array_api.meshgrid(tf.constant([1, 2]), tf.constant([3]))]
      [[[1, 2]], [[3, 3]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}")
    arrays = [one("meshgrid", x, ALL) for x in arrays]
    if len({x.dtype for x in arrays}) > 1:
        raise ValueError("meshgrid inputs must all have the same dtype")
    sizes = [tf.size(x) for x in arrays]
    count = len(arrays)
    swapped = indexing == "xy" and count > 1
    order = [1, 0, *range(2, count)] if swapped else list(range(count))
    shape = tf.stack([sizes[i] for i in order]) if arrays else []
    grids = []
    for i, x in enumerate(arrays):
        own = [1] * count
        own[order.index(i)] = -1
        grids.append(tf.broadcast_to(tf.reshape(x, own), shape))
    return tuple(grids)


def _triangle(name: str, x, k: int, below: bool):
    x = one(name, x, ALL)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"{name} takes arrays of rank 2 at least, got shape {x.shape}")
    shape = tf.shape(x, out_type=tf.int64)
    difference = tf.range(shape[-1]) - tf.range(shape[-2])[:, tf.newaxis]
    inside = difference <= k if below else difference >= k
    return tf.where(inside, x, tf.zeros([], x.dtype))


def tril(x, /, *, k=0):
    """Matrices with zeros above diagonal k.

    Raises:
      ValueError: the rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.tril(tf.constant([[1, 2], [3, 4]])).numpy().tolist()
      [[1, 0], [3, 4]]
    """
    return _triangle("tril", x, k, below=True)


def triu(x, /, *, k=0):
    """Matrices with zeros below diagonal k.

    Raises:
      ValueError: the rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.triu(tf.constant([[1, 2], [3, 4]])).numpy().tolist()
      [[1, 2], [0, 4]]
    """
    return _triangle("triu", x, k, below=False)


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements in another dtype.

    Args:
      x: array.
      dtype: `tf.DType`.
      copy: True: the result is a tensor of its own.
      device: the device, None or that of every tensor.

    Returns:
      A tensor.

    Raises:
      TypeError: complex numbers to real ones.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.astype(tf.constant([1.5]), tf.int8).numpy().tolist()
      [1]
    """
    check_device(device)
    x = one("astype", x, ALL)
    if x.dtype.is_complex and kind_of(dtype) in NUMERIC and not dtype.is_complex:
        raise TypeError(f"astype: cast of {x.dtype.name} to {dtype.name} drops the imaginary part; take array_api.real first")
    if x.dtype == dtype:
        return tf.identity(x) if copy else x
    return tf.cast(x, dtype)
