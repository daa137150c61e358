"""Samples of the ops on files and on what is in them."""

import gzip
import pathlib
import tempfile
import zlib

import numpy as np
import tracefn as tf

from support.sample_values import grid, i64

raw = tf.raw_ops


def words(*values) -> np.ndarray:
    """Strings."""
    return np.array(values, object)


def word(value: bytes) -> np.ndarray:
    """A scalar string."""
    return np.array(value, object)


# TensorFlow reads them, too.
_FOLDER = pathlib.Path(tempfile.gettempdir()) / "tracefn_sample_files"
_FOLDER.mkdir(exist_ok=True)
_FILE = _FOLDER / "sample.txt"
_FILE.write_bytes(b"one\ntwo")
_FILE.with_name("sample.dat").write_bytes(b"")


def _written():
    raw.WriteFile(filename=str(_FOLDER / "below" / "written.bin"), contents=word(b"three"))
    return [tf.constant(1)]


_SAVED = _FOLDER / "saved"
_PARTS = ["numbers", "words", "parts", "parts"], ["", "", "5 0,2", "5 2,3"]


def _save(prefix):
    numbers = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tensors = [numbers, tf.constant([b"one", b""]), tf.constant([1, 2]), tf.constant([3, 4, 5])]
    names, slices = _PARTS
    raw.SaveV2(prefix=str(prefix), tensor_names=names, shape_and_slices=slices, tensors=tensors)
    return [tf.constant(1)]


def _saved():
    return _save(_FOLDER / "written")


def _merged():
    _save(_FOLDER / "part")
    raw.MergeV2Checkpoints(checkpoint_prefixes=[str(_FOLDER / "part")], destination_prefix=str(_FOLDER / "merged"))
    return [tf.constant(1)]


_save(_SAVED)


