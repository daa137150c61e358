"""What the programs of guides and tutorials show: their values, texts and error types."""

import collections
import typing

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def test_batch_jacobian_of_a_variable(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        square = v * v
        swapped = v[:, ::-1]
    expected = [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
    assert tape.batch_jacobian(square, v).numpy().tolist() == expected
    assert tape.batch_jacobian(swapped, v)[0].numpy().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert tape.batch_jacobian(tf.constant([[1.0], [2.0]]), v).numpy().tolist() == [[[0.0, 0.0]], [[0.0, 0.0]]]

    @tf.function
    def traced():
        with tf.GradientTape() as tape:
            square = v * v
        return tape.batch_jacobian(square, v)

    assert traced().numpy().tolist() == expected


def test_unknown_static_sizes_as_a_shape(tf):
    shape = tf.TensorShape([None, 2])
    makers = [tf.zeros, tf.ones, tf.random.normal, tf.random.uniform, lambda s: tf.fill(s, 1), lambda s: tf.reshape([1, 2], s)]
    for make in makers:
        with pytest.raises(ValueError, match=r"Cannot convert a partially known TensorShape \(None, 2\) to a Tensor."):
            make(shape)
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\) with an unsupported type"):
            make([None, 2])
        with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
            tf.function(lambda x, make=make: make(x.shape)).get_concrete_function(tf.TensorSpec([None, 2]))
    for make in (tf.zeros, tf.ones):
        with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape <unknown> to a Tensor"):
            make(tf.TensorShape(None))
        with pytest.raises(TypeError, match="Expected int32, but got None of type 'NoneType'"):
            tf.function(lambda x, make=make: make([x.shape[0], 3])).get_concrete_function(tf.TensorSpec([None, 2]))


def test_classes_of_another_number_of_examples(tf):
    def loss(labels, logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    text = r"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape=\(2,\)"
    for run in (loss, tf.function(loss)):
        with pytest.raises(ValueError, match=text):
            run(tf.constant([1, 2]), tf.constant([[1.0, 2.0, 3.0]]))
        with pytest.raises(ValueError, match="except for the last dimension"):
            run(tf.constant([[1]]), tf.ones([1, 2, 3]))


def test_constant_of_another_number_of_elements(tf):
    with pytest.raises(TypeError, match=r"Tensor \[1 2 3\] \(converted from \[1, 2, 3\]\) has 3 elements, but got `shape` \(2, 2\)"):
        tf.constant([1, 2, 3], shape=[2, 2])
    with pytest.raises(TypeError, match=r"Tensor \[b'a' b'b'\] \(converted from \['a', 'b'\]\) has 2 elements"):
        tf.constant(["a", "b"], shape=[3])


def test_spec_of_an_extension_type_from_a_value(tf):
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor
        size: int = 3

    class Triple(Pair):
        second: tf.Tensor = 1.0

    pair, triple = Pair([1, 2]), Triple([True])
    assert Pair.Spec.from_value(pair) == Pair.Spec(tf.TensorSpec([2], tf.int32), 3) == tf.type_spec_from_value(pair)
    assert Triple.Spec.from_value(triple) == Triple.Spec(tf.TensorSpec([1], tf.bool), 3, tf.TensorSpec([], tf.float32))
    with pytest.raises(AttributeError):
        Pair.Spec.from_value(3)


def test_sequences_for_fields_of_tuples(tf):
    class Marked(tf.experimental.ExtensionType):
        names: typing.Tuple[str, ...] = ()  # noqa: UP006
        sizes: typing.Tuple[int, ...] = ()  # noqa: UP006

    made = Marked(names="ab", sizes=range(3))
    assert made.names == ("a", "b") and made.sizes == (0, 1, 2)
    assert Marked(names=collections.deque(["c"]), sizes=b"ab").sizes == (97, 98)
    for wrong in ({"a"}, {"a": 1}, 3, iter("ab")):
        with pytest.raises(TypeError, match=f"names: expected tuple, got '{type(wrong).__name__}'"):
            Marked(names=wrong)


def test_an_asset_where_a_tensor_is_expected(tf, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a\n")
    asset = tf.saved_model.Asset(str(path))
    assert tf.io.read_file(asset) == b"a\n"
    assert tf.function(lambda: tf.io.read_file(asset))() == b"a\n"
    assert tf.convert_to_tensor(asset) == tf.strings.join([asset, ""])
    with pytest.raises(ValueError, match="requested dtype int32"):
        tf.convert_to_tensor(asset, tf.int32)

    class Reader(tf.Module):
        def __init__(self):
            super().__init__()
            self.words = asset

        @tf.function(input_signature=[])
        def read(self):
            return tf.io.read_file(self.words)

    tf.saved_model.save(Reader(), str(tmp_path / "model"))
    path.unlink()
    assert tf.saved_model.load(str(tmp_path / "model")).read() == b"a\n"


def test_parameters_of_dataset_functions_are_named_args(tf):
    seen = []

    def look(*args):
        seen.extend(tensor.name for tensor in args)
        return args[0]

    numbers = tf.data.Dataset.range(3)
    pairs = tf.data.Dataset.zip((numbers, numbers))
    for dataset in (numbers.map(look), pairs.map(look), pairs.map(look, num_parallel_calls=2)):
        dataset.element_spec
    numbers.filter(lambda x: look(x) > 1)
    numbers.scan(tf.constant(0, tf.int64), lambda s, x: (look(s, x), x))
    pairs.map(lambda x, y: {"a": look(x, y)})
    assert seen == ["args_0:0", "args_0:0", "args_1:0", "args_0:0", "args_1:0", "args_0:0", "args_0:0", "args_1:0",
                    "args_0:0", "args_1:0"]  # fmt: skip


def test_files_that_do_not_exist(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Summarized data: b'No files matched pattern: /none/\\*.x'"):
        tf.data.Dataset.list_files("/none/*.x")


def test_what_is_no_function_for_a_dataset(tf):
    with pytest.raises(ValueError, match=r"Received func=1 \(of type <class 'int'>\)$"):
        tf.data.Dataset.range(3).map(1)


def test_saving_asks_for_traces_by_the_names_of_parameters(tf, tmp_path):
    traced = []

    class Model(tf.Module):
        @tf.function
        def double(self, x):
            traced.append(x.name)
            return 2 * x

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def half(self, x):
            traced.append(x.name)
            return x / 2

    model = Model()
    model.double(tf.constant(1.0))
    assert traced == ["x:0"]
    for _ in range(2):
        tf.saved_model.save(model, str(tmp_path / "model"))
        assert model.double.experimental_get_tracing_count() == 2 and model.half.experimental_get_tracing_count() == 1
    assert len(traced) == 3
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert float(loaded.double(tf.constant(3.0))) == 6 and float(loaded.half(tf.constant(3.0))) == 1.5


def test_outputs_of_a_loaded_signature_are_specs_with_names(tf, tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def scores(self, x):
            return {"twice": 2 * x, "text": tf.strings.as_string(x)}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"named": model.scores})
    signatures = tf.saved_model.load(str(tmp_path / "model")).signatures
    assert signatures["named"].structured_outputs == {
        "twice": tf.TensorSpec([None], tf.float32, "twice"), "text": tf.TensorSpec([None], tf.string, "text"),
    }  # fmt: skip
    again = str(tmp_path / "again")
    tf.saved_model.save(tf.saved_model.load(str(tmp_path / "model")), again, signatures=signatures)
    assert tf.saved_model.load(again).signatures["named"](x=tf.constant([1.0]))["twice"].numpy().tolist() == [2.0]


def test_saved_values_of_another_shape_in_lists_and_dicts_are_left_out(tf, tmp_path):
    saved = tf.train.Checkpoint()
    saved.list = [tf.Variable([1.0, 2.0]), tf.Variable(3.0)]
    saved.dict = {"a": tf.Variable([5.0]), "b": tf.Variable(6.0)}
    path = saved.save(str(tmp_path / "ckpt"))
    other = tf.train.Checkpoint()
    other.list, other.dict = [], {}
    other.restore(path).expect_partial()
    first, second = tf.Variable([0.0]), tf.Variable(0.0)
    other.list.append(first)
    other.list.append(second)
    other.dict["a"], other.dict["b"] = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    assert first.numpy().tolist() == [0.0] and float(second) == 3 and float(other.dict["b"]) == 6
    names = [name for name, _ in tf.train.list_variables(other.save(str(tmp_path / "other")))]
    assert sum(name.startswith("list/") for name in names) == sum(name.startswith("dict/") for name in names) == 2
    attribute = tf.train.Checkpoint()
    attribute.restore(tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "one"))).expect_partial()
    with pytest.raises(ValueError, match="incompatible tensor"):
        attribute.v = tf.Variable([1.0, 2.0])


def test_gradients_of_what_is_no_tensor(tf):
    v = tf.Variable(2.0)
    for value, kind, text in (
        (np.float32(4), AttributeError, "'numpy.float32' object has no attribute '_id'"),
        (np.ones(2), AttributeError, "'numpy.ndarray' object has no attribute '_id'"),
        (4.0, AttributeError, "'float' object has no attribute 'dtype'"),
        (object(), TypeError, "Cannot convert the argument `type_value`: <object object"),
    ):
        with tf.GradientTape(persistent=True) as tape:
            y = v * 2
        with pytest.raises(kind, match=text):
            tape.gradient(value, v)
        with pytest.raises(kind, match=text):
            tape.gradient(y, value)


def test_texts_of_assertions(tf):
    with pytest.raises(TypeError, match='Expected argument "values" to be iterable.  Found: <class \'int\'>'):
        tf.debugging.assert_proper_iterable(1)
    with pytest.raises(TypeError, match='Expected argument "values" to be a "proper" iterable.  Found: <class \'str\'>'):
        tf.debugging.assert_proper_iterable("ab")
    text = r"tf.Tensor\(1, shape=\(\), dtype=int32\), type=<dtype: 'int32'>, must be of the same type .* as tf.Tensor\(1.0, "
    with pytest.raises(ValueError, match=text):
        tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(1)])


