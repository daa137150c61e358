"""Wrong arguments of public functions, eagerly and in a traced function: the class of the error and words of its text."""

import builtins
import pickle

import pytest

pytestmark = pytest.mark.rule(191)


def _sparse(tf):
    return tf.sparse.from_dense([[1, 0], [0, 2]])


def _features(tf):
    return {"a": tf.io.VarLenFeature(tf.int64)}


def _range(tf):
    return tf.data.Dataset.range(3)


# Program; class and words of the error, those in a traced function too where they are others.
INTEGERS = [
    (lambda tf: tf.RaggedTensor.from_tensor([[1, 2]], lengths=[1.5]), "TypeError", r"\(name: lengths\) must be of type integer"),
    (lambda tf: tf.ragged.segment_ids_to_row_splits([0.5]), "TypeError", r"\(name: segment_ids\) must be of type integer"),
    (lambda tf: tf.ragged.segment_ids_to_row_splits(["a"]), "TypeError", r"\(name: segment_ids\) must be of type integer"),
    (lambda tf: tf.ragged.segment_ids_to_row_splits([0], 1.5), "TypeError", r"\(name: num_segments\) must be of type integer"),
    (lambda tf: tf.linspace(0.0, 1.0, 1.5), "TypeError", r"\(name: num\) must be of type integer"),
    (lambda tf: tf.repeat([1], [1.5]), "TypeError", r"\(name: repeats\) must be of type integer"),
    (lambda tf: tf.ragged.range("a"), "AssertionError", None),
    (lambda tf: tf.ragged.range(True), "AssertionError", None),
]
STRINGS = [
    (lambda tf: tf.strings.reduce_join([1, 2]), "InvalidArgumentError", "expected to be a string tensor but is a int32",
     "TypeError", "Input 'inputs' of 'ReduceJoin' Op has type int32 that does not match expected type of string"),
    (lambda tf: tf.strings.bytes_split(5), "ValueError", "requested dtype string for Tensor with dtype int32",
     "TypeError", "Input 'input' of 'StringSplit' Op has type int32 that does not match expected type of string"),
    (lambda tf: tf.io.parse_example([1], _features(tf)), "ValueError", "requested dtype string for Tensor with dtype int32",
     "TypeError", "Input 'serialized' of 'ParseExampleV2' Op has type int32 that does not match expected type of string"),
    (lambda tf: tf.io.parse_single_example([1], _features(tf)), "ValueError", "Input serialized must be a scalar"),
    (lambda tf: tf.io.parse_sequence_example([], _features(tf)), "ValueError", "requested dtype string .* float32",
     "TypeError", "Input 'serialized' of 'ParseSequenceExampleV2' Op has type float32"),
]
SPARSE = [
    (lambda tf: tf.SparseTensor([[0, 0]], [1], [-2, 2]), "ValueError", "Dimension -2 must be >= 0"),
    (lambda tf: tf.SparseTensor([[0, 0]], [1], 2), "TypeError", "not iterable", "ValueError", None),
    (lambda tf: _sparse(tf).eval(), "AttributeError", "Tensor.graph is undefined when eager execution is enabled",
     "ValueError", "Cannot evaluate tensor using `eval"),
]
DATASETS = [
    (lambda tf: _range(tf).shuffle(3, seed=1.5), "TypeError", "Cannot convert 1.5 to EagerTensor of dtype int64",
     "TypeError", "Expected int64, but got 1.5 of type 'float'"),
    (lambda tf: tf.data.Dataset.random(seed=1.5), "TypeError", "Cannot convert 1.5", "TypeError", "Expected int64"),
    (lambda tf: _range(tf).shuffle(3, seed=1, reshuffle_each_iteration=1), "TypeError",
     "Expected bool for argument 'reshuffle_each_iteration' not 1"),
    (lambda tf: tf.data.Dataset.random(seed=1, rerandomize_each_iteration="a"), "TypeError",
     "Expected bool for argument 'rerandomize_each_iteration' not"),
    (lambda tf: _range(tf).batch(), "TypeError", r"DatasetV2.batch\(\) missing 1 required positional argument: 'batch_size'"),
    (lambda tf: _range(tf).map(), "TypeError", r"DatasetV2.map\(\) missing 1 required positional argument: 'map_func'"),
    (lambda tf: tf.data.TFRecordDataset(), "TypeError", r"TFRecordDatasetV2.__init__\(\) missing 1 required positional"),
    (lambda tf: _range(tf).batch(2, name="a b"), "ValueError", "The argument `name` needs to be a valid identifier"),
    (lambda tf: _range(tf).map(lambda x: x, name=5), "AttributeError", "isidentifier"),
    (lambda tf: tf.data.Dataset.sample_from_datasets([_range(tf)] * 2, weights=[1, 0]), "TypeError", "but is <dtype: 'int32'>"),
]
ASSERTIONS = [
    (lambda tf: tf.debugging.assert_equal(tf.constant([1.0]), [1]), "InvalidArgumentError", "cannot compute Equal as input #1",
     "TypeError", "Input 'y' of 'Equal' Op has type int32 that does not match type float32 of argument 'x'"),
    (lambda tf: tf.debugging.assert_less(tf.constant([1]), 2.5), "InvalidArgumentError", "cannot compute Less as input #1",
     "TypeError", "Input 'y' of 'Less' Op has type float32 that does not match type int32 of argument 'x'"),
    (lambda tf: tf.debugging.assert_type(5, tf.float32), "TypeError", "tensor must be of type tf.float32; got tf.int32",
     "TypeError", "assert_type/tensor:0 must be of type tf.float32; got tf.int32"),
]
CONTROL = [
    (lambda tf: tf.case([(1, lambda: 1)]), "TypeError", "pred must be a Tensor, got: 1"),
    (lambda tf: tf.case([("a", lambda: 1)]), "TypeError", "pred must be a Tensor, got: a"),
    (lambda tf: tf.case(5), "TypeError", "must be a list, tuple, or dict. Received: <class 'int'>"),
    (lambda tf: tf.case([5]), "TypeError", "must be a 2-tuple. Received 5."),
    (lambda tf: tf.case([(tf.constant(1), lambda: 1)]), "AttributeError", "Tensor.name is undefined",
     "TypeError", "pred must be Tensor of type bool: Const:0"),
    (lambda tf: tf.name_scope(None), "ValueError", "name for name_scope must be a string"),
    (lambda tf: tf.concat(0, [tf.zeros([2]), tf.zeros([2])]), "ValueError", r"Shape \(2, 2\) must have rank 0"),
    (lambda tf: tf.concat([tf.zeros([2])], [0]), "ValueError", r"Shape \(1,\) must have rank 0"),
    (lambda tf: tf.nn.leaky_relu([1.0], "a"), "TypeError", "Expected float for argument 'alpha' not"),
    (lambda tf: tf.nn.leaky_relu([1.0], tf.constant(0.5)), "TypeError", "Expected float for argument 'alpha' not"),
]
LOSSES = [
    (lambda tf: tf.nn.sigmoid_cross_entropy_with_logits([1.0]), "ValueError",
     "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits.*Received: labels=.* and logits=None"),
    (lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(None, [[1.0]]), "ValueError",
     "Both `labels` and `logits` must be provided for sparse_softmax_cross_entropy_with_logits.*Received: labels=None and"),
    (lambda tf: tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=None, logits=[1.0]), "ValueError",
     "Both `labels` and `logits` must be provided for softmax_cross_entropy_with_logits.*Received: labels=None and"),
    (lambda tf: tf.nn.softmax_cross_entropy_with_logits(None, [1.0]), "ValueError", "Attempt to convert a value .None.",
     "ValueError", "None values not supported"),
]
ARRAYS = [
    (lambda tf: _array(tf).write("a", 1.0), "TypeError", None, "TypeError", "passed to parameter 'index' of op 'TensorListSetItem'"),
    (lambda tf: _array(tf).write(0.5, 1.0), "TypeError", "list indices must be integers or slices, not float",
     "TypeError", "Expected int32 passed to parameter 'index' of op 'TensorListSetItem', got 0.5 of type 'float'"),
    (lambda tf: _array(tf).read(0.5), "TypeError", "list indices must be integers or slices, not float",
     "TypeError", "Expected int32 passed to parameter 'index' of op 'TensorListGetItem', got 0.5 of type 'float'"),
    (lambda tf: tf.TensorArray(tf.float32, 2.5), "TypeError", "cannot be interpreted as an integer",
     "TypeError", "Expected int32 passed to parameter 'num_elements' of op 'TensorListReserve', got 2.5"),
    (lambda tf: _array(tf).unstack(5.0), "ValueError", r"Argument `axis` = 0 not in range \[0, 0\)",
     "InvalidArgumentError", "Tensor must be at least a vector, but saw shape"),
    (lambda tf: _array(tf).scatter([0, 5], [1.0, 2.0]).stack(), "OutOfRangeError", "Tried to write to index 5",
     "InvalidArgumentError", "expected a list with 2 elements but got a list with 6 elements"),
]
EAGER_ARRAYS = [
    (lambda tf: _array(tf).split([1.0, 2.0, 3.0], [1, 1, 1]), r"not equal to the size of lengths \(2 vs. 3\)"),
    (lambda tf: _array(tf).split(5.0, [1]), r"Expected value to be at least a vector, but received shape: \[\]"),
    (lambda tf: _array(tf).split([5.0], 1), r"Expected lengths to be a vector, received shape: \[\]"),
]


