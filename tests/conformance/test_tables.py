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


def test_initializers_of_older_tables(tf):
    lookup, filling = tf.compat.v1.lookup, tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([7], tf.int64))
    table = lookup.StaticHashTable(filling, -1)
    assert isinstance(table, tf.lookup.StaticHashTable) and int(table.lookup(tf.constant("a"))) == 7
    assert not hasattr(tf.lookup.StaticHashTable(filling, -1), "initializer")
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        filling = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64))
        table = lookup.StaticHashTable(filling, -1)
        words = lookup.StaticVocabularyTable(filling, 1)
        assert isinstance(words, tf.lookup.StaticVocabularyTable)
        hashed = lookup.StaticVocabularyTable(None, 2, tf.string)
        with tf.name_scope("inside"):
            operations = [table.initializer, words.initializer, hashed.initializer]
        assert [op.type for op in operations] == ["LookupTableImportV2", "LookupTableImportV2", "NoOp"]
        assert operations[-1].name == "inside/init/NoOp" and operations[0] in graph.get_collection("table_initializer")
        found = [one.lookup(tf.constant(["a", "b"])) for one in (table, words)]
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            session.run(found[0])
        session.run(operations)
        assert [values.tolist() for values in session.run(found)] == [[0, -1], [0, 1]]