def test_slices_made_of_lists(tf):
    slices = tf.IndexedSlices([3.0, 4.0], [1, 2])
    assert tf.cast(slices, tf.float64).values.dtype == tf.float64
    assert tf.cast(slices, tf.float32).values.numpy().tolist() == [3.0, 4.0]
    assert tf.clip_by_norm(slices, 1.0).values.numpy().tolist() == pytest.approx([0.6, 0.8])
    assert tf.sparse.mask(slices, [1]).values.numpy().tolist() == [4.0]
    assert float(tf.linalg.global_norm([slices])) == pytest.approx(5.0)
    v = tf.Variable([0.0, 0.0, 0.0])
    assert v.scatter_add(slices).numpy().tolist() == [0.0, 3.0, 4.0]


def test_only_datasets_of_batches_have_a_batch_size(tf):
    numbers = tf.data.Dataset.range(6)
    batches = [numbers.batch(2), numbers.batch(2, num_parallel_calls=2, deterministic=False), numbers.padded_batch(2)]
    assert [int(dataset._batch_size) for dataset in batches] == [2, 2, 2]
    others = [numbers, numbers.map(lambda x: x), numbers.batch(2).prefetch(1), numbers.batch(2).unbatch(), numbers.repeat(2)]
    assert not any(hasattr(dataset, "_batch_size") for dataset in others)


