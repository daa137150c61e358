"""Errors for values of a wrong dtype, shape or class that programs often pass."""

import re

import pytest

pytestmark = pytest.mark.rule(191)


def test_labels_of_another_dtype(tf):
    """Labels keep their dtype: the product with the logits refuses it."""
    refused = r"cannot compute Mul as input #1\(zero-based\) was expected to be a float tensor but is a int32 tensor"
    for labels, logits in (([1], [2.0]), (tf.constant([1]), [2.0]), (1, 2.0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=refused):
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a int32 tensor but is a float tensor"):
        tf.nn.weighted_cross_entropy_with_logits([1], [2.0], 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=refused):
        tf.nn.log_poisson_loss([1], [2.0])
    assert tf.nn.weighted_cross_entropy_with_logits([1.0], [2.0], 3).shape == [1]


def test_einsum_names_its_op(tf):
    place = r"\{\{function_node __wrapped__Einsum_N_2_device_.*CPU:0\}\} "
    ones = tf.ones([2, 3])
    wrong_size = place + r"Expected dimension 3 at axis 0 of the input shaped \[2,3\] but got dimension 2 \[Op:Einsum\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=wrong_size):
        tf.einsum("ij,jk->ik", ones, ones)
    with pytest.raises(tf.errors.InvalidArgumentError, match=place + "Expected input 0 to have rank 2 but got: 1"):
        tf.einsum("ij,jk->ik", tf.ones([2]), ones)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute Einsum as input #1"):
        tf.einsum("ij,kj->ik", ones, tf.ones([2, 3], tf.float64))
    with pytest.raises(ValueError, match="Subscripts have incorrect format"):
        tf.einsum("i.j", ones)


_ONES = {"a": [2, 3], "b": [5, 4], "c": [4, 2, 3]}


@pytest.mark.parametrize(
    ("equation", "inputs", "eager", "traced"),
    [
        ("ij,jk", "aa", "Expected dimension 3 at axis 0 of the input shaped [2,3] but got dimension 2",
         ("Dimensions must be equal, but are 3 and 2 for '{{node e/Einsum}} = Einsum[N=2, T=DT_FLOAT, "
         'equation="ij,jk->ik"](ones, ones_1)\' with input shapes: [2,3], [2,3].')),
        (" ij, kj -> ik", "ab", "Expected dimension 3 at axis 1 of the input shaped [5,4] but got dimension 4",
         ("Dimensions must be equal, but are 3 and 4 for '{{node e/Einsum}} = Einsum[N=2, T=DT_FLOAT, "
         'equation="ij,kj->ik"](ones, ones_1)\' with input shapes: [2,3], [5,4].')),
        ("ijk->ij", "a", "Expected input 0 to have rank 3 but got: 2",
         ("Shape must be rank 3 but is rank 2\n\t for 0th input and equation: ijk->ij for '{{node e/Einsum}} = "
         'Einsum[N=1, T=DT_FLOAT, equation="ijk->ij"](ones)\' with input shapes: [2,3].')),
        ("ii->i", "a", "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3",
         ("Dimensions must be equal, but are 2 and 3 for '{{node e/Einsum}} = Einsum[N=1, T=DT_FLOAT, "
         'equation="ii->i"](ones)\' with input shapes: [2,3].')),
        ("...ij->ij", "c",
         "Output contains 1 broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.",
         ("Shape must be at most rank 0 but is rank 1\n\t for einsum equation '...ij->ij' without ellipsis (...) in the "
         "output subscripts where input(s) have non-empty broadcasting shape for '{{node e/Einsum}} = "
         'Einsum[N=1, T=DT_FLOAT, equation="...ij->ij"](ones)\' with input shapes: [4,2,3].')),
    ],
)
def test_einsum_says_what_does_not_fit(tf, equation, inputs, eager, traced):
    def product():
        return tf.einsum(equation, *(tf.ones(_ONES[name]) for name in inputs), name="e")

    with pytest.raises(tf.errors.InvalidArgumentError) as refused:
        product()
    assert eager in str(refused.value)
    with pytest.raises(ValueError) as refused:
        tf.function(product, autograph=False)()
    assert traced in str(refused.value)


def test_einsum_counts_its_inputs(tf):
    with pytest.raises(ValueError, match='Got 1 inputs for equation "ij, jk", expecting 2'):
        tf.einsum("ij, jk", tf.ones([2, 3]))


def test_strings_are_not_ones(tf):
    for shape in ([2], [], tf.constant([2])):
        with pytest.raises(TypeError, match="Cannot convert 1 to EagerTensor of dtype string"):
            tf.ones(shape, tf.string)
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]


