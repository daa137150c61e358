"""Programs with one mistake each, whose message says in code what to write instead; for test_advice.py.

Each has a function `f`, the arguments of calls of it, and words of the message. Followed to the letter, the advice gives
what the program gives eagerly; where that is None or an error, the last column has what it gives.
"""

from typing import NamedTuple


class Case(NamedTuple):
    source: str
    calls: tuple  # of texts of arguments
    words: str = ""  # in the first line of the message
    results: tuple | None = None  # where it is not what the program gives eagerly
    rounds: int = 1  # how many pieces of advice follow on each other
    options: str = ""  # of tf.function


V = "tf.constant([1.0, 2.0, 3.0])"

BRANCHES = {
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

LOOPS = {
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

CASES = {**BRANCHES, **LOOPS}