@pytest.mark.needs("keras")
def test_splits_of_a_dataset(tf):
    left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(10), 0.7)
    assert list(left.as_numpy_iterator()) == [0, 1, 2, 3, 4, 5, 6] and list(right.as_numpy_iterator()) == [7, 8, 9]
    left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(10).batch(2), 3)
    assert [batch.tolist() for batch in right.as_numpy_iterator()] == [[3, 4], [5, 6], [7, 8], [9]]
    left, right = tf.keras.utils.split_dataset((np.arange(4), np.arange(4)), left_size=1)
    assert list(left.as_numpy_iterator()) == [(0, 0)] and int(right.cardinality()) == 3


def made_in_a_graph(tf, value, **kwargs):
    return tf.function(lambda: tf.constant(value, **kwargs), autograph=False)()


def test_constants_of_graphs_fail_as_graphs_say(tf):
    for value, kwargs, kind, text in (
        ([1, 2, 3], {"shape": [2, 2]}, TypeError, r"Expected Tensor's shape: \(2, 2\), but got \(3,\)."),
        ("a", {"dtype": tf.int32}, TypeError, "Expected int32, but got a of type 'str'."),
        (1.5, {"dtype": tf.int32}, TypeError, "Expected int32, but got 1.5 of type 'float'."),
        (1, {"dtype": tf.string}, TypeError, "Expected string, but got 1 of type 'int'."),
        ([1, None], {}, TypeError, r"Failed to convert elements of \[1, None\] to Tensor."),
        ([1, "a"], {}, TypeError, r"Failed to convert elements of \[1, 'a'\] to Tensor."),
        ({1: 2}, {}, TypeError, "Failed to convert elements of {1: 2} to Tensor."),
        (2**70, {}, TypeError, "Failed to convert elements of 1180591620717411303424 to Tensor."),
        (None, {}, ValueError, "None values not supported."),
        ([[1, 2], [3]], {}, ValueError, "inhomogeneous shape|non-rectangular"),
    ):
        with pytest.raises(kind, match=text):
            made_in_a_graph(tf, value, **kwargs)


