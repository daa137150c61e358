"""What functions of a saved model capture from outside: paths of its files wherever they are read, and Python functions."""

import gc
import os

import pytest

pytestmark = pytest.mark.rule("surface")


def moved(tf, module, tmp_path, file):
    """The model loaded from another place, without the file that it was made from."""
    tf.saved_model.save(module, str(tmp_path / "made"))
    os.rename(tmp_path / "made", tmp_path / "moved")
    os.remove(file)
    return tf.saved_model.load(str(tmp_path / "moved"))


@pytest.fixture
def reader(tf, tmp_path):
    """A module with a file, whose functions read it in several ways."""
    file = tmp_path / "words"
    file.write_text("a\nb\n")

    class Reader(tf.Module):
        def __init__(self):
            self.asset = tf.saved_model.Asset(str(file))

        @tf.function(input_signature=[])
        def read(self):
            return tf.io.read_file(self.asset.asset_path)

        @tf.function(input_signature=[])
        def nested(self):
            return tf.strings.join([self.read(), self.read()])

        @tf.function(input_signature=[])
        def deeper(self):
            return tf.strings.length(self.nested())

        @tf.function(input_signature=[tf.TensorSpec([], tf.bool)])
        def branch(self, on):
            return tf.cond(on, lambda: tf.io.read_file(self.asset.asset_path), lambda: tf.constant(b"no"))

        @tf.function(input_signature=[tf.TensorSpec([], tf.bool)])
        def branch_of_call(self, on):
            return tf.cond(on, lambda: tf.constant(b"no"), lambda: self.read())

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def loop(self, n):
            text = tf.constant(b"")
            for _ in tf.range(n):
                text = text + tf.io.read_file(self.asset.asset_path)
            return text

        @tf.function(input_signature=[])
        def lines(self):
            count = tf.constant(0)
            for _ in tf.data.TextLineDataset(self.asset.asset_path):
                count += 1
            return count

        @tf.function(input_signature=[])
        def mapped(self):
            dataset = tf.data.Dataset.range(2).map(lambda i: tf.io.read_file(self.asset.asset_path))
            return dataset.reduce(tf.constant(b""), lambda a, b: a + b)

    return Reader(), file


def test_paths_of_files(tf, reader, tmp_path):
    module, file = reader
    loaded = moved(tf, module, tmp_path, file)
    text = b"a\nb\n"
    assert loaded.read().numpy() == text
    assert loaded.nested().numpy() == text * 2
    assert int(loaded.deeper()) == 8
    assert loaded.branch(True).numpy() == text and loaded.branch(False).numpy() == b"no"
    assert loaded.branch_of_call(False).numpy() == text
    assert loaded.loop(3).numpy() == text * 3
    assert int(loaded.lines()) == 2
    assert loaded.mapped().numpy() == text * 2


def test_paths_in_a_model_that_is_saved_again(tf, reader, tmp_path):
    module, file = reader
    loaded = moved(tf, module, tmp_path, file)
    outer = tf.Module()
    outer.inner = loaded
    outer.f = tf.function(lambda: loaded.nested(), input_signature=[])
    tf.saved_model.save(outer, str(tmp_path / "again"))
    os.remove(tmp_path / "moved" / "assets" / "words")
    assert tf.saved_model.load(str(tmp_path / "again")).f().numpy() == b"a\nb\na\nb\n"


def test_python_functions_that_live(tf, tmp_path):
    seen = []

    class Doubled(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def eager(self, x):
            return tf.py_function(lambda v: seen.append(1) or v * 2, [x], tf.float32)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def numpy(self, x):
            return tf.numpy_function(lambda v: v * 3, [x], tf.float32)

    module = Doubled()
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert float(loaded.eager(2.0)) == 4.0 and float(loaded.numpy(2.0)) == 6.0 and seen == [1]
    del module, Doubled
    gc.collect()


def test_gradients_of_python_functions_that_live(tf, tmp_path):
    class Step(tf.Module):
        def __init__(self):
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def step(self, x):
            with tf.GradientTape() as tape:
                y = tf.py_function(lambda v: v * v, [self.v * x], tf.float32)
            return tape.gradient(y, self.v)

    module = Step()
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert float(module.step(2.0)) == float(loaded.step(2.0)) == 24.0


@pytest.mark.superset("TensorFlow keeps the function of a module that is gone")
def test_python_functions_that_have_gone(tf, tmp_path):
    def save():
        module = tf.Module()
        signature = [tf.TensorSpec([], tf.float32)]
        module.f = tf.function(lambda x: tf.py_function(lambda v: v * 2, [x], tf.float32), input_signature=signature)
        tf.saved_model.save(module, str(tmp_path))

    save()
    gc.collect()
    loaded = tf.saved_model.load(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="callback pyfunc_[0-9]* is not found"):
        loaded.f(2.0)
