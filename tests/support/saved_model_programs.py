"""Modules that tests save, with functions, Variables, containers, tables and files; those in saved_models/ are made of them."""

from __future__ import annotations

import contextlib
import pathlib

FOLDER = pathlib.Path(__file__).parent / "saved_models"


def parts(tf):
    """A module with functions of many kinds, traced as tests call them."""

    class Parts(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="kernel")
            self.listed = [tf.Variable(1.0), tf.Variable(2, trainable=False)]
            self.named = {"bias": tf.Variable(5.0)}
            self.inner = tf.Module()
            self.inner.count = tf.Variable(9.0)
            self.offset = tf.constant([7.0, 8.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x):
            return x @ self.kernel + self.offset

        @tf.function
        def choose(self, x, training=False, *, factor=2):
            if training:
                return {"y": x * factor, "z": (x, x + self.listed[0])}
            return x - 1.0

        @tf.function
        def loop(self, n):
            s = tf.constant(0)
            while s < n:
                s += 2
            if s > 5:
                s = s * 10
            return s

        @tf.function(input_signature=[])
        def count(self):
            self.inner.count.assign_add(1.0)

    made = Parts()
    made.choose(tf.constant(1.0))
    made.choose(tf.constant([1.0, 2.0]), training=True)
    made.loop(tf.constant(3))
    return made


def tables(tf, vocabulary):
    """A module with tables: from tensors, from a file, and one that changes."""
    made = tf.Module()
    made.ids = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    made.words = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(
            str(vocabulary),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        num_oov_buckets=1,
    )

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look_up(x):
        return made.ids.lookup(x), made.words.lookup(x)

    made.look_up = look_up
    return made


def session_model(tf, path) -> None:
    """Writes a saved model of TensorFlow 1: a session's Variables, two graphs, a table, a sparse input and an assignment."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        words = v1.placeholder(tf.string, [None], name="words")
        sparse = v1.sparse_placeholder(tf.float32, [None, 2], name="sparse")
        w = v1.get_variable("w", [2, 1], initializer=v1.ones_initializer())
        count = v1.get_variable("count", [], initializer=v1.ones_initializer(), trainable=False)
        local = v1.get_local_variable("local", [], initializer=v1.constant_initializer(5.0))
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([7, 8], tf.int64)), -1)
        y = tf.identity(tf.matmul(x, w) * count, name="y")
        with tf.control_dependencies([count.assign_add(1.0)]):
            counted = tf.identity(count.read_value(), name="counted")
        session.run(v1.global_variables_initializer())
        session.run(w.assign([[3.0], [4.0]]))
        info, signature = v1.saved_model.build_tensor_info, v1.saved_model.build_signature_def
        signatures = {
            "serving_default": v1.saved_model.predict_signature_def({"x": x}, {"y": y}),
            "two": v1.saved_model.predict_signature_def({"b": y, "a": x}, {"z": y + x, "local": local.value()}),
            "words": signature({"words": info(words)}, {"ids": info(table.lookup(words))}, "look_up"),
            "sparse": signature({"s": info(sparse)}, {"z": info(tf.sparse.sparse_dense_matmul(sparse, w))}, "sparse"),
            "count": signature({}, {"counted": info(counted)}, "count"),
        }
        at_start = tf.group(v1.local_variables_initializer(), v1.tables_initializer())
        builder = v1.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures, main_op=at_start)
        builder.add_meta_graph(["serve", "other"], {"only": signatures["serving_default"]})
        builder.save()


def write(tf, folder: pathlib.Path) -> None:
    """Saves them in a folder."""
    made = parts(tf)
    tf.saved_model.save(made, str(folder / "parts"), signatures=made.__call__)
    session_model(tf, folder / "session")
    with contextlib.chdir(folder):  # TensorFlow keeps the path of the vocabulary
        vocabulary = pathlib.Path("words.txt")
        vocabulary.write_text("lake\nsea\n")
        tf.saved_model.save(tables(tf, vocabulary), "tables")
        vocabulary.unlink()
