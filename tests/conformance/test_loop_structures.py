"""What `tf.while_loop` accepts as loop variables, results of the body and shape invariants."""

import pytest

pytestmark = pytest.mark.rule("surface")


def below_three(i, *_):
    return i < 3


def test_results_of_eager_bodies(tf):
    (three,) = tf.while_loop(below_three, lambda i: [i + 1], [0])
    assert int(three) == 3
    for alone in (lambda i: i + 1, lambda i: tf.constant(1)):
        with pytest.raises(TypeError, match=r"'int' object is not iterable|Cannot iterate over a scalar tensor"):
            tf.while_loop(below_three, alone, [0])
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        tf.while_loop(below_three, lambda i: None, [0])


def test_results_of_older_eager_bodies(tf):
    loop = tf.compat.v1.while_loop
    assert int(loop(below_three, lambda i: i + 1, [0])) == 3
    assert [int(i) for i in loop(below_three, lambda i: [i + 1], [0])] == [3]
    assert [int(i) for i in loop(lambda i: False, lambda i: i + 1, [0])] == [0]
    assert int(loop(below_three, lambda i: i + 1, [0], maximum_iterations=2)) == 2
    assert int(loop(lambda i: False, lambda i: i + 1, [0], maximum_iterations=2)) == 0
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        loop(below_three, lambda i: [i + 1], [0], maximum_iterations=2)
    (two,) = loop(below_three, lambda i: [i + 1], [0], maximum_iterations=2, return_same_structure=True)
    assert int(two) == 2


def test_numbers_of_eager_iterations(tf):
    (two,) = tf.while_loop(below_three, lambda i: [i + 1], [0], maximum_iterations=tf.constant(2))
    assert int(two) == 2
    with pytest.raises(ValueError, match=r"'maximum_iterations' must be a scalar\. Received shape: \(1,\)"):
        tf.while_loop(below_three, lambda i: [i + 1], [0], maximum_iterations=[2])
    with pytest.raises(TypeError, match="has type list, while second structure type=tuple"):
        tf.while_loop(below_three, lambda i: (i + 1,), [0], maximum_iterations=2)


def test_structures_of_shape_invariants(tf):
    scalar = tf.TensorShape([])

    def run(variables, invariants):
        @tf.function
        def f():
            return tf.while_loop(below_three, lambda i, *more: (i + 1, *more), variables, shape_invariants=invariants)

        return f()

    assert int(run((0,), (scalar,))[0]) == 3
    assert int(run([0, {"a": 1}], [scalar, {"a": scalar}])[0]) == 3
    for variables, invariants in (([0], (scalar,)), ((0,), [scalar])):
        with pytest.raises(TypeError, match="don't have the same (nested structure|sequence type)"):
            run(variables, invariants)
    for variables, invariants in (((0,), (scalar, scalar)), ((0, {"a": 1}), (scalar, {"b": scalar})), ((0,), scalar)):
        with pytest.raises(ValueError, match="don't have the same"):
            run(variables, invariants)


@pytest.mark.parametrize("entering, invariant", [("none", [None]), (1.0, [None]), ([1.0], []), ([[1.0, 2.0]], [2]), ([1.0], [2])])
def test_what_enters_a_while_loop_is_not_compared_with_the_invariants(tf, entering, invariant):
    @tf.function
    def unchanged():
        variables = (tf.constant(0), tf.constant(entering))
        invariants = (tf.TensorShape([]), tf.TensorShape(invariant))
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.identity(x)), variables, shape_invariants=invariants)

    count, result = unchanged()
    assert int(count) == 2 and result.shape == tf.constant(entering).shape
    assert tf.reduce_all(result == tf.constant(entering))


@pytest.mark.parametrize("invariant", [[None], [2]])
def test_what_the_body_of_a_while_loop_returns_is_compared(tf, invariant):
    @tf.function
    def summed():
        variables = (tf.constant(0), tf.constant(1.0))
        invariants = (tf.TensorShape([]), tf.TensorShape(invariant))
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.reduce_sum(x)), variables, shape_invariants=invariants)

    with pytest.raises(ValueError, match="enters the loop with shape"):
        summed()


def test_invariants_describe_what_enters(tf):
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor

    def enter(value, invariant):
        def loop():
            return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x), [0, value], shape_invariants=[tf.TensorShape([]), invariant])

        return tf.nest.flatten(tf.function(loop)()[1], expand_composites=True)[0]

    ragged, pair = tf.ragged.constant([[1, 2]]), Pair(tf.constant(1))
    assert int(enter(tf.constant(3), None)) == 3 and int(enter(tf.constant(3), tf.TensorSpec(None, tf.int32))) == 3
    assert enter(ragged, tf.RaggedTensorSpec([1, None], tf.int32)).shape == [2] and int(enter(pair, Pair.Spec(tf.TensorSpec([], tf.int32)))) == 1
    for value, spec in ((tf.constant(3), tf.TensorSpec([], tf.float32)), (tf.constant(3), tf.TensorSpec([2], tf.int32)),
                        (ragged, tf.RaggedTensorSpec([1, None], tf.float32)), (ragged, tf.TensorSpec([2], tf.int32)),
                        (pair, Pair.Spec(tf.TensorSpec([], tf.float32)))):  # fmt: skip
        with pytest.raises(TypeError, match="TypeSpec .* is not compatible with"):
            enter(value, spec)
    for wrong in ("a", 3, tf.int32):
        with pytest.raises(TypeError, match="'shape' must be one of TypeSpec, TensorShape or None. Received: <class"):
            enter(tf.constant(3), wrong)
    with pytest.raises(TypeError, match="To describe or constrain a Pair, use a .*Spec instead of a TensorShape."):
        enter(pair, tf.TensorShape([]))
