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
    eager: bool = False  # whether the mistake is one of eager programs too


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

OPERANDS = {
    "sum_that_begins_as_an_int": Case(
        """
def f(x):
    total = 0
    for v in x:
        total += v
    return total
""",
        (V,),
        "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'.",
    ),
    "sum_of_a_while": Case(
        """
def f(x):
    total = 0
    i = tf.constant(0)
    while i < 3:
        total = total + x[i]
        i += 1
    return total
""",
        (V,),
    ),
    "sum_of_doubles": Case(
        """
def f(x):
    total = 0
    for v in x:
        total += v
    return total
""",
        ("tf.constant([1.5, 2.5], tf.float64)",),
    ),
    "int_times_float": Case(
        """
def f(x):
    return x * tf.constant(0.5)
""",
        ("tf.constant(3)",),
        "Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument 'x'.",
        ("1.5",),
    ),
    "float_times_int": Case(
        """
def f(x):
    return tf.constant(0.5) * x
""",
        ("tf.constant(3)",),
        "",
        ("1.5",),
    ),
    "eager_int_times_float": Case(
        """
def f(x):
    return x * tf.constant(0.5)
""",
        ("tf.constant(3)",),
        "cannot compute Mul as input #1(zero-based) was expected to be a int32 tensor but is a float tensor",
        ("1.5",),
        eager=True,
    ),
    "float_minus_double": Case(
        """
def f(x, y):
    return x - y
""",
        ("tf.constant(1.5), tf.constant(0.25, tf.float64)",),
        "",
        ("1.25",),
    ),
    "compared": Case(
        """
def f(x):
    if x > tf.constant(0.5):
        return x
    return -x
""",
        ("tf.constant(3)", "tf.constant(0)"),
        "",
        ("3", "0"),
    ),
    "plus_equals": Case(
        """
def f(x):
    x += tf.constant(0.5)
    return x
""",
        ("tf.constant(3)",),
        "",
        ("3.5",),
    ),
    "arguments_of_an_op": Case(
        """
def f(x):
    return tf.maximum(x, tf.constant(0.5))
""",
        ("tf.constant(3)",),
        "",
        ("3.0",),
    ),
    "matmul_of_ints": Case(
        """
def f(x):
    return tf.matmul(tf.ones([1, 2]), x)
""",
        ("tf.constant([[1], [2]])",),
        "Input 'b' of 'MatMul' Op has type int32 that does not match expected type of float32.",
        ("[[3.0]]",),
    ),
    "int_times_a_number": Case(
        """
def f(x):
    return x * 0.5
""",
        ("tf.constant(3)",),
        "Expected int32 passed to parameter 'y' of op 'Mul', got 0.5 of type 'float' instead.",
        ("1.5",),
    ),
    "number_plus_int": Case(
        """
def f(x):
    return 0.5 + x
""",
        ("tf.constant(3)",),
        "Expected int32, but got 0.5 of type 'float'.",
        ("3.5",),
    ),
    "named_number": Case(
        """
RATE = 0.5


def f(x):
    return x * RATE
""",
        ("tf.constant(3)",),
        "",
        ("1.5",),
    ),
    "eager_int_times_a_number": Case(
        """
def f(x):
    return x * 0.5
""",
        ("tf.constant(3)",),
        "Cannot convert 0.5 to EagerTensor of dtype int32",
        ("1.5",),
        eager=True,
    ),
    "count_of_a_loop": Case(
        """
def f(x):
    n = 1
    for v in x:
        n = n * 0.5
    return n
""",
        (V,),
        "",
        ("0.125",),
    ),
    "where_with_a_number": Case(
        """
def f(x):
    return tf.where(x > 0, x, 0.5)
""",
        ("tf.constant([3, -1])",),
        "",
        ("[3.0, 0.5]",),
    ),
    "root_of_an_int": Case(
        """
def f(x):
    return tf.sqrt(x)
""",
        ("tf.constant(4)",),
        "Value passed to parameter 'x' has DataType int32 not in list of allowed values",
        ("2.0",),
    ),
    "eager_root_of_an_int": Case(
        """
def f(x):
    return tf.sqrt(x)
""",
        ("tf.constant(4)",),
        "Value for attr 'T' of int32 is not in the list of allowed values",
        ("2.0",),
        eager=True,
    ),
    "assigned_int": Case(
        """
w = tf.Variable(1.5)


def f(x):
    w.assign_add(x)
    return w.read_value()
""",
        ("tf.constant(4)",),
        "Tensor conversion requested dtype float32 for Tensor with dtype int32",
        ("5.5",),
    ),
    "eager_assigned_int": Case(
        """
w = tf.Variable(1.5)


def f(x):
    w.assign(x)
    return w.read_value()
""",
        ("tf.constant(4)",),
        "Tensor conversion requested dtype float32 for Tensor with dtype int32",
        ("4.0",),
        eager=True,
    ),
    "product_of_rows": Case(
        """
def f(x, y):
    return tf.matmul(x, y)
""",
        ("tf.ones([2, 3]), tf.ones([4, 3])",),
        "Dimensions must be equal, but are 3 and 4",
        ("[[3.0] * 4] * 2",),
    ),
    "product_of_columns": Case(
        """
def f(x, y):
    return x @ y
""",
        ("tf.ones([3, 2]), tf.ones([3, 1])",),
        "",
        ("[[3.0], [3.0]]",),
    ),
    "eager_product_of_rows": Case(
        """
def f(x, y):
    return x @ y
""",
        ("tf.ones([2, 3]), tf.ones([4, 3])",),
        "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,3]",
        ("[[3.0] * 4] * 2",),
        eager=True,
    ),
    "matrix_times_vector": Case(
        """
def f(x, y):
    return tf.matmul(x, y)
""",
        ("tf.ones([2, 3]), tf.ones([3])",),
        "Shape must be rank 2 but is rank 1",
        ("[3.0, 3.0]",),
    ),
    "vector_times_vector": Case(
        """
def f(x, y):
    return x @ y
""",
        ("tf.ones([3]), tf.ones([3])",),
        "",
        ("3.0",),
    ),
    "condition_int": Case(
        """
def f(x):
    if x:
        return 1
    return 2
""",
        ("tf.constant(3)", "tf.constant(0)"),
        "condition of if statement expected to be `tf.bool` scalar",
    ),
    "condition_of_a_while": Case(
        """
def f(x):
    s = 0
    while x - 1:
        x -= 1
        s += x
    return s
""",
        ("tf.constant(5)",),
        "condition of while loop expected to be `tf.bool` scalar",
    ),
    "condition_float": Case(
        """
def f(x):
    return 1 if tf.reduce_sum(x) else 2
""",
        (V, "tf.zeros([3])"),
    ),
    "condition_text": Case(
        """
def f(x):
    if x:
        return 1
    return 2
""",
        ("tf.constant('a')", "tf.constant('')"),
        "",
        ("1", "2"),
    ),
}

