"""Modules below `tensorflow.python.data`, which tests of datasets import from."""

import collections

import pytest

pytestmark = pytest.mark.rule("surface")

Pair = collections.namedtuple("Pair", ["a", "b"])
SAME_NAME = collections.namedtuple("Pair", ["a", "b"])


@pytest.fixture
def nest(internal):
    return internal("data.util.nest")


@pytest.fixture
def structure(internal):
    return internal("data.util.structure")


@pytest.mark.parametrize(
    ("one", "other", "error", "text"),
    [
        ((1, 2), (1, (2,)), ValueError, 'Substructure "type=tuple str=.2,." is a sequence, while substructure "type=int str=2" is not'),
        (((1, 2), 3), ((1,), 3), ValueError, "don't have the same number of elements. First structure: type=tuple str=.1, 2."),
        ({"a": 1}, {"b": 1}, ValueError, "The two dictionaries don't have the same set of keys"),
        (Pair(1, 2), (1, 2), TypeError, "The two namedtuples don't have the same sequence type"),
        ((1, 2), {"a": 1, "b": 2}, TypeError, "The two namedtuples don't have the same sequence type"),
        ({"a": (1, 2)}, {"a": [1, 2]}, ValueError, "is a sequence, while substructure"),
    ],
)
def test_nests_that_differ(nest, one, other, error, text):
    with pytest.raises(error, match=text) as raised:
        nest.assert_same_structure(one, other)
    assert str(raised.value).startswith(
        f"The two structures don't have the same nested structure.\n\nFirst structure: type={type(one).__name__} str={one}\n\n"
    )
    assert "Entire first structure" not in str(raised.value)


def test_nests_that_match(nest):
    nest.assert_same_structure(Pair(1, 2), SAME_NAME(3, 4))
    nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=2))
    nest.assert_same_structure([1, 2], [[3]])  # lists are leaves
    nest.assert_same_structure(Pair(1, 2), (1, 2), check_types=False)
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)


def test_packing(nest):
    assert nest.pack_sequence_as({"b": 0, "a": (0, 0)}, (1, 2, 3)) == {"b": 3, "a": (1, 2)}
    for structure, flat, error, text in [
        ("x", [1, 2], ValueError, "Argument `structure` is a scalar but `len.flat_sequence.`=2 > 1"),
        ((1, 2), 5, TypeError, "Argument `flat_sequence` must be a sequence. Got 'int'."),
        ((1, 2), [5], ValueError, "Argument `structure` had 2 elements, but argument `flat_sequence` had 1 elements"),
        ((1, 2), [5, 6, 7], ValueError, "had 2 elements, but argument `flat_sequence` had 3 elements. Received structure: .1, 2."),
    ]:
        with pytest.raises(error, match=text):
            nest.pack_sequence_as(structure, flat)


def test_parts_at_shallow_places(nest):
    for shallow, deep, error, text in [
        ((0, 0), "x", TypeError, "Input has type: 'str'"),
        (Pair(0, 0), (1, 2), TypeError, "Input structure has type 'tuple', while shallow structure has type 'Pair'"),
        ({"a": 0}, (1,), TypeError, "Input structure has type 'tuple', while shallow structure has type 'dict'"),
        ((0, 0), (1, 2, 3), ValueError, "Input structure has length 3, while shallow structure has length 2"),
        ({"a": 0}, {"a": 1, "b": 2}, ValueError, "Input structure has length 2, while shallow structure has length 1"),
        ({"a": 0}, {"b": 1}, ValueError, "Input structure has keys .'b'., while shallow structure has keys .'a'."),
    ]:
        with pytest.raises(error, match=text):
            nest.flatten_up_to(shallow, deep)
    nest.assert_shallow_structure((0, 0), Pair(1, 2))
    nest.assert_shallow_structure({"a": 0}, {"b": 1}, check_types=False)


def test_mapping_over_nests(nest):
    with pytest.raises(TypeError, match="Argument `func` must be callable, got: 3"):
        nest.map_structure(3, (1,))
    with pytest.raises(ValueError, match="Only valid keyword argument for `check_types_dict` is 'check_types'. Got {'depth': 1}"):
        nest.map_structure(lambda x: x, (1,), depth=1)
    assert nest.map_structure(lambda x, y: x + y, Pair(1, 2), (3, 4), check_types=False) == Pair(4, 6)


