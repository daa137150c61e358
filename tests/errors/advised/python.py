"""Mistakes around Python's functions and statements."""

from advised.case import V, Case

CASES = {
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
        "SymbolicTensor object has no attribute 'astype'",
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
