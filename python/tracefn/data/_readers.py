"""Datasets of the lines and records of files."""

from __future__ import annotations

import os
from typing import Any

from tracefn import _core
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import AUTOTUNE, MadeDataset, emit, int64, is_dataset, kind_class, made, string, unary
from tracefn.data._dataset import Dataset
from tracefn.data._mapping import dataset_function
from tracefn.data._sources import slice_dataset
from tracefn.tensor_spec import TensorSpec

_BUFFER_BYTES = 256 * 1024
_STRING = TensorSpec([], "string")


def file_names(filenames, name=None):
    """A dataset of file names, of a string tensor or a dataset.

    Raises:
      TypeError: they are no strings.
    """
    if is_dataset(filenames):
        dtype, shape = structure.dtypes_of(filenames.element_spec), structure.shapes_of(filenames.element_spec)
        if getattr(dtype, "name", None) != "string":
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of `{dtype!r}` elements."
            )
        if not shape.is_compatible_with([]):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a "
                f"dataset of element shape {shape!r}."
            )
        return filenames
    filenames = nest.map_structure(lambda x: os.fspath(x) if isinstance(x, os.PathLike) else x, filenames)
    if isinstance(filenames, list):
        filenames = [os.fspath(x) if isinstance(x, os.PathLike) else x for x in filenames]
    tensor = _core.convert_to_tensor(filenames, dtype_hint="string")
    if tensor.dtype.name != "string":
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{tensor.dtype!r}` elements.")
    flat = _core.raw_op("Reshape")(tensor=tensor, shape=[-1], name="flat_filenames")
    return slice_dataset(flat, is_files=True, name=name)


def _reading(read_one, filenames, num_parallel_reads, name):
    """The elements of the datasets that `read_one` makes of file names, one file after the other or several in turn."""
    names: Any = file_names(filenames, name)

    def read(filename):
        return read_one(string(filename, "filename"))

    if num_parallel_reads is None:
        found = names.flat_map(read, name=name)
    elif isinstance(num_parallel_reads, int) and num_parallel_reads == AUTOTUNE:
        found = names.interleave(read, num_parallel_calls=num_parallel_reads, name=name)
    else:
        found = parallel_interleave(names, read, num_parallel_reads, 1, sloppy=False, name=name)
    return found


def parallel_interleave(
    dataset,
    function,
    cycle_length,
    block_length,
    sloppy=False,
    buffer_output_elements=None,
    prefetch_input_elements=None,
    name=None,
):
    """The elements of several datasets in turn, which are read at the same time."""
    traced, spec = dataset_function(dataset, function, "tf.data.experimental.parallel_interleave()")
    ahead = 2 * block_length if buffer_output_elements is None else buffer_output_elements
    begun = 2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements
    return unary(
        "ParallelInterleaveDataset",
        "ParallelInterleaveDatasetV4",
        dataset,
        spec,
        name,
        other_arguments=traced.captured,
        f=traced.graph_function,
        cycle_length=int64(cycle_length),
        block_length=int64(block_length),
        buffer_output_elements=int64(ahead),
        prefetch_input_elements=int64(begun),
        num_parallel_calls=int64(cycle_length),
        deterministic="default" if sloppy is None else "false" if sloppy else "true",
    )


def _or(value, default):
    return default if value is None else value


def _source(op: str, name, **inputs):
    return made(f"_{op}", emit(op, _STRING, name, **inputs), _STRING)


def _reading_with(op, filenames, compression_type, buffer_size, num_parallel_reads, name):
    """The parts of files, by a dataset op that takes files, their compression and a number of bytes."""

    def read(filename):
        return _source(
            op,
            name,
            filenames=filename,
            compression_type=string(_or(compression_type, "")),
            buffer_size=int64(_or(buffer_size, _BUFFER_BYTES)),
        )

    return _reading(read, filenames, num_parallel_reads, name)


class _Reader(MadeDataset):
    """What files hold."""

    def _parts_of(self, dataset) -> None:
        self._set(dataset._variant_tensor, dataset.element_spec, [dataset])


@kind_class
class TextLineDatasetV2(_Reader, Dataset):
    """The lines of text files, as string scalars without their ends.

    Args:
      filenames: string tensor, or a Dataset of string scalars.
      compression_type: "GZIP", "ZLIB", or "" or None for none.
      buffer_size: how many bytes are read at a time, or None.
      num_parallel_reads: how many files are read at a time, in turn; None: one after the other.
      name: name of the dataset, or None.

    Raises:
      TypeError: file names are no strings. In iterations, NotFoundError: there is no such file.

    Example:
      >>> import tracefn as tf
      >>> tf.io.write_file("/tmp/tracefn_lines.txt", "one\\ntwo\\n")
      >>> list(tf.data.TextLineDataset("/tmp/tracefn_lines.txt").as_numpy_iterator())
      [b'one', b'two']
    """

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        self._parts_of(_reading_with("TextLineDataset", filenames, compression_type, buffer_size, num_parallel_reads, name))


@kind_class
class TFRecordDatasetV2(_Reader, Dataset):
    """The records of TFRecord files, as string scalars.

    Args:
      filenames: string tensor, or a Dataset of string scalars.
      compression_type: "GZIP", "ZLIB", or "" or None for none.
      buffer_size: how many bytes are read at a time, or None.
      num_parallel_reads: how many files are read at a time, in turn; None: one after the other.
      name: name of the dataset, or None.

    Raises:
      TypeError: file names are no strings. In iterations, NotFoundError: there is no such file; DataLossError: a file is
      damaged.

    Example:
      >>> import tracefn as tf
      >>> with tf.io.TFRecordWriter("/tmp/tracefn.tfrecords") as writer:
      ...     writer.write(b"record")
      >>> list(tf.data.TFRecordDataset("/tmp/tracefn.tfrecords").as_numpy_iterator())
      [b'record']
    """

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        self._parts_of(_reading_with("TFRecordDataset", filenames, compression_type, buffer_size, num_parallel_reads, name))


@kind_class
class FixedLengthRecordDatasetV2(_Reader, Dataset):
    """Records of a fixed number of bytes, as string scalars.

    Args:
      filenames: string tensor, or a Dataset of string scalars.
      record_bytes: the size of a record.
      header_bytes: how many bytes at the start of each file are left out, or None.
      footer_bytes: how many bytes at the end of each file are left out, or None.
      buffer_size: how many bytes are read at a time, or None.
      compression_type: "GZIP", "ZLIB", or "" or None for none.
      num_parallel_reads: how many files are read at a time, in turn; None: one after the other.
      name: name of the dataset, or None.

    Raises:
      TypeError: file names are no strings. In iterations, NotFoundError: there is no such file; InvalidArgumentError: it has
      no whole number of records.

    Example:
      >>> import tracefn as tf
      >>> tf.io.write_file("/tmp/tracefn_records", "aabbcc")
      >>> list(tf.data.FixedLengthRecordDataset("/tmp/tracefn_records", 2).as_numpy_iterator())
      [b'aa', b'bb', b'cc']
    """

    def __init__(
        self,
        filenames,
        record_bytes,
        header_bytes=None,
        footer_bytes=None,
        buffer_size=None,
        compression_type=None,
        num_parallel_reads=None,
        name=None,
    ):
        def read(filename):
            return _source(
                "FixedLengthRecordDatasetV2",
                name,
                filenames=filename,
                header_bytes=int64(_or(header_bytes, 0)),
                record_bytes=int64(record_bytes),
                footer_bytes=int64(_or(footer_bytes, 0)),
                buffer_size=int64(_or(buffer_size, _BUFFER_BYTES)),
                compression_type=string(_or(compression_type, "")),
            )

        self._parts_of(_reading(read, filenames, num_parallel_reads, name))


TextLineDataset, TFRecordDataset = TextLineDatasetV2, TFRecordDatasetV2
FixedLengthRecordDataset = FixedLengthRecordDatasetV2
