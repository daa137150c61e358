"""Arguments at the edge of what functions take: results, or the kinds of errors, of TensorFlow."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "x, q, expected",
    [
        (2, 0, INF), (2, -3, INF), (3, 0, NAN), (3, -2, NAN), (2.5, 0, NAN), (2.5, -1, NAN), (2.5, -0.5, NAN),
        (1, 5, INF), (0.5, 2, NAN), (-1, 2, NAN), (NAN, 2, NAN), (2, NAN, NAN), (2, INF, 0), (3, INF, 0),
        (INF, 2, 0), (INF, 1, 1), (INF, 0.5, INF), (INF, -0.5, INF), (INF, 0, INF), (2, 1, np.pi**2 / 6),
    ],
)  # fmt: skip
def test_zeta(tf, dtype, x, q, expected):
    np.testing.assert_allclose(tf.math.zeta(tf.constant(x, dtype), tf.constant(q, dtype)), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "order, x, expected",
    [(1, 0, INF), (1, -2, INF), (2, 0, NAN), (2, -2, NAN), (-1, 2, NAN), (0.5, 1, NAN), (2, INF, 0), (1, 1, np.pi**2 / 6)],
)
def test_polygamma(tf, order, x, expected):
    found = tf.math.polygamma(tf.constant(order, tf.float64), tf.constant(x, tf.float64))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("shift, axis", [([1, 2], [0]), ([1], [0, 1]), ([1], 0), (1, [0]), ([1, 2], 0), (1, [0, 1])])
def test_roll_by_other_numbers_of_shifts_than_axes(tf, shift, axis):
    x = tf.reshape(tf.range(4), [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
        tf.roll(x, shift, axis)
    with pytest.raises(ValueError, match="must be equal"):
        tf.function(lambda: tf.roll(x, shift, axis))()
    later = tf.function(lambda shift, axis: tf.roll(x, shift, axis), input_signature=[tf.TensorSpec(None, tf.int32)] * 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size"):
        later(shift, axis)


def test_isclose_of_bfloat16_compares_exactly(tf):
    numbers = lambda *values: tf.constant(values, tf.bfloat16)
    isclose = tf.experimental.numpy.isclose
    found = isclose(numbers(INF, 1, -INF, NAN, INF), numbers(INF, 1, INF, NAN, -INF))
    assert found.numpy().tolist() == [True, True, False, False, False]
    assert isclose(numbers(INF, NAN), numbers(INF, NAN), equal_nan=True).numpy().tolist() == [True, False]


@pytest.mark.parametrize("x", [2, np.float64(1), np.int64(3), [1.5, 2.0]])
@pytest.mark.parametrize("traced", [False, True])
def test_the_first_operand_is_converted_by_itself(tf, x, traced):
    y = tf.constant([1, 2], tf.int16)
    run = (lambda f: tf.function(f)) if traced else lambda f: f
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        run(lambda: tf.add(x, y))()
    with pytest.raises(TypeError, match="must have the same dtype"):
        run(lambda: tf.truediv(x, y))()


def test_the_second_operand_follows_the_first(tf):
    y = tf.constant([1.0, 2.0])
    assert tf.add(y, 1).numpy().tolist() == [2, 3]
    assert tf.add(y, np.float64(1)).dtype == tf.float32
    assert tf.truediv(y, 2).numpy().tolist() == [0.5, 1]
    assert tf.divide(2, y).numpy().tolist() == [2, 1]
    assert (1 + y).numpy().tolist() == [2, 3]


def test_control_inputs_that_are_none(tf):
    def run():
        with tf.control_dependencies([None]):
            return tf.constant(1)

    assert int(run()) == 1
    with pytest.raises(TypeError, match="NoneType into a Tensor or Operation"):
        tf.function(run)()


@pytest.mark.parametrize("name", ["py_function", "numpy_function"])
def test_host_calls_without_results(tf, name):
    calls, kinds = [], []

    @tf.function
    def traced():
        kinds.append(getattr(tf, name)(lambda: calls.append(1), [], Tout=[]))
        return tf.constant(1)

    traced()
    assert calls == [1] and isinstance(kinds[0], tf.Operation)


@pytest.mark.parametrize("traced", [False, True])
def test_sequences_without_a_length(tf, traced):
    class Endless:
        def __getitem__(self, i):
            return 1

    class Broken(Endless):
        def __len__(self):
            raise RuntimeError("no length")

    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    for value, words in [(Endless(), "has no len"), (Broken(), "no length"), (ragged, "has no len"), ([ragged], "has no len")]:
        for use in (tf.convert_to_tensor, tf.linalg.det, tf.nn.l2_loss):
            if traced:
                with pytest.raises(TypeError, match="Failed to convert elements of"):
                    tf.function(lambda use=use, value=value: use(value))()
            else:
                with pytest.raises(ValueError, match=words):
                    use(value)


@pytest.mark.parametrize("spec", [[2, 3], [2, None], None])
@pytest.mark.parametrize("shape", [[2, 3], [5, 3], [3, 4]])
def test_sparse_tensors_of_other_sizes_than_the_signature(tf, spec, shape):
    traced = tf.function(lambda sp: sp.values, input_signature=[tf.SparseTensorSpec(spec, tf.float32)])
    assert traced(tf.SparseTensor([[0, 0]], [1.0], shape)).numpy().tolist() == [1]


def test_sparse_tensors_of_another_rank_or_dtype(tf):
    traced = tf.function(lambda sp: sp.values, input_signature=[tf.SparseTensorSpec([2, 3], tf.float32)])
    for wrong in (tf.SparseTensor([[0]], [1.0], [2]), tf.SparseTensor([[0, 0]], [1], [2, 3]), tf.ones([2, 3])):
        with pytest.raises(TypeError):
            traced(wrong)


def test_libraries_that_do_not_exist(tf, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.load_op_library(str(tmp_path / "none.so"))
    with pytest.raises(FileNotFoundError):
        tf.load_library(str(tmp_path / "none.so"))


def test_folders_without_libraries(tf, tmp_path):
    (tmp_path / "words").write_text("a")
    assert tf.load_library(str(tmp_path)) is None
    with pytest.raises(tf.errors.NotFoundError, match=f"{tmp_path}: cannot read file data: Is a directory"):
        tf.load_op_library(str(tmp_path))


@pytest.mark.parametrize(
    "op, arguments, least",
    [
        ("Pack", {"values": []}, "'values' to 'Pack' Op with length 0 shorter than minimum length 1"),
        ("ConcatV2", {"values": [[1]], "axis": 0}, "'values' to 'ConcatV2' Op with length 1 shorter than minimum length 2"),
        ("AddN", {"inputs": []}, "'inputs' to 'AddN' Op with length 0 shorter than minimum length 1"),
        ("SparseConcat", {"indices": [], "values": [], "shapes": [], "concat_dim": 0}, "'indices' .* minimum length 2"),
        ("DynamicStitch", {"indices": [], "data": []}, "'indices' .* minimum length 1"),
    ],
)
def test_lists_that_are_too_short(tf, op, arguments, least):
    with pytest.raises(ValueError, match=least):
        tf.function(lambda: getattr(tf.raw_ops, op)(**arguments))()
    with pytest.raises(tf.errors.InvalidArgumentError):
        getattr(tf.raw_ops, op)(**arguments)


@pytest.mark.parametrize("options", [{"precision": 3}, {"scientific": True}, {"shortest": True}, {"precision": 1, "width": 3}])
def test_strings_have_no_digits(tf, options):
    expected = "a".rjust(options.get("width", 0)).encode()
    assert tf.strings.as_string(["a"], **options).numpy().tolist() == [expected]


@pytest.mark.parametrize("options", [{"precision": 3}, {"scientific": True}])
def test_integers_have_no_fractions(tf, options):
    with pytest.raises(tf.errors.InvalidArgumentError, match="not supported for"):
        tf.strings.as_string([1], **options)


@pytest.mark.parametrize("values", [[1, 1j], [1.5, 1j], [True, 2j], [1j, 1], [[1, 2j], [3.5, 4]]])
def test_complex_numbers_among_others(tf, values):
    found = tf.constant(values, tf.complex128)
    np.testing.assert_array_equal(found, np.array(values, np.complex128))


@pytest.mark.parametrize("values", [[1, 1j], [1.5, 1j]])
def test_complex_numbers_after_others_need_a_dtype(tf, values):
    for dtype in (None, "complex64"):
        with pytest.raises(ValueError, match="mixed types"):
            tf.constant(values, dtype)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("name, value", [("zeros", 0), ("ones", 1)])
def test_zeros_and_ones_of_one_size_in_a_scalar(tf, name, value, dtype, traced):
    fill, run = getattr(tf, name), tf.function if traced else lambda function: function
    assert run(lambda size: fill(size))(tf.constant(2, dtype)).numpy().tolist() == [value] * 2
    assert run(lambda: fill(tf.rank([[1]]), tf.int64))().numpy().tolist() == [value] * 2
    assert run(lambda: fill(np.array(2)))().numpy().tolist() == [value] * 2


def test_zeros_of_sizes_of_unknown_rank(tf):
    fill = tf.function(lambda sizes: tf.zeros(sizes), input_signature=[tf.TensorSpec(None, tf.int32)])
    assert fill(3).shape == [3] and fill([2, 3]).shape == [2, 3]


def test_arrays_of_a_given_size_are_stacked_at_that_size(tf):
    @tf.function
    def stacked(update):
        return update(tf.TensorArray(tf.float32, 3)).stack()

    for update in (lambda a: a.unstack([1.0, 2.0]), lambda a: a.unstack([1.0] * 4), lambda a: a.split([1.0, 2.0, 3.0], [1, 2])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Operation expected a list with 3 elements but got a list with"):
            stacked(update)
    assert stacked(lambda a: a.unstack([1.0, 2.0, 3.0])).shape == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"sum of lengths is 2 and value's shape is: \[3\]"):
        tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], [1, 1])


def test_dtypes_of_rows_in_eager_tensor_arrays(tf):
    """`unstack` takes what it gets, and `stack` casts; `scatter` refuses other dtypes, also those of Python numbers."""
    array = tf.TensorArray
    assert array("float32", 3).unstack([1, 2, 3]).stack().dtype == tf.float32
    assert array("float32", 3).unstack([1, 2, 3]).read(0).dtype == tf.int32
    assert array("float32", 3).unstack([1, 2, 3]).gather([0, 1]).dtype == tf.int32
    assert array("int32", 3).unstack(tf.constant([1.5, 2.0, 3.0])).stack().numpy().tolist() == [1, 2, 3]
    assert array("float32", 3).unstack([1, 2, 3]).write(0, [1.0, 2.0]).read(0).shape == [2]
    for dtype, values in (("float32", [1, 2]), ("int64", [1, 2]), ("int32", [1.0, 2.0]), ("float64", np.array([1, 2]))):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"TensorArray dtype is {dtype} but Op is trying to write"):
            array(dtype, 2).scatter([0, 1], values)
    assert array("int32", 2).scatter([1, 0], [1, 2]).stack().numpy().tolist() == [2, 1]


def test_numbers_of_devices(tf):
    with tf.Graph().as_default():
        for name, full in (("cpu", "/device:CPU:*"), ("/gpu", "/device:GPU:*"), ("/device:foo:0", "/device:foo:0")):
            with tf.device(name):
                assert tf.constant(1).device == full
    for name in ("/cpu:-1", "/gpu:-1", "/job:localhost/device:CPU:-2"):
        with tf.device(name), pytest.raises(tf.errors.InvalidArgumentError, match="Malformed device specification"):
            tf.zeros([2]) + 1.0
    for name in ("/CPU:", "/cpu:x", "/xla_gpu:0"):
        with pytest.raises(ValueError, match="invalid literal|Unknown attribute"), tf.device(name):
            pass


def test_generators_are_not_converted(tf):
    def generator():
        yield 1

    for convert in (tf.autograph.to_graph, tf.autograph.to_code):
        with pytest.raises(NotImplementedError, match="generators are not supported"):
            convert(generator)
    assert tf.autograph.to_graph(lambda: sum(j for j in range(3)))() == 3


def test_approximate_largest_elements(tf):
    found = tf.approx_top_k(tf.constant([1.0, 5.0, 3.0]), 2.0)
    assert type(found).__name__ == "ApproxTopK"
    assert (found.values.numpy().tolist(), found.indices.numpy().tolist()) == ([5.0, 3.0], [1, 2])
    invalid = tf.errors.InvalidArgumentError
    for x, k, kind, text in (
        ([1.0], None, TypeError, "Expected int for argument 'k' not None."),
        ([1.0], "a", TypeError, "Expected int for argument 'k' not 'a'."),
        ([1.0], [1], TypeError, r"Expected int for argument 'k' not \[1\]."),
        ([1, 2], 1, invalid, "Value for attr 'T' of int32 is not in the list of allowed values: half, bfloat16, float"),
        ([1.0], -1, invalid, "Value for attr 'k' of -1 must be at least minimum 0"),
        ([1.0], 2, invalid, r"input must have at least k columns. Had 1, needed 2 \[Op:ApproxTopK\]"),
    ):
        for function in (tf.approx_top_k, tf.math.approx_max_k, tf.compat.v1.approx_top_k):
            with pytest.raises(kind, match=text):
                function(x, k)
    with pytest.raises(TypeError, match="Expected float for argument 'recall_target' not 'a'."):
        tf.math.approx_max_k([1.0], 1, recall_target="a")


def test_operands_of_other_dtypes(tf):
    one, two = tf.constant([1.0]), tf.constant([2])
    for x, y in ((one, two), (two, one)):
        with pytest.raises(ValueError, match="Tensor conversion requested dtype"):
            tf.math.multiply_no_nan(x, y)
    with pytest.raises(TypeError, match="Cannot convert 2.0 to EagerTensor of dtype int32"):
        tf.math.multiply_no_nan(two, 2.0)
    assert tf.math.multiply_no_nan(one, 2).numpy().tolist() == [2.0]


@pytest.mark.parametrize("x", [["a"], [True]])
def test_norms_of_what_has_none(tf, x):
    dtype = tf.constant(x).dtype
    for call in (lambda: tf.norm(x), lambda: tf.norm([x], "fro", [0, 1]), lambda: tf.linalg.normalize(x)):
        with pytest.raises(TypeError, match=f"Expected numeric or variant tensor, got dtype {dtype!r}."):
            call()


def test_lengths_of_other_dtypes(tf):
    assert tf.sequence_mask([1, 2], dtype=None).dtype == tf.bool
    for lengths in (["a"], [True]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the list of allowed values"):
            tf.sequence_mask(lengths)


def test_contracted_axes_of_other_kinds(tf):
    x = tf.ones([2, 2])
    for axes in ("a", 1.5):
        with pytest.raises(TypeError, match="to EagerTensor of dtype int32"):
            tf.tensordot(x, x, axes)
    for axes in (None, tf.constant([1, 0], tf.int64), tf.constant([True, False])):
        with pytest.raises(ValueError, match="Attempt to convert a value|Tensor conversion requested dtype int32"):
            tf.tensordot(x, x, axes)
    assert tf.tensordot(x, x, tf.constant([[1], [0]])).numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_conversions_of_tensors_of_several(tf):
    convert = tf.compat.v1.convert_to_tensor_or_indexed_slices
    for value in (
        tf.sparse.from_dense([1.0, 0.0]),
        tf.ragged.constant([[1.0]]),
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
    ):
        assert convert(value) is value and convert(value, tf.float32) is value
        with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` int64 for `value`"):
            convert(value, tf.int64)
    with pytest.raises(ValueError, match="Attempt to convert a value .None. with an unsupported type"):
        convert(None)


def test_sizes_that_are_no_dimensions(tf):
    for function in (tf.compat.dimension_value, tf.compat.v1.dimension_value):
        assert [function(x) for x in ("a", -1, 1.5, None, 3)] == ["a", -1, 1.5, None, 3]
        assert function(tf.compat.v1.Dimension(3)) == 3 and function(tf.compat.v1.Dimension(None)) is None


def test_no_elements_of_arrays(tf):
    for array in (tf.TensorArray(tf.float32, 2), tf.TensorArray(tf.int32, 2, element_shape=[3]).unstack([[1] * 3] * 2)):
        for indices in ([], tf.constant([], tf.int32)):
            found = array.gather(indices)
            assert found.shape.as_list() == [0] and found.dtype == tf.float32
