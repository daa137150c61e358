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


@pytest.fixture(scope="module")
def scaled(tf):
    """Gradient functions that multiply by 100 and by 7, under these names."""
    tf.RegisterGradient("By100OfThisSuite")(lambda op, dy: 100.0 * dy)
    tf.RegisterGradient("By7OfThisSuite")(lambda op, dy: 7.0 * dy)
    return {"Square": "By100OfThisSuite"}, {"Square": "By7OfThisSuite"}


@pytest.mark.rule(195)
def test_the_inner_map_of_nested_ones_counts(tf, scaled):
    outer, inner = scaled

    @tf.function
    def f(x):
        with x.graph.gradient_override_map(outer):
            before = tf.square(x)
            with x.graph.gradient_override_map(inner):
                within = tf.square(x)
            with x.graph.gradient_override_map({"Exp": inner["Square"]}):
                other = tf.square(x) + tf.exp(x)
            after = tf.square(x)
        return [tf.gradients(y, x)[0] for y in (before, within, other, after, tf.square(x))]

    assert [float(slope) for slope in f(tf.constant(3.0))] == [100.0, 7.0, 107.0, 100.0, 6.0]


@pytest.mark.rule(195)
def test_maps_count_inside_of_their_context(tf, scaled):
    seen = []

    @tf.RegisterGradient("SeeingOfThisSuite")
    def slope(op, dy):
        seen.append((op.type, op.name))
        return 2.0 * dy

    @tf.function
    def f(x):
        with x.graph.gradient_override_map({"Square": "SeeingOfThisSuite"}):
            return tf.gradients(tf.square(x, name="sq"), x)[0]

    assert float(f(tf.constant(3.0))) == 2.0 and seen == [("Square", "sq")]


@pytest.mark.rule(195)
def test_a_map_whose_context_ends_by_an_exception(tf, scaled):
    @tf.function(autograph=False)
    def f(x):
        made = []
        with pytest.raises(ZeroDivisionError), x.graph.gradient_override_map(scaled[0]):
            made.append(tf.square(x))
            raise ZeroDivisionError
        made.append(tf.square(x))
        return [tf.gradients(y, x)[0] for y in made]

    assert [float(slope) for slope in f(tf.constant(3.0))] == [100.0, 6.0]


@pytest.mark.rule(195, 196)
def test_tapes_inside_of_a_trace_know_no_maps(tf, scaled):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with x.graph.gradient_override_map(scaled[0]):
                y = tf.square(x)
        return tape.gradient(y, x), tf.gradients(y, x)[0]

    assert [float(slope) for slope in f(tf.constant(3.0))] == [6.0, 100.0]


_REFUSED = [
    ("TwoOfThisSuite", lambda op, dy: (dy, dy), ValueError, 'Num gradients 2 generated for op name: "same"\n'),
    (
        "RowsOfThisSuite",
        lambda op, dy: dy * [[1.0, 2.0, 3.0]],
        ValueError,
        "Incompatible shapes between op input and calculated input gradient. Forward operation: same. Input index: 0.",
    ),
    ("NotOfThisSuite", None, LookupError, r"No gradient defined for operation'same' \(op type: Identity\). In general every"),
]


@pytest.mark.rule(195)
@pytest.mark.parametrize(("name", "slope", "error", "words"), _REFUSED)
def test_functions_that_return_something_else(tf, name, slope, error, words):
    if slope is not None:
        tf.RegisterGradient(name)(slope)
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Identity": name}):
            y = tf.identity(x, name="same")
        with pytest.raises(error, match=words):
            tf.compat.v1.gradients(y, x)


@pytest.mark.rule(195)
def test_functions_that_return_unknown_shapes(tf):
    @tf.RegisterGradient("UnknownOfThisSuite")
    def slope(op, dy):
        return tf.compat.v1.placeholder_with_default(5.0 * dy, None)

    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0])
        with graph.gradient_override_map({"Identity": "UnknownOfThisSuite"}):
            found = tf.compat.v1.gradients(tf.identity(x), x)[0]
        assert found.shape == [2] and tf.compat.v1.Session().run(found).tolist() == [5.0, 5.0]
