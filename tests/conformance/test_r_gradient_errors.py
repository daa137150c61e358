"""Section R of the tracing rules: what refuses to be differentiated, and how it says so."""

import pytest

pytestmark = pytest.mark.needs("gradient")


def _square(tf, x, **tape):
    with tf.GradientTape(**tape) as recorded:
        recorded.watch(x)
        y = x * x
    return recorded, y


@pytest.mark.rule(195)
def test_an_op_without_a_rule(tf):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.unique(x)[0]
        return tape.gradient(y, x)

    text = "gradient registry has no entry for: Unique"
    with pytest.raises(LookupError) as error:
        f(tf.constant([1.0, 2.0]))
    assert type(error.value) is LookupError and str(error.value) == text
    # TensorFlow has a class of its own for an error of a trace.
    with pytest.raises(Exception, match=text):
        tf.function(f)(tf.constant([1.0, 2.0]))


@pytest.mark.rule(195)
def test_a_prevented_gradient(tf):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.raw_ops.PreventGradient(input=x, message="not here")
        return tape.gradient(y, x)

    text = "Gradient explicitly disabled. Reason:.*not here"
    with pytest.raises(LookupError, match=text):
        f(tf.constant(1.0))
    with pytest.raises(Exception, match=text):
        tf.function(f)(tf.constant(1.0))


@pytest.mark.rule(195)
@pytest.mark.parametrize(
    "source, error, text",
    [
        (3.0, AttributeError, "'float' object has no attribute 'dtype'"),
        (None, TypeError, "Cannot convert the argument `type_value`: None to a TensorFlow DType."),
        ("x", TypeError, "Cannot convert the argument `type_value`: 'x' to a TensorFlow DType."),
    ],
)
def test_what_is_no_tensor(tf, source, error, text):
    x = tf.constant(3.0)
    tape, y = _square(tf, x)
    with pytest.raises(error) as found:
        tape.gradient(y, [x, source])
    assert str(found.value) == text
    tape, y = _square(tf, x)
    with pytest.raises(error) as found:
        tape.gradient([y, source], x)
    assert str(found.value) == text


@pytest.mark.rule(195)
def test_jacobians(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for what in ("jacobian", "batch_jacobian"):
        tape, y = _square(tf, x)
        with pytest.raises(RuntimeError, match=f"persistent=True to compute the {what} with eager execution"):
            getattr(tape, what)(y, x, experimental_use_pfor=False)
        tape, y = _square(tf, x, persistent=True)
        assert getattr(tape, what)(y, x, experimental_use_pfor=False).shape.rank == (4 if what == "jacobian" else 3)
    tape, y = _square(tf, x)
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        tape.jacobian([y], x)
    tape, y = _square(tf, x[0])
    with pytest.raises(ValueError, match="must have rank at least 2"):
        tape.batch_jacobian(y, x[0])
    tape, _ = _square(tf, x)
    assert tape.batch_jacobian(tf.ones([2, 3]), x).numpy().tolist() == [[[0.0, 0.0]] * 3] * 2


@pytest.mark.rule(195)
def test_gradients_of_a_graph(tf):
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="Length mismatch. Passed 1 grad_ys for 2 ys"):
        tf.function(lambda x: tf.gradients([x * x, x], [x], grad_ys=[tf.ones([2])]))(x)
    z = tf.constant([1.0 + 2.0j])
    with pytest.raises(TypeError, match="Gradients of complex tensors .* must set grad_ys"):
        tf.function(lambda z: tf.gradients(z * z, z))(z)
    found = tf.function(lambda z: tf.gradients(z * z, z, grad_ys=[tf.ones_like(z)]))(z)
    assert found[0].numpy().tolist() == [2.0 - 4.0j]


@pytest.mark.rule(195)
def test_forward_accumulators(tf):
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="was specified as a primal multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.autodiff.ForwardAccumulator([x], [x, x])
    with pytest.raises(TypeError, match="don't have the same nested structure"):
        tf.autodiff.ForwardAccumulator({"a": x}, [x])


@pytest.mark.rule(195)
def test_what_is_like_a_variable_is_not_watched(tf):
    class Weight:  # as Keras's are
        dtype = "float32"

        def __init__(self):
            self.variable = tf.Variable([1.0, 2.0])
            self.handle = self.variable.handle

    weight = Weight()
    with tf.GradientTape() as tape:
        for value in (weight, [tf.constant(1.0), weight]):
            with pytest.raises(ValueError, match="Passed in object .* of type 'Weight', not tf.Tensor or tf.Variable or Ext"):
                tape.watch(value)
        tape.watch([weight.variable, tf.constant(1.0)])
        y = weight.variable * 3.0
    assert tape.gradient(y, weight.variable).numpy().tolist() == [3.0, 3.0]
