"""Mistakes around operands."""

from advised.case import V, Case

CASES = {
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
        "Input 'b' of 'MatMul' Op has type int32 that does not match type float32 of argument 'a'.",
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
