"""Variables that a function makes in its first call: in a tf.Graph, and by its initialization function."""

import pytest

pytestmark = pytest.mark.rule("surface")


def scaling(tf, initial):
    """A function that makes a Variable in its first call, and the list that it is kept in."""
    made = []

    @tf.function
    def scaled(x):
        if not made:
            made.append(tf.Variable(initial(tf, x), name="factor"))
        return made[0] * x

    return scaled, made


@pytest.mark.parametrize(
    ("initial", "value"),
    [
        (lambda tf, x: 2.0, 2.0),
        (lambda tf, x: tf.sqrt(tf.constant(16.0)), 4.0),
        (lambda tf, x: lambda: tf.constant(3.0), 3.0),
    ],
)
def test_in_a_graph(tf, initial, value):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        scaled, made = scaling(tf, initial)
        result = scaled(tf.constant(10.0))
        assert made[0].name == "factor:0"
        assert v1.global_variables() == made
        assert v1.trainable_variables() == []
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(result)
        session.run(v1.global_variables_initializer())
        assert session.run(result) == 10 * value
        session.run(made[0].assign(7.0))
        assert session.run([result, scaled(tf.constant(2.0))]) == [70.0, 14.0]
        assert made[0].handle.graph is graph


def test_value_of_an_argument_in_a_graph(tf):
    with tf.Graph().as_default():
        scaled, _ = scaling(tf, lambda tf, x: 2.0 * x)
        with pytest.raises(Exception, match=r"depends transitively on placeholder .* via .*mul .* <- x"):
            scaled(tf.constant(1.0))


def test_names_by_scopes_in_a_graph(tf):
    made = []

    class Layer(tf.Module):
        @tf.function
        def __call__(self):
            if not made:
                with tf.compat.v1.name_scope("inner"):
                    made.append(tf.Variable(1.0, name="v"))
            return made[0] + 1.0

    with tf.Graph().as_default():
        Layer()()
        assert made[0].name == "inner/v:0"
        assert tf.Variable(1.0, name="inner/v").name == "inner/v_1:0"


def test_initialization_function(tf):
    scaled, made = scaling(tf, lambda tf, x: 2.0)
    initialize = scaled.get_initialization_function(tf.constant(1.0))
    assert len(made) == 1
    assert not made[0].is_initialized()
    assert initialize() is None
    assert float(made[0].numpy()) == 2.0
    assert float(scaled(tf.constant(4.0))) == 8.0
    with pytest.raises(RuntimeError, match="cannot be called after the function has been used"):
        scaled.get_initialization_function(tf.constant(1.0))


def test_initialization_function_of_a_method(tf):
    class Model:
        made = None

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def scaled(self, x):
            if self.made is None:
                self.made = tf.Variable(3.0)
            return self.made * x

    model = Model()
    model.scaled.get_initialization_function(tf.TensorSpec([], tf.float32))()
    assert float(model.made.numpy()) == 3.0


def test_initialization_needs_an_argument(tf):
    scaled, _ = scaling(tf, lambda tf, x: 2.0 * x)
    with pytest.raises(Exception, match=r"depends transitively on placeholder .* via .*mul .* <- x"):
        scaled.get_initialization_function(tf.constant(1.0))


def test_keywords_become_names_of_placeholders(tf):
    @tf.function
    def keywords(**kwargs):
        return dict.fromkeys(kwargs, 1)

    for given, found in [("a b", "a_b"), ("a/b", "a_b"), ("_x", "arg__x"), ("1z", "arg_1z"), ("é", "é"), ("X", "X")]:
        for value in 1, tf.constant(1):
            assert list(keywords(**{given: value})) == [found]
    concrete = keywords.get_concrete_function(**{"a/b": tf.constant(1)})
    assert list(concrete.structured_input_signature[1]) == ["a_b"]
    assert list(concrete(**{"a/b": tf.constant(1)})) == ["a_b"]
    with pytest.raises(ValueError, match=r"Name collision after sanitization.*Original: \['a/b', 'a_b'\], Sanitized: \['a_b'\]"):
        keywords(**{"a_b": 1, "a/b": 2})


def test_no_variables_in_an_input_signature(tf):
    spec = tf.TensorSpec([], tf.float32)
    variable = type(tf.Variable(1.0)._type_spec)([], tf.float32)
    for signature in ([variable], [[spec, variable]]):
        with pytest.raises(TypeError, match="input_signature doesn't support VariableSpec, got"):
            tf.function(lambda v: v, input_signature=signature)
