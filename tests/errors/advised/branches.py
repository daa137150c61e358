"""Mistakes around branches."""

from advised.case import V, Case

CASES = {
    "int_beside_float": Case(
        """
def f(c):
    if c:
        rate = 0.15
    else:
        rate = 0
    return rate
""",
        ("tf.constant(True)", "tf.constant(False)"),
        "'rate' has dtype float32 in the main branch, but dtype int32 in the else branch",
    ),
    "negative_int_beside_float": Case(
        """
def f(c):
    if c:
        rate = -1
    else:
        rate = 2.5
    return rate
""",
        ("tf.constant(True)", "tf.constant(False)"),
    ),
    "int_before_the_if": Case(
        """
def f(c):
    rate = 3
    if c:
        rate = 0.15
    return rate
""",
        ("tf.constant(True)", "tf.constant(False)"),
    ),
    "parameter_before_the_if": Case(
        """
def f(c, n):
    if c:
        n = 0.5
    return n
""",
        ("tf.constant(True), tf.constant(3)", "tf.constant(False), tf.constant(3)"),
    ),
    "one_of_elif": Case(
        """
def f(x):
    if x > 1:
        rate = 0.5
    elif x > 0:
        rate = 1
    else:
        rate = 2
    return rate
""",
        ("tf.constant(2)", "tf.constant(1)", "tf.constant(0)"),
    ),
    "computed_int": Case(
        """
def f(x):
    if x > 0:
        y = x * 2  # twice
    else:
        y = tf.cast(x, tf.float64) / 3
    return y
""",
        ("tf.constant(2)", "tf.constant(-1)"),
    ),
    "float_beside_double": Case(
        """
def f(x):
    if x > 0:
        y = x
    else:
        y = 0.5
    return y
""",
        ("tf.constant(2.0, tf.float64)", "tf.constant(-2.0, tf.float64)"),
    ),
    "int_beside_int64": Case(
        """
def f(x):
    if x > 0:
        y = 1
    else:
        y = x
    return y
""",
        ("tf.constant(2, tf.int64)", "tf.constant(-2, tf.int64)"),
    ),
    "bool_beside_int": Case(
        """
def f(x):
    if x > 0:
        y = x
    else:
        y = False
    return y
""",
        ("tf.constant(2)", "tf.constant(-2)"),
    ),
    "uint8_beside_int8": Case(
        """
def f(x, y):
    if x > 0:
        z = x
    else:
        z = y
    return z
""",
        ("tf.constant(200, tf.uint8), tf.constant(-3, tf.int8)", "tf.constant(0, tf.uint8), tf.constant(-3, tf.int8)"),
    ),
    "attribute_beside_float": Case(
        """
class Box:
    pass


def f(x):
    b = Box()
    b.v = 1
    if x > 0:
        b.v = 1.5
    return b.v
""",
        ("tf.constant(2)", "tf.constant(-2)"),
    ),
    "several_settings": Case(
        """
def f(x):
    if x > 0:
        y = 1
        y = y + 2
    else:
        y = 2.5
    return y
""",
        ("tf.constant(2)", "tf.constant(-2)"),
    ),
    "two_variables": Case(
        """
def f(x):
    if x > 0:
        a = 1
        b = 2.5
    else:
        a = 0.5
        b = 2
    return a, b
""",
        ("tf.constant(2)", "tf.constant(-2)"),
    ),
    "complex_beside_float": Case(
        """
def f(x):
    if x > 0:
        a = 1.0
    else:
        a = tf.complex(x, x)
    return a
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
    ),
    "returned_int": Case(
        """
def f(x):
    if x > 0:
        return 1
    return x
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'retval_' has dtype int32 in the main branch, but dtype float32 in the else branch",
    ),
    "returned_in_else": Case(
        """
def f(x):
    if x > 0:
        return x
    else:
        return 0
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
    ),
    "conditional_expression": Case(
        """
def f(x):
    y = 1 if x > 0 else 1.5
    return y
""",
        ("tf.constant(2)", "tf.constant(-2)"),
        "'x > 0' has dtype int32 in the main branch, but dtype float32 in the else branch",
    ),
    "conditional_expression_in_a_call": Case(
        """
def g(y):
    return y * 2


def f(x):
    return g(x if x > 0 else 1) + 1
""",
        ("tf.constant(2.5)", "tf.constant(-2.0)"),
    ),
    "none_in_an_expression": Case(
        """
def f(x):
    return x if x > 0 else None
""",
        ("tf.constant(2)", "tf.constant(-2)"),
        "'x > 0' is None at the end of the else branch.",
        ("2", "0"),
    ),
    "missing_else": Case(
        """
def f(x):
    if x > 0:
        y = x
    return y
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'y' must also be initialized in the else branch",
        ("2.0", "0.0"),
    ),
    "missing_in_one_elif": Case(
        """
def f(x):
    if x > 1:
        y = x
    elif x > 0:
        y = -x
    return y
""",
        ("tf.constant(2.0)", "tf.constant(0.5)", "tf.constant(-2.0)"),
        "'y' must also be initialized in the else branch",
        ("2.0", "-0.5", "0.0"),
    ),
    "missing_vector": Case(
        """
def f(x):
    if tf.reduce_sum(x) > 0:
        y = x * 2
    return y
""",
        (V, f"-{V}"),
        "",
        ("[2.0, 4.0, 6.0]", "[0.0, 0.0, 0.0]"),
    ),
    "missing_string": Case(
        """
def f(x):
    if x > 0:
        y = "positive"
    return y
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "",
        ("b'positive'", "b''"),
    ),
    "missing_pair": Case(
        """
def f(x):
    if x > 0:
        y = (x, {"twice": tf.stack([x, x])})
    return y[0], y[1]["twice"]
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "",
        ("2.0, [2.0, 2.0]", "0.0, [0.0, 0.0]"),
    ),
    "missing_in_an_unrolled_loop": Case(
        """
def f(x):
    for i in range(3):
        if x > i:
            y = i
    return y
""",
        ("tf.constant(2)", "tf.constant(5)"),
    ),
    "used_within_the_iteration": Case(
        """
def f(x):
    total = 0.0
    for i in range(3):
        if x[i] > 1.5:
            y = x[i]
        total += y
    return total
""",
        (f"{V} + 1.0",),
    ),
    "new_key": Case(
        """
def f(x):
    d = {}
    if x > 0:
        d["a"] = x
    return d
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'d['a']' must also be initialized in the else branch",
        ("{'a': 2.0}", "{'a': 0.0}"),
    ),
    "new_key_on_either_side": Case(
        """
def f(x):
    d = {"b": x}
    if x > 0:
        d["a"] = x
    else:
        d["b"] = x + 1
    return d
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "",
        ("{'b': 2.0, 'a': 2.0}", "{'b': -1.0, 'a': 0.0}"),
    ),
    "dict_with_another_key": Case(
        """
def f(x):
    d = {"b": x}
    if x > 0:
        d = {"b": x, "a": x + 1}
    return d
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'d' must have the same nested structure in the main and else branches:",
        ("{'b': 2.0, 'a': 3.0}", "{'b': -2.0, 'a': 0.0}"),
    ),
    "new_attribute": Case(
        """
class Box:
    pass


def f(x):
    b = Box()
    if x > 0:
        b.v = x
    return b.v
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'b.v' must also be initialized in the else branch",
        ("2.0", "0.0"),
    ),
    "none_before_the_if": Case(
        """
def f(x):
    y = None
    if x > 0:
        y = x
    return y
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'y' is None at the end of the else branch.",
        ("2.0", "0.0"),
    ),
    "none_in_the_else": Case(
        """
def f(x):
    if x > 0:
        y = x
    else:
        y = None
    return y
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'y' is None at the end of the else branch.",
        ("2.0", "0.0"),
    ),
    "returned_none": Case(
        """
def f(x):
    if x > 0:
        return x
    else:
        return None
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "'retval_' is None at the end of the else branch.",
        ("2.0", "0.0"),
    ),
    "early_return": Case(
        """
def f(x):
    if x > 0:
        return x
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "the else branch must also have a return statement.",
        ("2.0", "0.0"),
    ),
    "early_return_with_code_behind": Case(
        """
def f(x):
    y = x * 2
    if x > 0:
        return {"twice": y}
    y = y + 1
""",
        ("tf.constant(2.0)", "tf.constant(-2.0)"),
        "the else branch must also have a return statement.",
        ("{'twice': 4.0}", "{'twice': 0.0}"),
    ),
}
