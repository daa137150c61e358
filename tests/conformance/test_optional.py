"""`tf.experimental.Optional` and `tf.OptionalSpec`, eager, traced, in loops and branches, with gradients."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def optional(tf):
    return tf.experimental.Optional


def test_present_and_absent(tf, optional):
    present = optional.from_value(42)
    assert bool(present.has_value()) and int(present.get_value()) == 42
    assert present.element_spec == tf.TensorSpec([], tf.int32)
    absent = optional.empty(tf.TensorSpec([], tf.int32))
    assert not bool(absent.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="The given optional does not have a value"):
        absent.get_value()


def test_structures(tf, optional):
    value = {"b": (tf.constant(1), [2.0, 3.0]), "a": tf.sparse.from_dense([1, 0]) if hasattr(tf.sparse, "from_dense") else 5}
    found = optional.from_value(value)
    assert found.element_spec["b"] == (tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32))
    back = found.get_value()
    assert int(back["b"][0]) == 1 and back["b"][1].numpy().tolist() == [2, 3]


def test_specs(tf, optional):
    spec = tf.OptionalSpec(tf.TensorSpec([None], tf.float32))
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(None,), dtype=tf.float32, name=None),)"
    assert spec == tf.OptionalSpec(tf.TensorSpec([None], tf.float32)) and hash(spec) == hash(spec)
    assert tf.OptionalSpec.from_value(optional.from_value(1)) == tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    narrow = tf.OptionalSpec(tf.TensorSpec([2], tf.float32))
    assert narrow.is_subtype_of(spec) and not spec.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([tf.OptionalSpec(tf.TensorSpec([3], tf.float32))]) == spec
    assert not spec.is_compatible_with(optional.from_value(1))
    assert isinstance(optional.from_value(1), spec.value_type)


def test_argument_and_result(tf, optional):
    traces = []

    @tf.function
    def function(x):
        traces.append(x)
        return optional.from_value(x.get_value() + 1)

    assert int(function(optional.from_value(1)).get_value()) == 2
    assert int(function(optional.from_value(5)).get_value()) == 6
    assert len(traces) == 1
    assert function(optional.from_value([1, 2])).get_value().numpy().tolist() == [2, 3]
    assert len(traces) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        function(optional.empty(tf.TensorSpec([], tf.int32)))


def test_signature(tf, optional):
    @tf.function(input_signature=[tf.OptionalSpec(tf.TensorSpec([], tf.int32))])
    def maybe_square(x):
        if x.has_value():
            return x.get_value() ** 2
        return -1

    assert int(maybe_square(optional.from_value(5))) == 25
    assert int(maybe_square(optional.empty(tf.TensorSpec([], tf.int32)))) == -1


def test_loop_variable(tf, optional):
    @tf.function
    def last(n):
        found = optional.empty(tf.TensorSpec([], tf.int32))
        for i in tf.range(n):
            found = optional.from_value(i)
        return found

    assert int(last(tf.constant(3)).get_value()) == 2
    assert not bool(last(tf.constant(0)).has_value())


def test_branches(tf, optional):
    @tf.function
    def either(c):
        return tf.cond(c, lambda: optional.from_value(1), lambda: optional.empty(tf.TensorSpec([], tf.int32)))

    assert bool(either(tf.constant(True)).has_value()) and not bool(either(tf.constant(False)).has_value())


def test_gradients(tf, optional):
    def through(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = optional.from_value((x * x, x)).get_value()
            z = y[0] + 3 * y[1]
        return tape.gradient(z, x)

    x = tf.constant(3.0)
    assert float(through(x)) == 9
    assert float(tf.function(through)(x)) == 9


def test_sums_and_zeros(tf, optional):
    held = optional.from_value(2.0)._variant_tensor
    options = {"output_types": [tf.float32], "output_shapes": [[]]}
    assert float(tf.raw_ops.OptionalGetValue(optional=tf.add_n([held, held]), **options)[0]) == 4
    assert float(tf.raw_ops.OptionalGetValue(optional=tf.zeros_like(held), **options)[0]) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot add optionals because one has a value"):
        tf.add_n([held, tf.raw_ops.OptionalNone()])


@pytest.mark.parametrize(
    ("types", "shapes", "match"),
    [
        (["float32"], [[]], "does not match the expected type for component 0. Expected: float. Actual: int32"),
        (["int32"], [[2]], r"does not match the expected shape for component 0. Expected: \[2\]. Actual: \[\]"),
        (["int32", "int32"], [[], []], "The given optional has 1 components, expected 2"),
        (["int32", "int32"], [[]], "output_types and output_shapes must be same length"),
    ],
)
def test_other_values(tf, optional, types, shapes, match):
    held = optional.from_value(1)._variant_tensor
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        tf.raw_ops.OptionalGetValue(optional=held, output_types=types, output_shapes=shapes)


def test_other_variants(tf):
    other = tf.raw_ops.EmptyTensorList(element_shape=tf.constant([], tf.int32), max_num_elements=3, element_dtype=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be an OptionalVariant object"):
        tf.raw_ops.OptionalHasValue(optional=other)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar tensor containing an OptionalVariant object"):
        tf.raw_ops.OptionalHasValue(optional=tf.stack([other]))


def test_abstract(optional):
    with pytest.raises(TypeError):
        optional()


def test_loop_whose_body_finds_out_the_spec(tf):
    @tf.function
    def f(n):
        empty = tf.experimental.Optional.empty(None)

        def body(i, found):
            def some():
                new = tf.experimental.Optional.from_value({"loss": tf.cast(i, tf.float32)})
                empty._element_spec = new.element_spec
                return new

            def none():
                found._element_spec = empty._element_spec
                return found

            return i + 1, tf.cond(i > 0, some, none)

        _, last = tf.while_loop(lambda i, _: i < n, body, [tf.constant(0), empty])
        last._element_spec = empty.element_spec
        return last.has_value(), last.get_value()["loss"]

    present, loss = f(tf.constant(4))
    assert bool(present)
    assert float(loss) == 3.0


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (1, x), lambda x: {"a": x}])
def test_values_that_do_not_convert(tf, wrap):
    for value in (object(), [object()]):
        with pytest.raises(TypeError, match="Could not build a `TypeSpec` for "):
            tf.experimental.Optional.from_value(wrap(value))
