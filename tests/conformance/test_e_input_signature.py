"""Section E of the tracing rules: input_signature, its errors, and how arguments are cast to it."""

import numpy as np
import pytest


@pytest.fixture
def spec(tf):
    """Short for `tf.TensorSpec`, float32 unless said otherwise."""
    return lambda shape, dtype="float32", **options: tf.TensorSpec(shape, tf.as_dtype(dtype), **options)


@pytest.mark.rule(57)
@pytest.mark.parametrize("bad, name", [(3, "int"), ("text", "str"), ({"x": 1}, "dict")])
def test_a_signature_is_a_list_or_tuple(tf, bad, name):
    with pytest.raises(TypeError, match=f"input_signature must be either a tuple or a list, got <class '{name}'>."):
        tf.function(lambda x: x, input_signature=bad)


@pytest.mark.rule(57)
def test_a_lone_spec_is_not_a_signature(tf, spec):
    with pytest.raises(TypeError, match="input_signature must be either a tuple or a list, got <class '.*TensorSpec'>"):
        tf.function(lambda x: x, input_signature=spec([]))


@pytest.mark.rule(57)
@pytest.mark.parametrize(
    "bad, shown, name", [(1, "1", "int"), (None, "None", "NoneType"), ("float32", "'float32'", "str")]
)
def test_a_signature_holds_specs(tf, bad, shown, name):
    with pytest.raises(TypeError) as error:
        tf.function(lambda x: x, input_signature=[bad])
    assert str(error.value) == (
        "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args"
        f" [{shown}] with types [<class '{name}'>]."
    )


@pytest.mark.rule(57)
def test_nested_signature(tf, spec):
    f = tf.function(lambda d, p: d["a"] + p[0] + p[1][0], input_signature=[{"a": spec([])}, (spec([]), [spec([])])])
    assert f({"a": 1}, (2.0, [3])).numpy() == 6.0


@pytest.mark.rule(58)
def test_too_few_specs(tf, spec):
    with pytest.raises(TypeError, match="^input_signature missing type constraint for y$"):
        tf.function(lambda x, y: x, input_signature=[spec([])])


@pytest.mark.rule(58)
@pytest.mark.parametrize("extra", [1, 2])
def test_too_many_specs(tf, spec, extra):
    with pytest.raises(TypeError, match=rf"^input_signature contains {extra} extra type constraints\.$"):
        tf.function(lambda x, y: x, input_signature=[spec([])] * (2 + extra))


@pytest.mark.rule(58, 204)
def test_self_is_skipped(tf, spec):
    class Scale:
        factor = 3.0

        @tf.function(input_signature=[spec([])])
        def scaled(self, x):
            return x * self.factor

    assert Scale().scaled(2).numpy() == 6.0
    assert str(Scale().scaled.function_type) == "(x: TensorSpec(shape=(), dtype=tf.float32, name=None))"


@pytest.mark.rule(58)
def test_an_empty_signature(tf):
    f = tf.function(lambda: 1, input_signature=[])
    assert f().numpy() == 1
    with pytest.raises(TypeError, match="too many positional arguments"):
        f(1)


@pytest.mark.rule(59)
def test_defaults_become_fixed_literals(tf, spec, traces):
    @tf.function(input_signature=[spec([None])])
    def f(x, training=True, steps=3):
        traces.append((training, steps))
        return x

    f([1.0]), f([1.0], True), f([1.0], steps=3), f([1.0], 1)
    assert traces == [(True, 3)]
    for arguments, text in (
        ((False,), "Can not cast False to Literal[True]"),
        ((True, 4), "Can not cast 4 to Literal[3]"),
    ):
        with pytest.raises(TypeError) as error:
            f([1.0], *arguments)
        assert text in str(error.value)


@pytest.mark.rule(60)
def test_keyword_only_parameter_needs_a_default(tf, spec):
    def f(x, *, k):
        return x

    with pytest.raises(TypeError) as error:
        tf.function(f, input_signature=[spec([])])
    assert str(error.value) == (
        "Since input_signature is defined, keyword-only parameter `k` must have a default value"
    )


@pytest.mark.rule(60, 59)
def test_keyword_only_parameter_with_a_default(tf, spec):
    @tf.function(input_signature=[spec([])])
    def f(x, *, k=4.0):
        return x * k

    assert f(1).numpy() == 4.0 and f(1, k=4.0).numpy() == 4.0
    with pytest.raises(TypeError, match=r"Can not cast 5.0 to Literal\[4.0\]"):
        f(1, k=5.0)