def _example(**features) -> bytes:
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def _ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _texts(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


_EXAMPLES = words(
    _example(a=_ints(1, 2), f=_floats(0.5), s=_texts(b"x", b"yz")),
    _example(a=_ints(3, -4), s=_texts()),
)


def _sequence(context, **lists) -> bytes:
    lists = {name: tf.train.FeatureList(feature=rows) for name, rows in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()


_SEQUENCES = words(
    _sequence({"c": _ints(1), "t": _texts(b"a")}, x=[_ints(1, 2), _ints(3, 4)], v=[_floats(0.5), _floats()]),
    _sequence({"c": _ints(2)}, x=[_ints(5, 6)], v=[]),
)
_NO_INTS = np.zeros([0], np.int64)
_NO_WORDS = np.zeros([0], "S1")  # an object would be no string where a test makes a scalar of it
_SPARSE_AND_DENSE = {
    "num_sparse": 1,
    "sparse_types": [tf.string],
    "dense_shapes": [[2], []],
    "dense_defaults": [_NO_INTS, np.array(9, np.float32)],
}

CALLS = {
    "ReadFile": [{"filename": word(str(_FILE).encode())}],
    "MatchingFiles": [
        {"pattern": word(str(_FOLDER / "*.txt").encode())},
        {"pattern": words(str(_FOLDER / "s?mple.*").encode(), str(_FOLDER / "[^a]*.dat").encode())},
    ],
    "RestoreV2": [
        {
            "prefix": word(str(_SAVED).encode()),
            "tensor_names": words(b"numbers", b"words", b"parts", b"numbers"),
            "shape_and_slices": words(b"", b"", b"5 1,3", b"2 3 -:1,2"),
            "dtypes": [tf.float32, tf.string, tf.int32, tf.float32],
        }
    ],
    "ShardedFilename": [{"basename": word(b"a"), "shard": np.int32(1), "num_shards": np.int32(12)}],
    "ShardedFilespec": [{"basename": word(b"a"), "num_shards": np.int32(12)}],
    "DecodeRaw": [
        {"bytes": words(b"abcd", b"efgh"), "out_type": "int16"},
        {"bytes": words(b"abcdefgh"), "out_type": "complex64", "little_endian": False},
    ],
    "DecodePaddedRaw": [
        {"input_bytes": words(b"abc", b"abcdef"), "fixed_length": np.int32(4), "out_type": "int16"},
        {"input_bytes": word(b"a"), "fixed_length": np.int32(8), "out_type": "int32", "little_endian": False},
    ],
    "DecodeCSV": [
        {
            "records": words(b"1,2.5,a", b' 3 ,,"b, ""c"""'),
            "record_defaults": [np.array([0], np.int32), np.array(7, np.float32), words(b"")],
        },
        {
            "records": words(b"1|NA|9"),
            "record_defaults": [i64(5)],
            "field_delim": "|",
            "na_value": "NA",
            "select_cols": [1],
        },
    ],
    "EncodeBase64": [{"input": words(b"a", b"ab", b"\xff\xfe\xfd")}, {"input": words(b"a", b""), "pad": True}],
    "DecodeBase64": [{"input": words(b"YQ", b"YWI=", b"__79")}],
    "DecodeCompressed": [
        {"bytes": words(zlib.compress(b"hello"), zlib.compress(b"")), "compression_type": "ZLIB"},
        {"bytes": words(gzip.compress(b"he") + gzip.compress(b"llo")), "compression_type": "GZIP"},
        {"bytes": words(b"hello")},
    ],
    "DecodeJSONExample": [
        {
            "json_examples": words(
                b'{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}}}}',
                b'{"features":{"feature":{"b":{"float_list":{"value":[1.5,"NaN"]}},"c":{"bytesList":{"value":["YQ=="]}}}}}',
            )
        }
    ],
    "DecodeProtoV2": [
        {
            "bytes": words(_EXAMPLES[0], b""),
            "message_type": "tensorflow.Example",
            "field_names": ["features"],
            "output_types": [tf.string],
        },
        {
            "bytes": words(b"value: 5 value: [-1, 7]", b""),
            "message_type": "tensorflow.Int64List",
            "field_names": ["value"],
            "output_types": [tf.int64],
            "message_format": "text",
            "sanitize": True,
        },
    ],
    "EncodeProto": [
        {
            "sizes": np.array([[2], [1]], np.int32),
            "values": [grid(2, 3)],
            "message_type": "tensorflow.FloatList",
            "field_names": ["value"],
        }
    ],
    "SerializeTensor": [{"tensor": grid(2, 3)}, {"tensor": words(b"a", b"\xff")}, {"tensor": np.int32(5)}],
    "ParseTensor": [
        {"serialized": word(b"\x08\x03\x12\x04\x12\x02\x08\x02\x22\x08\x01\x00\x00\x00\x02\x00\x00\x00"), "out_type": "int32"},
        {"serialized": word(b"\x08\x01\x12\x04\x12\x02\x08\x03\x2a\x04\x00\x00\x80\x3f"), "out_type": "float32"},
    ],
    "ParseExampleV2": [
        {
            "serialized": _EXAMPLES,
            "names": _NO_WORDS,
            "sparse_keys": words(b"q"),
            "dense_keys": words(b"a", b"f"),
            "ragged_keys": words(b"s"),
            "ragged_value_types": [tf.string],
            "ragged_split_types": [tf.int32],
            **_SPARSE_AND_DENSE,
        },
        {
            "serialized": _EXAMPLES,
            "names": words(b"n1", b"n2"),
            "sparse_keys": words(b"s"),
            "dense_keys": words(b"f"),
            "ragged_keys": _NO_WORDS,
            "ragged_value_types": [],
            "ragged_split_types": [],
            "num_sparse": 1,
            "sparse_types": [tf.string],
            "dense_shapes": [[None]],
            "dense_defaults": [np.array(-1, np.float32)],
        },
    ],
    "ParseSingleExample": [
        {
            "serialized": word(_EXAMPLES[0]),
            "sparse_keys": ["s"],
            "dense_keys": ["a", "f"],
            **_SPARSE_AND_DENSE,
        }
    ],
    "ParseSequenceExampleV2": [
        {
            "serialized": _SEQUENCES,
            "debug_name": _NO_WORDS,
            "context_sparse_keys": words(b"t"),
            "context_dense_keys": words(b"c"),
            "context_ragged_keys": words(b"u"),
            "feature_list_sparse_keys": words(b"v"),
            "feature_list_dense_keys": words(b"x"),
            "feature_list_ragged_keys": words(b"w"),
            "feature_list_dense_missing_assumed_empty": np.array([False]),
            "context_dense_defaults": [_NO_INTS],
            "Ncontext_sparse": 1,
            "Nfeature_list_sparse": 1,
            "Nfeature_list_dense": 1,
            "context_sparse_types": [tf.string],
            "context_ragged_value_types": [tf.int64],
            "context_ragged_split_types": [tf.int64],
            "context_dense_shapes": [[]],
            "feature_list_dense_types": [tf.int64],
            "feature_list_sparse_types": [tf.float32],
            "feature_list_ragged_value_types": [tf.float32],
            "feature_list_ragged_split_types": [tf.int32],
            "feature_list_dense_shapes": [[2]],
        }
    ],
}

PROGRAMS = {"MergeV2Checkpoints": _merged, "SaveV2": _saved, "WriteFile": _written}
