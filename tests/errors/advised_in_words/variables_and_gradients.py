"""Variables, gradients and results that are None."""

from advised_in_words.pair import V, Pair

PAIRS = {
    "variable_in_each_call": Pair(
        """
def f(x):
    w = tf.Variable(2.0)
    return w * x
""",
        "tf.constant(3.0)",
        ("f makes `w` in each call: move line 3 out of the function, in front of it.",),
        """
w = tf.Variable(2.0)


def f(x):
    return w * x
""",
        "6.0",
    ),
    "fraction_for_an_int_variable": Pair(
        """
w = tf.Variable(2)


def f(x):
    w.assign_add(x)
    return w.read_value()
""",
        "tf.constant(0.5)",
        ("`w` is int32, `x` is float32. int32 does not hold every float32: make the Variable with dtype=tf.float32.",),
        """
w = tf.Variable(2, dtype=tf.float32)


def f(x):
    w.assign_add(x)
    return w.read_value()
""",
        "2.5",
    ),
    "none_that_is_asked_for": Pair(
        """
def f(x):
    found = None
    for v in x:
        if v > 5.0:
            found = v
    if found is None:
        found = tf.constant(-1.0)
    return found
""",
        V,
        ("'found' is not allowed to be None before the loop", "give 'found' a start value of its type before line 4"),
        """
def f(x):
    found = tf.constant(float("-inf"))
    for v in x:
        if v > 5.0:
            found = v
    if found == float("-inf"):
        found = tf.constant(-1.0)
    return found
""",
        "-1.0",
    ),
    "gradient_function_missing": Pair(
        """
@tf.custom_gradient
def g(x):
    return x * 2.0


def f(x):
    return g(x)
""",
        "tf.constant(3.0)",
        ("g, decorated with tf.custom_gradient, must return its result and the function of its gradient, as `return y, grad`",),
        """
@tf.custom_gradient
def g(x):
    return x * 2.0, lambda dy: dy * 2.0


def f(x):
    return g(x)
""",
        "6.0",
    ),
    "helper_without_a_return": Pair(
        """
def g(x):
    x * 2.0


def f(x):
    return x + g(x)
""",
        "tf.constant(3.0)",
        ("`g(x)` gave None: see the return statements of g, line 2.",),
        """
def g(x):
    return x * 2.0


def f(x):
    return x + g(x)
""",
        "9.0",
    ),
    "integer_gradient": Pair(
        """
w = tf.Variable(3)


def f(x):
    with tf.GradientTape() as tape:
        loss = tf.cast(w, tf.float32) * x
    return tape.gradient(loss, w) * 2.0
""",
        "tf.constant(2.0)",
        ("with respect to `w`, as it is int32, and gradients are of floats only.",),
        """
w = tf.Variable(3.0)


def f(x):
    with tf.GradientTape() as tape:
        loss = w * x
    return tape.gradient(loss, w) * 2.0
""",
        "4.0",
    ),
}
