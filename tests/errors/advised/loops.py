"""Mistakes around loops."""

from advised.case import V, Case

CASES = {
    "none_before_a_loop": Case(
        """
def f(x):
    found = None
    for i in tf.range(3):
        if x[i] > 1.5:
            found = x[i]
    return found
""",
        (V, f"{V}[::-1]"),
        "'found' is not allowed to be None before the loop (line 3: `found = None`)",
    ),
    "none_before_a_while": Case(
        """
def f(x):
    i = tf.constant(0)
    found = None
    while i < 3:
        if x[i] > 1.5:
            found = x[i]
        i += 1
    return found
""",
        (V, f"{V}[::-1]"),
        "'found' is not allowed to be None before the loop (line 4: `found = None`)",
    ),
    "none_in_a_loop": Case(
        """
def f(x):
    last = x[0]
    for v in x:
        if v > 2.5:
            last = v
        else:
            last = None
    return last
""",
        (V, f"{V}[::-1]"),
        "'last' is None at the end of the else branch.",
        ("3.0", "0.0"),
    ),
    "none_after_an_iteration": Case(
        """
def f(x):
    last = x[0]
    for v in x:
        last = None
    return last
""",
        (V,),
        "'last' is None at the end of the iteration.",
        ("0.0",),
    ),
    "set_on_some_paths": Case(
        """
def f(x):
    for v in x:
        if v > 1.5:
            found = v
    return found
""",
        (V, f"{V}[::-1]"),
        "'found' must be defined before the loop.",
    ),
    "set_on_some_paths_of_a_while": Case(
        """
def f(x):
    i = 0
    while i < tf.size(x):
        if x[i] > 1.5:
            found = x[i]
        i += 1
    return found
""",
        (V, f"{V}[::-1]"),
        "'found' must be defined before the loop.",
    ),
    "two_without_a_value": Case(
        """
def f(x):
    best = None
    for v in x:
        if v > 1.5:
            where = v
            best = v
    return where, best
""",
        (V,),
    ),
    "int_becomes_float": Case(
        """
def f(x):
    s = 0
    for v in x:
        s = 1.5
    return s
""",
        (V,),
        "'s' has dtype int32 before the loop, but dtype float32 after one iteration",
    ),
    "float_becomes_int": Case(
        """
def f(x):
    s = 0.5
    for v in x:
        s = 1
    return s
""",
        (V,),
        "'s' has dtype float32 before the loop, but dtype int32 after one iteration",
    ),
    "int_divided": Case(
        """
def f(x):
    s = 10
    for v in x:
        s = s / 2
    return s
""",
        (V,),
    ),
    "attribute_of_a_loop": Case(
        """
class Box:
    total = 1


def f(x):
    box = Box()
    while x > 0:
        x -= 1
        box.total = 0.5
    return box.total
""",
        ("tf.constant(2)", "tf.constant(0)"),
    ),
    "parameter_of_a_loop": Case(
        """
def f(x, n):
    for v in x:
        n = v
    return n
""",
        (f"{V}, tf.constant(2)",),
    ),
    "growing": Case(
        """
def f(x):
    out = tf.zeros([0])
    for v in x:
        out = tf.concat([out, [v]], 0)
    return out
""",
        (V,),
        "'out' has shape (0,) before the loop, but shape (1,) after one iteration.",
    ),
    "growing_while": Case(
        """
def f(x):
    i = tf.constant(0)
    while i < 3:
        x = tf.concat([x, x], 0)
        i += 1
    return x
""",
        ("tf.ones([1, 2])",),
    ),
    "rank_changes": Case(
        """
def f(x):
    for _ in tf.range(3):
        x = tf.expand_dims(x, 0)
    return x
""",
        (V,),
    ),
    "two_grow": Case(
        """
def f(x):
    a = tf.zeros([0])
    b = tf.zeros([0, 2])
    for v in x:
        a = tf.concat([a, [v]], 0)
        b = tf.concat([b, [[v, v]]], 0)
    return a, b
""",
        (V,),
    ),
    "one_grows_one_widens": Case(
        """
def f(x):
    a = tf.zeros([0])
    n = 0
    for v in x:
        a = tf.concat([a, [v]], 0)
        n = 2.5
    return a, n
""",
        (V,),
    ),
    "list_plus_equals": Case(
        """
def f(x):
    out = []
    for v in x:
        out += [v * 2]
    return tf.stack(out)
""",
        (V,),
        "'out' does not have the same nested structure after one iteration.",
    ),
    "list_plus_list": Case(
        """
def f(x):
    out = [x[0]]
    for v in x:
        out = out + [v]
    return tf.stack(out)
""",
        (V,),
    ),
    "tuple_plus_tuple": Case(
        """
def f(x):
    out = ()
    for v in x:
        out = out + (v,)
    return tf.stack(out)
""",
        (V,),
    ),
    "while_true": Case(
        """
def f(x):
    while True:
        x = x - 1
        if x < 0:
            break
    return x
""",
        ("tf.constant(3)",),
        "The condition of while loop started as non-Tensor, then changed to Tensor.",
    ),
    "flag_changes": Case(
        """
def f(x):
    go = True
    while go:
        x = x - 1
        go = x > 0
    return x
""",
        ("tf.constant(3)",),
        "The condition of while loop started as non-Tensor, then changed to Tensor.",
    ),
    "number_changes": Case(
        """
def f(x):
    left = 10.0
    while left > 0:
        left = left - x
    return left
""",
        ("tf.constant(3.0)",),
        "The condition of while loop started as non-Tensor, then changed to Tensor.",
    ),
    "break_of_range": Case(
        """
def f(x):
    for i in range(10):
        if i > x:
            break
    return i
""",
        ("tf.constant(3)",),
        "break and return statements which depend on a TF condition are not supported in Python for loops.",
    ),
    "break_of_a_list": Case(
        """
def f(x):
    s = 0.0
    steps = [0.5, 1.5, 2.5]
    for step in steps:
        if step > x:
            break
        s = s + step
    return s
""",
        ("tf.constant(1.0)", "tf.constant(9.0)"),
    ),
    "return_of_range": Case(
        """
def f(x):
    for i in range(10):
        if i > x:
            return i
    return -1
""",
        ("tf.constant(3)", "tf.constant(30)"),
        "the else branch must also have a return statement.",
    ),
    "return_of_a_graph_loop": Case(
        """
def f(x):
    for v in x:
        if v > 1.5:
            return v
""",
        (V, f"{V} - 5.0"),
        "the else branch must also have a return statement.",
        ("2.0", "0.0"),
    ),
}
