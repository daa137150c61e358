"""Functions of one row that run once for all rows: tf.vectorized_map, and Jacobians."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
MATRIX = [[0.5, 1.0, -1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.25]]

# Functions of a row of three numbers, x, a matrix m that all rows share, and a number k that differs between rows.
FUNCTIONS = """
x + tf.ones([2, 1])
tf.matmul(x[None], m)
tf.matmul(m, x[:, None])
tf.matmul(m, x[:, None], transpose_a=True)
tf.matmul(x[None], m, transpose_b=True)
tf.matmul(x[:, None], x[:, None], transpose_b=True)
tf.matmul(x[:, None], x[:, None], transpose_a=True)
tf.matmul(tf.stack([m, m * 2.0]), x[:, None])
tf.matmul(tf.reshape(x, [3, 1, 1]) * m, m)
tf.linalg.matvec(m, x)
tf.einsum("i,ij->j", x, m)
tf.einsum("...i,i->...", m, x)
tf.reduce_sum(x * m, axis=-1)
tf.reduce_max(x * m, axis=[0, 1], keepdims=True)
tf.reduce_mean(x * m, axis=0)
tf.argmax(x * m, axis=0)
tf.cumsum(x * m, axis=1, reverse=True)
tf.reverse(x * m, [0])
tf.roll(x, 1, 0)
tf.nn.softmax(x)
tf.math.top_k(x, 2)[0]
tf.sort(x * m, axis=0)
tf.nn.softmax_cross_entropy_with_logits(logits=x * m, labels=m)
tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=k)
tf.nn.l2_loss(x)
tf.nn.bias_add(x * m, [1.0, 2.0, 3.0])
tf.nn.bias_add(m, x)
tf.concat([m, x[None]], 0)
tf.stack([x, tf.ones([3])], axis=1)
tf.unstack(x * m, axis=1)[2]
tf.split(x, [1, 2])[1]
tf.reshape(x * m, [-1, 1])
tf.expand_dims(x, -1)
tf.squeeze(x[None, :, None])
tf.squeeze(x[None, :, None], axis=[-1])
tf.transpose(x * m)
tf.transpose(tf.reshape(x * m, [3, 3, 1]), [2, 0, 1])
tf.cast(tf.shape(x * m), tf.float32) * x[0]
tf.cast(tf.size(x), tf.float32) * x
tf.tile(x, [2])
tf.pad(x, [[1, 2]])
tf.pad(x, [[1, 1]], mode="REFLECT")
tf.broadcast_to(x, [2, 3])
tf.fill([2, 2], x[0])
tf.zeros_like(x) + tf.ones_like(x)
x[1:]
x[::-1, None]
(x * m)[..., 1]
x[k]
x[-k - 1]
tf.gather(x, [2, 0])
tf.gather(x * m, [2, 0], axis=1)
tf.gather(m, k)
tf.gather(m, [k, 0], axis=1)
tf.gather(x, [k])
tf.gather(x * m, [[k], [0], [1]], batch_dims=1)
tf.gather_nd(m, [[k, 0], [0, k]])
tf.gather_nd(x, [[k], [0]])
tf.scatter_nd([[k], [0]], x[:2], [3])
tf.tensor_scatter_nd_add(m, [[k]], x[None])
tf.math.unsorted_segment_sum(x, [1, -1, 1], 2)
tf.math.unsorted_segment_sum(x * m, [k, 0, 1], 4)
tf.one_hot(k, 3)
tf.one_hot([k, 0], 3, axis=0)
tf.where(x > 2.0, x, 0.0)
tf.where(x[0] > 2.0, x, tf.zeros([3]))
tf.compat.v1.where(x[0] > 2.0, x, tf.zeros([3]))
tf.compat.v1.where(x * m > 2.0, m, x * m)
tf.clip_by_value(x, 2.0, x[2])
tf.add_n([x, x, m[0]])
tf.linalg.diag(x)
tf.linalg.diag_part(x * m)
tf.linalg.inv(x * m)
tf.linalg.cholesky(tf.linalg.diag(x))
tf.linalg.solve(m, x[:, None])
tf.linalg.band_part(x * m, 1, 0)
tf.abs(tf.signal.rfft(x))
tf.nn.conv2d(tf.reshape(x, [1, 3, 1, 1]), tf.ones([2, 1, 1, 2]), 1, "VALID")
tf.nn.max_pool1d(tf.reshape(x, [1, 3, 1]), 2, 1, "SAME")
tf.ensure_shape(x, [3])
tf.nn.leaky_relu(x - 2.0)
tf.identity_n([x, m])[0]
tf.cond(x[0] > 2.0, lambda: x, lambda: -x)
tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))[1]
tf.map_fn(lambda e: e * 2.0, x)
tf.vectorized_map(lambda e: tf.reduce_sum(e * x), m)
tf.function(lambda a: a * 2.0)(x)
tf.strings.as_string(x)
""".strip().splitlines()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("expression", FUNCTIONS)
def test_results_are_those_of_the_rows(tf, expression, traced):
    m = tf.constant(MATRIX)
    rows, numbers = tf.constant(ROWS), tf.constant([1, 2])
    function = eval(f"lambda x, k: {expression}", {"tf": tf, "m": m})

    def run():
        return tf.vectorized_map(lambda row: function(*row), (rows, numbers))

    found = (tf.function(run, autograph=False) if traced else run)()
    expected = tf.stack([function(rows[i], numbers[i]) for i in range(2)])
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype == tf.string:
        assert found.numpy().tolist() == expected.numpy().tolist()
    else:
        tf.debugging.assert_near(tf.cast(found, tf.float32), tf.cast(expected, tf.float32), atol=1e-4)


def test_structures(tf):
    x = tf.constant(ROWS)
    found = tf.vectorized_map(lambda row: {"a": row["x"][0], "b": (None, [3, row["y"]])}, {"x": x, "y": x[:, 1]})
    assert found["a"].numpy().tolist() == [1.0, 4.0]
    assert found["b"][0] is None and found["b"][1][0].numpy().tolist() == [3, 3]
    assert found["b"][1][1].numpy().tolist() == [2.0, 5.0]
    assert tf.vectorized_map(lambda row: None, x) is None
    assert tf.vectorized_map(lambda row: row[0] + row[1], [tf.ones([3]), tf.ones([3])]).numpy().tolist() == [2.0, 2.0, 2.0]
    assert tf.vectorized_map(lambda v: v * 2.0, tf.Variable([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("shape", [(0, 3), (1, 3)])
def test_no_row_and_one(tf, shape):
    x = tf.ones(shape)
    assert tf.vectorized_map(tf.reduce_sum, x).shape == shape[:1]
    assert tf.vectorized_map(lambda row: tf.constant([1, 2]), x).shape == (shape[0], 2)
    assert tf.vectorized_map(lambda row: tf.matmul(row[None], tf.ones([3, 4])), x).shape == (shape[0], 1, 4)


def test_one_row_beside_many(tf):
    x = tf.constant(ROWS)
    found = tf.vectorized_map(lambda row: row[0] + row[1], (tf.ones([1, 3]), x))
    assert found.numpy().tolist() == [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]
    found = tf.vectorized_map(lambda row: tf.unique(row[0])[0] + row[1], (tf.ones([1, 3]), x), warn=False)
    assert found.numpy().tolist() == [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]


def test_numbers_of_rows_that_differ(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[2\] = 2 is not in \[0, 2\)"):
        tf.vectorized_map(lambda row: row[0] + row[1], (tf.ones([2]), tf.ones([3])))


def test_refused_elements_and_results(tf):
    x = tf.constant(ROWS)
    with pytest.raises(IndexError):
        tf.vectorized_map(lambda row: row, tf.constant(1.0))
    with pytest.raises(ValueError):
        tf.vectorized_map(lambda row: row, [])
    with pytest.raises(TypeError, match="'int' object is not callable"):
        tf.vectorized_map(3, x)
    with pytest.raises(TypeError, match="found return value of type Operation"):
        tf.vectorized_map(lambda row: tf.no_op(), x)
    v = tf.Variable([1.0])
    with pytest.raises(ValueError, match="vectorized_map loop body must provide a `BatchableTypeSpec`"):
        tf.vectorized_map(lambda row: v, x)
    with pytest.raises(TypeError):
        tf.vectorized_map(lambda row: row, tf.sparse.from_dense(x))


def test_ops_without_a_rule(tf):
    x = tf.constant(ROWS)
    assert tf.vectorized_map(lambda row: tf.unique(row)[0], x, warn=False).numpy().tolist() == ROWS
    with pytest.raises(ValueError) as caught:
        tf.vectorized_map(lambda row: tf.unique(row)[0], x, fallback_to_while_loop=False)
    assert "No pfor vectorization defined for Unique\n" in str(caught.value)
    assert "Consider enabling the fallback_to_while_loop option to pfor, which may run slower." in str(caught.value)
    assert tf.vectorized_map(tf.function(lambda row: row), x, fallback_to_while_loop=False).numpy().tolist() == ROWS


def test_each_row_draws_its_own_numbers(tf):
    x = tf.constant(ROWS)
    draws = {
        "uniform": (lambda row: tf.random.uniform([2], seed=3), [[0.7788, 0.8012], [0.7244, 0.2309]]),
        "ints": (lambda row: tf.random.uniform([2], 0, 10, tf.int32), [[2, 6], [2, 7]]),
        "classes": (lambda row: tf.random.categorical(row[None], 4), [[[2, 1, 2, 0]], [[2, 2, 1, 1]]]),
        "dropout": (lambda row: tf.nn.dropout(row, 0.5), [[2.0, 0.0, 6.0], [0.0, 0.0, 12.0]]),
    }
    for draw, expected in draws.values():
        tf.random.set_seed(1)
        found = tf.function(lambda draw=draw: tf.vectorized_map(draw, x), autograph=False)()
        tf.debugging.assert_near(tf.cast(found, tf.float32), tf.constant(expected, tf.float32), atol=1e-3)
    same = tf.vectorized_map(lambda row: tf.random.stateless_uniform([2], [1, 2]), x)
    assert same[0].numpy().tolist() == same[1].numpy().tolist()


def test_seeds_go_on_within_a_function(tf):
    x = tf.constant(ROWS)
    tf.random.set_seed(1)

    @tf.function
    def draw():
        return [tf.vectorized_map(lambda row: tf.random.normal([2]), x) for _ in range(2)]

    first, second = draw()
    tf.debugging.assert_near(first, [[0.3052, 0.5671], [0.4185, 0.2326]], atol=1e-3)
    tf.debugging.assert_near(second, [[0.2818, 2.3878], [2.2804, -0.3087]], atol=1e-3)


def test_errors_name_nodes_of_the_body(tf):
    x = tf.constant(ROWS)
    with pytest.raises(ValueError, match=r"\{\{node loop_body/add\}\} = AddV2\[T=DT_FLOAT\]\(loop_body/GatherV2, loop_body/ones\)"):
        tf.vectorized_map(lambda row: row + tf.ones([2]), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[2\] = 7 is not in \[0, 2\)"):
        tf.vectorized_map(lambda i: tf.gather(x, i), tf.constant([1, 0, 7]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > y did not hold"):
        tf.vectorized_map(lambda row: (tf.debugging.assert_greater(row, 3.0), row)[1], x)


def test_unknown_shapes(tf):
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None, None])])
    def run(anything, matrix):
        doubled = tf.vectorized_map(lambda row: row * 2.0, anything)
        summed = tf.vectorized_map(lambda row: tf.reduce_sum(row[0]) + row[1], (matrix, matrix))
        shaped = tf.vectorized_map(lambda row: tf.reshape(row, [-1, 1]) @ tf.ones([1, 2]), matrix)
        assert doubled.shape.rank is None and summed.shape == [None, None] and shaped.shape == [None, None, 2]
        return doubled, summed, shaped

    for rows in (ROWS, ROWS[:1]):
        doubled, summed, shaped = run(tf.constant(rows), tf.constant(rows))
        assert doubled.numpy().tolist() == [[2 * e for e in row] for row in rows]
        assert summed.numpy().tolist() == [[sum(row) + e for e in row] for row in rows]
        assert shaped.numpy().tolist() == [[[e, e] for e in row] for row in rows]


def _of_rows(tf, shared):
    return {
        "matvec": lambda row: tf.linalg.matvec(shared, row),
        "shared": lambda row: tf.reduce_sum(shared * row) * shared,
        "row by row": lambda row: tf.math.segment_sum(row, [0, 0, 1])[0] * tf.reduce_sum(shared) + row,
    }


@pytest.mark.parametrize("which", ["matvec", "shared", "row by row"])
@pytest.mark.parametrize("traced", [False, True])
def test_gradients(tf, which, traced):
    x, shared = tf.constant(ROWS), tf.constant(MATRIX)
    function = _of_rows(tf, shared)[which]

    def run(map_rows):
        with tf.GradientTape() as tape:
            tape.watch([x, shared])
            y = map_rows()
        return tape.gradient(y, [x, shared])

    at_once = lambda: tf.vectorized_map(function, x, warn=False)
    found = tf.function(run)(at_once) if traced else run(at_once)
    expected = run(lambda: tf.stack([function(row) for row in tf.unstack(x)]))
    for a, b in zip(found, expected):
        tf.debugging.assert_near(a, b)


def test_gradients_of_each_row(tf):
    x, v = tf.constant(ROWS), tf.Variable([1.0, 2.0, 3.0])

    def slopes(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(row**2 * v)
        return tape.gradient(y, [row, v])

    of_rows, of_variable = tf.vectorized_map(slopes, x)
    assert of_rows.numpy().tolist() == [[2.0, 8.0, 18.0], [8.0, 20.0, 36.0]]
    assert of_variable.numpy().tolist() == [[1.0, 4.0, 9.0], [16.0, 25.0, 36.0]]
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda row: tf.reduce_sum(row * v), x)
    assert tape.gradient(y, v).numpy().tolist() == [5.0, 7.0, 9.0]


JACOBIANS = """
tf.tanh(x @ m)
tf.nn.log_softmax(x * x)
tf.cumsum(x, axis=1) * x
x / tf.norm(x, axis=1, keepdims=True)
tf.transpose(x[:, None] * x[:, :, None], [0, 2, 1])
tf.einsum("bi,ij->bj", x * x, m)
tf.where(x > 2.5, x * x, 0.0)
tf.pad(x * x, [[0, 0], [1, 1]])[:, ::2]
tf.concat([x, x * x], 1)
tf.linalg.inv(x[:, :, None] * x[:, None] + tf.eye(3))
tf.math.unsorted_segment_sum(x * x, [1, 0], 2) * x
tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * x, lambda: x)
tf.function(lambda a: tf.exp(a * 0.1))(x)
tf.sort(-x * x, axis=1)
""".strip().splitlines()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("expression", JACOBIANS)
def test_jacobians_at_once_are_those_by_rows(tf, expression, traced):
    x, m = tf.constant(ROWS), tf.constant(MATRIX)
    function = eval(f"lambda x: {expression}", {"tf": tf, "m": m})

    def run(at_once):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, m])
            y = function(x)
        return [
            *tape.jacobian(y, [x, m], unconnected_gradients="zero", experimental_use_pfor=at_once),
            tape.batch_jacobian(y, x, experimental_use_pfor=at_once),
        ]

    wrap = (lambda f: tf.function(f, autograph=False)) if traced else (lambda f: f)
    for a, b in zip(wrap(run)(True), wrap(run)(False)):
        assert a.shape == b.shape
        tf.debugging.assert_near(a, b, atol=1e-5)


def test_jacobians_of_jacobians(tf):
    x = tf.constant(ROWS)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3, axis=1, keepdims=True)
        slopes = inner.batch_jacobian(y, x)
    found = outer.batch_jacobian(slopes, x)
    assert found.shape == (2, 1, 3, 3)
    assert tf.linalg.diag_part(found)[:, 0].numpy().tolist() == [[6.0, 12.0, 18.0], [24.0, 30.0, 36.0]]


@pytest.mark.parametrize("at_once", [True, False])
def test_jacobian_of_a_gather_along_an_axis_in_a_function(tf, at_once):
    """The axis is a constant of the graph around the rows."""

    @tf.function
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [1, 0, 3], axis=1)
        return tape.jacobian(y, x, experimental_use_pfor=at_once)

    found = jacobian(tf.ones([2, 4]))
    np.testing.assert_array_equal(found, np.einsum("ik,jl->ijkl", np.eye(2), np.eye(4)[[1, 0, 3]]))


def test_arguments_that_are_scalars_for_all_rows(tf):
    x = tf.constant(ROWS)
    for function in (
        lambda row: tf.math.betainc(row, row + 1.0, 0.5),
        lambda row: tf.math.betainc(1.0, 2.0, row / 8.0),
        lambda row: tf.math.betainc(row[0], 2.0, 0.5),
        lambda row: tf.math.betainc(row[0], row, 0.5),
    ):
        found = tf.vectorized_map(function, x)
        np.testing.assert_allclose(found, [function(row) for row in x], rtol=1e-6)
