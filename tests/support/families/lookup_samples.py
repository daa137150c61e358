"""Samples of the ops on lookup tables: each runs in a small graph that makes its table."""

import pathlib
import tempfile

import numpy as np
import tracefn as tf

raw = tf.raw_ops
KEYS = np.array([b"a", b"b", b"c"], object)
VALUES = np.array([5, 7, 9], np.int64)
ASKED = np.array([[b"c"], [b"x"]], object)
DEFAULT = np.int64(-1)
TYPES = {"key_dtype": "string", "value_dtype": "int64"}
ROWS = np.float32([[1, 2], [3, 4], [5, 6]])


def _find(table, default=DEFAULT, keys=ASKED):
    return raw.LookupTableFindV2(table_handle=table, keys=keys, default_value=default)


def _size(table):
    return raw.LookupTableSizeV2(table_handle=table)


def _static(make):
    def run():
        table = make(**TYPES)
        raw.InitializeTableV2(table_handle=table, keys=KEYS, values=VALUES)
        return [_find(table), _size(table)]

    return run


def _inserted(make, **options):
    def run():
        table = make(**TYPES, **options)
        raw.LookupTableInsertV2(table_handle=table, keys=KEYS, values=VALUES)
        return [_find(table), _size(table)]

    return run


def _vectors(make):
    def run():
        table = make(key_dtype="string", value_dtype="float32", value_shape=[2])
        raw.LookupTableInsertV2(table_handle=table, keys=KEYS, values=ROWS)
        return [_find(table, np.float32([0, -1]))]

    return run


def _dense(make):
    def run():
        table = make(
            empty_key=np.int64(-1), deleted_key=np.int64(-2), value_dtype="int64", initial_num_buckets=4
        )
        keys = np.int64([3, 8, 11])
        raw.LookupTableInsertV2(table_handle=table, keys=keys, values=VALUES)
        raw.LookupTableRemoveV2(table_handle=table, keys=np.int64([8]))
        return [_find(table, keys=keys), *raw.LookupTableExportV2(table_handle=table, Tkeys="int64", Tvalues="int64")]

    return run


def _mutable():
    table = raw.MutableHashTableV2(**TYPES)
    raw.LookupTableInsertV2(table_handle=table, keys=KEYS, values=VALUES)
    return table


def _removed():
    table = _mutable()
    raw.LookupTableRemoveV2(table_handle=table, keys=np.array([b"a", b"q"], object))
    return [_find(table, keys=KEYS), _size(table)]


def _imported():
    table = _mutable()
    raw.LookupTableImportV2(table_handle=table, keys=ASKED[0], values=VALUES[:1])
    return [_find(table, keys=KEYS)]


def _exported():
    table = raw.MutableHashTableV2(**TYPES)
    raw.LookupTableInsertV2(table_handle=table, keys=KEYS[:1], values=VALUES[:1])
    return list(raw.LookupTableExportV2(table_handle=table, Tkeys="string", Tvalues="int64"))


# TensorFlow reads it, too.
_VOCABULARY = pathlib.Path(tempfile.gettempdir()) / "tracefn_sample_vocabulary.txt"


def _from_file():
    _VOCABULARY.write_text("a\nb\nc\n")
    table = raw.HashTableV2(**TYPES)
    raw.InitializeTableFromTextFileV2(table_handle=table, filename=str(_VOCABULARY), key_index=-2, value_index=-1)
    return [_find(table, keys=KEYS)]


PROGRAMS = {
    "HashTableV2": _static(raw.HashTableV2),
    "AnonymousHashTable": _static(raw.AnonymousHashTable),
    "InitializeTableV2": _static(raw.HashTableV2),
    "InitializeTableFromTextFileV2": _from_file,
    "MutableHashTableV2": _inserted(raw.MutableHashTableV2),
    "AnonymousMutableHashTable": _inserted(raw.AnonymousMutableHashTable),
    "MutableHashTableOfTensorsV2": _vectors(raw.MutableHashTableOfTensorsV2),
    "AnonymousMutableHashTableOfTensors": _vectors(raw.AnonymousMutableHashTableOfTensors),
    "MutableDenseHashTableV2": _dense(raw.MutableDenseHashTableV2),
    "AnonymousMutableDenseHashTable": _dense(raw.AnonymousMutableDenseHashTable),
    "LookupTableInsertV2": _inserted(raw.MutableHashTableV2),
    "LookupTableFindV2": _inserted(raw.MutableHashTableV2),
    "LookupTableSizeV2": _inserted(raw.MutableHashTableV2),
    "LookupTableRemoveV2": _removed,
    "LookupTableImportV2": _imported,
    "LookupTableExportV2": _exported,
}
