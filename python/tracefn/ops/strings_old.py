"""Functions on strings of `tf.compat.v1` that differ from those of `tf.strings`."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops.by_path import public_function
from tracefn.ops.strings import reduce_join as _join
from tracefn.ops.strings import to_number as _to_number
from tracefn.ops.strings_split import split_as

export("compat.v1.string_join")(public_function("strings.join"))
export("compat.v1.string_strip")(public_function("strings.strip"))
export("compat.v1.string_to_hash_bucket_fast")(public_function("strings.to_hash_bucket_fast"))
export("compat.v1.string_to_hash_bucket_strong")(public_function("strings.to_hash_bucket_strong"))


def _one_of(old_name: str, old, name: str, value):
    if old is not None and value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old if value is None else value


@export("compat.v1.strings.length")
def length(input, name=None, unit="BYTE"):
    """`tf.strings.length` with its arguments in another order.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.length(["a", "bc"]).numpy().tolist()
      [1, 2]
    """
    return public_function("strings.length")(input, unit=unit, name=name)


@export("compat.v1.strings.substr", "compat.v1.substr")
def substr(input, pos, len, name=None, unit="BYTE"):
    """`tf.strings.substr` with its arguments in another order.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.substr("hello", 1, 3).numpy()
      b'ell'
    """
    return public_function("strings.substr")(input, pos, len, unit=unit, name=name)


@export("compat.v1.strings.split")
def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """Splits strings at a separator, as `tf.strings.split`, into a sparse or ragged tensor.

    Args:
      input: string tensor or RaggedTensor; a scalar counts as a vector of one string.
      sep, maxsplit, name: see `tf.strings.split`.
      result_type: "SparseTensor" or "RaggedTensor".
      source: old name of `input`.

    Returns:
      SparseTensor or RaggedTensor.

    Raises:
      ValueError: there is no such type of result.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.split(["a b", "c"]).indices.numpy().tolist()
      [[0, 0], [0, 1], [1, 0]]
    """
    return split_as(_one_of("source", source, "input", input), sep, maxsplit, result_type, name)


@export("compat.v1.strings.to_number", "compat.v1.string_to_number")
def to_number(string_tensor=None, out_type="float32", name=None, input=None):
    """`tf.strings.to_number`, whose `input` was called `string_tensor`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.to_number("7", "int32").numpy()
      np.int32(7)
    """
    return _to_number(_one_of("string_tensor", string_tensor, "input", input), out_type, name)


@export("compat.v1.strings.to_hash_bucket", "compat.v1.string_to_hash_bucket")
def to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """`tf.strings.to_hash_bucket`, whose `input` was called `string_tensor`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.to_hash_bucket(["a"], 1).numpy().tolist()
      [0]
    """
    return public_function("strings.to_hash_bucket")(_one_of("string_tensor", string_tensor, "input", input), num_buckets, name)


@export("compat.v1.strings.reduce_join", "compat.v1.reduce_join")
def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    """`tf.strings.reduce_join` with old names of its arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.strings.reduce_join([["a", "b"]], reduction_indices=1).numpy().tolist()
      [b'ab']
    """
    keepdims = _one_of("keep_dims", keep_dims, "keepdims", keepdims)
    axis = _one_of("reduction_indices", reduction_indices, "axis", axis)
    return _join(inputs, axis, bool(keepdims), separator, name)
