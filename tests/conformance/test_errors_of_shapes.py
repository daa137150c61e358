"""Shapes that do not fit: which of them tracing finds, which are found when the function runs, and the texts."""

import pytest

pytestmark = pytest.mark.rule(191)

# What the shape rule of the op leaves to its kernel.
WHEN_RUN = {
    "argmax": (lambda tf: tf.argmax(tf.ones([3]), 3), r"Expected dimension in the range \[-1, 1\), but got 3"),
    "argmin": (lambda tf: tf.argmin(tf.ones([3]), -2), r"Expected dimension in the range \[-1, 1\), but got -2"),
    "argmax of a scalar": (lambda tf: tf.argmax(tf.ones([]), 0), r"Expected dimension in the range \[0, 0\), but got 0"),
    "band_part": (lambda tf: tf.linalg.band_part(tf.ones([3]), 0, 0), r"input must be at least 2-dim, received shape: \[3\]"),
    "searchsorted": (
        lambda tf: tf.searchsorted(tf.ones([3, 2]), tf.ones([2, 2])),
        "Leading dim_size of both tensors must match",
    ),
    "gather": (
        lambda tf: tf.gather(tf.ones([3, 4]), [[0, 1], [1, 0]], batch_dims=1),
        r"params.shape\[0\]: 3 should be equal to indices.shape\[0\]: 2",
    ),
    "gather_nd": (
        lambda tf: tf.gather_nd(tf.ones([3, 4]), [[0, 9], [1, 0], [7, 7], [2, 2]]),
        r"indices\[2\] = \[7, 7\] does not index into param shape \[3,4\]",
    ),
    "normal": (lambda tf: tf.random.normal([-1]), "Dimension -1 must be >= 0"),
    "uniform": (lambda tf: tf.random.uniform([2, -1], 0, 5, tf.int32), "Dimension -1 must be >= 0"),
    "stateless": (lambda tf: tf.random.stateless_normal([-1, 2], [1, 2]), "Dimension -1 must be >= 0"),
    "gamma": (lambda tf: tf.random.gamma([-1], 1.0), "Dimension -1 must be >= 0"),
    "poisson": (lambda tf: tf.random.poisson([-1], 1.0), "Dimension -1 must be >= 0"),
    "empty": (lambda tf: tf.raw_ops.Empty(shape=[-1], dtype=tf.float32), "Dimension -1 must be >= 0"),
}
WHEN_TRACED = {
    "normal": (lambda tf: tf.random.normal([-2]), "Invalid value in tensor used for shape: -2"),
    "zeros": (lambda tf: tf.zeros([2, -2]), "Invalid value in tensor used for shape: -2"),
    "fill": (lambda tf: tf.fill([-1], 1.0), "Fill dimensions must be >= 0"),
    "reshape": (lambda tf: tf.reshape(tf.ones([4]), [-3]), "Invalid value in tensor used for shape: -3"),
    "tile": (lambda tf: tf.tile(tf.ones([4]), [-2]), "Invalid value in tensor used for shape: -2"),
    "slice": (lambda tf: tf.slice(tf.ones([4]), [0], [-2]), "Invalid value in tensor used for shape: -2"),
    "irfft": (lambda tf: tf.signal.irfft(tf.zeros([4], tf.complex64), [-2]), "Dimension -2 must be >= 0"),
    "add_n": (
        lambda tf: tf.add_n([tf.ones([3]), tf.ones([2])]),
        r"Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are \[3\] and \[2\]",
    ),
    "cross": (
        lambda tf: tf.linalg.cross(tf.ones([2]), tf.ones([3])),
        r"Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are \[2\] and \[3\]",
    ),
    "cross of pairs": (lambda tf: tf.linalg.cross(tf.ones([2]), tf.ones([2])), "Dimension must be 3 but is 2"),
    "bitcast": (lambda tf: tf.bitcast(tf.ones([3]), tf.float64), "Cannot bitcast from 1 to 2 due to shape. 3 does not match 2"),
    "dynamic_stitch": (lambda tf: tf.dynamic_stitch([[0, 1]], [tf.ones([3])]), "Dimensions must be equal, but are 3 and 2"),
}


@pytest.mark.parametrize("name", WHEN_RUN)
def test_what_is_found_when_the_function_runs(tf, name):
    program, text = WHEN_RUN[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        program(tf)
    function = tf.function(lambda: program(tf))
    function.get_concrete_function()
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        function()


@pytest.mark.parametrize("name", WHEN_TRACED)
def test_what_tracing_finds(tf, name):
    program, text = WHEN_TRACED[name]
    with pytest.raises(ValueError, match=text):
        tf.function(lambda: program(tf)).get_concrete_function()


def test_updates_that_do_not_fit_are_found_before_the_tensor_is_known(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def update(x):
        return tf.tensor_scatter_nd_update(x, [[0]], [1.0, 2.0])

    with pytest.raises(ValueError, match=r"Dimensions \[0,1\) of indices\[shape=\[1,1\]\] = \[1\] must match dimensions \[0,1\)"):
        update.get_concrete_function()


@pytest.mark.parametrize(
    "shapes, text",
    [
        (([3], [3], [2]), r"Input 0: \[3\] != input 2: \[2\]"),
        (([3], [2], [3]), r"Input 0: \[3\] != input 1: \[2\]"),
        (([], [3], [2]), r"'then' and 'else' must have the same size.  but received: \[3\] vs. \[2\]"),
        (([3], [3, 2], [4, 2]), r"'then' and 'else' must have the same size.  but received: \[3,2\] vs. \[4,2\]"),
        (([2], [3, 2], [3, 2]), "Number of batches of 'then' must match size of 'cond', but saw: 3 vs. 2"),
        (([3], [], [3]), r"'then' must be at least a vector, but saw shape: \[\]"),
        (([3, 2], [3, 2], [3]), r"Input 0: \[3,2\] != input 2: \[3\]"),
    ],
)
def test_select(tf, shapes, text):
    condition, x, y = map(tf.ones, shapes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.raw_ops.Select(condition=condition > 0, x=x, y=y)


def test_right_sides_of_another_rank(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="All input tensors must have the same rank."):
        tf.linalg.solve(tf.ones([3, 3]), tf.ones([3]))


def test_the_last_vector_that_is_outside_in_a_loop(tf):
    @tf.function
    def f(x, n):
        total = 0.0
        for i in tf.range(n):
            total += tf.reduce_sum(tf.gather_nd(x, [[i, 0], [i + 1, 0], [i + 2, 1]]))
        return total

    assert f(tf.ones([5, 2]), 3) == 9
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[2\] = \[5, 1\] does not index"):
        f(tf.ones([5, 2]), 4)  # iterations may run side by side: only one fails


@pytest.mark.parametrize(("op", "parameter"), [("reshape", "shape"), ("fill", "dims"), ("broadcast_to", "shape")])
def test_a_partly_known_shape_as_an_argument(tf, op, parameter):
    def f(x):
        return tf.fill(x.shape, 1.0) if op == "fill" else getattr(tf, op)(x, x.shape)

    spec = tf.TensorSpec([None, 2])
    text = f"Tried to convert '{parameter}' to a tensor and failed. Error: Cannot convert a partially known TensorShape"
    with pytest.raises(ValueError, match=text):
        tf.function(f).get_concrete_function(spec)
