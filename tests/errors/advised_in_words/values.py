"""Values of tensors in Python, and tensors kept too long."""

from advised_in_words.pair import V, Pair

PAIRS = {
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
        ("was defined here:", ", in inner", "kept.append(x * 2.0)", "use the result of the call"),
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
        ("was defined here:", ", in f", "A branch's values leave it by variables that both branches set."),
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
    "map_that_returns_nothing": Pair(
        """
def doubled(v):
    w = v * 2

def f(x):
    return tf.data.Dataset.from_tensors(x).map(doubled).get_single_element()
""",
        V,
        ("`doubled` gave None for an element: see the return statements of doubled, line 2.",),
        """
def doubled(v):
    w = v * 2
    return w

def f(x):
    return tf.data.Dataset.from_tensors(x).map(doubled).get_single_element()
""",
        "[2.0, 4.0, 6.0]",
    ),
    "number_of_an_unknown_dimension": Pair(
        """
def f(x):
    return x / float(x.shape[0])
""",
        V,
        (
            "`x.shape[0]` is None: x has shape (None,) while it is traced.",
            "When the graph runs, tf.shape(x)[0] is the number.",
        ),
        """
def f(x):
    return x / tf.cast(tf.shape(x)[0], tf.float32)
""",
        "[1.0 / 3, 2.0 / 3, 1.0]",
        "input_signature=[tf.TensorSpec([None])]",
    ),
    "constant_of_an_unknown_shape": Pair(
        """
def f(x):
    return tf.constant(2.0, shape=x.shape)
""",
        V,
        (
            "`x.shape` is not known: x has shape (None,) while it is traced.",
            "When the graph runs, tf.shape(x) is the shape.",
        ),
        """
def f(x):
    return tf.fill(tf.shape(x), 2.0)
""",
        "[2.0, 2.0, 2.0]",
        "input_signature=[tf.TensorSpec([None])]",
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
    "list_set_at_a_tensor": Pair(
        """
def f(x):
    counts = [0, 0, 0]
    counts[x] = 7
    return tf.stack(counts)
""",
        "tf.constant(1)",
        ("`counts` is a Python sequence, and `x` a tensor", "tf.tensor_scatter_nd_update and tf.TensorArray.write set"),
        """
def f(x):
    counts = tf.constant([0, 0, 0])
    counts = tf.tensor_scatter_nd_update(counts, [[x]], [7])
    return counts
""",
        "[0, 7, 0]",
    ),
}
