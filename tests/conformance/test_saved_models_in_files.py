"""Saved models that TensorFlow and this package have written: either reads both."""

from types import SimpleNamespace

import numpy as np
import pytest
from support import saved_model_programs as programs

pytestmark = pytest.mark.rule("surface")
WRITERS = ("tensorflow", "tracefn")


@pytest.fixture(params=WRITERS)
def folder(request):
    return programs.FOLDER / request.param


@pytest.fixture
def loaded(tf, folder):
    return tf.saved_model.load(str(folder / "parts"))


def test_functions(tf, loaded):
    x = tf.constant([[1.0, 1.0]])
    np.testing.assert_allclose(loaded(x), [[11.0, 14.0]])
    np.testing.assert_allclose(loaded(x=x), [[11.0, 14.0]])
    assert float(loaded.choose(tf.constant(3.0))) == 2.0
    found = loaded.choose(tf.constant([3.0, 4.0]), training=True)
    assert sorted(found) == ["y", "z"] and isinstance(found["z"], tuple)
    np.testing.assert_allclose(found["y"], [6.0, 8.0])
    np.testing.assert_allclose(found["z"][1], [4.0, 5.0])
    assert int(loaded.loop(tf.constant(7))) == 80 and int(loaded.loop(tf.constant(1))) == 2


def test_python_numbers_become_tensors(loaded):
    assert float(loaded.choose(3.0)) == 2.0 and int(loaded.loop(7)) == 80


def test_functions_change_variables(loaded):
    loaded.count()
    loaded.count()
    assert float(loaded.inner.count) == 11.0


def test_variables(loaded):
    assert loaded.kernel.trainable and len(loaded.listed) == 2
    assert [one.trainable for one in loaded.listed] == [True, False]
    assert int(loaded.listed[1]) == 2 and float(loaded.named["bias"]) == 5.0
    assert loaded.kernel.name == "kernel:0"


def test_training_goes_on(tf, loaded):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded(tf.ones([1, 2])))
    np.testing.assert_allclose(tape.gradient(y, loaded.kernel), np.ones((2, 2)))
    loaded.kernel.assign(tf.zeros([2, 2]))
    np.testing.assert_allclose(loaded(tf.ones([1, 2])), [[7.0, 8.0]])


def test_signatures(tf, loaded):
    assert list(loaded.signatures) == ["serving_default"]
    signature = loaded.signatures["serving_default"]
    for found in (signature(x=tf.ones([1, 2])), signature(tf.ones([1, 2]))):
        assert list(found) == ["output_0"]
        np.testing.assert_allclose(found["output_0"], [[11.0, 14.0]])
    assert signature.structured_input_signature[1]["x"].shape.as_list() == [None, 2]
    with pytest.raises(KeyError):
        loaded.signatures["other"]
    with pytest.raises(TypeError, match="missing a required (keyword-only )?argument"):
        signature(y=tf.ones([1, 2]))


def test_inside_of_functions(tf, loaded):
    double = tf.function(lambda x: loaded(x) * 2.0)
    np.testing.assert_allclose(double(tf.ones([1, 2])), [[22.0, 28.0]])


def test_no_trace_that_fits(tf, loaded):
    with pytest.raises(
        ValueError, match="Could not find matching concrete function to call loaded from the SavedModel"
    ) as error:
        loaded.choose(tf.constant([1, 2]))
    for line in (
        "Positional arguments (2 total):",
        "Option 2:",
        "TensorSpec(shape=(2,), dtype=tf.float32, name='x')",
        "{'factor': 2}",
    ):
        assert line in str(error.value)


def test_tables(tf, folder, tmp_path):
    loaded = tf.saved_model.load(str(folder / "tables"))
    tf.saved_model.save(loaded, str(tmp_path))
    for model in (loaded, tf.saved_model.load(str(tmp_path))):
        ids, words = model.look_up(tf.constant(["b", "sea", "lake"]))
        assert ids.numpy().tolist() == [2, -1, -1] and words.numpy().tolist() == [2, 1, 0]


def test_saved_again(tf, loaded, tmp_path):
    tf.saved_model.save(loaded, str(tmp_path), signatures=loaded.signatures["serving_default"])
    again = tf.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(again(tf.ones([1, 2])), [[11.0, 14.0]])
    assert int(again.loop(tf.constant(7))) == 80 and float(again.named["bias"]) == 5.0


def test_two_models_at_once(tf, folder, tmp_path):
    both = tf.Module()
    both.models = [tf.saved_model.load(str(programs.FOLDER / name / "parts")) for name in WRITERS]
    both.models[0].kernel.assign(tf.zeros([2, 2]))
    both.call = tf.function(lambda x: [model(x) for model in both.models], input_signature=[tf.TensorSpec([1, 2])])
    tf.saved_model.save(both, str(tmp_path))
    again = tf.saved_model.load(str(tmp_path))
    found = again.call(tf.ones([1, 2]))
    np.testing.assert_allclose(found, [[[7.0, 8.0]], [[11.0, 14.0]]])


def test_inputs_whose_names_are_no_parameters(tf, tmp_path):
    module = tf.Module()
    spec = {"a": tf.TensorSpec([None], tf.float32, "0/discount"), "b": tf.TensorSpec([None], tf.float32, "step")}
    module.f = tf.function(lambda x: {"out": x["a"] * 2.0 + x["b"]}, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    a, b = tf.constant([2.0]), tf.constant([1.0])
    assert loaded.f({"a": a, "b": b})["out"].numpy().tolist() == [5.0]
    signature = loaded.signatures["serving_default"]
    assert signature(**{"0/discount": a, "step": b})["out"].numpy().tolist() == [5.0]
    assert sorted(signature.structured_input_signature[1]) == ["arg_0_discount", "step"]


def test_fingerprints_of_messages(tf, tmp_path):
    tf.saved_model.save(tf.Module(), str(tmp_path))
    found = tf.saved_model.experimental.read_fingerprint(str(tmp_path))
    again = tf.saved_model.experimental.Fingerprint.from_proto(SimpleNamespace(**vars(found)))
    assert again == found and again.version.producer == found.version.producer > 0
    with pytest.raises(ValueError, match="Given proto could not be deserialized as fingerprint.'int' object has no attribute"):
        tf.saved_model.experimental.Fingerprint.from_proto(3)