@pytest.mark.rule(60)
def test_varargs_take_the_remaining_specs(tf, spec, traces):
    @tf.function(input_signature=[spec([]), spec([]), spec([], "int32")])
    def f(x, *args):
        traces.append([a.name for a in args])
        return x

    f(1, 2, 3)
    assert traces == [["args_0:0", "args_1:0"]]
    with pytest.raises(TypeError, match="missing a required argument: 'args_1'"):
        f(1, 2)
    with pytest.raises(TypeError, match="too many positional arguments"):
        f(1, 2, 3, 4)


@pytest.mark.rule(60)
def test_no_extra_keywords(tf, spec):
    f = tf.function(lambda x, **kwargs: x, input_signature=[spec([])])
    assert f(1).numpy() == 1.0 and f(x=1).numpy() == 1.0
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'y'"):
        f(1, y=2)


@pytest.mark.rule(61)
def test_one_trace(tf, spec, traces):
    f = tf.function(lambda x: (traces.append(0), x)[1], input_signature=[spec([None])])
    assert traces == []
    f.get_concrete_function()
    f([1.0]), f(tf.zeros([7])), f(np.zeros(2)), f(x=[1])
    assert len(traces) == 1 and f.experimental_get_tracing_count() == 1


@pytest.mark.rule(61, 52)
def test_reduce_retracing_changes_nothing(tf, spec, traces):
    f = tf.function(lambda x: traces.append(x.shape.as_list()), input_signature=[spec([None])], reduce_retracing=True)
    f([1]), f([1, 2]), f([1, 2, 3])
    assert traces == [[None]]


CASTS = {
    "list of ints": lambda tf: [1, 2],
    "tuple": lambda tf: (1.0, 2),
    "range": lambda tf: range(1, 3),
    "int array": lambda tf: np.array([1, 2]),
    "float64 array": lambda tf: np.array([1.0, 2.0]),
    "variable": lambda tf: tf.Variable([1.0, 2.0]),
    "list of tensors": lambda tf: [tf.constant(1.0), tf.constant(2.0)],
    "list of numpy scalars": lambda tf: [np.float64(1), np.int8(2)],
    "tensor": lambda tf: tf.constant([1.0, 2.0]),
}


@pytest.mark.rule(62)
@pytest.mark.parametrize("kind", CASTS)
def test_values_are_cast(tf, spec, kind):
    f = tf.function(lambda x: x, input_signature=[spec([None])])
    result = f(CASTS[kind](tf))
    assert result.dtype == tf.float32 and result.numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(62)
@pytest.mark.parametrize(
    "dtype, value, result",
    [("int32", True, 1), ("int32", np.int64(3), 3), ("string", "a", b"a"), ("bool", np.bool_(True), True),
     ("float64", 1, 1.0), ("int64", 2**40, 2**40), ("complex64", 1.5, 1.5 + 0j), ("float32", True, 1.0)],
)  # fmt: skip
def test_scalars_are_cast(tf, spec, dtype, value, result):
    f = tf.function(lambda x: x, input_signature=[spec([], dtype)])
    assert f(value).numpy() == result and f(value).dtype.name == dtype


@pytest.mark.rule(62)
@pytest.mark.parametrize(
    "dtype, value", [("int32", 1.5), ("string", 1), ("bool", 1), ("float32", "a"), ("float32", None)]
)
def test_values_that_do_not_convert(tf, spec, dtype, value):
    f = tf.function(lambda x: x, input_signature=[spec([], dtype)])
    with pytest.raises(TypeError, match="Binding inputs to tf.function failed due to"):
        f(value)
    assert f.experimental_get_tracing_count() == 0


@pytest.mark.rule(62)
def test_a_variable_becomes_a_tensor(tf, spec, traces):
    f = tf.function(lambda x: traces.append(type(x)), input_signature=[spec([])])
    f(tf.Variable(1.0))
    assert issubclass(traces[0], tf.Tensor) and not issubclass(traces[0], tf.Variable)


@pytest.mark.rule(62, 63)
def test_a_variable_of_another_dtype(tf, spec):
    f = tf.function(lambda x: x, input_signature=[spec([])])
    with pytest.raises(TypeError, match="Incompatible type conversion requested to type"):
        f(tf.Variable(1.0, dtype=tf.float64))


@pytest.mark.rule(63)
@pytest.mark.parametrize("value, dtype", [([1], "int32"), ([1.0], "float64"), ([1.0], "float16")])
def test_a_tensor_of_another_dtype(tf, spec, value, dtype):
    f = tf.function(lambda x: x, input_signature=[spec([None])])
    with pytest.raises(TypeError) as error:
        f(tf.constant(value, tf.as_dtype(dtype)))
    assert (
        f"Can not cast TensorSpec(shape=(1,), dtype=tf.{dtype}, name=None) to"
        " TensorSpec(shape=(None,), dtype=tf.float32, name=None)" in str(error.value)
    )


