"""Names below `tensorflow.python.ops` that are not public, and that code inside TensorFlow uses."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def ops(internal):
    return lambda path: internal(f"ops.{path}")


@pytest.fixture
def ragged(tf):
    return tf.ragged.constant([[1, 2], [3]])


def of_any_rank(tf, f, *values):
    """The value of a function that was traced without knowing shapes."""
    values = [tf.constant(value) for value in values]
    signature = [tf.TensorSpec(None, value.dtype) for value in values]
    return tf.function(f, autograph=False, input_signature=signature)(*values)


def test_a_file_does_not_hide_public_functions(tf, ops):
    x, filters = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 3])
    assert ops("nn_ops").convolution(x, filters, padding="VALID", dilation_rate=[2, 2]).shape == [1, 2, 2, 3]


def test_gathering_in_batches(ops):
    gather = ops("array_ops").batch_gather_nd
    assert gather([[1, 2], [3, 4]], [[1], [0]], 1).numpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match="Argument `batch_dims` must be an int; got"):
        gather([[1, 2], [3, 4]], [[1], [0]], [1])
    with pytest.raises(ValueError, match="does not allow negative batch_dims"):
        gather([[1, 2], [3, 4]], [[1], [0]], -1)


def test_shapes_of_reductions(tf, ops):
    reduced_shape = ops("math_ops").reduced_shape
    assert reduced_shape(tf.constant([2, 3, 5]), tf.constant([1, -1])).tolist() == [2, 1, 1]
    assert of_any_rank(tf, reduced_shape, [2, 3, 5], [0, -1]).numpy().tolist() == [1, 3, 1]


def test_private_functions_of_numbers(tf, ops):
    math_ops = ops("math_ops")
    assert math_ops._bucketize([-5, 5, 10, 100], boundaries=[0, 10, 11]).numpy().tolist() == [0, 1, 2, 3]
    assert math_ops._ReductionDims(tf.ones([2, 3]), None).numpy().tolist() == [0, 1]
    assert math_ops._ReductionDims(tf.ones([2, 3]), 1) == 1
    assert of_any_rank(tf, lambda x: math_ops._ReductionDims(x, None), [[1]]).numpy().tolist() == [0, 1]


def test_greatest_common_divisors(tf, ops):
    gcd = ops("signal.util_ops").gcd
    assert int(gcd(12, 8)) == 4 and int(gcd(12, -8)) == 4
    assert int(of_any_rank(tf, gcd, 12, 18)) == 6
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        gcd([12], 8)
    with pytest.raises(ValueError, match="a must be an integer type. Got: <dtype: 'float32'>"):
        gcd(12.0, 8)


def test_changed_rows(tf, ops):
    inplace_ops, x = ops("inplace_ops"), tf.constant([[1, 2], [3, 4]])
    assert inplace_ops.inplace_update(x, [1], [[5, 6]]).numpy().tolist() == [[1, 2], [5, 6]]
    assert inplace_ops.inplace_add(x, tf.constant(1), tf.constant([5, 6])).numpy().tolist() == [[1, 2], [8, 10]]
    assert inplace_ops.inplace_sub(x, None, x).numpy().tolist() == [[0, 0], [0, 0]]
    assert inplace_ops.empty_like(x, init=True).numpy().tolist() == [[0, 0], [0, 0]]


def test_random_numbers_between_bounds(tf, ops):
    draw = ops("random_ops").parameterized_truncated_normal
    drawn = draw([2, 100], means=[0.0, 50.0], minvals=[-1.0, 49.0], maxvals=[1.0, 51.0], dtype=tf.float64)
    assert drawn.dtype == tf.float64 and drawn.shape == [2, 100]
    assert np.all(np.abs(drawn.numpy() - [[0], [50]]) <= 1)


def test_sparse_pieces_of_texts(ops):
    split = ops("string_ops").string_split_v2
    assert split(["a b", "c"]).values.numpy().tolist() == [b"a", b"b", b"c"]
    assert split(["a,b,c"], sep=",", maxsplit=1).values.numpy().tolist() == [b"a", b"b,c"]


def test_repeated_ranges(tf, ops):
    util = ops("ragged.ragged_util")
    assert util.lengths_to_splits(tf.constant([2, 0, 1])).numpy().tolist() == [0, 2, 2, 3]
    rows, splits = tf.constant(["a", "b", "c"]), tf.constant([0, 2, 3])
    assert util.repeat_ranges(rows, splits, tf.constant(2)).numpy().tolist() == [b"a", b"b", b"a", b"b", b"c", b"c"]
    assert util.repeat_ranges(rows, splits, tf.constant([1, 0])).numpy().tolist() == [b"a", b"b"]
    with pytest.raises(ValueError, match="Inputs must have identical ragged splits"):
        util.assert_splits_match([[tf.constant([0, 1])], []])


def test_modules_of_ragged_functions(tf, ops, ragged):
    assert ops("ragged.ragged_math_ops").reduce_sum(ragged, axis=1).numpy().tolist() == [3, 3]
    assert ops("ragged.ragged_math_ops").segment_sum(ragged, [0, 0], 1).to_list() == [[4, 2]]
    arrays = ops("ragged.ragged_array_ops")
    assert arrays.expand_dims(ragged, 0).to_list() == [[[1, 2], [3]]]
    assert arrays.tile(ragged, [1, 2]).to_list() == [[1, 2, 1, 2], [3, 3]]
    assert int(arrays.size(ragged)) == 3 and int(arrays.rank(ragged)) == 2
    conversion = ops("ragged.ragged_conversion_ops")
    assert conversion.to_tensor(ragged).numpy().tolist() == [[1, 2], [3, 0]]
    assert conversion.from_tensor([[1, 2], [3, 0]], padding=0).to_list() == ragged.to_list()
    assert conversion.from_sparse(conversion.to_sparse(ragged)).to_list() == ragged.to_list()
    assert ops("ragged.ragged_squeeze_op").squeeze(arrays.expand_dims(ragged, 0), 0).to_list() == ragged.to_list()
    assert ops("ragged.ragged_gather_ops").gather(ragged, [1]).to_list() == [[3]]
    assert ops("ragged.ragged_where_op").where(ragged > 1).numpy().tolist() == [[0, 1], [1, 0]]
    assert ops("ragged.ragged_where_op").where_v2(ragged > 1, ragged, 0).to_list() == [[0, 2], [3]]
    assert ops("ragged.ragged_concat_ops").concat([ragged, ragged], 0).to_list() == [[1, 2], [3], [1, 2], [3]]


@pytest.mark.parametrize(
    "predictions, labels, weights, expected",
    [
        ([4, 1], [4], [4, 1], [[4], [4], [4, 1]]),
        ([4], [4, 1], [4], [[4], [4], [4]]),
        ([4, 3], [4], [4], [[4, 3], [4], [4, 1]]),
        ([4, 2], [4, 2], [4], [[4, 2], [4, 2], [4, 1]]),
        ([4], [4], [], [[4], [4], []]),
        ([4], [4], None, [[4], [4]]),
    ],
)
def test_ranks_of_losses(tf, ops, predictions, labels, weights, expected):
    util = ops("losses.util")
    given = [tf.ones(shape) for shape in (predictions, labels, weights) if shape is not None]
    assert [x.shape.as_list() for x in util.squeeze_or_expand_dimensions(*given)] == expected
    found = of_any_rank(tf, lambda *given: util.squeeze_or_expand_dimensions(*given), *(x.numpy() for x in given))
    assert [len(x.shape) for x in found[:2]] == [len(shape) for shape in expected[:2]]


def test_scaled_losses(tf, ops):
    util = ops("losses.util")
    found = util.scale_losses_by_sample_weight(tf.constant([[1, 2], [3, 4]]), tf.constant([1.0, 10.0]))
    assert found.dtype == tf.float32 and found.numpy().tolist() == [[1, 2], [30, 40]]
    refused = pytest.raises(ValueError, match="Expected a tensor with at least rank 1")
    with refused, util.check_per_example_loss_rank(tf.constant(1.0)):
        pass


def test_initializers_without_keras(tf, ops):
    tf.random.set_seed(1)
    for name in ("GlorotUniform", "glorot_normal_initializer", "he_uniform", "lecun_normal", "Orthogonal", "identity"):
        assert getattr(ops("init_ops_v2"), name)()([3, 3]).shape == [3, 3]
    tf.random.set_seed(None)


@pytest.mark.parametrize("shape,fans", [((), (1, 1)), ((3,), (3, 3)), ([3, 4], (3, 4)), ((5, 2, 3, 4), (30, 40))])
def test_fans_of_a_shape(tf, ops, shape, fans):
    for module in ("init_ops", "init_ops_v2"):
        assert ops(module)._compute_fans(shape) == fans
        assert ops(module)._compute_fans(tf.TensorShape(shape)) == fans


def test_what_is_no_recurrent_cell(ops):
    with pytest.raises(TypeError, match="The argument 'cell' \\(3\\) is not an RNNCell: 'output_size' property is missing"):
        ops("rnn_cell_impl").assert_like_rnncell("cell", 3)


def test_elements_in_order(tf, ops):
    nth_element = ops("nn_ops").nth_element
    assert nth_element([[5, 1, 3], [2, 9, 4]], 1).numpy().tolist() == [3, 4]
    assert nth_element([5.0, 1.0, 3.0], 0, reverse=True).numpy() == 5


def test_older_biases(tf, ops):
    nn_ops = ops("nn_ops")
    assert nn_ops.bias_add_v1([[1, 2]], [10, 20]).numpy().tolist() == [[11, 22]]
    assert nn_ops.xw_plus_b_v1([[1.0, 2.0]], [[1.0], [2.0]], [3.0]).numpy().tolist() == [[8]]


def test_helpers_of_arrays(tf, ops):
    array_ops = ops("array_ops")
    assert array_ops.tile_one_dimension(tf.constant([[1, 2]]), 1, 2).numpy().tolist() == [[1, 2, 1, 2]]
    assert of_any_rank(tf, lambda x: array_ops.tile_one_dimension(x, 0, 2), [[1, 2]]).numpy().tolist() == [[1, 2], [1, 2]]
    assert array_ops.get_positive_axis(-1, 3) == 2
    with pytest.raises(ValueError, match="axis=3 out of bounds: expected -3<=axis<3"):
        array_ops.get_positive_axis(3, 3)
    assert array_ops.convert_to_int_tensor(3, "x", tf.int64).dtype == tf.int64
    with pytest.raises(TypeError, match="must be of type integer"):
        array_ops.convert_to_int_tensor(3.5, "x")
    assert array_ops.listdiff([1, 2, 3], [2])[0].numpy().tolist() == [1, 3]
    assert ops("math_ops").mod(-7, 3).numpy() == 2


def test_projective_transforms(tf, ops):
    image_ops, matrices = ops("image_ops"), tf.reshape(tf.range(1.0, 19.0), [2, 3, 3])
    flat = image_ops.matrices_to_flat_transforms(matrices)
    assert flat.shape == [2, 8] and np.allclose(flat[0], np.arange(1, 9) / 9)
    assert np.allclose(image_ops.flat_transforms_to_matrices(flat)[0], matrices[0] / 9)
    assert image_ops.flat_transforms_to_matrices(tf.ones([8])).shape == [1, 3, 3]
    with pytest.raises(ValueError, match="Transforms should be 1D or 2D"):
        image_ops.flat_transforms_to_matrices(1.0)
    with pytest.raises(ValueError, match="Matrices should be 2D or 3D"):
        image_ops.matrices_to_flat_transforms([1.0])


@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_logits_of_sampled_classes(tf, ops, strategy):
    weights = [tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), tf.constant([[7.0, 8.0], [9.0, 10.0]])]
    sampled = ([0, 3], [[0.1], [0.2]], [0.3, 0.4])
    logits, labels = ops("nn_impl")._compute_sampled_logits(
        weights, tf.zeros([5]), tf.constant([[2], [1]], tf.int64), tf.ones([2, 2]), 2, 5, sampled_values=sampled,
        subtract_log_q=False, partition_strategy=strategy, name="logits",
    )  # fmt: skip
    at = {"mod": [[5, 1, 19], [15, 1, 19]], "div": [[9, 1, 15], [5, 1, 15]]}[strategy]
    assert logits.numpy().tolist() == at and labels.numpy().tolist() == [[1, 0, 0], [1, 0, 0]]


def test_sums_of_rows(tf, ops):
    assert ops("nn_impl")._sum_rows(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [3, 7]