def test_constants_of_graphs_take_what_numpy_takes(tf):
    assert made_in_a_graph(tf, [True, 1]).numpy().tolist() == [1, 1]
    assert made_in_a_graph(tf, [True, 1.5]).dtype == tf.float32
    assert made_in_a_graph(tf, tf.constant(1), dtype=tf.float32).dtype == tf.float32
    with pytest.raises(ValueError, match="Can't convert Python sequence with mixed types to Tensor"):
        tf.constant([True, 1])


def test_constants_of_tensorflow_1(tf):
    v1 = tf.compat.v1
    with pytest.raises(TypeError, match=r"unsupported shape. Tensor \[1 2 3\] .* has 3 elements, but got `shape` \(2, 2\)"):
        v1.constant([1, 2, 3], shape=[2, 2])
    with pytest.raises(TypeError, match=r"Expected Tensor \[1. 2.\] .* with shape \(2, 2\), but got shape \(2,\)."):
        v1.constant_initializer([1.0, 2.0], verify_shape=True)([2, 2])
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(v1.constant([1, 2, 3], shape=[2, 2])).tolist() == [[1, 2], [3, 3]]
        numbers = v1.constant_initializer([0, 1, 2, 3])
        x = v1.get_variable("x", [2, 3], initializer=numbers)
        session.run(x.initializer)
        assert session.run(x).tolist() == [[0, 1, 2], [3, 3, 3]]
        with pytest.raises(ValueError, match="Too many elements provided. Takes at most 3, but got 4."):
            v1.get_variable("y", [3], initializer=numbers)
        with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(3, 4\), but got \(4,\)."):
            v1.get_variable("z", [3, 4], initializer=v1.constant_initializer([0, 1, 2, 3], verify_shape=True))
        with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(2, 2\), but got \(\)."):
            v1.constant(1, shape=[2, 2], verify_shape=True)


