"""Samples of the ops on datasets in files."""

import itertools
import pathlib
import tempfile

import numpy as np
import tracefn as tf

from support.dataset_programs import NUMBER, SCALAR, TEXT, numbers, once_experimental, raw, read, traced

# Samples write files of their own, for TensorFlow runs several at once.
_numbers = itertools.count()


def _folder() -> pathlib.Path:
    folder = pathlib.Path(tempfile.gettempdir()) / "tracefn_dataset_samples"
    folder.mkdir(exist_ok=True)
    return folder


def _file(name: str, contents: bytes) -> str:
    path = _folder() / name
    if not path.exists() or path.read_bytes() != contents:
        path.write_bytes(contents)
    return str(path)


def _lines():
    path = _file("lines.txt", b"one\ntwo\r\n\nthree")
    made = raw.TextLineDataset(filenames=[path], compression_type="", buffer_size=np.int64(0))
    return read(made, 4, TEXT)


def _fixed(op, **arguments):
    def run():
        path = _file("fixed.bin", b"Haabbccf")
        made = getattr(raw, op)(
            filenames=[path],
            header_bytes=np.int64(1),
            record_bytes=np.int64(2),
            footer_bytes=np.int64(1),
            buffer_size=np.int64(0),
            **arguments,
        )
        return read(made, 3, TEXT)

    return run


def _records(op, **arguments):
    number = next(_numbers)

    def run():
        path = str(_folder() / f"records_{number}.tfrecord")
        words = raw.TensorSliceDataset(components=[np.array([b"a", b"", b"long" * 9], object)], output_shapes=[[]])
        raw.DatasetToTFRecord(input_dataset=words, filename=path, compression_type="")
        made = getattr(raw, op)(filenames=[path], compression_type="", buffer_size=np.int64(0), **arguments)
        return read(made, 3, TEXT)

    return run


def _matching():
    _file("match_a", b"")
    _file("match_b", b"")
    return read(raw.MatchingFilesDataset(patterns=[str(_folder() / "match_*")]), 2, TEXT)


def _saved(version_2):
    number = next(_numbers)

    def run():
        path = str(_folder() / f"saved_{number}")
        arguments = {"path": path, "shard_func_other_args": [], "shard_func": traced(lambda x: x % 2, SCALAR)}
        if version_2:
            read(raw.SaveDatasetV2(input_dataset=numbers(3), **arguments, **NUMBER), 3)
            return [tf.constant(1)]
        raw.SaveDataset(input_dataset=numbers(3), **arguments)
        flat = traced(
            lambda shards: raw.FlatMapDataset(
                input_dataset=shards,
                other_arguments=[],
                f=traced(lambda x: x, tf.TensorSpec([], tf.variant)),
                **NUMBER,
            ),
            tf.TensorSpec([], tf.variant),
        )
        return read(raw.LoadDataset(path=path, reader_func_other_args=[], reader_func=flat, **NUMBER), 3)

    return run


def _snapshot():
    flat = traced(
        lambda shards: raw.FlatMapDataset(
            input_dataset=shards, other_arguments=[], f=traced(lambda x: x, tf.TensorSpec([], tf.variant)), **NUMBER
        ),
        tf.TensorSpec([], tf.variant),
    )
    made = raw.SnapshotDatasetV2(
        input_dataset=numbers(3),
        path=str(_folder() / "snapshot"),
        reader_func_other_args=[],
        shard_func_other_args=[],
        reader_func=flat,
        shard_func=traced(lambda x: x * 0, SCALAR),
        **NUMBER,
    )
    return read(made, 3) + read(made, 3)


def _csv(op, **arguments):
    types = {"output_types": [tf.int32, tf.string], "output_shapes": [[], []]}

    def run():
        path = _file("columns.csv", b'n,name\n1,"a, b"\n,c\n3,"d\ne"\n')
        made = getattr(raw, op)(
            filenames=[path],
            compression_type="",
            buffer_size=np.int64(4096),
            header=np.bool_(True),
            field_delim=",",
            use_quote_delim=np.bool_(True),
            na_value="",
            select_cols=np.int64([]),
            record_defaults=[np.int32([7]), np.array(["none"], object)],
            output_shapes=[[], []],
            **arguments,
        )
        return read(made, 3, types)

    return run


def _parsed(op):
    types = {"output_types": [tf.float32, tf.int64], "output_shapes": [[None, 2], [None]]}

    def run():
        # x: two floats, y: an int.
        floats = b"\x0a\x11\x0a\x01x\x12\x0c\x12\x0a\x0a\x08" + np.float32([1.5, 2.5]).tobytes()
        ints = b"\x0a\x0a\x0a\x01y\x12\x05\x1a\x03\x0a\x01\x05"
        body = floats + ints
        example = b"\x0a" + bytes([len(body)]) + body
        batch = raw.TensorDataset(components=[np.array([example, example], object)], output_shapes=[[2]])
        made = getattr(raw, op)(
            input_dataset=batch,
            num_parallel_calls=np.int64(1),
            dense_defaults=[np.int64(0), np.float32([])],
            sparse_keys=[],
            dense_keys=["y", "x"],
            sparse_types=[],
            dense_shapes=[[], [2]],
            **types,
        )
        return read(made, 1, types)

    return run


_PROGRAMS = {
    "CSVDataset": _csv("CSVDataset"),
    "CSVDatasetV2": _csv("CSVDatasetV2", exclude_cols=np.int64([])),
    "ParseExampleDataset": _parsed("ParseExampleDataset"),
    "ParseExampleDatasetV2": _parsed("ParseExampleDatasetV2"),
    "TextLineDataset": _lines,
    "FixedLengthRecordDataset": _fixed("FixedLengthRecordDataset"),
    "FixedLengthRecordDatasetV2": _fixed("FixedLengthRecordDatasetV2", compression_type=""),
    "TFRecordDataset": _records("TFRecordDataset"),
    "TFRecordDatasetV2": _records("TFRecordDatasetV2", byte_offsets=np.int64([])),
    "DatasetToTFRecord": _records("TFRecordDataset"),
    "MatchingFilesDataset": _matching,
    "SaveDataset": _saved(False),
    "SaveDatasetV2": _saved(True),
    "LoadDataset": _saved(False),
    "SnapshotDatasetV2": _snapshot,
}
PROGRAMS = once_experimental(_PROGRAMS, ["CSVDataset", "MatchingFilesDataset"])