def test_values_without_an_order(tf):
    for values in (["b", "a"], [True, False]):
        for order in (tf.sort, tf.argsort):
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the list of allowed values"):
                order(values)
    assert tf.sort(tf.constant([3, 1], tf.uint8)).numpy().tolist() == [1, 3]


def test_state_of_a_generator_has_three_elements(tf):
    for state in ([1, 2], [1, 2, 3, 4], 1, [[1, 2, 3]]):
        with pytest.raises(ValueError, match=r"Shapes \(.*\) and \[3\] are incompatible"):
            tf.random.Generator.from_state(state, "philox")
    assert tf.random.Generator.from_state([1, 2, 3], "philox").state.shape == [3]


def test_tf_data_dataset_is_no_constructor(tf):
    for arguments in ((), ([1, 2],)):
        with pytest.raises(TypeError, match="Can't instantiate abstract class DatasetV2"):
            tf.data.Dataset(*arguments)

    class Doubled(tf.data.Dataset):
        def __new__(cls, n):
            return tf.data.Dataset.range(n).map(lambda x: 2 * x)

    assert [int(x) for x in Doubled(3)] == [0, 2, 4]


@pytest.mark.parametrize("value", [[[1, 2], [3]], 1.5, [[1, 2], [3, 4]], {"a": 1}])
def test_generators_of_values_that_are_not_ragged(tf, value):
    for spec in (tf.RaggedTensorSpec([2, None], tf.int32), tf.SparseTensorSpec([2], tf.int32)):
        dataset = tf.data.Dataset.from_generator(lambda: [value], output_signature=spec)
        with pytest.raises(tf.errors.InvalidArgumentError, match="TypeError: `generator` yielded an element"):
            list(dataset)


def test_extension_types_have_no_gradient(tf):
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    pair = Pair([1.0, 2.0], [True, False])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(pair)
        y = tf.reduce_sum(pair.a**2)
    assert tape.gradient(y, pair.a).numpy().tolist() == [2, 4]
    with pytest.raises(ValueError, match="Type Pair is not supported as a gradient source or gradient target"):
        tape.gradient(y, [pair])


def test_tolerances_in_the_text(tf):
    text = r"m\.  .*tolerance rtol = tf.Tensor\(0.01, shape=\(\), dtype=float32\), atol = tf.Tensor\(0.02,"
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"(?s){text}"):
        tf.debugging.assert_near(1.0, 1.1, rtol=0.01, atol=0.02, message="m")


def test_name_of_the_check_for_finite_values(tf):
    @tf.function
    def f(x):
        return tf.debugging.assert_all_finite(x, "message")

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\{\{node VerifyFinite/CheckNumerics\}\}"):
        f(tf.constant([float("inf")]))


def test_broadcasting_to_the_shape_of_a_ragged_tensor(tf):
    ragged = tf.ragged.constant([[1, 2], [3]])
    shape = tf.experimental.DynamicRaggedShape.from_tensor(ragged)
    for value, expected in (([[1], [2]], [[1, 1], [2]]), (5, [[5, 5], [5]]), (ragged, [[1, 2], [3]]), ([1.5], [[1.5, 1.5], [1.5]])):
        assert tf.broadcast_to(value, shape).to_list() == expected
    narrow = tf.experimental.DynamicRaggedShape.from_tensor(ragged, tf.int32)
    assert tf.broadcast_to([[1], [2]], narrow).to_list() == [[1, 1], [2]]


def test_axes_of_other_types(tf):
    for axis in (1.5, "a", [0]):
        with pytest.raises(TypeError, match="axis must be int or Tensor with integer datatype"):
            tf.argmax([1, 2], axis=axis)
    with pytest.raises(TypeError, match="axis tensor dtypes <dtype: 'float32'> is not supported"):
        tf.argmax([1, 2], axis=tf.constant(0.5))
    assert int(tf.argmax([1, 2], axis=tf.constant(0))) == 1


def test_axes_that_logits_do_not_have(tf):
    for axis in (2, -2, 1.5):
        text = rf"`dim` must be in the range \[-1, 1\) .* Received: dim={axis}"
        for function in (tf.nn.softmax, tf.nn.log_softmax):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                function([1.0], axis=axis)


def test_one_hot_of_two_dtypes(tf):
    text = "dtype <dtype: 'int32'> of on_value does not match dtype <dtype: 'float32'> of off_value"
    for on, off in ((5, 1.5), (tf.constant(5), 1.0), (tf.constant(5), tf.constant(1.0))):
        with pytest.raises(TypeError, match=text):
            tf.one_hot([1], 3, on_value=on, off_value=off)
    assert tf.one_hot([1], 3, on_value=5, off_value=1.5, dtype=tf.float32).numpy().tolist() == [[1.5, 5.0, 1.5]]


