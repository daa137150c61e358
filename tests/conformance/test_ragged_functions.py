"""Ragged tensors: functions, loops and branches, tf.function, gradients, errors."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


class Ragged(list):
    """The rows of a ragged tensor."""


def value(tf, x):
    return tf.ragged.constant(list(x)) if isinstance(x, Ragged) else tf.constant(x)


def plain(tf, x):
    """Nested lists of a result."""
    if isinstance(x, (list, tuple)):
        return [plain(tf, item) for item in x]
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.SparseTensor):
        return [plain(tf, part) for part in (x.indices, x.values, x.dense_shape)]
    array = x.numpy()
    return array.tolist() if hasattr(array, "tolist") else array


def near(got, want):
    if isinstance(want, float):
        return got == pytest.approx(want, rel=1e-5, abs=1e-6)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(near, got, want))
    return got == want


def open_spec(tf, x):
    """The spec of a value with all sizes unknown."""
    sizes = [None] * x.shape.rank
    if isinstance(x, tf.RaggedTensor):
        return tf.RaggedTensorSpec(sizes, x.dtype, x.ragged_rank, x.row_splits.dtype)
    return tf.TensorSpec(sizes, x.dtype)


CASES = [
    (
        lambda tf, a, b: tf.ragged.cross([a, b]),
        [Ragged([["a", "b"], ["c"]]), [["x"], ["y"]]],
        [[b"a_X_x", b"b_X_x"], [b"c_X_y"]],
    ),
    (
        lambda tf, a, b: (tf.ragged.cross_hashed([a, b]), tf.ragged.cross_hashed([a, b], 10, hash_key=5)),
        [Ragged([["a", "b"], ["c"]]), Ragged([[1], [2, 3]])],
        [[[2928842892298887678, 5354134812324246176], [8046540229177717716, 4384133765619275694]], [[8, 2], [8, 7]]],
    ),
    (
        lambda tf, a: (tf.math.bincount(a), tf.math.bincount(a, axis=-1), tf.math.bincount(a, minlength=6, axis=-1)),
        [Ragged([[1, 2], [], [3]])],
        [
            [0, 1, 1, 1],
            [[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]],
            [[0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]],
        ],
    ),
    (
        lambda tf, a, b: tf.math.bincount(a, weights=b, axis=-1, maxlength=3),
        [Ragged([[1, 2], [], [3]]), Ragged([[0.5, 2.0], [], [3.0]])],
        [[0.0, 0.5, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    (
        lambda tf, a: tf.math.bincount(a, axis=-1, binary_output=True, dtype="float32"),
        [Ragged([[1, 1], [], [3]])],
        [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    ),
    (
        lambda tf, a: (tf.map_fn(lambda x: x + 1, a), tf.map_fn(tf.reduce_sum, a, fn_output_signature="int32")),
        [Ragged([[1, 2], [], [3]])],
        [[[2, 3], [], [4]], [3, 0, 3]],
    ),
    (
        lambda tf, a: tf.map_fn(tf.range, a, fn_output_signature=tf.RaggedTensorSpec([None], "int32")),
        [[1, 0, 2]],
        [[0], [], [0, 1]],
    ),
    (lambda tf, a: tf.map_fn(lambda x: x * 2, a), [Ragged([[[1, 2], [3]], [], [[4], []]])], [[[2, 4], [6]], [], [[8], []]]),
    (
        lambda tf, a: tf.map_fn(lambda x: x.row_lengths(), a, fn_output_signature=tf.RaggedTensorSpec([None], "int64")),
        [Ragged([[[1, 2], [3]], [], [[4], []]])],
        [[2, 1], [], [1, 0]],
    ),
    (
        lambda tf, a, b: tf.map_fn(lambda x: x[0] + x[1], (a, b), fn_output_signature=tf.RaggedTensorSpec([None], "int32")),
        [Ragged([[1, 2], [], [3]]), [10, 20, 30]],
        [[11, 12], [], [33]],
    ),
    (
        lambda tf, a: (tf.concat([a, a], 0), tf.concat([a, a], 1), tf.stack([a, a]), tf.stack([a, a], 1)),
        [Ragged([[1, 2], [], [3]])],
        [
            [[1, 2], [], [3], [1, 2], [], [3]],
            [[1, 2, 1, 2], [], [3, 3]],
            [[[1, 2], [], [3]], [[1, 2], [], [3]]],
            [[[1, 2], [1, 2]], [[], []], [[3], [3]]],
        ],
    ),
    (
        lambda tf, a: (
            tf.tile(a, [2, 1]),
            tf.tile(a, [1, 2]),
            tf.expand_dims(a, 0),
            tf.expand_dims(a, 1),
            tf.expand_dims(a, -1),
        ),
        [Ragged([[1, 2], [], [3]])],
        [
            [[1, 2], [], [3], [1, 2], [], [3]],
            [[1, 2, 1, 2], [], [3, 3]],
            [[[1, 2], [], [3]]],
            [[[1, 2]], [[]], [[3]]],
            [[[1], [2]], [], [[3]]],
        ],
    ),
    (
        lambda tf, a: (tf.size(a), tf.rank(a), tf.where(a > 1), tf.where(a > 1, a, 0), tf.one_hot(a, 4, dtype="int32")),
        [Ragged([[1, 2], [], [3]])],
        [3, 2, [[0, 1], [2, 0]], [[0, 2], [], [3]], [[[0, 1, 0, 0], [0, 0, 1, 0]], [], [[0, 0, 0, 1]]]],
    ),
    (
        lambda tf, a: (tf.reverse(a, [0]), tf.reverse(a, [1]), tf.gather(a, [2, 0]), tf.gather_nd(a, [[0, 1], [2, 0]])),
        [Ragged([[1, 2], [], [3]])],
        [[[3], [], [1, 2]], [[2, 1], [], [3]], [[3], [1, 2]], [2, 3]],
    ),
    (
        lambda tf, a, b: (tf.gather(a, b, batch_dims=1), tf.gather([5, 6, 7], b)),
        [Ragged([[1, 2], [], [3]]), Ragged([[1], [], [0, 0]])],
        [[[2], [], [3, 3]], [[6], [], [5, 5]]],
    ),
    (
        lambda tf, a: (
            tf.reduce_sum(a),
            tf.reduce_sum(a, 0),
            tf.reduce_sum(a, 1),
            tf.reduce_max(a, 0),
            tf.reduce_any(a > 1, 1),
        ),
        [Ragged([[1, 2], [], [3]])],
        [6, [4, 2], [3, 0, 3], [3, 2], [True, False, True]],
    ),
    (
        lambda tf, a: (tf.nn.softmax(a), tf.math.cumsum(a, 1), tf.add_n([a, a]), tf.reduce_prod(a, 1)),
        [Ragged([[1.0, 2.0], [], [3.0]])],
        [[[0.268941, 0.731059], [], [1.0]], [[1.0, 3.0], [], [3.0]], [[2.0, 4.0], [], [6.0]], [2.0, 1.0, 3.0]],
    ),
    (lambda tf, a: tf.dynamic_partition(a, [1, 0, 1], 2), [Ragged([[1, 2], [], [3]])], [[[]], [[1, 2], [3]]]),
    (
        lambda tf, a: (tf.matmul(a, a), tf.matmul(a, a, transpose_a=True), tf.matmul(a, a, transpose_b=True)),
        [Ragged([[[1.0, 2.0], [3.0, 4.0]], [[3.0]]])],
        [
            [[[7.0, 10.0], [15.0, 22.0]], [[9.0]]],
            [[[10.0, 14.0], [14.0, 20.0]], [[9.0]]],
            [[[5.0, 11.0], [11.0, 25.0]], [[9.0]]],
        ],
    ),
    (
        lambda tf, a, b: tf.nn.embedding_lookup(b, a),
        [Ragged([[0, 1], [], [3]]), [[1.0], [2.0], [3.0], [4.0]]],
        [[[1.0], [2.0]], [], [[4.0]]],
    ),
    (
        lambda tf, a: (a[0], a[-1], a[1:], a[:, :1], a[:, ::-1], a[0, 1], a[..., None], a[None]),
        [Ragged([[1, 2], [], [3]])],
        [[1, 2], [3], [[], [3]], [[1], [], [3]], [[2, 1], [], [3]], 2, [[[1], [2]], [], [[3]]], [[[1, 2], [], [3]]]],
    ),
    (
        lambda tf, a: (a[0], a[:, 1:], a[2, 0], a[:, :, 0:1], a.merge_dims(0, 1), a.merge_dims(1, 2)),
        [Ragged([[[1, 2], [3]], [], [[4], [], [5, 6]]])],
        [
            [[1, 2], [3]],
            [[[3]], [], [[], [5, 6]]],
            [4],
            [[[1], [3]], [], [[4], [], [5]]],
            [[1, 2], [3], [4], [], [5, 6]],
            [[1, 2, 3], [], [4, 5, 6]],
        ],
    ),
    (
        lambda tf, a: (a.to_tensor(), a.to_tensor(-1, shape=[None, 2, 2]), a.to_sparse(), a.bounding_shape()),
        [Ragged([[[1, 2], [3]], [], [[4], [], [5, 6]]])],
        [
            [[[1, 2], [3, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]], [[4, 0], [0, 0], [5, 6]]],
            [[[1, 2], [3, -1]], [[-1, -1], [-1, -1]], [[4, -1], [-1, -1]]],
            [[[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 0], [2, 2, 0], [2, 2, 1]], [1, 2, 3, 4, 5, 6], [3, 3, 2]],
            [3, 3, 2],
        ],
    ),
    (
        lambda tf, a: (a.nested_row_splits, a.nested_row_lengths(), a.nested_value_rowids(), a.row_lengths(2)),
        [Ragged([[[1, 2], [3]], [], [[4], [], [5, 6]]])],
        [
            [[0, 2, 2, 5], [0, 2, 3, 4, 4, 6]],
            [[2, 0, 3], [2, 1, 1, 0, 2]],
            [[0, 0, 2, 2, 2], [0, 0, 1, 2, 4, 4]],
            [[2, 1], [], [1, 0, 2]],
        ],
    ),
    (
        lambda tf, a: (tf.RaggedTensor.from_uniform_row_length(a, 2), tf.RaggedTensor.from_row_starts(a, [0, 3, 3])),
        [[1, 2, 3, 4]],
        [[[1, 2], [3, 4]], [[1, 2, 3], [], [4]]],
    ),
    (
        lambda tf, a: (
            tf.RaggedTensor.from_tensor(a),
            tf.RaggedTensor.from_tensor(a, padding=0),
            tf.RaggedTensor.from_tensor(a, [1, 3]),
        ),
        [[[1, 0, 2], [3, 0, 0]]],
        [[[1, 0, 2], [3, 0, 0]], [[1, 0, 2], [3]], [[1], [3, 0, 0]]],
    ),
    (lambda tf, a: tf.RaggedTensor.from_tensor(a, ragged_rank=2), [[[[1, 2], [3, 4]]]], [[[1, 2], [3, 4]]]),
    (
        lambda tf, a, b: tf.ragged_fill_empty_rows(tf.cast(a, "int64"), b, 4, "-"),
        [[0, 2, 2], ["x", "y", "z"]],
        [[0, 1, 2, 2, 3], [b"x", b"-", b"y", b"z", b"-"], [False, True, False, True], [0, 2, 3]],
    ),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_values(tf, case):
    function, arguments, want = CASES[case]
    arguments = [value(tf, x) for x in arguments]

    def call(*args):
        return function(tf, *args)

    specs = [open_spec(tf, x) for x in arguments]
    for run in (call, tf.function(call), tf.function(call, input_signature=specs)):
        assert near(plain(tf, run(*arguments)), want)


def ragged(tf):
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def test_loops_over_rows(tf):
    @tf.function
    def total(x):
        t = 0.0
        for row in x:
            t += tf.reduce_sum(row) + 1.0
        return t

    assert total(ragged(tf)).numpy() == 9.0


def test_loop_variables(tf):
    @tf.function
    def doubled(x):
        for _ in tf.range(2):
            x = tf.concat([x, x], 1)
        return x

    want = [[1.0, 2.0] * 4, [], [3.0] * 4]
    assert doubled(ragged(tf)).to_list() == want

    def loop(x):
        return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, tf.concat([y, y], 1)), (tf.constant(0), x))[1]

    assert loop(ragged(tf)).to_list() == want
    assert tf.function(loop)(ragged(tf)).to_list() == want

    @tf.function
    def taller(x):
        for _ in tf.range(2):
            x = tf.concat([x, x], 0)
        return x

    with pytest.raises(ValueError, match=r"'x' has shape \(3, None\) before the loop, but shape \(6, None\) after"):
        taller(ragged(tf))


def test_shape_invariants(tf):
    @tf.function
    def taller(x):
        spec = tf.RaggedTensorSpec([None, None], tf.float32)
        return tf.while_loop(
            lambda i, _: i < 2, lambda i, y: (i + 1, tf.concat([y, y], 0)), [0, x], shape_invariants=[tf.TensorShape([]), spec]
        )[1]

    made = taller(ragged(tf))
    assert made.shape.as_list() == [12, None]
    assert made.to_list() == [[1.0, 2.0], [], [3.0]] * 4


def test_results_of_branches(tf):
    @tf.function
    def branch(x, first):
        if first:
            y = x + 1.0
        else:
            y = x[:1]
        return y

    for call in (branch, tf.function(lambda x, p: tf.cond(p, lambda: x + 1.0, lambda: x[:1]))):
        assert call(ragged(tf), tf.constant(True)).to_list() == [[2.0, 3.0], [], [4.0]]
        assert call(ragged(tf), tf.constant(False)).to_list() == [[1.0, 2.0]]
    with pytest.raises(TypeError, match="same number, type, and overall structure"):
        tf.function(lambda p: tf.cond(p, lambda: ragged(tf), lambda: 1))(tf.constant(True))


def test_retracing(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(x.shape)
        return x

    f(ragged(tf))
    f(tf.ragged.constant([[5.0], [6.0, 7.0], []]))
    assert len(traces) == 1
    f(tf.ragged.constant([[5.0]]))
    assert len(traces) == 2
    general = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    assert general(ragged(tf)).to_list() == [[1.0, 2.0], [], [3.0]]
    with pytest.raises(TypeError, match="Binding inputs to tf.function failed"):
        tf.function(lambda x: x, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])(ragged(tf))


GRADIENTS = [
    (lambda tf, x: x * x, [[2.0, 4.0], [], [6.0]]),
    (lambda tf, x: tf.reduce_mean(x, 1)[::2], [[0.5, 0.5], [], [1.0]]),
    (lambda tf, x: tf.reduce_max(x, 1)[::2], [[0.0, 1.0], [], [1.0]]),
    (lambda tf, x: tf.concat([x, x * 2.0], 1), [[3.0, 3.0], [], [3.0]]),
    (lambda tf, x: x[:, :1], [[1.0, 0.0], [], [1.0]]),
    (lambda tf, x: tf.gather(x, [0, 0]), [[2.0, 2.0], [], [0.0]]),
    (lambda tf, x: tf.tile(x, [2, 2]), [[4.0, 4.0], [], [4.0]]),
    (lambda tf, x: x.to_tensor() ** 2, [[2.0, 4.0], [], [6.0]]),
    (lambda tf, x: tf.map_fn(lambda row: row * row, x), [[2.0, 4.0], [], [6.0]]),
    (lambda tf, x: tf.map_fn(lambda row: tf.reduce_sum(row) ** 2, x, fn_output_signature=tf.float32), [[6.0, 6.0], [], [6.0]]),
    (
        lambda tf, x: tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * y), (tf.constant(0), x))[1],
        [[4.0, 32.0], [], [108.0]],
    ),
]


@pytest.mark.parametrize("case", range(len(GRADIENTS)))
def test_gradients(tf, case):
    function, want = GRADIENTS[case]

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(tf, x)
        return tape.gradient(y, x)

    specs = [tf.RaggedTensorSpec([3, None], tf.float32)]
    for run in (slope, tf.function(slope), tf.function(slope, input_signature=specs)):
        assert near(run(ragged(tf)).to_list(), want)


def test_gradients_of_graphs(tf):
    @tf.function
    def slopes(x):
        return tf.gradients(x * x, [x, x.flat_values])

    of_ragged, of_values = slopes(ragged(tf))
    assert of_ragged.to_list() == [[2.0, 4.0], [], [6.0]]
    assert of_values.numpy().tolist() == [2.0, 4.0, 6.0]


def test_filled_rows_and_their_gradient(tf):
    values, default = tf.constant([1.0, 2.0, 3.0]), tf.constant(9.0)
    with tf.GradientTape() as tape:
        tape.watch([values, default])
        filled = tf.ragged_fill_empty_rows(tf.constant([0, 2, 2], tf.int64), values, 5, default)[1]
        y = filled * tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    by_values, by_default = tape.gradient(y, [values, default])
    assert by_values.numpy().tolist() == [1.0, 3.0, 4.0]
    assert by_default.numpy() == 13.0


@pytest.mark.parametrize(
    "kind, text, function",
    [
        (TypeError, "Inputs must be a list", lambda tf, x: tf.ragged.cross(x)),
        (ValueError, "Unexpected dtype for inputs", lambda tf, x: tf.ragged.cross([x])),
        (ValueError, "only supports inputs with rank=2", lambda tf, x: tf.ragged.cross([tf.ragged.constant([[["a"]]])])),
        (ValueError, "Unsupported value for argument axis=1", lambda tf, x: tf.math.bincount(x, axis=1)),
        (
            ValueError,
            "`weights` must be a RaggedTensor",
            lambda tf, x: tf.math.bincount(tf.cast(x, "int32"), weights=[1], axis=-1),
        ),
        (TypeError, "tensor must be of type tf.int32; got tf.float32", lambda tf, x: tf.debugging.assert_type(x, tf.int32)),
        (
            ValueError,
            "Expected `fn` to return a",
            lambda tf, x: tf.map_fn(lambda row: row, x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)),
        ),
        (ValueError, "axis=2 out of bounds", lambda tf, x: tf.concat([x, x], 2)),
        (ValueError, "Cannot index into an inner ragged dimension", lambda tf, x: x[:, 0]),
    ],
)
def test_errors(tf, kind, text, function):
    with pytest.raises(kind, match=text):
        function(tf, ragged(tf))


def test_errors_of_values(tf):
    a = tf.ragged.constant([["a"], ["b"]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="same batch dimension size"):
        tf.ragged.cross([a, tf.ragged.constant([["a"]])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same row splits"):
        x = tf.ragged.constant([[1], [2, 3]])
        tf.math.bincount(x, weights=tf.ragged.constant([[1, 2], [3]]), axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input must be non-negative"):
        tf.math.bincount(tf.ragged.constant([[-1]]), axis=-1)


def test_resized_images(tf):
    images = tf.ragged.stack([tf.ones([2, 2, 1]), tf.ones([3, 1, 1])])
    resize = tf.function(lambda x: tf.image.resize(x, [2, 2]), input_signature=[tf.RaggedTensorSpec([None] * 4, tf.float32, 2)])
    for made in (tf.image.resize(images, [2, 2]), resize(images)):
        assert made.shape == (2, 2, 2, 1)
        assert np.all(made.numpy() == 1.0)
    with pytest.raises(ValueError, match="images.shape.rank must be 4"):
        tf.image.resize(ragged(tf), [2, 2])


def test_printing(tf, tmp_path):
    x, names = tf.ragged.constant([[1, 2, 3, 4], [], [5], [6]]), tf.ragged.constant([["a"], ["b'c"]])
    file = tmp_path / "printed"

    @tf.function
    def show(x, names):
        tf.print("x", x, {"k": names}, summarize=1, output_stream=f"file://{file}")

    show(x, names)
    tf.print([x, 1], output_stream=f"file://{file}")
    assert file.read_text().splitlines() == [
        "x [[1, ..., 4], ..., [6]] {'k': [['a'], ['b\\'c']]}",
        "[[[1, 2, 3, 4], [], [5], [6]], 1]",
    ]


def test_loops_over_several(tf):
    @tf.function
    def weighted(x):
        t = 0.0
        for i, row in enumerate(x):
            if i == 2:
                break
            t += tf.reduce_sum(row) * 2.0
        return t

    assert weighted(ragged(tf)).numpy() == 6.0


@pytest.mark.parametrize(
    "text, function",
    [
        ("uniform_row_length must be >= 0", lambda tf: tf.RaggedTensor.from_uniform_row_length([1], -1)),
        ("nvals=5", lambda tf: tf.experimental.RowPartition.from_uniform_row_length(2, nvals=5)),
    ],
)
def test_uniform_rows_that_do_not_fit(tf, text, function):
    with pytest.raises(ValueError, match=text):
        function(tf)


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_tensors_whose_rows_have_the_lengths_of_the_ragged_ones(tf, traced):
    def check(ragged, dense, expected):
        add = lambda x, y: (x + y, y + x, tf.maximum(x, y * 0) + y)
        if traced:
            specs = [tf.type_spec_from_value(ragged), tf.TensorSpec([None] * dense.shape.rank, dense.dtype)]
            add = tf.function(add, input_signature=specs)
        assert [x.to_list() for x in add(ragged, dense)] == [expected] * 3

    check(tf.ragged.constant([[1, 2], [3, 4]]), tf.constant([[10, 20], [30, 40]]), [[11, 22], [33, 44]])
    check(tf.ragged.constant([[1, 2], [3]]), tf.constant([[10], [30]]), [[11, 12], [33]])
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.range(4), 2)
    check(uniform, tf.constant([[10, 20], [30, 40]]), [[10, 21], [32, 43]])
    check(uniform, tf.constant([[10], [30]]), [[10, 11], [32, 33]])
    check(uniform, tf.constant([10, 20]), [[10, 21], [12, 23]])
    deep = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    check(deep, tf.constant([[[10, 20], [30, 40]], [[50, 60], [70, 80]]]), [[[11, 22], [33, 44]], [[55, 66], [77, 88]]])


def test_comparisons_with_tensors_whose_rows_have_the_lengths_of_the_ragged_ones(tf):
    ragged, dense = tf.ragged.constant([[1, 2], [3, 4]]), tf.constant([[2, 1], [4, 3]])
    assert (ragged >= dense).to_list() == [[False, True], [False, True]]
    assert (dense > ragged).to_list() == [[True, False], [True, False]]
    assert (ragged == tf.constant([[1, 2], [4, 3]])).to_list() == [[True, True], [False, False]]
    other = tf.ragged.constant([[1, 2], [3]])
    assert (other == dense) is False and (other != dense) is True


def test_stacks_of_vectors_have_row_splits_like_shapes(tf):
    assert tf.ragged.stack([[1, 2], [3]]).row_splits.dtype == tf.int32
    assert tf.ragged.stack([tf.constant([1, 2])]).row_splits.dtype == tf.int32
    assert tf.ragged.stack([[[1, 2]], [[3]]]).row_splits.dtype == tf.int64
    assert tf.ragged.stack([tf.ragged.constant([[1]]), [[3]]]).row_splits.dtype == tf.int64


def test_row_splits_of_too_large_and_negative_ids(tf):
    splits = tf.ragged.segment_ids_to_row_splits
    assert splits([0, 0, 2], num_segments=2).numpy().tolist() == [0, 2, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
        splits([0, -1, 2], num_segments=4)


def test_negative_batches_of_gather(tf):
    rows = tf.ragged.constant([[1, 2], [3]])
    assert tf.gather(rows, [0], batch_dims=-1).to_list() == [[1, 2]]
    assert tf.gather(rows, [0], batch_dims=-1, axis=1).numpy().tolist() == [[1], [3]]
    assert tf.gather(rows, [[0], [0]], batch_dims=-1).numpy().tolist() == [[1], [3]]
    with pytest.raises(ValueError, match="axis must be greater than or equal to batch_dims"):
        tf.gather(rows, [[0], [0]], batch_dims=-1, axis=0)
    with pytest.raises(ValueError, match="batch_dims=-2 out of bounds: expected -1<=batch_dims<1"):
        tf.gather(rows, [0], batch_dims=-2, axis=0)


def test_legacy_structures_of_specs(tf):
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    assert spec._to_legacy_output_shapes().as_list() == [2, None]
    assert spec._to_legacy_output_types() == tf.int32 and spec._to_legacy_output_classes() is spec
