"""Mistakes around gradients."""

from advised.case import Case

CASES = {
    "variable_that_is_not_trainable": Case(
        """
w = tf.Variable(2.0, trainable=False)


def f(x):
    with tf.GradientTape() as tape:
        loss = x * w
    g = tape.gradient(loss, w)
    return w.assign_sub(0.1 * g)
""",
        ("tf.constant(5.0)",),
        "`g` is None: the gradient of line 8 with respect to `w`, as it is not trainable",
        ("1.5",),
    ),
    "tensor_that_is_not_watched": Case(
        """
def f(x):
    with tf.GradientTape() as tape:
        loss = x * x
    g = tape.gradient(loss, x)
    return g * 2.0
""",
        ("tf.constant(5.0)",),
        "`g` is None: the gradient of line 5 with respect to `x`, as the tape does not watch it.",
        ("20.0",),
    ),
    "one_of_several_is_not_watched": Case(
        """
w = tf.Variable(2.0)


def f(x):
    with tf.GradientTape() as tape:
        loss = x * x * w
    a, b = tape.gradient(loss, (w, x))
    return a + b
""",
        ("tf.constant(5.0)",),
        "`b` is None: the gradient of line 8 with respect to `x`, as the tape does not watch it.",
        ("45.0",),
    ),
    "eager_tensor_that_is_not_watched": Case(
        """
def f(x):
    with tf.GradientTape() as tape:
        loss = x * x
    g = tape.gradient(loss, x)
    return tf.constant(2.0) * g
""",
        ("tf.constant(5.0)",),
        "`g` is None: the gradient of line 5 with respect to `x`, as the tape does not watch it.",
        ("20.0",),
        eager=True,
    ),
    "variable_that_is_not_read": Case(
        """
w = tf.Variable(2.0)


def f(x):
    with tf.GradientTape() as tape:
        loss = x * 2.0
    g = tape.gradient(loss, w)
    return w.assign_sub(0.1 * g)
""",
        ("tf.constant(5.0)",),
        "`g` is None: the gradient of line 8 with respect to `w`, as the tape has not seen it read.",
        ("2.0",),
    ),
    "variable_of_a_loop": Case(
        """
w = tf.Variable(2.0)
b = tf.Variable([1.0, 1.0])


def f(x):
    with tf.GradientTape() as tape:
        loss = x * w
    gradients = tape.gradient(loss, [w, b])
    for g, v in zip(gradients, [w, b]):
        v.assign_sub(0.1 * g)
    return w.read_value(), b.read_value()
""",
        ("tf.constant(5.0)",),
        "`g` is None: the gradient of line 9 with respect to `v`, as the tape has not seen it read.",
        ("1.5, [1.0, 1.0]",),
    ),
    "target_made_behind_the_tape": Case(
        """
w = tf.Variable(2.0)


def f(x):
    with tf.GradientTape() as tape:
        y = x * w
    loss = y * 2.0
    g = tape.gradient(loss, w)
    return tf.reduce_sum(g)
""",
        ("tf.constant(5.0)",),
        "with respect to `w`, as the target was not computed from what the tape watches",
        ("0.0",),
    ),
    "other_target": Case(
        """
w = tf.Variable(2.0)
b = tf.Variable(3.0)


def f(x):
    with tf.GradientTape() as tape:
        loss = x * w
        other = b * b
    return tf.add_n([loss, tape.gradient(loss, b)])
""",
        ("tf.constant(5.0)",),
        "with respect to `b`, as the target does not depend on it by ops with gradients.",
        ("10.0",),
    ),
    "attribute": Case(
        """
class Layer:
    def __init__(self):
        self.scale = tf.Variable(2.0, trainable=False)


layer = Layer()


def f(x):
    with tf.GradientTape() as tape:
        loss = x * layer.scale
    g = tape.gradient(loss, layer.scale)
    return layer.scale.assign_sub(0.1 * g)
""",
        ("tf.constant(5.0)",),
        "with respect to `layer.scale`",
        ("1.5",),
    ),
}
