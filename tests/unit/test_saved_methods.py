"""Saved models of older releases of TensorFlow, whose functions are described with the instance of their method."""

import pytest
import tracefn as tf
from tracefn._saved_model.messages import encoded
from tracefn._saved_model.reading import read_saved_model
from tracefn._structured_value import decoded as decoded_structure
from tracefn._structured_value import encoded as encoded_structure


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(2.0)

    @tf.function
    def __call__(self, x, scale=3.0):
        return x * self.kernel * scale


def describe_with(folder, instance, is_method):
    """Writes a model whose functions have one parameter more."""
    record = read_saved_model(str(folder))
    for node in record.meta_graphs[0].object_graph_def.nodes:
        if node.function is not None:
            spec = node.function.function_spec
            full = decoded_structure(spec.fullargspec)
            spec.fullargspec = encoded_structure(full._replace(args=[*instance, *full.args]))
            spec.is_method = is_method
    (folder / "saved_model.pb").write_bytes(encoded(record))


@pytest.fixture
def folder(tmp_path):
    model = Model()
    model(tf.constant(1.0)), model(tf.ones([2]), 4.0)
    tf.saved_model.save(model, str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("instance", "is_method"), [(["self"], True), (["self"], None), (["this"], True)])
def test_calls_need_no_instance(folder, instance, is_method):
    describe_with(folder, instance, is_method)
    loaded = tf.saved_model.load(str(folder))
    assert float(loaded(tf.constant(5.0))) == 30.0 and float(loaded(x=5.0)) == 30.0
    assert loaded(tf.ones([2]), scale=4.0).numpy().tolist() == [8.0, 8.0]
    with pytest.raises(TypeError, match=r"signature: \(x, scale="):
        loaded()


def test_a_method_without_a_parameter_for_its_instance(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda: tf.constant(1.0))
    module.f()
    tf.saved_model.save(module, str(tmp_path))
    describe_with(tmp_path, [], True)
    with pytest.raises(NotImplementedError, match="Cannot deserialize a method function without a named 'self' argument"):
        tf.saved_model.load(str(tmp_path))
