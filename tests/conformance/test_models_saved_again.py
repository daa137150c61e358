"""Loaded models that are saved once more: what fills their tables goes with them."""

import os
import shutil

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def model(tf, tmp_path):
    """A model with three kinds of tables; one is filled from a file."""
    (tmp_path / "words.txt").write_text("a\nb\n")
    lines, place = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
            words = tf.lookup.TextFileInitializer(str(tmp_path / "words.txt"), tf.string, lines, tf.int64, place)
            self.words = tf.lookup.StaticHashTable(words, -1)
            self.few = tf.lookup.StaticVocabularyTable(
                tf.lookup.KeyValueTensorInitializer(["a"], [0], tf.string, tf.int64), 1
            )

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def look(self, x):
            return self.table.lookup(x), self.words.lookup(x), self.few.lookup(x)

    return Model()


def looked(tf, function):
    return [one.numpy().tolist() for one in function(tf.constant(["a", "b", "c"]))]


FOUND = [[1, -1, -1], [0, 1, -1], [0, 1, 1]]


def test_tables_and_their_files(tf, model, tmp_path):
    tf.saved_model.save(model, str(tmp_path / "0"))
    os.remove(tmp_path / "words.txt")
    for number in range(2):
        loaded = tf.saved_model.load(str(tmp_path / str(number)))
        assert looked(tf, loaded.look) == FOUND
        tf.saved_model.save(loaded, str(tmp_path / str(number + 1)))
        shutil.rmtree(tmp_path / str(number))
        assert os.listdir(tmp_path / str(number + 1) / "assets") == ["words.txt"]
    assert looked(tf, tf.saved_model.load(str(tmp_path / "2")).look) == FOUND


def test_tables_below_another_object(tf, model, tmp_path):
    tf.saved_model.save(model, str(tmp_path / "0"))
    loaded = tf.saved_model.load(str(tmp_path / "0"))
    outer = tf.Module()
    outer.inner = loaded
    outer.shifted = tf.function(lambda x: loaded.look(x)[0] + 1, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(outer, str(tmp_path / "1"))
    again = tf.saved_model.load(str(tmp_path / "1"))
    assert again.shifted(tf.constant(["a", "c"])).numpy().tolist() == [2, 0]
    assert looked(tf, again.inner.look) == FOUND


def test_restored_resources_are_resources(tf, model, tmp_path):
    tf.saved_model.save(model, str(tmp_path / "0"))
    table = tf.saved_model.load(str(tmp_path / "0")).table
    assert isinstance(table, tf.saved_model.experimental.TrackableResource)
    assert table.resource_handle is table.resource_handle and table.resource_handle.dtype == tf.resource


def test_gradients_of_gradients_after_two_savings(tf, tmp_path):
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.f = tf.function(lambda x: x * module.v * module.v, input_signature=[tf.TensorSpec([])])
    for name in ("one", "two", "three"):
        tf.saved_model.save(module, str(tmp_path / name))
        module = tf.saved_model.load(str(tmp_path / name))
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = module.f(3.0)
            slope = inner.gradient(y, module.v)
        assert (float(y), float(slope), float(outer.gradient(slope, module.v))) == (12.0, 12.0, 6.0)
