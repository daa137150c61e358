"""Extension types with registered names in saved models and saved datasets."""

import typing

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(scope="module")
def types(tf):
    class Inner(tf.experimental.ExtensionType):
        __name__ = "saved_extension_types.Inner"
        ids: tf.RaggedTensor
        kind: tf.DType = tf.float32

    class Outer(tf.experimental.ExtensionType):
        __name__ = "saved_extension_types.Outer"
        inner: Inner
        pair: typing.Tuple[tf.Tensor, ...]  # noqa: UP006
        named: typing.Mapping[str, tf.Tensor]
        shape: tf.TensorShape
        n: typing.Union[int, str] = 3  # noqa: UP007

    return Inner, Outer


def value(tf, types, n=3):
    inner, outer = types
    return outer(
        inner(tf.ragged.constant([[1, 2], [3]])),
        (tf.constant([1.0, 2.0]), tf.constant(3.0)),
        {"q": tf.constant(1)},
        tf.TensorShape([2, None]),
        n,
    )


def test_saved_models(tf, types, tmp_path):
    _, outer = types

    class Model(tf.Module):
        @tf.function
        def double(self, x):
            return outer(x.inner, tuple(t * 2.0 for t in x.pair), x.named, x.shape, "doubled")

    model = Model()
    model.double(value(tf, types))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    result = loaded.double(value(tf, types))
    assert isinstance(result, outer)
    assert (result.n, result.shape.as_list(), result.inner.kind) == ("doubled", [2, None], tf.float32)
    assert result.pair[0].numpy().tolist() == [2.0, 4.0]
    assert result.inner.ids.to_list() == [[1, 2], [3]]
    assert int(result.named["q"]) == 1
    # Another value of a Python field is another signature, which the model has not got.
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.double(value(tf, types, n=4))


def test_saved_datasets(tf, types, tmp_path):
    _, outer = types
    tf.data.Dataset.from_tensors(value(tf, types)).save(str(tmp_path))
    (element,) = tf.data.Dataset.load(str(tmp_path))
    assert isinstance(element, outer)
    assert float(element.pair[1]) == 3.0
    assert element.n == 3


def test_a_type_without_a_name(tf, tmp_path):
    class Unnamed(tf.experimental.ExtensionType):
        x: tf.Tensor

    model = tf.Module()
    model.f = tf.function(lambda v: v.x)
    model.f(Unnamed(1.0))
    with pytest.raises(Exception, match="No encoder for object .*Unnamed"):
        tf.saved_model.save(model, str(tmp_path))