@pytest.mark.parametrize(
    "make, dtype, value",
    [
        (lambda tf: tf.zeros(5.0), "int32", "5.0 of type 'float'"),
        (lambda tf: tf.ones([2], tf.string), "string", "1 of type 'int'"),
        (lambda tf: tf.one_hot([0], 3, dtype=tf.bool), "bool", "1 of type 'int'"),
        (lambda tf: tf.one_hot([0], 3, on_value="a"), "string", "0 of type 'int'"),
    ],
)
def test_values_that_functions_convert_themselves(tf, make, dtype, value):
    with pytest.raises(TypeError, match=f"Cannot convert {value.split()[0]} to EagerTensor of dtype {dtype}"):
        make(tf)
    with pytest.raises(TypeError, match=f"Expected {dtype}, but got {value}"):
        tf.function(lambda: make(tf), autograph=False)()


@pytest.mark.parametrize("axis", [(0, 0), [1, 1], [0.0, 1], ([0], [1]), [0], [0, 1, 2], 1.5, "a", ()])
def test_axes_of_norms(tf, axis):
    shown = tuple(axis) if isinstance(axis, (list, tuple)) and len(axis) == 2 else axis
    text = f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {shown}"
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        tf.norm([[1.0, 2.0], [3.0, 4.0]], axis=axis)


@pytest.mark.parametrize("axis", [(0, 5), (0, 2)])
def test_axes_of_norms_that_a_matrix_lacks(tf, axis):
    wrong_size = "transpose expects a vector of size 2. But input.1. is a vector of size 3"
    with pytest.raises(tf.errors.InvalidArgumentError, match=wrong_size):
        tf.norm([[1.0, 2.0], [3.0, 4.0]], 2, axis)


@pytest.mark.parametrize("dtype", ["bool", "string", "int4"])
def test_values_that_are_no_numbers(tf, dtype):
    x = tf.constant(["a"]) if dtype == "string" else tf.cast(tf.constant([1], tf.int8), dtype)
    with pytest.raises(TypeError, match="^input must be a numeric tensor, but got tensor with dtype <dtype: "):
        tf.math.real(x)
    for rises in (tf.math.is_non_decreasing, tf.math.is_strictly_increasing):
        with pytest.raises(TypeError, match=f"^Expected x to be numeric, instead found: {re.escape(str(x))}$"):
            rises(x)


def test_angles_of_values_that_are_no_numbers(tf):
    for value in ([True], ["a"]):
        with pytest.raises(TypeError, match="^Cannot convert 0 to EagerTensor of dtype"):
            tf.math.angle(value)


_CONVERSIONS = {
    "data": ("string", lambda tf, x: tf.strings.ngrams(x, 2)),
    "input": ("string", lambda tf, x: tf.strings.split(x)),
    "mask": ("bool", lambda tf, x: tf.ragged.boolean_mask(x, x)),
}


@pytest.mark.parametrize("name", _CONVERSIONS)
def test_tensors_where_ragged_ones_may_stand_have_the_right_dtype(tf, name):
    dtype, call = _CONVERSIONS[name]
    text = f"{name}: Tensor conversion requested dtype {dtype} for Tensor with dtype int32"
    for function in (call, lambda tf, x: tf.function(call)(tf, x)):
        with pytest.raises(ValueError, match=text):
            function(tf, tf.constant([1, 2]))


@pytest.mark.parametrize("function", ["unsorted_segment_mean", "unsorted_segment_sqrt_n"])
def test_segments_that_are_counted_first(tf, function):
    call = getattr(tf.math, function)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tnumsegments' of float is not in the list"):
        call([1.0, 2.0], [0, 1], 2.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'T' of bool is not in the list"):
        call([True], [0], 1)
    with pytest.raises(TypeError, match="Value passed to parameter 'x' has DataType complex64 not in list"):
        tf.function(call)(tf.constant([1j, 2j], tf.complex64), [0], 2)


@pytest.mark.parametrize("function", ["segment_sum", "segment_mean", "segment_sqrt_n"])
def test_errors_of_picked_segments_name_only_names_that_are_given(tf, function):
    call = getattr(tf.sparse, function)
    tensors = tf.constant([1.0, 2.0]), tf.constant([0, 7]), tf.constant([0, 1])
    for options in ({}, {"num_segments": 3}):
        for name in (None, "given"):
            with pytest.raises(tf.errors.InvalidArgumentError, match=rf"\] name: {name or ''}$"):
                call(*tensors, name=name, **options)
