"""`tf.experimental.BatchableExtensionType`, its batch encoders, and what else there is of extension types."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def vehicle(tf):
    class Vehicle(tf.experimental.BatchableExtensionType):
        top_speed: tf.Tensor
        mpg: tf.Tensor

    return Vehicle


def test_rows_of_values(tf, vehicle):
    batch = vehicle([120, 150, 80], [30, 40, 12])
    products = tf.map_fn(lambda v: v.top_speed * v.mpg, batch, fn_output_signature=tf.int32)
    assert products.numpy().tolist() == [3600, 6000, 960]


def test_rows_that_are_values(tf, vehicle):
    batch = vehicle([120, 150, 80], [30, 40, 12])
    doubled = tf.map_fn(lambda v: vehicle(v.top_speed * 2, v.mpg), batch)
    assert isinstance(doubled, vehicle) and doubled.top_speed.numpy().tolist() == [240, 300, 160]
    spec = vehicle.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    made = tf.map_fn(lambda i: vehicle(i, i + 1), tf.range(3), fn_output_signature=spec)
    assert made.mpg.numpy().tolist() == [1, 2, 3]


def test_in_a_function(tf, vehicle):
    @tf.function
    def function(batch, factor):
        return tf.map_fn(lambda pair: pair[0].top_speed * pair[1], (batch, factor), fn_output_signature=tf.int32)

    assert function(vehicle([1, 2], [3, 4]), tf.constant([10, 100])).numpy().tolist() == [10, 200]


def test_nested_values(tf, vehicle):
    class Pair(tf.experimental.BatchableExtensionType):
        first: vehicle
        second: tf.Tensor

    batch = Pair(vehicle([1, 2], [3, 4]), [5, 6])
    sums = tf.map_fn(lambda p: p.first.top_speed + p.first.mpg + p.second, batch, fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [9, 12]


def test_specs(tf, vehicle):
    spec = vehicle.Spec(tf.TensorSpec([3, 2], tf.int32), tf.TensorSpec([3], tf.int32))
    encoder = spec.__batch_encoder__
    assert isinstance(encoder, tf.experimental.ExtensionTypeBatchEncoder)
    assert encoder.batch(spec, 5) == vehicle.Spec(tf.TensorSpec([5, 3, 2], tf.int32), tf.TensorSpec([5, 3], tf.int32))
    assert encoder.unbatch(spec) == vehicle.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int32))
    value = vehicle(tf.zeros([3, 2], tf.int32), [1, 2, 3])
    assert [t.shape.as_list() for t in tf.nest.flatten(encoder.encode(spec, value))] == [[3, 2], [3]]
    assert encoder.decode(spec, encoder.encode(spec, value)).mpg.numpy().tolist() == [1, 2, 3]
    assert tf.nest.flatten(encoder.encoding_specs(spec)) == [tf.TensorSpec([3, 2], tf.int32), tf.TensorSpec([3], tf.int32)]


def test_own_encoder(tf):
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def encode(self, spec, value, minimum_rank=0):
            return [value.values + 1]

        def decode(self, spec, encoded_value):
            return spec.value_type(encoded_value[0] - 1)

        def encoding_specs(self, spec):
            return [spec.values]

    class Shifted(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        __batch_encoder__ = Encoder()

    assert tf.map_fn(lambda v: v.values * 2, Shifted([1, 2]), fn_output_signature=tf.int32).numpy().tolist() == [2, 4]


def test_other_types_have_no_encoder(tf):
    with pytest.raises(ValueError, match="__batch_encoder__ should only be defined for BatchableExtensionType classes"):

        class Other(tf.experimental.ExtensionType):
            values: tf.Tensor
            __batch_encoder__ = tf.experimental.ExtensionTypeBatchEncoder()


def test_as_dict(tf, vehicle):
    value = vehicle(1, 2)
    found = tf.experimental.extension_type.as_dict(value)
    assert list(found) == ["top_speed", "mpg"] and found["mpg"] is value.mpg


def test_spec_class(tf, vehicle):
    class Plain(tf.experimental.ExtensionType):
        values: tf.Tensor

    assert issubclass(Plain.Spec, tf.experimental.ExtensionTypeSpec)
    assert issubclass(vehicle.Spec, tf.experimental.ExtensionTypeSpec)


def test_none_spec(tf):
    spec = tf.NoneTensorSpec()
    assert repr(spec) == "NoneTensorSpec()" and spec == tf.type_spec_from_value(None) and spec.is_compatible_with(None)
    assert not spec.is_compatible_with(3)
    assert tf.function(lambda x: x, input_signature=[spec])(None) is None


def test_modes(tf):
    with tf.experimental.async_scope():
        x = tf.constant(1) + 1
    tf.experimental.async_clear_error()
    with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        assert int(tf.function(lambda: x + 1)()) == 3


def test_results_know_the_number_of_rows(tf):
    class Network(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        work: tf.Tensor

        def __init__(self, work):
            self.work = tf.convert_to_tensor(work)
            self.shape = self.work.shape[:-1]

    networks = Network([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    doubled = tf.map_fn(lambda network: Network(network.work * 2.0), networks)
    assert doubled.shape == [3] and doubled.work.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]


@pytest.fixture
def rows(tf):
    """A stack of two values that hold ragged and sparse rows, and its class."""

    class Inner(tf.experimental.BatchableExtensionType):
        sparse: tf.SparseTensor

    class Rows(tf.experimental.BatchableExtensionType):
        dense: tf.Tensor
        ragged: tuple[tf.RaggedTensor, tf.Tensor]
        inner: Inner

    ragged, sparse = tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[1, 0], [0, 2]])
    return Rows([5, 6], (ragged, [7, 8]), Inner(sparse))


def content(tf, value):
    parts = (value.dense, *value.ragged, tf.sparse.to_dense(value.inner.sparse))
    return [x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist() for x in parts]


def test_elements_of_datasets_are_rows(tf, rows):
    taken_apart = tf.data.Dataset.from_tensor_slices(rows)
    assert [content(tf, value) for value in taken_apart] == [[5, [1], 7, [1, 0]], [6, [2, 3], 8, [0, 2]]]
    spec = taken_apart.element_spec
    assert (spec.dense, spec.ragged[0]) == (tf.TensorSpec([], tf.int32), tf.RaggedTensorSpec([None], tf.int32, 0))
    assert spec.inner.sparse == tf.SparseTensorSpec([2], tf.int32)
    (stack,) = taken_apart.batch(2)
    assert content(tf, stack) == [[5, 6], [[1], [2, 3]], [7, 8], [[1, 0], [0, 2]]]
    (whole,) = tf.data.Dataset.from_tensors(rows)
    assert content(tf, whole) == content(tf, stack)
    assert [content(tf, value)[1] for value in tf.data.Dataset.from_tensors(rows).unbatch()] == [[1], [2, 3]]
    sums = tf.data.Dataset.from_tensor_slices((rows, [10, 20])).map(lambda value, i: value.dense + i)
    assert [int(x) for x in sums] == [15, 26]
    assert content(tf, tf.experimental.Optional.from_value(rows).get_value()) == content(tf, stack)


def test_tensors_of_encodings_hold_values(tf, rows):
    spec = tf.type_spec_from_value(rows)
    assert [one.dtype.name for one in spec._flat_tensor_specs] == ["int32", "variant", "int32", "variant"]
    assert [tensor.shape.rank for tensor in spec._to_tensor_list(rows)] == [1, 0, 1, 1]
    assert [tensor.shape[0] for tensor in spec._to_batched_tensor_list(rows)] == [2, 2, 2, 2]
    assert content(tf, spec._from_compatible_tensor_list(spec._to_tensor_list(rows))) == content(tf, rows)

    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def encode(self, spec, value, minimum_rank=0):
            return {"plus": value.values + 1, "rank": minimum_rank * tf.ones_like(value.values)}

        def decode(self, spec, encoded_value):
            return spec.value_type(encoded_value["plus"] - 1)

        def encoding_specs(self, spec):
            return {"plus": spec.values, "rank": spec.values}

    class Shifted(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        __batch_encoder__ = Encoder()

    value = Shifted([1, 2])
    spec = tf.type_spec_from_value(value)
    assert [t.numpy().tolist() for t in spec._to_tensor_list(value)] == [[2, 3], [0, 0]]
    assert [t.numpy().tolist() for t in spec._to_batched_tensor_list(value)] == [[2, 3], [1, 1]]
    assert [int(row.values) for row in tf.data.Dataset.from_tensor_slices(value)] == [1, 2]


def test_tensors_that_hold_a_value(tf):
    class Spec(tf.TypeSpec):
        value_type = property(lambda self: tuple)

        def _serialize(self):
            return ()

        @property
        def _component_specs(self):
            return (tf.TensorSpec([2], tf.float32), {"b": tf.RaggedTensorSpec([2, None], tf.int32)})

        def _to_components(self, value):
            return (value[0], {"b": value[1]})

        def _from_components(self, components):
            return (components[0], components[1]["b"])

    value = (tf.constant([1.0, 2.0]), tf.ragged.constant([[1], [2, 3]]))
    held = Spec()._to_tensor_list(value)
    assert [x.dtype for x in held] == [spec.dtype for spec in Spec()._flat_tensor_specs] == [tf.float32, tf.int32, tf.int64]
    assert Spec()._from_tensor_list(held)[1].to_list() == [[1], [2, 3]]
    with pytest.raises(ValueError, match="expects 3 items, but the provided tensor list has 1 items"):
        Spec()._from_tensor_list(held[:1])
    with pytest.raises(ValueError, match="item 0 .* is incompatible with the expected TypeSpec TensorSpec"):
        Spec()._from_tensor_list(held[::-1])
    plain = tf.TensorSpec([2], tf.float32)
    assert plain._to_tensor_list(value[0])[0] is plain._to_batched_tensor_list(value[0])[0] is value[0]
    assert plain._from_tensor_list([value[0]]) is value[0] and plain._flat_tensor_specs == [plain]


def test_defaults_are_attributes_of_the_class(tf):
    class Length(tf.experimental.ExtensionType):
        value: tf.Tensor
        unit: str = "m"
        factor: tf.Tensor = 5

    class Width(Length):
        left: bool = False

    assert (Length.unit, Length.factor, Width.unit, Width.left) == ("m", 5, "m", False)
    assert not hasattr(Length, "value")
    width = Width(1.0, unit="km")
    assert (width.unit, width.left) == ("km", False) and isinstance(width.factor, tf.Tensor)
    with pytest.raises(AttributeError):
        width.left = True
