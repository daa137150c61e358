"""`tf.xla.experimental`: functions and scopes that ask for compilation."""

import pytest

pytestmark = [pytest.mark.rule("surface"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(params=["eager", "traced"])
def compiled(tf, request):
    """Calls `compile`, eagerly or in a tf.function."""
    call = tf.xla.experimental.compile
    return call if request.param == "eager" else tf.function(call, autograph=False)


def test_results(tf, compiled):
    x = tf.constant([1.0, 2.0])
    (only,) = compiled(lambda a: a * 2.0, [x])
    assert only.numpy().tolist() == [2.0, 4.0]
    for structure in (list, tuple):
        found = compiled(lambda a: structure([a, a + 1.0]), [x])  # noqa: B023
        assert isinstance(found, (list, tuple)) and [y.numpy()[0] for y in found] == [1.0, 2.0]
    named = compiled(lambda a: {"a": a, "b": (a, [a])}, [x])
    assert named["b"][1][0].numpy().tolist() == [1.0, 2.0]
    (number,) = compiled(lambda: 3)
    assert int(number) == 3


def test_arguments(tf, compiled):
    (found,) = compiled(lambda a: a[0] + a[1], [[1.0, 2.0]])  # a nest of two scalars
    assert float(found) == 3.0
    with pytest.raises(TypeError, match="inputs must be a list"):
        compiled(lambda a: a, tf.constant(1.0))
    with pytest.raises(ValueError, match="must all either be Operations or convertible to Tensors"):
        compiled(lambda a: [a, None], [1.0])


def test_variables(tf):
    v = tf.Variable(1.0)
    (found,) = tf.xla.experimental.compile(lambda a: v.assign_add(a), [2.0])
    assert float(found) == v.numpy() == 3.0


def test_scopes(tf):
    def plus_one(x):
        with tf.xla.experimental.jit_scope(), tf.xla.experimental.jit_scope(compile_ops=False):
            return x + 1.0

    assert float(tf.function(plus_one)(tf.constant(1.0))) == 2.0
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        plus_one(tf.constant(1.0))
