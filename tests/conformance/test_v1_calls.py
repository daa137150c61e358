"""Functions of tf.compat.v1, called with the arguments of TensorFlow 1."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(50)

X = np.float32([[1, 2, 3], [4, 5, 6]])


def same(value, expected):
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_reductions_take_old_names(tf, v1):
    same(v1.reduce_sum(X, reduction_indices=1), [6, 15])
    same(v1.reduce_sum(X, 0, True), [[5, 7, 9]])
    same(v1.reduce_max(X, axis=[0, 1], keep_dims=True), [[6]])
    same(v1.reduce_mean(X), 3.5)
    same(v1.math.reduce_prod(X, 1, keepdims=False, name="p"), [6, 120])
    same(v1.reduce_logsumexp(tf.zeros([2]), reduction_indices=[0]), np.log(2))
    assert v1.reduce_any([True, False], 0).numpy() and not v1.reduce_all([True, False]).numpy()
    same(v1.count_nonzero([[0, 1], [2, 3]], reduction_indices=[0], keep_dims=True), [[1, 2]])
    same(v1.count_nonzero(input=[0, 7]), 1)
    for wrong in ({"axis": 0, "reduction_indices": 0}, {"keepdims": True, "keep_dims": True}):
        with pytest.raises(ValueError, match="Cannot specify both"):
            v1.reduce_sum(X, **wrong)


def test_reductions_of_unknown_shapes(tf, v1):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x):
        return v1.reduce_sum(x), v1.reduce_sum(x, reduction_indices=[-1], keep_dims=True), v1.argmax(x, dimension=1)

    total, rows, places = f(X)
    same(total, 21)
    same(rows, [[6], [15]])
    same(places, [2, 2])


def test_positions_of_extremes(tf, v1):
    same(v1.argmax(X, 1), [2, 2])
    same(v1.argmin(X, dimension=0, output_type=tf.int32), [0, 0, 0])
    same(v1.arg_max(X, 1), [2, 2])
    same(v1.argmax(X), [1, 1, 1])
    assert v1.argmax(X, 1).dtype == tf.int64


def test_shapes(tf, v1):
    assert v1.expand_dims(X, dim=0).shape == [1, 2, 3] and v1.expand_dims(X, 1).shape == [2, 1, 3]
    with pytest.raises(ValueError, match="Must specify an axis argument"):
        v1.expand_dims(X)
    assert v1.squeeze(tf.ones([1, 2, 1]), squeeze_dims=[0]).shape == [2, 1]
    assert v1.squeeze(tf.ones([1, 2, 1]), [2]).shape == [1, 2]
    assert v1.shape(X, "s", tf.int64).dtype == tf.int64 and v1.size(X).numpy() == 6
    assert v1.zeros_like(X, tf.int32, "z", False).dtype == tf.int32
    same(v1.ones_like(X, optimize=False), np.ones_like(X))
    same(v1.transpose(X, [1, 0], "t", True), X.T)
    same(v1.pad(X, [[0, 0], [1, 0]], "CONSTANT", "p", 9), np.pad(X, [[0, 0], [1, 0]], constant_values=9))
    same(v1.boolean_mask(X, [True, False], "m", 0), X[:1])
    same(v1.reverse_sequence(X, [2, 3], seq_dim=1, batch_dim=0), [[2, 1, 3], [6, 5, 4]])
    same(v1.constant(2.0, shape=[2], verify_shape=False), [2, 2])
    with pytest.raises(TypeError, match="Expected Tensor .* with shape"):
        v1.constant([1, 2, 3], shape=[2], verify_shape=True)
    assert v1.convert_to_tensor(1, preferred_dtype=tf.float64).dtype == tf.float64
    assert v1.convert_to_tensor("a", tf.string, "name").dtype == tf.string


def test_gathers(tf, v1):
    same(v1.gather(X, [1], None, "g", 0), X[1:])
    same(v1.gather(X, [2, 0], axis=1), X[:, [2, 0]])
    same(v1.gather_nd(X, [[1, 2]], "g"), [6])
    same(v1.batch_gather(X, [[1], [0]]), [[2], [4]])
    values, places = v1.setdiff1d([1, 2, 3, 4], [2, 4], tf.int64)
    same(values, [1, 3])
    assert places.dtype == tf.int64 and places.numpy().tolist() == [0, 2]


def test_where(tf, v1):
    same(v1.where([[True, False]]), [[0, 0]])
    same(v1.where([True, False], X, -X), [X[0], -X[1]])
    same(v1.where(X > 2, X, -X), np.where(X > 2, X, -X))
    same(v1.where_v2(X > 2, X, 0.0), np.where(X > 2, X, 0))
    with pytest.raises(ValueError, match="x and y must both be non-None or both be None"):
        v1.where(X > 2, X)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        v1.where(X > 2, X, [[1.0, 2.0]])


def test_blocks(tf, v1):
    images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    blocks = v1.space_to_batch(images, [[0, 0], [0, 0]], 2)
    assert blocks.shape == [4, 2, 2, 1]
    same(v1.batch_to_space(blocks, [[0, 0], [0, 0]], 2), images.numpy())
    same(v1.batch_to_space_nd(blocks, [2, 2], [[0, 0], [0, 0]]), images.numpy())
    deep = v1.space_to_depth(images, 2, "s")
    same(v1.depth_to_space(deep, 2), images.numpy())
    same(v1.nn.depth_to_space(deep, 2, "d", "NHWC"), images.numpy())
    assert v1.extract_image_patches(images, ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID").shape == [
        1, 2, 2, 4]  # fmt: skip


def test_arithmetic(tf, v1):
    same(v1.div([7, -7], [2, 2]), [3, -4])
    same(v1.div(7.0, 2.0), 3.5)
    same(v1.floordiv(-7, 2), -4)
    same(v1.floor_div(7, 2), 3)
    same(v1.mod(-7, 3), 2)
    same(v1.scalar_mul(2.0, X), 2 * X)
    same(v1.lin_space(0.0, 1.0, 3), [0, 0.5, 1])
    same(v1.norm(X, keep_dims=True, axis=1), np.linalg.norm(X, axis=1, keepdims=True))
    same(v1.clip_by_average_norm([3.0, 4.0], 1.25), [1.5, 2])
    same(v1.matrix_transpose(X), X.T)
    same(v1.matrix_diag([1.0, 2.0]), np.diag([1, 2]))
    same(v1.matrix_inverse([[2.0]]), [[0.5]])
    same(v1.self_adjoint_eigvals([[2.0, 0.0], [0.0, 3.0]]), [2, 3])
    same(v1.diag([1, 2]), np.diag([1, 2]))
    same(v1.linalg.diag([1, 2]), np.diag([1, 2]))
    same(v1.confusion_matrix([0, 1], [1, 1], 2, tf.int32, "c", [2, 3]), [[0, 2], [0, 3]])
    same(v1.bincount([0, 2, 2]), [1, 0, 2])
    same(v1.verify_tensor_all_finite(t=1.0, msg="bad"), 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        v1.verify_tensor_all_finite(np.inf, "bad")


def test_random_numbers(tf, v1):
    assert v1.multinomial([[0.0, 0.0]], 3, 1, "m", tf.int32).dtype == tf.int32
    assert v1.random_normal([2], 5.0, 0.0).numpy().tolist() == [5, 5]
    assert v1.random_uniform([3], maxval=2, dtype=tf.int32, seed=1).shape == [3]
    assert v1.random_poisson([1.0, 2.0], [3]).shape == [3, 2] and v1.random.poisson(1.0, [4]).shape == [4]
    assert v1.truncated_normal([2], seed=3).shape == [2] and v1.random_gamma([2], [1.0]).shape == [2, 1]
    v1.set_random_seed(7)
    assert v1.get_seed(3) == (7, 3) and v1.random.get_seed(4) == (7, 4)
    tf.random.set_seed(None)
    assert v1.get_seed(None) == (None, None)


def test_strings(tf, v1):
    assert v1.string_to_number("2.5").numpy() == 2.5 and v1.string_to_number(input="7", out_type=tf.int32).numpy() == 7
    assert v1.substr("abcd", 1, 2).numpy() == b"bc" and v1.strings.length("é", unit="UTF8_CHAR").numpy() == 1
    assert v1.string_join(["a", "b"], "-").numpy() == b"a-b" and v1.string_strip(" a ").numpy() == b"a"
    assert v1.reduce_join(["a", "b"], keep_dims=True, axis=0).numpy().tolist() == [b"ab"]
    assert v1.string_to_hash_bucket_fast("a", 10).numpy() == tf.strings.to_hash_bucket_fast("a", 10).numpy()
    assert v1.string_to_hash_bucket("hello", 1000).numpy() == v1.string_to_hash_bucket(input="hello", num_buckets=1000).numpy()
    split = v1.string_split(["a b", "", "c"])
    assert split.values.numpy().tolist() == [b"a", b"b", b"c"] and split.dense_shape.numpy().tolist() == [3, 2]
    assert v1.string_split(["a,b;c"], delimiter=",;").values.numpy().tolist() == [b"a", b"b", b"c"]
    assert v1.string_split(["ab"], "").indices.numpy().tolist() == [[0, 0], [0, 1]]
    assert v1.as_string(3).numpy() == b"3" and v1.regex_replace("aab", "a", "c", False).numpy() == b"cab"


def test_control_flow(tf, v1):
    assert int(v1.cond(tf.constant(True), fn1=lambda: 1, fn2=lambda: 2)) == 1
    assert int(v1.cond(tf.constant(False), lambda: [1], lambda: [2])) == 2
    with pytest.raises(TypeError, match="'true_fn' argument required"):
        v1.cond(tf.constant(True))
    with pytest.raises(TypeError, match="may not be set simultaneously"):
        v1.cond(tf.constant(True), lambda: 1, lambda: 2, fn1=lambda: 3)
    # A branch's list of one result is the result only where the branch is called.
    one, other = (lambda: [tf.constant(1)]), (lambda: [tf.constant(2)])
    traced = tf.function(lambda pred: v1.cond(pred, one, other))(tf.constant(True))
    assert isinstance(traced, list) and int(traced[0]) == 1
    with tf.Graph().as_default():
        assert isinstance(v1.cond(tf.constant(True), one, other), list)
    assert int(v1.cond(tf.constant(True), one, other)) == 1
    assert isinstance(v1.cond(tf.constant(True), one, other, strict=True), list)
    assert int(v1.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])) == 5
    assert [int(i) for i in v1.while_loop(lambda i, j: i < 2, lambda i, j: (i + 1, j * 2), [tf.constant(0), tf.constant(1)])] == [2, 4]
    assert int(v1.case([(tf.constant(False), lambda: 1)], default=lambda: 2)) == 2
    same(v1.map_fn(lambda x: x * 2, tf.constant(X)), 2 * X)
    same(v1.scan(lambda a, x: a + x, tf.constant([1, 2, 3])), [1, 3, 6])
    same(v1.foldl(lambda a, x: a + x, tf.constant([1, 2, 3]), 10), 16)
    with v1.device("/cpu:0"), v1.colocate_with(tf.constant(1)):
        assert int(tf.constant(2)) == 2
    assert [int(x) for x in v1.tuple([tf.constant(1), tf.constant(2)], "t")] == [1, 2]


def test_assertions(tf, v1):
    v1.assert_equal(1, 1)
    v1.assert_rank(X, 2, message="m")
    v1.assert_rank_in(X, [1, 2])
    v1.assert_near(1.0, 1.0 + 1e-9)
    v1.assert_integer(tf.constant(1))
    v1.assert_type(tf.constant(1), tf.int32)
    assert int(v1.assert_scalar(tf.constant(3))) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)no.*why.*7"):
        v1.assert_less([1, 2], [1, 2], data=["why", tf.constant([7, 8])], message="no")
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)why.*7"):
        v1.assert_positive([1, -2], data=["why", 7, 8], message="no")
    for check in (lambda: v1.assert_greater(1, 2), lambda: v1.assert_negative(1), lambda: v1.assert_none_equal(1, 1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            check()

    @tf.function
    def f(x):
        with tf.control_dependencies([v1.assert_non_negative(x, data=[x])]):
            return x + 1

    assert int(f(1)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1))


def test_softmax_and_losses(tf, v1):
    logits, labels = np.float32([[1, 2], [3, 1]]), np.float32([[0, 1], [1, 0]])
    same(v1.nn.softmax(logits, dim=0), tf.nn.softmax(logits, 0).numpy())
    same(v1.nn.log_softmax(logits), tf.nn.log_softmax(logits).numpy())
    expected = tf.nn.softmax_cross_entropy_with_logits(labels, logits).numpy()
    same(v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits), expected)
    same(v1.nn.softmax_cross_entropy_with_logits_v2(labels, logits, dim=-1), expected)
    same(v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=logits), expected)
    same(v1.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
         tf.nn.sigmoid_cross_entropy_with_logits(labels, logits).numpy())  # fmt: skip
    same(v1.nn.weighted_cross_entropy_with_logits(targets=labels, logits=logits, pos_weight=2.0),
         tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0).numpy())  # fmt: skip
    for function in (v1.nn.softmax_cross_entropy_with_logits, v1.nn.sparse_softmax_cross_entropy_with_logits):
        with pytest.raises(ValueError, match="Both `labels` and `logits` must be provided"):
            function(logits=logits)
    with tf.GradientTape(persistent=True) as tape:
        given, scores = tf.constant(labels), tf.constant(logits)
        tape.watch([given, scores])
        loss = v1.nn.softmax_cross_entropy_with_logits(labels=given, logits=scores)
    assert tape.gradient(loss, given) is None and tape.gradient(loss, scores) is not None
    same(v1.nn.in_top_k(logits, [1, 1], 1), [True, False])


def test_dropout(tf, v1):
    same(v1.nn.dropout(X, 1.0), X)
    same(v1.nn.dropout(X, rate=0.0), X)
    kept = v1.nn.dropout(tf.ones([1000]), keep_prob=0.5, seed=1).numpy()
    assert set(kept.tolist()) == {0.0, 2.0} and 400 < np.count_nonzero(kept) < 600
    for wrong in ({}, {"keep_prob": 0.5, "rate": 0.5}):
        with pytest.raises(ValueError, match="rate"):
            v1.nn.dropout(X, **wrong)


def test_normalization(tf, v1):
    mean, variance = v1.nn.moments(tf.constant(X), [0], None, "m", True)
    same(mean, X.mean(0, keepdims=True))
    same(variance, X.var(0, keepdims=True))
    images = tf.reshape(tf.range(8.0), [1, 2, 2, 2])
    y, mean, variance = v1.nn.fused_batch_norm(images, [1.0, 1.0], [0.0, 0.0])
    same(mean, [3, 4])
    z, _, _ = v1.nn.fused_batch_norm(images, [1.0, 2.0], [0.0, 1.0], [3.0, 4.0], [5.0, 5.0], is_training=False)
    np.testing.assert_allclose(z[..., 1].numpy(), 2 * y[..., 1].numpy() + 1, rtol=1e-4)
    with pytest.raises(ValueError, match="Both `mean` and `variance` must be a 1D tensor"):
        v1.nn.fused_batch_norm(images, [1.0, 1.0], [0.0, 0.0], is_training=False)
    same(v1.nn.xw_plus_b(X, tf.ones([3, 1]), [1.0]), [[7], [16]])
    same(v1.nn.relu_layer(X, -tf.ones([3, 1]), [1.0]), [[0], [0]])
    same(v1.nn.crelu([1.0, -2.0], "c", 0), [1, 0, 0, 2])


def test_convolutions(tf, v1):
    images, filters = tf.random.normal([1, 5, 5, 2], seed=1), tf.random.normal([3, 3, 2, 2], seed=2)
    expected = tf.nn.conv2d(images, filters, 1, "SAME").numpy()
    same(v1.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME", False, "NHWC"), expected)
    same(v1.nn.conv2d(images, filters=filters, strides=1, padding="SAME"), expected)
    gradient = tf.ones_like(expected)
    with tf.GradientTape() as tape:
        tape.watch([images, filters])
        loss = tf.reduce_sum(tf.nn.conv2d(images, filters, 1, "SAME"))
    d_images, d_filters = tape.gradient(loss, [images, filters])
    ones = [1, 1, 1, 1]
    np.testing.assert_allclose(v1.nn.conv2d_backprop_input([1, 5, 5, 2], filters, gradient, ones, "SAME").numpy(), d_images.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(v1.nn.conv2d_backprop_filter(images, [3, 3, 2, 2], gradient, ones, "SAME").numpy(), d_filters.numpy(), rtol=1e-4, atol=1e-5)
    same(v1.nn.convolution(images, filters, "SAME"), expected)
    same(v1.nn.depthwise_conv2d(images, filters, ones, "SAME", [1, 1]), tf.nn.depthwise_conv2d(images, filters, ones, "SAME").numpy())
    same(v1.nn.depthwise_conv2d_native(images, filters, ones, "SAME"), tf.nn.depthwise_conv2d(images, filters, ones, "SAME").numpy())
    rows = tf.reshape(tf.range(6.0), [1, 3, 2])
    same(v1.nn.conv1d(rows, tf.ones([2, 2, 1]), 1, "VALID", None, "NHWC"), [[[6], [14]]])
    same(v1.nn.conv2d_transpose(images, filters, [1, 5, 5, 2], ones), tf.nn.conv2d_transpose(images, filters, [1, 5, 5, 2], 1).numpy())


def test_pooling(tf, v1):
    images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    same(v1.nn.max_pool(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0], [[5, 7], [13, 15]])
    same(v1.nn.avg_pool(input=images, value=None, ksize=2, strides=2, padding="VALID")[0, :, :, 0], [[2.5, 4.5], [10.5, 12.5]])
    _, places = v1.nn.max_pool_with_argmax(images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", Targmax=tf.int32)
    assert places.dtype == tf.int32 and places.numpy().reshape(-1).tolist() == [5, 7, 13, 15]
    same(v1.nn.pool(images, [2, 2], "MAX", "VALID", None, [2, 2])[0, :, :, 0], [[5, 7], [13, 15]])


def test_names_of_pooling(tf, v1):
    with tf.Graph().as_default():
        images = tf.ones([1, 4, 4, 1])
        found = [
            getattr(v1.nn, name)(images, 2, 2, "VALID", name=given).name
            for name in ("max_pool", "avg_pool", "max_pool2d", "avg_pool2d")
            for given in (None, "given")
        ]
        assert found[::2] == ["MaxPool:0", "AvgPool:0", "MaxPool2d:0", "AvgPool_1:0"]
        assert found[1::2] == ["given:0", "given_1:0", "given_2:0", "given_3:0"]


def test_embeddings(tf, v1):
    table = tf.reshape(tf.range(10.0), [5, 2])
    same(v1.nn.embedding_lookup(table, [3, 0]), [[6, 7], [0, 1]])
    by_remainder = [table[0::2], table[1::2]]
    same(v1.nn.embedding_lookup(by_remainder, [[3, 0], [4, 1]]), tf.gather(table, [[3, 0], [4, 1]]).numpy())
    consecutive = [table[:3], table[3:]]
    same(v1.nn.embedding_lookup(consecutive, [3, 0], "div"), [[6, 7], [0, 1]])
    same(v1.nn.embedding_lookup(by_remainder, [3], max_norm=1.0), [np.float32([6, 7]) / np.hypot(6, 7)])
    with pytest.raises(ValueError, match="Unrecognized partition strategy"):
        v1.nn.embedding_lookup(by_remainder, [0], "odd")


def test_sequences(tf, v1):
    logits = tf.random.normal([4, 2, 3], seed=4)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
    loss = v1.nn.ctc_loss(labels, logits, [4, 3])
    dense = tf.nn.ctc_loss(tf.constant([[0, 1], [1, 0]]), logits, [2, 1], [4, 3], blank_index=2)
    same(loss, dense.numpy())
    same(v1.nn.ctc_loss(labels, logits=tf.transpose(logits, [1, 0, 2]), sequence_length=[4, 3], time_major=False), dense.numpy())
    same(v1.nn.ctc_loss_v2([[0, 1], [1, 0]], logits, [2, 1], [4, 3], blank_index=2), dense.numpy())
    sure = 10 * tf.one_hot([[0], [2], [0], [1]], 3)
    (path,), scores = v1.nn.ctc_beam_search_decoder(sure, [4], merge_repeated=False)
    assert path.values.numpy().tolist() == [0, 0, 1] and scores.shape == [1, 1]
    (merged,), _ = v1.nn.ctc_beam_search_decoder(sure, [4])
    assert merged.values.numpy().tolist() == [0, 1]


def test_images(tf, v1):
    images = tf.ones([1, 4, 4, 1])
    assert v1.image.extract_image_patches(images, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape == [1, 2, 2, 4]
    assert v1.image.resize_images(images, [2, 2]).shape == [1, 2, 2, 1]
    _, _, box = v1.image.sample_distorted_bounding_box([10, 10, 3], [[[0.2, 0.2, 0.8, 0.8]]], 1, 2, area_range=[0.5, 1.0])
    assert box.shape == [1, 1, 4]


def test_versions(tf, v1):
    assert v1.VERSION == tf.version.VERSION == v1.version.VERSION
    assert v1.GRAPH_DEF_VERSION == tf.version.GRAPH_DEF_VERSION


def test_namespaces(tf, v1):
    assert v1.math.log is not None and v1.math.argmax([1, 3]).numpy() == 1
    assert v1.linalg.norm([3.0, 4.0]).numpy() == 5 and v1.random.multinomial([[1.0]], 1).numpy().tolist() == [[0]]
    assert v1.debugging.assert_equal(1, 1) is None and v1.manip.tile([1], [2]).numpy().tolist() == [1, 1]
    assert v1.initializers.zeros()([2]).numpy().tolist() == [0, 0] and v1.dtypes.float32 == tf.float32
    assert v1.errors.OutOfRangeError is tf.errors.OutOfRangeError and v1.nest.flatten([1, [2]]) == [1, 2]
    assert v1.train.GradientDescentOptimizer(0.1).get_name() == "GradientDescent"
    for missing in ("gelu", "nonsense"):
        assert not hasattr(v1.nn, missing)
