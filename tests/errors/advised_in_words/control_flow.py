"""Branches, loops, recursion and conversion."""

from advised_in_words.pair import V, Pair

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
    "condition_of_both": Pair(
        """
def f(x):
    if x > 0 and not x > 5:
        return 1
    return 2
""",
        V,
        ("`tf.reduce_all((x > 0) & (~(x > 5)))`", "`tf.reduce_any((x > 0) & (~(x > 5)))`"),
        """
def f(x):
    if tf.reduce_all((x > 0) & (~(x > 5))):
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
}