def test_tensors_of_elements(tf, structure):
    sparse = tf.sparse.from_dense([[0, 3], [4, 0]])
    element = {"a": tf.constant(1.5), "b": (sparse, tf.ragged.constant([[1], [2, 3]])), "c": None}
    spec = structure.type_spec_from_value(element)
    assert spec["a"] == tf.TensorSpec([], tf.float32)
    assert spec["b"] == (tf.SparseTensorSpec([2, 2], tf.int32), tf.RaggedTensorSpec([2, None], tf.int32))
    assert structure.get_flat_tensor_types(spec) == [tf.float32, tf.variant, tf.variant]
    assert structure.get_flat_tensor_shapes(spec)[0] == []
    assert structure.are_compatible(spec, spec)
    assert not structure.are_compatible(spec, (spec["a"],))
    back = structure.from_tensor_list(spec, structure.to_tensor_list(spec, element))
    assert tf.sparse.to_dense(back["b"][0]).numpy().tolist() == [[0, 3], [4, 0]]
    assert back["b"][1].to_list() == [[1], [2, 3]]
    assert back["c"] is None
    assert structure.normalize_element((1, [2.0]))[1].numpy().tolist() == [2.0]


def test_tensors_that_do_not_fit(tf, structure):
    number, vector = tf.TensorSpec([], tf.float32), tf.TensorSpec([2], tf.float32)
    with pytest.raises(ValueError, match="not convertible to a tensor with dtype .*float32.* and shape"):
        structure.to_tensor_list(number, tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="Expected 2 tensors but got 1."):
        structure.from_tensor_list((number, number), [tf.constant(1.0)])
    with pytest.raises(ValueError, match="incompatible with the expected"):
        structure.from_tensor_list(vector, [tf.constant(1.0)])
    with pytest.raises(TypeError, match="is neither a SparseTensor nor SparseTensorValue"):
        structure.to_tensor_list(tf.SparseTensorSpec([2]), tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="Unbatching a sparse tensor is only supported for rank >= 1"):
        structure.to_batched_tensor_list(tf.SparseTensorSpec([]), tf.SparseTensor(tf.zeros([1, 0], tf.int64), [1.0], []))
    with pytest.raises(TypeError, match="Could not build a `TypeSpec` for .* with type object"):
        structure.type_spec_from_value({"a": object()})


def test_specs_of_older_descriptions(tf, structure):
    specs = structure.convert_legacy_structure(
        {"a": tf.float32, "b": tf.int32}, {"a": tf.TensorShape([3]), "b": tf.TensorShape([2])}, {"a": tf.Tensor, "b": tf.SparseTensor}
    )
    assert specs == {"a": tf.TensorSpec([3], tf.float32), "b": tf.SparseTensorSpec([2], tf.int32)}
    array = structure.convert_legacy_structure(tf.int32, tf.TensorShape([None, True, 4]), tf.TensorArray)
    assert repr(array) == "TensorArraySpec(TensorShape([4]), tf.int32, None, True)"
    with pytest.raises(TypeError, match="Could not build a structure for output class int"):
        structure.convert_legacy_structure(tf.int32, None, int)


def test_sparse_values_are_sparse(tf, internal):
    is_sparse = internal("framework.sparse_tensor").is_sparse
    assert is_sparse(tf.compat.v1.SparseTensorValue([[0]], [1], [2]))
    assert is_sparse(tf.sparse.from_dense([1]))
    assert not is_sparse(tf.constant([1]))


@pytest.mark.parametrize("args", [1, {1}, {"a": 1}, iter([1])])
def test_arguments_of_generators_are_a_sequence(tf, args):
    with pytest.raises(TypeError, match="values must be a sequence."):
        tf.data.Dataset.from_generator(lambda x: [x], output_signature=tf.TensorSpec([], tf.int32), args=args)


def test_arguments_as_tensors(tf, internal):
    convert = internal("data.util.convert")
    for shape, sizes in [([1, None], [1, -1]), (tf.TensorShape([2]), [2]), ([], []), (tf.constant([3], tf.int64), [3])]:
        tensor = convert.partial_shape_to_tensor(shape)
        assert (tensor.dtype, tensor.numpy().tolist()) == (tf.int64, sizes)
    for shape, error, text in [
        ([[1]], ValueError, "must be a 1-D tensor of `tf.int64` values, but the shape was .1, 1."),
        ([1.5], TypeError, "must be a 1-D tensor of `tf.int64` values, but the element type was float32"),
        (None, ValueError, "Cannot convert a partially known TensorShape <unknown> to a Tensor"),
    ]:
        with pytest.raises(error, match=text):
            convert.partial_shape_to_tensor(shape)
    assert int(convert.optional_param_to_tensor("size", None, 4)) == 4
    assert convert.optional_param_to_tensor("path", "a", argument_dtype=tf.string).numpy() == b"a"


def test_numbers_of_datasets(tf, internal):
    ops = internal("data.ops.dataset_ops")
    assert (ops.AUTOTUNE, ops.INFINITE, ops.UNKNOWN) == (tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, -2)
    assert internal("data.experimental.ops.cardinality").UNKNOWN == tf.data.UNKNOWN_CARDINALITY
    assert ops.DATASET_SPEC_FILENAME == "dataset_spec.pb"
    assert ops.Dataset.range(2).cardinality().numpy() == 2