GRADIENTS = {
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

PYTHON = {
    "sin_of_numpy": Case(
        """
import numpy as np


def f(x):
    return np.sin(x)
""",
        (V,),
        "Cannot convert a symbolic tf.Tensor (x:0) to a numpy array.",
    ),
    "mean_of_numpy": Case(
        """
import numpy as np


def f(x):
    return np.mean(x, axis=0)
""",
        (V,),
    ),
    "concatenate_of_numpy": Case(
        """
import numpy as np


def f(x):
    return np.concatenate([x, x])
""",
        (V,),
    ),
    "dot_of_numpy": Case(
        """
import numpy as np


def f(x):
    return np.dot(x, x)
""",
        (V,),
    ),
    "array_of_numpy": Case(
        """
import numpy as np


def f(x):
    return np.array(x) + 1.0
""",
        (V,),
    ),
    "zeros_of_numpy": Case(
        """
import numpy as np


def f(n):
    return np.zeros(n)
""",
        ("tf.constant(3)",),
    ),
    "root_of_math": Case(
        """
import math


def f(x):
    return math.sqrt(x) + 1
""",
        ("tf.constant(4.0)",),
        "must be real number, not SymbolicTensor",
    ),
    "power_of_math": Case(
        """
import math


def f(x):
    return math.pow(x, 2.0)
""",
        ("tf.constant(4.0)",),
    ),
    "float_without_autograph": Case(
        """
def f(x):
    return float(x) * 2.0
""",
        ("tf.constant(4)",),
        "float() argument must be a string or a real number, not 'SymbolicTensor'",
        options="autograph=False",
    ),
    "int_without_autograph": Case(
        """
def f(x):
    return int(x)
""",
        ("tf.constant(4.75)",),
        "int() argument must be a string",
        options="autograph=False",
    ),
    "round": Case(
        """
def f(x):
    return round(x)
""",
        ("tf.constant(4.75)",),
        "type SymbolicTensor doesn't define __round__ method",
        ("5.0",),
    ),
    "list_indexed": Case(
        """
def f(i):
    names = [10, 20, 30]
    return names[i]
""",
        ("tf.constant(1)", "tf.constant(2)"),
        "list indices must be integers or slices, not SymbolicTensor",
    ),
    "list_of_tensors_indexed": Case(
        """
def f(i):
    rows = [tf.ones([2]), tf.zeros([2])]
    return rows[i] + 1.0
""",
        ("tf.constant(1)", "tf.constant(0)"),
    ),
    "list_sliced": Case(
        """
def f(i):
    names = [10, 20, 30]
    return names[:i]
""",
        ("tf.constant(1)", "tf.constant(2)"),
        "slice indices must be integers or None or have an __index__ method",
        ("[10]", "[10, 20]"),
    ),
    "dict_looked_up": Case(
        """
def f(i):
    rates = {0: 0.5, 1: 1.5}
    return rates[i]
""",
        ("tf.constant(1)", "tf.constant(0)"),
        "Tensor is unhashable. Instead, use tensor.ref() as the key.",
        ("1.5", "0.5"),
    ),
    "key_of_a_dict": Case(
        """
def f(x):
    d = {x: 1}
    return len(d) + x
""",
        ("tf.constant(4)",),
        "Tensor is unhashable. Instead, use tensor.ref() as the key.",
        ("5",),
    ),
    "in_a_list": Case(
        """
def f(x):
    return x in [1.0, 2.0]
""",
        ("tf.constant(2.0)", "tf.constant(3.0)"),
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
    ),
    "not_in_a_list": Case(
        """
def f(x):
    if x not in [1.0, 2.0]:
        return x
    return -x
""",
        ("tf.constant(2.0)", "tf.constant(3.0)"),
    ),
    "in_a_tensor": Case(
        """
def f(x):
    return 2.0 in x
""",
        (V, f"-{V}"),
        "Iterating over a symbolic `tf.Tensor` is not allowed.",
    ),
    "any_of_python": Case(
        """
def f(x):
    if any(x > 2.0):
        return x
    return -x
""",
        (V, f"-{V}"),
    ),
    "all_of_python": Case(
        """
def f(x):
    return all([x[0] > 0.0, x[1] > 0.0])
""",
        (V, f"-{V}"),
    ),
    "max_of_python": Case(
        """
def f(x):
    return max([x[0], x[1]])
""",
        (V, f"-{V}"),
    ),
    "bool_of_python": Case(
        """
def f(x):
    return bool(x > 0.0)
""",
        ("tf.constant(2.0)", "tf.constant(-3.0)"),
    ),
    "dtypes_of_cond": Case(
        """
def f(x):
    return tf.cond(x > 0.0, lambda: 1, lambda: 1.5)
""",
        ("tf.constant(2.0)", "tf.constant(-3.0)"),
        "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of return values.",
    ),
    "dtype_of_while_loop": Case(
        """
def f(x):
    return tf.while_loop(lambda s: s < 3, lambda s: s + x, [0])
""",
        ("tf.constant(1.5)",),
        "",
        ("[3.0]",),
        2,
    ),
    "dtype_of_while_loop_after_an_iteration": Case(
        """
def f(x):
    return tf.while_loop(lambda s: s < 3, lambda s: tf.cast(s, tf.float32) + x, [0])
""",
        ("tf.constant(1.5)",),
        "enters the loop with type <dtype: 'int32'> but has type <dtype: 'float32'> after 1 iteration.",
        ("[3.0]",),
    ),
    "shape_of_while_loop": Case(
        """
def f(x):
    return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.concat([s, s], 0)), [0, x])[1]
""",
        ("tf.constant([1.5])",),
        "enters the loop with shape (1,), but has shape (2,) after one iteration.",
        ("[1.5] * 4",),
    ),
    "functions_of_cond": Case(
        """
def f(x):
    return tf.cond(x > 0.0, x + 1.0, lambda: -x)
""",
        ("tf.constant(2.0)", "tf.constant(-3.0)"),
        "'true_fn' must be callable.",
        ("3.0", "3.0"),
    ),
}

TENSORS = {
    "item_set": Case(
        """
def f(x):
    x[0] = 7
    return x
""",
        (V,),
        "'SymbolicTensor' object does not support item assignment",
        ("[7.0, 2.0, 3.0]",),
    ),
    "last_item_set": Case(
        """
def f(x):
    x[-1] = 7.5
    return x
""",
        (V,),
        "",
        ("[1.0, 2.0, 7.5]",),
    ),
    "element_of_a_matrix_set": Case(
        """
def f(x):
    i = 1
    x[0, i] = 7.0
    return x
""",
        ("tf.zeros([2, 2])",),
        "",
        ("[[0.0, 7.0], [0.0, 0.0]]",),
    ),
    "item_of_a_tensor_set": Case(
        """
def f(x):
    for i in tf.range(2):
        x[i] = 7.0
    return x
""",
        (V,),
        "",
        ("[7.0, 7.0, 3.0]",),
    ),
    "slice_set": Case(
        """
def f(x):
    x[1:3] = 0
    return x
""",
        (V,),
        "",
        ("[1.0, 0.0, 0.0]",),
    ),
    "tail_set": Case(
        """
def f(x):
    x[1:] = [5.0, 6.0]
    return x
""",
        (V,),
        "",
        ("[1.0, 5.0, 6.0]",),
    ),
    "masked_set": Case(
        """
def f(x):
    x[x > 1.5] = 0.0
    return x
""",
        (V,),
        "",
        ("[1.0, 0.0, 0.0]",),
    ),
    "item_added_to": Case(
        """
def f(x):
    x[1] += 5
    return x
""",
        (V,),
        "",
        ("[1.0, 7.0, 3.0]",),
    ),
    "eager_item_set": Case(
        """
def f(x):
    x[1] = 5.0
    return x
""",
        (V,),
        "'EagerTensor' object does not support item assignment",
        ("[1.0, 5.0, 3.0]",),
        eager=True,
    ),
    "item_of_a_variable_set": Case(
        """
w = tf.Variable([1.0, 2.0])


def f(x):
    w[0] = x
    return w.read_value()
""",
        ("tf.constant(5.0)",),
        "object does not support item assignment",
        ("[5.0, 2.0]",),
    ),
    "item_of_a_variable_added_to": Case(
        """
w = tf.Variable([1.0, 2.0])


def f(x):
    w[0] += x
    return w.read_value()
""",
        ("tf.constant(5.0)",),
        "",
        ("[6.0, 2.0]",),
    ),
    "item_deleted": Case(
        """
def f(x):
    del x[1]
    return x
""",
        (V,),
        "'SymbolicTensor' object doesn't support item deletion",
        ("[1.0, 3.0]",),
    ),
    "appended": Case(
        """
def f(x):
    x.append(4.0)
    return x
""",
        (V,),
        "'SymbolicTensor' object has no attribute 'append'",
        ("[1.0, 2.0, 3.0, 4.0]",),
    ),
    "mean": Case(
        """
def f(x):
    return x.mean() + 1.0
""",
        (V,),
        "'SymbolicTensor' object has no attribute 'mean'",
        ("3.0",),
    ),
    "any_of_floats": Case(
        """
def f(x):
    return x.any()
""",
        (V, "tf.zeros([2])"),
        "",
        ("True", "False"),
    ),
    "all_of_bools": Case(
        """
def f(x):
    y = x > 0.0
    return y.all()
""",
        (V, "tf.zeros([2])"),
        "",
        ("True", "False"),
    ),
    "sum_along_an_axis": Case(
        """
def f(x):
    return x.sum(axis=0, keepdims=True)
""",
        (V,),
        "",
        ("[6.0]",),
    ),
    "reshape": Case(
        """
def f(x):
    return x.reshape(3, -1)
""",
        (V,),
        "SymbolicTensor object has no attribute 'reshape'",
        ("[[1.0], [2.0], [3.0]]",),
    ),
    "reshape_to_a_list": Case(
        """
def f(x):
    return x.reshape([1, 3])
""",
        (V,),
        "",
        ("[[1.0, 2.0, 3.0]]",),
    ),
    "reshape_to_a_number": Case(
        """
def f(x):
    n = 3
    return x.reshape(n)
""",
        ("tf.constant([[1.0, 2.0, 3.0]])",),
        "",
        ("[1.0, 2.0, 3.0]",),
    ),
    "reshape_to_a_shape": Case(
        """
def f(x):
    shape = (3, 1)
    return x.reshape(shape)
""",
        (V,),
        "",
        ("[[1.0], [2.0], [3.0]]",),
    ),
    "transposed": Case(
        """
def f(x):
    return x.T
""",
        ("tf.constant([[1.0, 2.0]])",),
        "",
        ("[[1.0], [2.0]]",),
    ),
    "flattened": Case(
        """
def f(x):
    return x.flatten()
""",
        ("tf.constant([[1.0, 2.0]])",),
        "",
        ("[1.0, 2.0]",),
    ),
    "cast": Case(
        """
def f(x):
    return x.astype("int32")
""",
        ("tf.constant([1.5])",),
        "",
        ("[1]",),
    ),
    "size": Case(
        """
def f(x):
    return x.size
""",
        (V,),
        "",
        ("3",),
    ),
    "dot": Case(
        """
def f(x):
    return x.dot(x)
""",
        (V,),
        "",
        ("14.0",),
    ),
    "float_index": Case(
        """
def f(x):
    return x[1.0]
""",
        (V,),
        "Only integers, slices",
        ("2.0",),
    ),
    "list_index": Case(
        """
def f(x):
    return x[[0, 2]]
""",
        (V,),
        "Index out of range using input dim 1",
        ("[1.0, 3.0]",),
    ),
    "eager_list_index": Case(
        """
def f(x):
    return x[[0, 2]]
""",
        (V,),
        "Index out of range using input dim 1",
        ("[1.0, 3.0]",),
        eager=True,
    ),
}

CONTAINERS = {
    "list_returned": Case(
        """
def f(x):
    out = []
    for v in x:
        out.append(v * 2)
    return out
""",
        (V,),
        "a list that a staged loop appends to cannot be given to a tf.function, or returned by one",
        ("[2.0, 4.0, 6.0]",),
    ),
    "list_returned_beside_others": Case(
        """
def f(x):
    out = []
    for v in x:
        out.append(v * 2)
    return x, out
""",
        (V,),
        "",
        ("[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]",),
    ),
    "list_of_two_dtypes": Case(
        """
def f(x):
    out = []
    for v in x:
        out.append(v)
        out.append(1)
    return tf.stack(out)
""",
        ("tf.constant([1.5, 2.5])",),
        "a list in a staged loop holds elements of one dtype; it has float32 and gets int32",
    ),
    "array_of_ints": Case(
        """
def f(x):
    array = tf.TensorArray(tf.int32, 3)
    for i in tf.range(3):
        array = array.write(i, x[i])
    return array.stack()
""",
        (V,),
        "TensorArray dtype is int32 but Op is trying to write dtype float32",
        ("[1.0, 2.0, 3.0]",),
    ),
    "array_given_an_int": Case(
        """
def f(x):
    array = tf.TensorArray(tf.float32, 1)
    array = array.write(0, x)
    return array.stack()
""",
        ("tf.constant(3)",),
        "",
        ("[3.0]",),
    ),
    "variable_of_an_object": Case(
        """
class Layer:
    def call(self, x):
        self.w = tf.Variable(2.0)
        return self.w * x


layer = Layer()


def f(x):
    return layer.call(x)
""",
        ("tf.constant(3.0)", "tf.constant(4.0)"),
        "tf.function only supports singleton tf.Variables created on the first call.",
        ("6.0", "8.0"),
    ),
}

CASES = {**BRANCHES, **LOOPS, **OPERANDS, **GRADIENTS, **PYTHON, **TENSORS, **CONTAINERS}
