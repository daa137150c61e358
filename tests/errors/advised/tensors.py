"""Mistakes around tensors."""

from advised.case import V, Case

CASES = {
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
        "'tensorflow.python.framework.ops.EagerTensor' object does not support item assignment",
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
