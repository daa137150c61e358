"""Wrong arguments of public functions, eagerly and in a traced function: the class of the error and words of its text."""

import builtins

import pytest

pytestmark = pytest.mark.rule(191)

VARLEN = {"a": "int64"}


def _sparse(tf):
    return tf.sparse.from_dense([[1, 0], [0, 2]])


def _features(tf):
    return {key: tf.io.VarLenFeature(dtype) for key, dtype in VARLEN.items()}


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


def _error(tf, name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


@pytest.mark.parametrize("row", [*INTEGERS, *STRINGS, *SPARSE, *DATASETS])
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