@pytest.mark.rule(63)
def test_structures_must_agree(tf, spec):
    f = tf.function(lambda p: p["a"], input_signature=[{"a": spec([]), "b": [spec([])]}])
    assert f({"b": [1], "a": 2}).numpy() == 2.0
    for value, text in (
        ({"a": 1, "b": (2,)}, "Can not cast (2,) to list type."),
        ([1, 2], "Can not cast [1, 2] to a Dict type."),
        ({"a": 1}, "{'a': 1} has different keys with the TraceType Dict[['a', TensorSpec("),
    ):
        with pytest.raises(TypeError) as error:
            f(value)
        assert text in str(error.value)


@pytest.mark.rule(63)
def test_a_list_for_a_tuple(tf, spec):
    f = tf.function(lambda p: p[0], input_signature=[(spec([]), spec([]))])
    with pytest.raises(TypeError, match=r"Can not cast \[1, 2\] to tuple type\."):
        f([1, 2])


@pytest.mark.rule(64)
def test_the_text_of_a_shape_mismatch(tf, spec):
    f = tf.function(lambda x: x, input_signature=[spec([None, 2])])
    with pytest.raises(TypeError) as error:
        f(tf.constant([1.0, 1.0]))
    assert str(error.value) == (
        "Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape=(2,), dtype=tf.float32, name=None) to"
        " TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)`. Received args: (<tf.Tensor: shape=(2,),"
        " dtype=float32, numpy=array([1., 1.], dtype=float32)>,) and kwargs: {} for signature:"
        " (x: TensorSpec(shape=(None, 2), dtype=tf.float32, name=None))."
    )


@pytest.mark.rule(64)
def test_the_text_for_a_python_value(tf, spec):
    f = tf.function(lambda x, *, k=2: x, input_signature=[spec([None], name="rows")])
    with pytest.raises(TypeError) as error:
        f(1.0, k=2)
    assert str(error.value) == (
        "Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape=(), dtype=tf.float32, name='rows') to"
        " TensorSpec(shape=(None,), dtype=tf.float32, name='rows')`. Received args: (1.0,) and kwargs: {'k': 2} for"
        " signature: (x: TensorSpec(shape=(None,), dtype=tf.float32, name='rows'), *, k: Literal[2] ="
        " <captured_default_value>)."
    )


@pytest.mark.rule(65)
@pytest.mark.parametrize("shape", [[None], [None, 2], None])
def test_the_shape_inside_is_the_specs(tf, spec, traces, shape):
    f = tf.function(lambda x: traces.append(x.shape.as_list() if x.shape.rank is not None else None),
                    input_signature=[spec(shape)])  # fmt: skip
    f(tf.zeros([3, 2]) if shape != [None] else tf.zeros([3]))
    assert traces == [shape]


@pytest.mark.rule(66)
def test_get_concrete_function(tf, spec):
    f = tf.function(lambda x: x, input_signature=[spec([None])])
    concrete = f.get_concrete_function()
    assert f.get_concrete_function(tf.zeros([3])) is concrete
    assert f.get_concrete_function(spec([2])) is concrete
    assert f.get_concrete_function([1, 2]) is concrete
    for bad in (spec([2, 2]), spec([2], "int32"), spec(None)):
        with pytest.raises(TypeError, match="Can not cast TensorSpec"):
            f.get_concrete_function(bad)


@pytest.mark.rule(66, 17)
def test_spec_names(tf, spec):
    f = tf.function(lambda x: x, input_signature=[spec([2], name="pair")])
    assert f.get_concrete_function().inputs[0].name == "pair:0"
    assert f.get_concrete_function().structured_input_signature == ((spec([2], name="pair"),), {})


@pytest.mark.rule(62, 64)
def test_a_symbolic_tensor_of_less_known_shape_takes_the_specs(tf, spec, traces):
    specific = tf.function(lambda x: tf.identity(x), input_signature=[spec([2])])

    @tf.function(input_signature=[spec(None)])
    def general(x):
        result = specific(x)
        traces.extend([x.shape.as_list(), result.shape.as_list()])
        return result

    assert general(tf.constant([1.0, 2.0])).numpy().tolist() == [1, 2]
    assert traces == [[2], [2]]


@pytest.mark.rule(58, 206)
def test_a_signature_for_the_method_of_an_object(tf, spec):
    class Scale:
        factor = 3.0

        def times(self, x, more=1.0):
            return x * self.factor * more

    scale = Scale()
    assert tf.function(scale.times, input_signature=[spec([])])(2.0).numpy() == 6
    assert tf.function(input_signature=[spec([])])(scale.times).get_concrete_function()(tf.constant(4.0)).numpy() == 12
