"""`tf.lookup`: what tables are made of."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_tables_are_made_of_some_keys(tf):
    keys, values = tf.constant([], tf.string), tf.constant([], tf.int64)
    for table in tf.lookup.StaticHashTable, tf.lookup.StaticVocabularyTable:
        with pytest.raises(tf.errors.InvalidArgumentError, match="keys and values cannot be empty tensors"):
            table(tf.lookup.KeyValueTensorInitializer(keys, values), 1)


def test_keys_are_tensors(tf):
    initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    for table in (tf.lookup.StaticHashTable(initializer, -1), tf.lookup.StaticVocabularyTable(initializer, 1)):
        for keys in (["a"], "a", 5, None):
            with pytest.raises(AttributeError, match="object has no attribute 'dtype'"):
                table.lookup(keys)
            with pytest.raises(AttributeError, match="object has no attribute 'dtype'"):
                tf.function(lambda table=table, keys=keys: table[keys])()
        with pytest.raises(TypeError, match="Dtype of argument `keys` must be <dtype: 'string'>, received: <dtype: 'int32'>"):
            table.lookup(tf.constant([1]))
        assert table.lookup(tf.Variable(["b"])).numpy().tolist() == [1]


def test_dtypes_of_columns_of_files(tf, tmp_path):
    index = tf.lookup.TextFileIndex
    for key, value, text in (
        ((tf.string, index.LINE_NUMBER), (tf.int64, 1), "`key_dtype` must be int64 if `key_index` is -1"),
        ((tf.string, index.WHOLE_LINE), (tf.string, index.LINE_NUMBER), "`value_dtype` must be int64 for `value_index` -1"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.lookup.TextFileInitializer(str(tmp_path / "file"), *key, *value)