def _array(tf):
    return tf.TensorArray(tf.float32, 2)


def _error(tf, name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


@pytest.mark.parametrize("row", [*INTEGERS, *STRINGS, *SPARSE, *DATASETS, *ASSERTIONS, *CONTROL, *LOSSES, *ARRAYS])
def test_errors(tf, row):
    program, *expected = row
    eager, traced = expected[:2], expected[-2:]
    with pytest.raises(_error(tf, eager[0]), match=eager[1]) as raised:
        program(tf)
    assert raised.type.__name__ == eager[0]
    with pytest.raises(_error(tf, traced[0]), match=traced[1]) as raised:
        tf.function(lambda: program(tf), autograph=False)()
    assert raised.type.__name__ == traced[0]


def test_row_splits_that_begin_later(tf):
    of_splits = tf.ragged.row_splits_to_segment_ids
    assert of_splits([1, 2, 4]).numpy().tolist() == [0, 1, 1]
    assert tf.function(of_splits)([0, 2, 2, 3]).numpy().tolist() == [0, 0, 2]


def test_tensors_like_a_sparse_one(tf):
    """While a graph is built, and with another dtype, they are dense; else a SparseTensor is not converted."""
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.zeros_like(_sparse(tf))
    made = tf.function(lambda: (tf.zeros_like(_sparse(tf)), tf.ones_like(_sparse(tf))))()
    assert [x.numpy().tolist() for x in made] == [[[0, 0], [0, 0]], [[1, 1], [1, 1]]]
    assert tf.zeros_like(_sparse(tf), tf.float32).dtype == tf.float32


@pytest.mark.parametrize("program,words", EAGER_ARRAYS)
def test_lengths_in_eager_arrays(tf, program, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        program(tf)


def test_rows_for_some_indices(tf):
    assert _array(tf).scatter([0], [1.0, 2.0, 3.0]).stack().numpy().tolist() == [1, 0]


def test_assertions_that_return_nothing(tf):
    @tf.function
    def checked(x):
        return tf.debugging.assert_type(x, tf.float32), tf.debugging.assert_integer(tf.cast(x, tf.int32))

    assert checked(1.0) == (None, None)


def test_variables_are_not_compared_with_none(tf):
    v = tf.Variable(1.0)
    for compare in (lambda: v == None, lambda: v != None, lambda: v in [None]):
        with pytest.raises(ValueError, match="Attempt to convert a value .None."):
            compare()
        with pytest.raises(ValueError, match="None values not supported"):
            tf.function(compare)()
    assert tf.constant(1.0) != None


def test_numbers_in_other_bases(tf):
    @tf.function
    def parsed(text):
        return int(text, 10), int(text, base=10)

    @tf.function
    def binary(text):
        return int(text, 2)

    assert [int(x) for x in parsed(tf.constant("101"))] == [101, 101]
    with pytest.raises(NotImplementedError, match="base 2 not supported for int"):
        binary(tf.constant("101"))


def _captured(tf):
    return tf.constant([1.0, 2.0])


@pytest.mark.parametrize(
    "program,words",
    [
        (lambda tf, x: tf.debugging.assert_rank(x, 2), "Tensor assert_rank/x:0 must have rank 2.  Received rank 1"),
        (lambda tf, x: tf.debugging.assert_rank_in(x, [2, 3], name="a"), "Tensor a/x:0 must have rank in"),
        (lambda tf, x: tf.debugging.assert_scalar(x), "Expected scalar shape for assert_scalar:0, saw shape"),
        (lambda tf, x: tf.debugging.assert_integer(x), "Found: assert_integer/x:0 of dtype"),
        (lambda tf, x: tf.debugging.assert_type(x, tf.int32), "assert_type/tensor:0 must be of type tf.int32"),
        (lambda tf, x: tf.debugging.assert_less(x, 1.0), r"x \(assert_less/x:0\) = "),
        (lambda tf, x: tf.debugging.assert_none_equal(x, x), r"y \(assert_none_equal/x:0\) = "),
        (lambda tf, x: tf.debugging.assert_negative(x), r"x \(assert_negative/x:0\) = "),
    ],
)
def test_names_of_captured_tensors_in_assertions(tf, program, words):
    """A tensor from outside has the name of its capture, which is that of the parameter."""
    x = _captured(tf)
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError), match=words):
        tf.function(lambda: program(tf, x), autograph=False)()


