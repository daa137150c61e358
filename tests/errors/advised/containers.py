"""Mistakes around containers."""

from advised.case import V, Case

CASES = {
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
