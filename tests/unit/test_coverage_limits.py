"""What is missing of TensorFlow only becomes less: tests/oracle/coverage_limits.json."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "tools"))
import coverage_limits
import keras_names
from left_out import NOT_YET, group_of
from signature_text import signature_text


@pytest.fixture(scope="module")
def numbers():
    return coverage_limits.numbers()


@pytest.mark.parametrize("key", coverage_limits.recorded())
def test_numbers_do_not_grow(numbers, key):
    assert numbers[key] <= coverage_limits.recorded()[key]


def test_all_numbers_are_recorded(numbers):
    assert coverage_limits.recorded().keys() == numbers.keys()


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("raw_ops.TPUExecute", "TPU"),
        ("raw_ops.XlaHostCompute", "XLA"),
        ("raw_ops.QuantizedAdd", "quantized arithmetic"),
        ("raw_ops.FIFOQueueV2", "queues and readers"),
        ("raw_ops.MapDataset", "input pipelines"),
        ("keras.layers.Dense", "Keras"),
        ("tpu", "TPU"),
        ("raw_ops.SparseAdd", "not yet"),
        ("audio.decode_wav", "not yet"),
    ],
)
def test_groups(path, title):
    assert group_of(path).title == title
    assert (group_of(path) is NOT_YET) == (title == "not yet" and path != "data")


def test_signature_texts():
    def function(a, b=1.0, *c, d=(1, None), e="float32", **f):
        return a, b, c, d, e, f

    assert signature_text(function) == "(a, b=1, *c, d=(1, None), e=float32, **f)"
    assert signature_text(3) is None


def test_names_that_keras_uses(tmp_path):
    (tmp_path / "layer.py").write_text(
        "import tensorflow as tf\n"
        "from keras.src.utils.module_utils import tensorflow as other\n"
        "from tensorflow.python.ops import gone\n"
        "def f(x):\n    if other.available:\n        return tf.math.add(x, tf.float32.max) + tf.__internal__.tf2.enabled()\n"
    )
    assert keras_names.names_in(tmp_path) == {"math.add", "float32", "__internal__.tf2.enabled", "python.ops.gone"}
    assert keras_names.missing(["math.add", "math.gone", "gone.add"]) == ["gone.add", "math.gone"]
