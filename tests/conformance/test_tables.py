"""`tf.lookup`: what tables are made of."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_tables_are_made_of_some_keys(tf):
    keys, values = tf.constant([], tf.string), tf.constant([], tf.int64)
    for table in tf.lookup.StaticHashTable, tf.lookup.StaticVocabularyTable:
        with pytest.raises(tf.errors.InvalidArgumentError, match="keys and values cannot be empty tensors"):
            table(tf.lookup.KeyValueTensorInitializer(keys, values), 1)
