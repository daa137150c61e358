"""Strings as numbers, and files of graphs: the functions of `tf.io` that are more than one op."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import op
from tracefn.ops.gfile import makedirs, text_bytes
from tracefn.variable import Variable


@export("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Numbers from their bytes.

    Args:
      input_bytes: string tensor; without `fixed_length` all its elements are equally long.
      out_type: dtype of the numbers; with `fixed_length`, not bool or complex.
      little_endian: whether the first byte of a number is its lowest.
      fixed_length: number of bytes that strings are cut to or filled up to with zeros: a multiple of a number's size.
      name: name of the op.

    Returns:
      Tensor of dtype `out_type`, with a new last axis.

    Raises:
      InvalidArgumentError: a length does not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.io.decode_raw(["ab", "cd"], tf.uint8).numpy().tolist()
      [[97, 98], [99, 100]]
      >>> tf.io.decode_raw(["a", "bcd"], tf.uint8, fixed_length=2).numpy().tolist()
      [[97, 0], [98, 99]]
    """
    if fixed_length is None:
        return op("DecodeRaw")(bytes=input_bytes, out_type=out_type, little_endian=little_endian, name=name)
    return op("DecodePaddedRaw")(
        input_bytes=input_bytes, fixed_length=fixed_length, out_type=out_type, little_endian=little_endian, name=name
    )


@export("compat.v1.decode_raw", "compat.v1.io.decode_raw")
def decode_raw_v1(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """Numbers from their bytes, as by `tf.io.decode_raw`; `bytes` is the old name of `input_bytes`.

    Raises:
      ValueError: an argument is missing, or both names are used.
    """
    if bytes is not None and input_bytes is not None:
        raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return decode_raw(input_bytes if bytes is None else bytes, out_type, little_endian, name=name)


@export("io.decode_csv")
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None
):
    """Records of comma-separated values as one tensor for each column, by the rules of RFC 4180.

    Args:
      records: string tensor, of one record in each element.
      record_defaults: list of tensors, one for each column: its dtype is the column's (float32, float64, int32, int64 or
        string), its element stands for an empty field. An empty vector: there must be no empty field.
      field_delim: one character between fields.
      use_quote_delim: whether quotes may be around a field.
      na_value: another text for an empty field.
      select_cols: indices of the columns to return, in increasing order; None: all.
      name: name of the op.

    Returns:
      List of tensors of the shape of `records`.

    Raises:
      ValueError: `select_cols` is not increasing, negative, or has another length than `record_defaults`.
      InvalidArgumentError: a record has other fields.

    Example:
      >>> import tracefn as tf
      >>> [c.numpy().tolist() for c in tf.io.decode_csv(["1,a", "2,"], [[0], ["none"]])]
      [[1, 2], [b'a', b'none']]
    """
    if select_cols is not None:
        if any(a >= b for a, b in zip(select_cols, select_cols[1:], strict=False)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return op("DecodeCSV")(
        records=records,
        record_defaults=record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols or [],
        name=name,
    )


@export("compat.v1.decode_csv", "compat.v1.io.decode_csv")
def decode_csv_v1(
    records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None
):
    """`tf.io.decode_csv` with its old order of arguments."""
    return decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)


@export("io.match_filenames_once")
def match_filenames_once(pattern, name=None):
    """The paths that match patterns when the variable is made.

    Args:
      pattern: scalar or vector of strings, as for `tf.io.matching_files`.
      name: name of the variable.

    Returns:
      A Variable, which is not trainable.
    """
    return Variable(op("MatchingFiles")(pattern=pattern), trainable=False, name=name or "matching_filenames", shape=[None])


@export("io.write_graph")
def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a file, whole or not at all.

    Args:
      graph_or_graph_def: a Graph or GraphDef.
      logdir: directory; it is made if it is missing.
      name: name of the file.
      as_text: whether the file holds the text of the GraphDef; else its serialized form.

    Returns:
      The path of the file.
    """
    as_graph_def = getattr(graph_or_graph_def, "as_graph_def", None)
    graph_def = graph_or_graph_def if as_graph_def is None else as_graph_def()
    makedirs(logdir)
    path = os.path.join(logdir, name)
    contents = str(graph_def).encode() if as_text else graph_def.SerializeToString()
    _core.write_local_file(text_bytes(path), contents)
    return path


__all__ = ["decode_csv", "decode_raw", "match_filenames_once", "write_graph"]