def test_traces_for_objects_are_not_saved(tf, tmp_path):
    class Scale:
        factor = 2.0

    class Model(tf.Module):
        @tf.function
        def by(self, x, scale):
            return x * scale.factor

        @tf.function
        def mode(self, x, name="plain", *, power=1):
            return x**power if name == "plain" else -x

    model = Model()
    model.by(tf.constant(1.0), Scale())
    model.mode(tf.constant(2.0))
    model.mode(tf.constant(2.0), "other")
    model.mode(tf.constant(2.0), power=3)
    tf.saved_model.save(model, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    with pytest.raises(ValueError, match="Found zero restored functions for caller function."):
        loaded.by(tf.constant(1.0), Scale())
    x = tf.constant(3.0)
    assert [float(y) for y in (loaded.mode(x), loaded.mode(x, "other"), loaded.mode(x, power=3))] == [3.0, -3.0, 27.0]


def test_arrays_of_the_lists_in_features(tf):
    floats = tf.train.FloatList(value=[0.5, 2]).value
    numbers = tf.train.Int64List(value=[1, 2]).value
    strings = tf.train.BytesList(value=[b"a", b"bcd"]).value
    assert [np.array(values).dtype for values in (floats, numbers, strings)] == [np.float32, np.int64, np.dtype("S3")]
    assert [type(values).__name__ for values in (floats, numbers, strings)] == ["RepeatedScalarContainer"] * 3
    assert np.array(tf.train.FloatList().value).dtype == np.float32
    assert np.array(tf.train.Int64List().value).dtype == np.int64
    assert np.asarray(floats, np.float64).tolist() == [0.5, 2.0]
    assert (np.mean(floats).dtype, np.stack([floats, floats]).dtype) == (np.float32, np.float32)
    assert (tf.constant(numbers).dtype, tf.constant(floats).dtype) == (tf.int64, tf.float32)
    assert (list(numbers), numbers == [1, 2], numbers[:1], repr(floats)) == ([1, 2], True, [1], "[0.5, 2.0]")
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    kind = feature.WhichOneof("kind")
    assert np.array(getattr(feature, kind).value).dtype == np.float32


def test_hints_of_inverses(tf):
    inversion, matrix = tf.linalg.LinearOperatorInversion, tf.linalg.LinearOperatorFullMatrix
    assert [inversion(matrix(tf.eye(2), is_non_singular=known)).is_non_singular for known in (None, True)] == [None, True]
    assert inversion(matrix(tf.eye(2)), is_non_singular=True).is_non_singular is True
    assert matrix(tf.eye(2)).inverse().is_non_singular is None
    text = "`is_non_singular` equal to `True` or `None`. Found `operator.is_non_singular`: False, `is_non_singular`: None."
    with pytest.raises(ValueError, match=text):
        inversion(matrix(tf.eye(2), is_non_singular=False))
    with pytest.raises(ValueError, match="Found `operator.is_square`: False, `is_square`: None."):
        inversion(matrix(tf.ones([2, 3])))
    for make in (tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorHouseholder):
        with pytest.raises(ValueError, match=r"Found: tf.Tensor\(3.0, shape=\(\), dtype=float32\)"):
            make(3.0)
    with pytest.raises(TypeError, match="in tensor tf.Tensor"):
        tf.linalg.LinearOperatorDiag([1.0, 2.0]).matmul(tf.constant([[1.0], [2.0]], tf.float64))


def test_axes_that_tensors_do_not_have(tf):
    a, b = tf.ones([2, 2]), tf.ones([2])
    for axes in ([[5], [0]], [[0, 1], [0, 1]], 2):
        with pytest.raises(IndexError):
            tf.tensordot(a, b, axes)
    with pytest.raises(ValueError, match=r"of tensor \[\[1. 1.\]\n \[1. 1.\]\].  Received 3, vs tensor dimensions 2."):
        tf.tensordot(a, a, 3)
    assert tf.tensordot(a, b, [[-1], [-1]]).numpy().tolist() == [2.0, 2.0]


def test_texts_of_refused_signals(tf):
    with pytest.raises(ValueError, match="dtype must be a floating point type. Found <dtype: 'int32'>"):
        tf.signal.hann_window(4, dtype=tf.int32)
    with pytest.raises(ValueError, match=r"inputs, got: tf.Tensor\(\[1 2\], shape=\(2,\), dtype=int32\)"):
        tf.signal.rfft(tf.constant([1, 2]))


def test_values_in_the_texts_of_signs(tf):
    def shown(x, summarize=None):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.debugging.assert_positive(x, summarize=summarize)
        return caught.value.message.splitlines()[-1]

    assert [shown(-1), shown(tf.constant(-1.5)), shown([-1]), shown([[-1, 2]])] == ["-1", "-1.5", "['-1']", "['-1', '2']"]
    numbers = tf.range(-5, 0)
    assert [shown(numbers), shown(numbers, 1)] == ["['-5', '-4', '-3', '...']", "['-5', '...']"]
    assert shown(numbers, 5) == "['-5', '-4', '-3', '-2', '-1']"
    for x, y in ((1, 2), ([1], [2])):
        with pytest.raises(ValueError, match="data type <class 'numpy.int32'> not inexact"):
            tf.debugging.assert_near(x, y)


def test_parts_of_an_isotonic_regression(tf):
    found = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
    assert (found.output.numpy().tolist(), found.segments.numpy().tolist()) == ([3.0, 1.5, 1.5], [0, 1, 1])
    assert type(tf.nn.isotonic_regression([[3.0], [1.0]], axis=0)) is tuple


def test_an_array_that_was_stacked_is_read_again(tf):
    array = tf.TensorArray(tf.float32, 3, element_shape=[2]).write(0, [1.0, 2.0]).write(1, [3.0, 4.0])
    assert [array.read(i).numpy().tolist() for i in (1, 2)] == [[3.0, 4.0], [0.0, 0.0]]
    for index in 1, 2:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Could not read index {index} twice"):
            array.read(index)
    assert array.stack().numpy().tolist() == [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]
    assert [array.read(i).numpy().tolist() for i in (1, 2)] == [[0.0, 0.0], [0.0, 0.0]]
