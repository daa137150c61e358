"""Mistakes in programs of tutorials: the class of the error and the beginning of its text."""

import re

import pytest

pytestmark = pytest.mark.rule(191)


def test_rows_of_another_number(tf):
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    for other in ([[1], [2]], tf.ones([2, 1], tf.int32), tf.ragged.constant([[1], [2, 3]])):
        for sum_ in (lambda other=other: ragged + other, lambda other=other: tf.multiply(other, ragged)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold."):
                sum_()
    with pytest.raises(tf.errors.InvalidArgumentError, match="dimension size mismatch in dimension"):
        tf.where(ragged > 1, ragged, [[1], [2]])


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("FixedLenFeature", "missing 2 required positional arguments: 'shape' and 'dtype'"),
        ("VarLenFeature", "missing 1 required positional argument: 'dtype'"),
        ("FixedLenSequenceFeature", "missing 2 required positional arguments: 'shape' and 'dtype'"),
        ("SparseFeature", "missing 4 required positional arguments: 'index_key', 'value_key', 'dtype', and 'size'"),
        ("RaggedFeature", "missing 1 required positional argument: 'dtype'"),
    ],
)
def test_features_without_their_arguments(tf, feature, words):
    with pytest.raises(TypeError, match=re.escape(f"{feature}.__new__() {words}")):
        getattr(tf.io, feature)()
    with pytest.raises(TypeError, match=re.escape(f"{feature}.__new__() got an unexpected keyword argument 'size_'")):
        getattr(tf.io, feature)(size_=1)


def test_strategies_of_something_else(tf):
    several = tf.distribute.MultiWorkerMirroredStrategy
    with pytest.raises(ValueError, match="cluster_resolver must be an instance of tf.distribute.cluster_resolver.ClusterResolver"):
        several("worker")
    with pytest.raises(ValueError, match="communication_options must be an instance of"):
        several(communication_options=3)
    with pytest.raises(ValueError, match="is not a valid CommunicationImplementation"):
        tf.distribute.experimental.MultiWorkerMirroredStrategy(communication="fast")


def test_biases_of_another_dtype(tf):
    for bias in (tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])[:]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input #1\(zero-based\) was expected to be a double tensor"):
            tf.nn.bias_add(tf.ones([1, 2], tf.float64), bias)
    assert tf.nn.bias_add([[1, 2]], [10, 20]).numpy().tolist() == [[11, 22]]


@pytest.mark.parametrize("is_traced", [False, True])
def test_statistics_of_another_dtype_than_the_batch(tf, is_traced):
    mean, variance = tf.constant([1.0, 2.0]), tf.constant([4.0, 1.0])

    def normalized(dtype, offset=None, scale=None):
        x = tf.cast([[3.0, 4.0]], dtype)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.0)

    normalized = tf.function(normalized, autograph=False) if is_traced else normalized
    for dtype in (tf.float64, tf.float16, tf.float32):
        result = normalized(dtype)
        assert result.dtype == dtype and result.numpy().tolist() == [[1.0, 2.0]]
    assert normalized(tf.float64, mean, variance).numpy().tolist() == [[5.0, 4.0]]
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError), match="double|float64"):
        normalized(tf.float32, tf.constant([1.0, 2.0], tf.float64))


def test_confusion_of_classes_of_another_number(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shapes of all inputs must match: .* name: stack$"):
        tf.math.confusion_matrix([1, 2, 3], [1, 2])


def test_cepstral_coefficients_of_no_bins(tf):
    with pytest.raises(ValueError, match=re.escape("num_mel_bins must be positive. Got: tf.Tensor([], shape=(2, 0), dtype=float32)")):
        tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))


@pytest.mark.parametrize("kind", ["GradientDescentOptimizer", "AdamOptimizer", "MomentumOptimizer"])
def test_losses_that_cannot_be_minimized(tf, kind):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        weights = v1.get_variable("w", [2])
        optimizer = getattr(v1.train, kind)(0.1, *([0.9] if kind == "MomentumOptimizer" else []))
        floating = re.escape("expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16].")
        for dtype in (tf.int64, tf.complex64, tf.bool):
            loss = tf.cast(weights, dtype, name="loss")
            for use in (optimizer.minimize, optimizer.compute_gradients):
                with pytest.raises(ValueError, match=rf"Invalid type tf.{dtype.name} for loss(_\d)?:0, {floating}"):
                    use(loss)
        with pytest.raises(AttributeError, match="'float' object has no attribute 'dtype'"):
            optimizer.minimize(3.0)
        with pytest.raises(ValueError, match="Invalid type tf.int32 for one:0, "):
            optimizer.compute_gradients(tf.reduce_sum(weights), grad_loss=tf.constant(1, name="one"))
        halves = v1.get_variable("h", [2], tf.float16)
        assert len(optimizer.compute_gradients(tf.reduce_sum(halves), [halves])) == 1


def test_optimizers_that_allow_fewer_dtypes(tf):
    v1 = tf.compat.v1

    class Doubles(v1.train.GradientDescentOptimizer):
        def _valid_dtypes(self):
            return {tf.float64}

    with tf.Graph().as_default():
        weights = v1.get_variable("w", [2])
        with pytest.raises(ValueError, match=re.escape("Invalid type tf.float32 for Sum:0, expected: [tf.float64].")):
            Doubles(0.1).minimize(tf.reduce_sum(weights))
        with pytest.raises(ValueError, match=re.escape("Invalid type tf.float32 for w:0, expected: [tf.float64].")):
            Doubles(0.1).minimize(tf.reduce_sum(tf.cast(weights, tf.float64)))


@pytest.mark.parametrize("labels", [3, None, [[1]]])
def test_labels_that_are_not_sparse(tf, labels):
    with tf.Graph().as_default():
        words = f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {type(labels).__name__}"
        with pytest.raises(TypeError, match=re.escape(words)):
            tf.compat.v1.nn.ctc_loss(labels, tf.zeros([3, 2, 4]), [1, 1])


def test_queues_that_are_too_small_to_shuffle(tf):
    with tf.Graph().as_default():
        for capacity in (10, 20):
            with pytest.raises(ValueError, match=f"capacity {capacity} must be bigger than min_after_dequeue 20."):
                tf.compat.v1.train.shuffle_batch([tf.constant(1)], 2, capacity, 20)


def test_summaries_of_queues(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        element = [tf.constant(1)]
        v1.train.batch(element, 2, capacity=7)
        v1.train.shuffle_batch(element, 2, 20, 8)
        v1.train.shuffle_batch_join([element], 2, 5, 1)
        v1.train.shuffle_batch(element, 2, 5, 0)
        tags = [graph.get_operation_by_name(summary.op.inputs[0].op.name) for summary in graph.get_collection("summaries")]
    with v1.Session(graph=graph) as session:
        tags = [tag.decode() for tag in session.run([tag.outputs[0] for tag in tags])]
    assert tags == [
        "batch/fraction_of_7_full",
        "shuffle_batch/fraction_over_8_of_12_full",
        "shuffle_batch_join/fraction_over_1_of_4_full",
        "shuffle_batch_1/fraction_over_0_of_5_full",
    ]


@pytest.mark.parametrize("axis", [0, 1])
def test_none_first_in_a_stack(tf, axis):
    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def packed(x):
        return tf.stack([x.shape[0], 2], axis)

    with pytest.raises(ValueError, match="None values not supported."):
        packed.get_concrete_function()
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\) with an unsupported type"):
        tf.stack([None, 2], axis)
