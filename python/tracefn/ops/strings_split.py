"""`tf.strings`: splitting strings into parts, as rows of ragged or sparse tensors."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, input_of, name_scope, op
from tracefn.ops.ragged import RaggedTensor
from tracefn.ops.ragged.tensor import convert_values, is_ragged
from tracefn.ops.sparse.tensor import SparseTensor


def _rows(indices, values, shape) -> RaggedTensor:
    """The rows of a sparse matrix of parts."""
    return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)


def _by_rank(input, split_vector, split_again):
    """The parts of strings of any shape.

    Args:
      input: string tensor or RaggedTensor.
      split_vector: makes a RaggedTensor of the parts of a vector of strings.
      split_again: the whole function, for values of other ranks.
    """
    if is_ragged(input):
        return input.with_flat_values(split_again(input.flat_values))
    rank = input.shape.rank
    if rank == 0:
        return split_vector(op("Pack")(values=[input]))[0]
    if rank is None or rank == 1:
        return split_vector(input)
    return split_again(RaggedTensor.from_tensor(input))  # type: ignore[attr-defined]


@export("strings.bytes_split")
def bytes_split(input, name=None):
    """Splits strings into their bytes.

    Args:
      input: string tensor or RaggedTensor of known rank.
      name: name of the ops.

    Returns:
      string RaggedTensor with one dimension more; a vector for a scalar.

    Raises:
      ValueError: the rank is not known.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.bytes_split(["ab", "", "c"])
      <tf.RaggedTensor [[b'a', b'b'], [], [b'c']]>
    """
    with name_scope(name or "StringsByteSplit"):
        input = convert_values(input, "input")
        if input.shape.rank is None:
            raise ValueError("input must have a statically-known rank.")

        def of_vector(strings):
            return _rows(*op("StringSplit")(input=input_of(strings, "string", "input"), delimiter="", skip_empty=False))

        return _by_rank(input, of_vector, bytes_split)


def sparse_parts(input, sep=None, maxsplit=-1) -> SparseTensor:
    """The parts of a vector of strings as a sparse matrix."""
    return SparseTensor(*op("StringSplitV2")(input=convert(input, dtype="string", name="input"), sep="" if sep is None else sep,
                                             maxsplit=maxsplit))


@export("strings.split")
def split(input, sep=None, maxsplit=-1, name=None):
    """Splits strings at a separator, as Python's `str.split`.

    Args:
      input: string tensor or RaggedTensor.
      sep: str, or scalar string tensor; None or "" stands for runs of whitespace, also at the ends.
      maxsplit: int, the most splits of a string if it is positive.
      name: name of the ops.

    Returns:
      string RaggedTensor with one dimension more; a vector for a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.split(["hello world", "a b c"])
      <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """
    with name_scope(name or "StringSplit"):
        input = convert_values(input, "input", dtype="string")

        def of_vector(strings):
            parts = sparse_parts(strings, sep, maxsplit)
            return _rows(parts.indices, parts.values, parts.dense_shape)

        return _by_rank(input, of_vector, lambda values: split(values, sep, maxsplit))


_RESULTS = "result_type must be 'RaggedTensor' or 'SparseTensor'."


@export("compat.v1.string_split")
def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """Splits the strings of a vector at bytes.

    Args:
      source: string vector.
      sep: str, or scalar string tensor, whose bytes separate; " " by default, and "" splits into bytes.
      skip_empty: whether empty parts are left out.
      delimiter: old name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: name of the ops.

    Returns:
      string SparseTensor [strings, most parts], or RaggedTensor.

    Raises:
      ValueError: both names of the separator are given, or there is no such type of result.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.string_split(["a b", "c"], result_type="RaggedTensor")
      <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    if delimiter is not None:
        if sep is not None:
            raise ValueError("Cannot specify both 'delimiter' and 'sep'.")
        sep = delimiter
    with name_scope(name or "StringSplit"):
        source = convert(source, dtype="string")
        parts = op("StringSplit")(input=source, delimiter=" " if sep is None else sep, skip_empty=skip_empty)
        if result_type == "SparseTensor":
            return SparseTensor(*parts)
        if result_type == "RaggedTensor":
            return _rows(*parts)
        raise ValueError(_RESULTS)


def split_as(input, sep=None, maxsplit=-1, result_type="SparseTensor", name=None):
    """`tf.strings.split` as in TensorFlow 1: a sparse or ragged tensor, which has a row for a scalar, too."""
    with name_scope(name or "StringSplit"):
        input = convert_values(input, "input", dtype="string")
        if input.shape.rank == 0:
            input = op("ExpandDims")(input=input, dim=0)
        if result_type == "SparseTensor":
            if input.shape.rank == 1:
                return sparse_parts(input, sep, maxsplit)
            return split(input, sep, maxsplit).to_sparse()
        if result_type == "RaggedTensor":
            return split(input, sep, maxsplit)
        raise ValueError(_RESULTS)
