"""Functions whose graphs hold Python callables that refer back to them, ways to use them, and a mark to see them go."""

import weakref

import tracefn as tf


class Mark:
    """What a closure holds: told by a weak reference whether the closure is there."""


def custom_gradient(mark):
    @tf.custom_gradient
    def square(x):
        def gradient(dy):
            return 2.0 * x * dy if mark else dy

        return x * x, gradient

    return square


def custom_gradient_of_a_closure(mark):
    def square(x):
        y = tf.custom_gradient(lambda v: (v * v, lambda dy: 2.0 * x * dy if mark else dy))
        return y(x)

    return square


def grad_pass_through(mark):
    def square(x):
        x.mark = mark
        return tf.grad_pass_through(tf.square)(x)

    return square


def recompute_grad(mark):
    return tf.recompute_grad(lambda x: x * x if mark else x)


def py_function(mark):
    def square(x):
        return tf.ensure_shape(tf.py_function(lambda v: v * v if mark else v, [x], tf.float32), x.shape)

    return square


def numpy_function(mark):
    def square(x):
        return tf.ensure_shape(tf.numpy_function(lambda v: v * v if mark else v, [x], tf.float32), x.shape)

    return square


KINDS = [custom_gradient, custom_gradient_of_a_closure, grad_pass_through, recompute_grad, py_function, numpy_function]


def slope_of(kind, x):
    """The gradient of its square at x; 0 where there is none."""
    return {grad_pass_through: 1.0, numpy_function: 0.0}.get(kind, 2.0 * x)


# Each takes a function of a tensor and the mark, and returns a function to be called.


def plain(square, mark):
    return tf.function(square)


def nested(square, mark):
    inner = tf.function(square)
    return tf.function(lambda x: inner(x) + 0.0 * x)


def nested_twice(square, mark):
    inner = tf.function(square)
    middle = tf.function(lambda x: inner(x) + 0.0)
    return tf.function(lambda x: middle(x) * 1.0 + inner(x) * 0.0)


def in_cond(square, mark):
    return tf.function(lambda x: tf.cond(x > 0.0, lambda: square(x), lambda: x))


def in_switch_case(square, mark):
    return tf.function(lambda x: tf.switch_case(tf.cast(x > 0.0, tf.int32), [lambda: x, lambda: square(x)]))


def in_while(square, mark):
    return tf.function(
        lambda x: tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, square(y)), [tf.constant(0), x])[1]
    )


def in_for(square, mark):
    @tf.function
    def f(x):
        for _ in tf.range(1):
            x = square(x)
        return x

    return f


def known(mark, f):
    mark.function = f
    return f


def knows_itself(square, mark):
    return known(mark, tf.function(square))


def knows_itself_in_cond(square, mark):
    return known(mark, in_cond(square, mark))


def knows_itself_in_while(square, mark):
    return known(mark, in_while(square, mark))


def knows_itself_nested(square, mark):
    return known(mark, nested(square, mark))


def knows_its_trace(square, mark):
    f = tf.function(square)
    mark.trace = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    return f


def method(square, mark):
    class Model:
        @tf.function
        def call(self, x):
            return self.square(x)

    model = Model()
    model.square = square
    mark.model = model
    return model.call


def method_with_signature(square, mark):
    class Model:
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def call(self, x):
            return self.square(x)

    model = Model()
    model.square = square
    mark.model = model
    return model.call


SHAPES = [
    plain,
    nested,
    nested_twice,
    in_cond,
    in_switch_case,
    in_while,
    in_for,
    knows_itself,
    knows_itself_in_cond,
    knows_itself_in_while,
    knows_itself_nested,
    knows_its_trace,
    method,
    method_with_signature,
]


# Each uses a function once; `slope` is the expected gradient at 3.


def traced(f, slope):
    f.get_concrete_function(tf.TensorSpec([], tf.float32))


def called(f, slope):
    assert float(f(tf.constant(3.0))) == 9.0
    assert float(f(tf.constant(2.0))) == 4.0


def differentiated(f, slope):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x, unconnected_gradients="zero")) == slope


def differentiated_by_a_persistent_tape(f, slope):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x, unconnected_gradients="zero")) == slope


def differentiated_in_a_function(f, slope):
    @tf.function
    def g(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    assert float(g(tf.constant(3.0))) == slope


def differentiated_by_tf_gradients(f, slope):
    @tf.function
    def g(x):
        return tf.gradients(f(x), x, unconnected_gradients="zero")[0]

    assert float(g(tf.constant(3.0))) == slope


USES = [
    traced,
    called,
    differentiated,
    differentiated_by_a_persistent_tape,
    differentiated_in_a_function,
    differentiated_by_tf_gradients,
]


def make_and_drop(kind, shape, use):
    """A weak reference to the mark of a function that was used once."""
    mark = Mark()
    f = shape(kind(mark), mark)
    use(f, slope_of(kind, 3.0))
    return weakref.ref(mark)
