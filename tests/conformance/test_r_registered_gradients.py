"""Section R of the tracing rules: gradient functions registered by name."""

import pytest

pytestmark = pytest.mark.needs("gradient")


@pytest.mark.rule(195)
def test_a_rule_for_an_op_that_has_none(tf):
    seen = []

    @tf.RegisterGradient("UniqueWithCounts")
    def slope(op, dy, of_places, of_counts):
        seen.append((op.type, len(op.inputs), op.get_attr("out_idx"), of_places.dtype, of_counts.dtype))
        return tf.gather(dy, op.outputs[1]) * 10.0

    assert callable(slope) and slope.__name__ == "slope"

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.unique_with_counts(x)[0] * [2.0, 3.0]
        return tape.gradient(y, x)

    for run in (f, tf.function(f)):
        assert run(tf.constant([5.0, 6.0, 5.0])).numpy().tolist() == [20.0, 30.0, 20.0]
    assert seen == [("UniqueWithCounts", 1, tf.int32, tf.int32, tf.int32)] * 2
    with pytest.raises(
        KeyError, match="Registering two gradient with name 'UniqueWithCounts'! .Previous registration was in "
    ):
        tf.RegisterGradient("UniqueWithCounts")(slope)


@pytest.mark.rule(195)
def test_names(tf):
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(3)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.no_gradient(3)
    assert tf.no_gradient("NoOpOfThisSuite") is None
    for again in (lambda: tf.no_gradient("NoOpOfThisSuite"), lambda: tf.no_gradient("Square")):
        with pytest.raises(KeyError, match="Registering two gradient with name"):
            again()


@pytest.mark.rule(195)
def test_no_gradient_of_an_op_that_has_none(tf):
    tf.no_gradient("Bitcast")
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.bitcast(x, tf.float32)
    assert tape.gradient(y, x) is None


@pytest.mark.rule(195, 196)
def test_other_rules_for_some_nodes(tf):
    @tf.RegisterGradient("HundredfoldOfThisSuite")
    def slope(op, dy):
        return 100.0 * dy * op.inputs[0]

    @tf.function
    def f(x):
        with x.graph.gradient_override_map({"Square": "HundredfoldOfThisSuite"}):
            y = tf.square(x)
        return tf.gradients(y + tf.square(x), x)[0], y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        slopes, y = f(x)
    assert float(slopes) == 306.0 and float(tape.gradient(y, x)) == 300.0
    for wrong in (["Square"], {"Square": 3}):
        with pytest.raises(Exception, match="op_type_map must be a dictionary mapping strings to"):
            tf.function(lambda x, wrong=wrong: x.graph.gradient_override_map(wrong).__enter__())(x)