@pytest.mark.parametrize(
    "call,words",
    [
        (lambda tf: tf.Variable(1.0).assign(), r"BaseResourceVariable.assign\(\) missing 1 required positional argument: 'value'"),
        (lambda tf: tf.Variable(1.0).value(3), r"BaseResourceVariable.value\(\) takes 1 positional argument but 2 were given"),
        (lambda tf: tf.Variable(1.0).eval(1, 2, 3), r"BaseResourceVariable.eval\(\) takes from 1 to 2 positional arguments"),
        (lambda tf: tf.Variable(1.0).ref(1), r"Variable.ref\(\) takes 1 positional argument but 2 were given"),
        (lambda tf: tf.ragged.constant([[1]]).to_sparse(1, 2), r"RaggedTensor.to_sparse\(\) takes from 1 to 2 positional"),
    ],
)
def test_methods_in_errors(tf, call, words):
    with pytest.raises(TypeError, match=words):
        call(tf)


def test_methods_are_pickled(tf):
    """Their names in errors are those by which a pickle finds them again."""
    dataset, ragged = tf.data.Dataset, tf.RaggedTensor
    for method in tf.Variable.assign, dataset.map, dataset.batch, dataset.range, ragged.to_tensor, ragged.from_row_splits:
        assert pickle.loads(pickle.dumps(method)) == method


@pytest.mark.parametrize(
    "call,end",
    [
        (lambda tf: tf.where([True, True, True], tf.ones([2]), tf.ones([4])), "[Op:SelectV2]"),
        (lambda tf: tf.where(tf.ones([3], tf.bool), tf.ones([2]), tf.ones([4])), "[Op:SelectV2] name: "),
        (lambda tf: tf.where(tf.ones([3], tf.bool), tf.ones([2]), tf.ones([4]), name="a"), "[Op:SelectV2] name: a"),
        (lambda tf: tf.unique([[1]]), "[Op:Unique]"),
        (lambda tf: tf.unique_with_counts(tf.constant([[1]])), "[Op:UniqueWithCounts] name: "),
        (lambda tf: tf.concat([tf.ones([1, 2]), tf.ones([1, 3])], 0), "[Op:ConcatV2] name: concat"),
        (lambda tf: tf.reduce_mean([1.0], 4), "[Op:Mean]"),
        (lambda tf: tf.reduce_mean(tf.constant([1.0]), 4), "[Op:Mean] name: "),
    ],
)
def test_names_in_errors(tf, call, end):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call(tf)
    assert str(caught.value).endswith(end)
