"""Programs with one mistake each, whose message says in words what to do, and the programs after it; for test_advice.py."""

from typing import NamedTuple


class Pair(NamedTuple):
    mistake: str
    call: str  # the arguments
    words: tuple  # of the message
    fixed: str
    result: str
    options: str = ""  # of tf.function, for the mistake


V = "tf.constant([1.0, 2.0, 3.0])"

PAIRS = {
    "function_chosen": Pair(
        """
def f(x):
    if x > 0:
        activation = tf.nn.relu
    else:
        activation = tf.tanh
    return activation(x)
""",
        "tf.constant(2.0)",
        ("'activation' must be a tensor", "call it where it is chosen, and keep the result."),
        """
def f(x):
    if x > 0:
        y = tf.nn.relu(x)
    else:
        y = tf.tanh(x)
    return y
""",
        "2.0",
    ),
    "object_chosen": Pair(
        """
class Box:
    pass


def f(x):
    if x > 0:
        box = Box()
        box.size = x
    else:
        box = Box()
        box.size = -x
    return box.size
""",
        "tf.constant(-2.0)",
        ("'box' must be a tensor", "Make the object before the code that depends on a tensor, and set tensors there."),
        """
class Box:
    pass


def f(x):
    box = Box()
    if x > 0:
        box.size = x
    else:
        box.size = -x
    return box.size
""",
        "2.0",
    ),
    "condition_of_all": Pair(
        """
def f(x):
    if x > 0:
        return 1
    return 2
""",
        V,
        ("Where all must hold: `tf.reduce_all(x > 0)`; where one is enough: `tf.reduce_any(x > 0)`.",),
        """
def f(x):
    if tf.reduce_all(x > 0):
        return 1
    return 2
""",
        "1",
    ),
    "condition_of_one": Pair(
        """
def f(x):
    while x < 5:
        x = x + 1
    return x
""",
        V,
        ("Where all must hold: `tf.reduce_all(x < 5)`; where one is enough: `tf.reduce_any(x < 5)`.",),
        """
def f(x):
    while tf.reduce_any(x < 5):
        x = x + 1
    return x
""",
        "[5.0, 6.0, 7.0]",
    ),
    "autograph_off": Pair(
        """
def f(x):
    if x > 0:
        return x
    return -x
""",
        "tf.constant(-2.0)",
        ("Using a symbolic `tf.Tensor` as a Python `bool`", "AutoGraph is off: f is traced with autograph=False. Leave that out"),
        """
def f(x):
    if x > 0:
        return x
    return -x
""",
        "2.0",
        "autograph=False",
    ),
    "range_with_autograph_off": Pair(
        """
def f(n):
    total = 0
    for i in range(n):
        total += i
    return total
""",
        "tf.constant(4)",
        ("'SymbolicTensor' object cannot be interpreted as an integer", "traced with autograph=False. Leave that out"),
        """
def f(n):
    total = 0
    for i in range(n):
        total += i
    return total
""",
        "6",
        "autograph=False",
    ),
    "for_with_autograph_off": Pair(
        """
def f(x):
    total = 0.0
    for v in x:
        total += v
    return total
""",
        V,
        ("Iterating over a symbolic `tf.Tensor` is not allowed.", "or use tf.cond, tf.where and tf.while_loop."),
        """
def f(x):
    return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x[i]), [0, 0.0])[1]
""",
        "6.0",
        "autograph=False",
    ),
    "not_converted": Pair(
        """
@tf.autograph.experimental.do_not_convert
def g(x):
    return x if x > 0 else -x


def f(x):
    return g(x)
""",
        "tf.constant(-2.0)",
        ("AutoGraph did not convert g, which is marked do_not_convert",),
        """
@tf.autograph.experimental.do_not_convert
def g(x):
    return tf.where(x > 0, x, -x)


def f(x):
    return g(x)
""",
        "2.0",
    ),
    "constructor": Pair(
        """
class Box:
    def __init__(self, x):
        self.size = x if x > 0 else -x


def f(x):
    return Box(x).size
""",
        "tf.constant(-2.0)",
        ("AutoGraph does not convert __init__: do this in another method, or use tf.cond or tf.where.",),
        """
class Box:
    def __init__(self, x):
        self.size = tf.where(x > 0, x, -x)


def f(x):
    return Box(x).size
""",
        "2.0",
    ),
    "value_of_numpy": Pair(
        """
def f(x):
    return x.numpy()
""",
        V,
        ("'SymbolicTensor' object has no attribute 'numpy'", "return it and take .numpy() of the result, or give it to tf.py_function"),
        """
def f(x):
    return tf.py_function(lambda t: t.numpy() * 2.0, [x], tf.float32)
""",
        "[2.0, 4.0, 6.0]",
    ),
    "value_for_python": Pair(
        """
def f(x):
    return open(x)
""",
        "tf.constant('a')",
        ("`open` is given `x`, which needs its value", "put it into a function that tf.py_function calls."),
        """
def f(x):
    return tf.py_function(lambda t: len(t.numpy()), [x], tf.int32)
""",
        "1",
    ),
    "text_of_a_value": Pair(
        """
def f(x):
    return f"{x:.2f}"
""",
        "tf.constant(2.0)",
        ("A text cannot hold the value of `x`", "tf.strings.as_string make a tensor of text."),
        """
def f(x):
    return tf.strings.as_string(x, precision=2)
""",
        "b'2.00'",
    ),
    "rows_of_a_scalar": Pair(
        """
def f(n):
    total = 0
    for i in n:
        total += i
    return total
""",
        "tf.constant(4)",
        ("len requires a non-scalar tensor", "`n` is a scalar, which has no rows: tf.range(n) counts to it"),
        """
def f(n):
    total = 0
    for i in tf.range(n):
        total += i
    return total
""",
        "6",
    ),
    "list_of_an_object": Pair(
        """
def f(x):
    parts = {"all": []}
    for v in x:
        parts["all"].append(v * 2.0)
    return tf.stack(parts["all"])
""",
        V,
        ('`parts["all"]` got one element, of the loop\'s own graph.', "put tf.stack(elements) behind the loop."),
        """
def f(x):
    elements = []
    for v in x:
        elements.append(v * 2.0)
    return tf.stack(elements)
""",
        "[2.0, 4.0, 6.0]",
    ),
    "kept_by_a_function": Pair(
        """
kept = []


@tf.function
def inner(x):
    kept.append(x * 2.0)
    return x


def f(x):
    inner(x)
    return kept[0] + 1.0
""",
        "tf.constant(3.0)",
        ("It was made in inner at ", "kept.append(x * 2.0)", "use the result of the call"),
        """
@tf.function
def inner(x):
    return x * 2.0


def f(x):
    return inner(x) + 1.0
""",
        "7.0",
    ),
    "kept_by_a_branch": Pair(
        """
class Box:
    pass


def f(x):
    box = Box()
    if x > 0:
        setattr(box, "size", x * 2.0)
    return box.size + 1.0
""",
        "tf.constant(3.0)",
        ("It was made in f at ", "A branch's values leave it by variables that both branches set."),
        """
def f(x):
    if x > 0:
        size = x * 2.0
    else:
        size = x
    return size + 1.0
""",
        "7.0",
    ),
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
    "generator": Pair(
        """
def f(x):
    for i in range(3):
        yield x[i] * 2.0
""",
        V,
        ("found return value of type generator", "`f` yields, which cannot be traced: return a list of the tensors"),
        """
def f(x):
    return tf.stack([x[i] * 2.0 for i in range(3)])
""",
        "[2.0, 4.0, 6.0]",
    ),
    "recursion_over_a_tensor": Pair(
        """
def f(n):
    if n <= 1:
        return 1
    return n * f(n - 1)
""",
        "tf.constant(5)",
        ("f calls itself, on line 5: `return n * f(n - 1)`. What should end that, `n <= 1`, is a tensor", "Use a loop (`while`"),
        """
def f(n):
    product = 1
    while n > 1:
        product = product * n
        n = n - 1
    return product
""",
        "120",
    ),
    "recursion_of_a_traced_function": Pair(
        """
@tf.function
def g(n):
    return n if n <= 1 else g(n - 2)


def f(n):
    return g(n)
""",
        "tf.constant(5)",
        ("g calls itself, on line 4: `return n if n <= 1 else g(n - 2)`. What should end that, `n <= 1`, is a tensor", "a Python number"),
        """
def g(n):
    return n if n <= 1 else g(n - 2)


def f(n):
    return n + g(5)
""",
        "6",
    ),
    "recursion_without_a_condition": Pair(
        """
def g(x, depth):
    return g(x + 1, depth - 1)


def f(x):
    return g(x, 3)
""",
        "tf.constant(5)",
        ("g calls itself, on line 3: `return g(x + 1, depth - 1)`. What ends that must be a condition that Python knows",),
        """
def g(x, depth):
    if depth == 0:
        return x
    return g(x + 1, depth - 1)


def f(x):
    return g(x, 3)
""",
        "8",
    ),
    "unpacked": Pair(
        """
def f(x):
    a, b = tf.boolean_mask(x, x > 1.5)
    return a + b
""",
        V,
        ("tf.unstack(x, num=...) takes a tensor of a known size apart.",),
        """
def f(x):
    a, b = tf.unstack(tf.boolean_mask(x, x > 1.5), num=2)
    return a + b
""",
        "5.0",
    ),
    "comprehension": Pair(
        """
def f(x):
    return tf.stack([v * 2.0 for v in tf.boolean_mask(x, x > 1.5)])
""",
        V,
        ("Comprehensions run in Python: write a `for` statement",),
        """
def f(x):
    out = []
    for v in tf.boolean_mask(x, x > 1.5):
        out.append(v * 2.0)
    return tf.stack(out)
""",
        "[4.0, 6.0]",
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
    "none_that_the_body_reads": Pair(
        """
def f(x):
    last = None
    for v in x:
        last = last + v
    return last
""",
        V,
        ("'last' is not allowed to be None before the loop (line 3: `last = None`)", "Fix: give 'last' a start value in place of None."),
        """
def f(x):
    last = 0.0
    for v in x:
        last = last + v
    return last
""",
        "6.0",
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
    "operand_set_to_none": Pair(
        """
def f(x):
    bias = None
    return x + bias
""",
        "tf.constant(3.0)",
        ("`bias` is None, as line 3 sets it: `bias = None`.",),
        """
def f(x):
    bias = 1.0
    return x + bias
""",
        "4.0",
    ),
    "called_tensor": Pair(
        """
def f(x):
    return x(0) + 2.0
""",
        V,
        ("`x` is a tensor; elements are taken with [...], and a product needs a `*`.",),
        """
def f(x):
    return x[0] + 2.0
""",
        "3.0",
    ),
    "options_of_a_loop": Pair(
        """
def f(x):
    a = tf.zeros([0])
    b = tf.zeros([0])
    for v in x:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(a, tf.TensorShape([None]))])
        a = tf.concat([a, [v]], 0)
        b = tf.concat([b, [v, v]], 0)
    return tf.size(a) + tf.size(b)
""",
        V,
        ("put (b, tf.TensorShape([None])) into the shape_invariants of set_loop_options on line 6.",),
        """
def f(x):
    a = tf.zeros([0])
    b = tf.ones([0])
    for v in x:
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(a, tf.TensorShape([None])), (b, tf.TensorShape([None]))]
        )
        a = tf.concat([a, [v]], 0)
        b = tf.concat([b, [v, v]], 0)
    return tf.size(a) + tf.size(b)
""",
        "9",
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
