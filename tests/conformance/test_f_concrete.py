"""Section F of the tracing rules: concrete functions, their calling conventions, errors and attributes."""

import collections

import numpy as np
import pytest


@pytest.fixture
def spec(tf):
    """Short for `tf.TensorSpec`, float32 unless said otherwise."""
    return lambda shape, dtype="float32", **options: tf.TensorSpec(shape, tf.as_dtype(dtype), **options)


@pytest.fixture
def power(tf, spec):
    """The concrete function of `pow(a, b)` for a scalar `a` and `b=2`."""

    def pow(a, b):
        return a**b

    return tf.function(pow).get_concrete_function(spec([]), 2)


@pytest.fixture
def add(tf, spec):
    """The concrete function of `f(x, y)`, the sum of two scalars."""

    def f(x, y):
        return x + y

    return tf.function(f).get_concrete_function(spec([]), spec([]))


@pytest.mark.rule(67)
def test_get_concrete_function_runs_nothing(tf, traces):
    v = tf.Variable(0)
    f = tf.function(lambda x: (traces.append(0), v.assign_add(x))[1])
    f.get_concrete_function(tf.constant(1))
    assert len(traces) == 1 and v.numpy() == 0


@pytest.mark.rule(67)
@pytest.mark.parametrize("form", ["tensor", "spec", "array", "keyword"])
def test_get_concrete_function_takes(tf, spec, form):
    f = tf.function(lambda x, k=1: x * k)
    if form == "keyword":
        concrete = f.get_concrete_function(x=spec([2]), k=3)
    else:
        value = {"tensor": tf.zeros([2]), "spec": spec([2]), "array": np.zeros(2, np.float32)}[form]
        concrete = f.get_concrete_function(value, 3)
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]


@pytest.mark.rule(67)
def test_only_python_values(tf):
    concrete = tf.function(lambda a, b: a + b).get_concrete_function(1, 2)
    assert concrete().numpy() == 3 and concrete.structured_input_signature == ((1, 2), {})


@pytest.mark.rule(68)
def test_the_same_object_for_a_known_key(tf, spec):
    f = tf.function(lambda x, k="a": x)
    concrete = f.get_concrete_function(spec([]))
    f(tf.constant(1.0))
    assert f.get_concrete_function(tf.constant(5.0)) is concrete
    assert f.get_concrete_function(spec([]), "a") is concrete
    assert f.get_concrete_function(x=spec([]), k="a") is concrete
    assert f.get_concrete_function(spec([]), "b") is not concrete
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(69)
def test_call_forms(tf, add):
    one, two = tf.constant(1.0), tf.constant(2.0)
    assert (
        add(one, two).numpy()
        == add(x=one, y=two).numpy()
        == add(one, y=two).numpy()
        == add(y=two, x=one).numpy()
        == 3.0
    )


@pytest.mark.rule(69, 70)
def test_only_tensors_need_be_given(tf, power):
    assert power(tf.constant(3.0)).numpy() == 9.0 and power(a=tf.constant(3.0)).numpy() == 9.0


@pytest.mark.rule(69, 17)
def test_a_named_spec_renames_the_flat_parameter(tf, spec):
    concrete = tf.function(lambda foo: foo).get_concrete_function(spec([], name="bar"))
    one = tf.constant(1.0)
    assert concrete(one).numpy() == concrete(foo=one).numpy() == concrete(bar=one).numpy() == 1.0


@pytest.mark.rule(70)
def test_python_arguments_may_be_repeated(tf, power):
    assert power(tf.constant(3.0), 2).numpy() == power(tf.constant(3.0), b=2).numpy() == 9.0
    assert power(tf.constant(3.0), b=2.0).numpy() == 9.0


@pytest.mark.rule(70, 72)
def test_another_python_value(tf, power):
    with pytest.raises(TypeError) as error:
        power(tf.constant(3.0), b=3)
    assert str(error.value) == (
        "Binding inputs to tf.function failed due to `Can not cast 3 to Literal[2]`. Received args:"
        " (<tf.Tensor: shape=(), dtype=float32, numpy=3.0>,) and kwargs: {'b': 3} for signature:"
        " (a: TensorSpec(shape=(), dtype=tf.float32, name=None), b: Literal[2]) ->"
        " TensorSpec(shape=(), dtype=tf.float32, name=None).\n"
        "Fallback to flat signature also failed due to: pow(a) got unexpected keyword arguments: b."
    )


@pytest.mark.rule(71)
@pytest.mark.parametrize("value", [2, 2.0, True, np.float64(2), np.int32(2)])
def test_values_are_cast(tf, add, value):
    result = add(value, tf.constant(1.0))
    assert result.dtype == tf.float32 and result.numpy() == float(value) + 1.0


@pytest.mark.rule(71)
def test_lists_and_variables_are_cast(tf, spec):
    concrete = tf.function(lambda x: x * 2).get_concrete_function(spec([None, 2]))
    assert concrete([[1, 2]]).numpy().tolist() == [[2.0, 4.0]]
    assert concrete(np.ones((3, 2))).shape.as_list() == [3, 2]
    assert concrete(tf.Variable([[1.0, 2.0]])).numpy().tolist() == [[2.0, 4.0]]


@pytest.mark.rule(71, 64)
def test_cast_values_must_fit_the_shape(tf, spec):
    concrete = tf.function(lambda x: x).get_concrete_function(spec([None, 2]))
    with pytest.raises(TypeError) as error:
        concrete([1, 2])
    assert (
        "Can not cast TensorSpec(shape=(2,), dtype=tf.float32, name=None) to"
        " TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)" in str(error.value)
    )


FLAT_ERRORS = [
    (lambda f: f(1.0), "missing a required argument: 'y'", "f(x, y) missing required arguments: y."),
    (lambda f: f(), "missing a required argument: 'x'", "f(x, y) missing required arguments: x, y."),
    (lambda f: f(1.0, 2.0, 3.0), "too many positional arguments", "f(x, y) takes 2 positional arguments, got 3."),
    (
        lambda f: f(1.0, 2.0, z=3.0),
        "got an unexpected keyword argument 'z'",
        "f(x, y) got unexpected keyword arguments: z.",
    ),
    (
        lambda f: f([1.0], 2.0),
        "Can not cast TensorSpec(shape=(1,), dtype=tf.float32, name=None)",
        "f(x, y): expected argument #0(zero-based) to be a Tensor; got list ([1.0]).",
    ),
    (lambda f: f(1.0, x=2.0), "multiple values for argument 'x'", "f(x, y) missing required arguments: y."),
]


@pytest.mark.rule(72, 73)
@pytest.mark.parametrize("call, structured, flat", FLAT_ERRORS)
def test_both_bindings_are_named(tf, add, call, structured, flat):
    with pytest.raises(TypeError) as error:
        call(add)
    first, second = str(error.value).split("\n")
    assert first.startswith("Binding inputs to tf.function failed due to `" + structured)
    assert "Received args: (" in first and " and kwargs: {" in first
    assert first.endswith(
        "for signature: (x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: TensorSpec(shape=(),"
        " dtype=tf.float32, name=None)) -> TensorSpec(shape=(), dtype=tf.float32, name=None)."
    )
    assert second == "Fallback to flat signature also failed due to: " + flat


@pytest.mark.rule(73)
def test_flat_binding_wants_tensors(tf, power):
    with pytest.raises(TypeError) as error:
        power(3.0)
    assert str(error.value).endswith("pow(a): expected argument #0(zero-based) to be a Tensor; got float (3.0).")


@pytest.mark.rule(74)
@pytest.mark.parametrize("dtype, shown", [("int32", "a int32"), ("float64", "a double"), ("int64", "a int64")])
def test_a_tensor_of_another_dtype(tf, power, dtype, shown):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        power(tf.constant(3, tf.as_dtype(dtype)))
    text = str(error.value)
    assert text.startswith("cannot compute __inference_pow_")
    assert f" as input #0(zero-based) was expected to be a float tensor but is {shown} tensor" in text


@pytest.mark.rule(75, 64)
def test_a_tensor_of_another_shape_in_a_trace(tf, spec):
    concrete = tf.function(lambda x: x).get_concrete_function(spec([None, 2]))
    caller = tf.function(lambda: concrete(tf.zeros([3, 3])))
    with pytest.raises(TypeError) as error:
        caller()
    assert (
        "Can not cast TensorSpec(shape=(3, 3), dtype=tf.float32, name=None) to"
        " TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)" in str(error.value)
    )


@pytest.mark.rule(69, 80)
def test_called_in_a_trace(tf, add):
    caller = tf.function(lambda x: add(x, 1.0) * add(x, y=x))
    assert caller(tf.constant(2.0)).numpy() == 12.0


@pytest.mark.rule(76)
def test_an_argument_of_another_structure(tf, spec):
    concrete = tf.function(lambda pair: pair[0] + pair[1]).get_concrete_function([spec([]), spec([])])
    assert concrete([1.0, 2.0]).numpy() == 3.0
    for bad in ((1.0, 2.0), [1.0], {"a": 1.0}):
        with pytest.raises(TypeError, match="Binding inputs to tf.function failed"):
            concrete(bad)


@pytest.mark.rule(76, 70)
def test_python_leaves_of_a_structure(tf, spec):
    concrete = tf.function(lambda d: d["a"] * d["b"]).get_concrete_function({"a": spec([]), "b": 7.0})
    assert concrete({"a": 2.0, "b": 7.0}).numpy() == 14.0
    with pytest.raises(TypeError, match=r"Can not cast 8.0 to Literal\[7.0\]"):
        concrete({"a": 2.0, "b": 8.0})


@pytest.mark.rule(77)
def test_structured_input_signature(tf, spec, power):
    assert power.structured_input_signature == ((spec([], name="a"), 2), {})
    unknown = tf.function(lambda a, b: a).get_concrete_function(spec(None), 2)
    assert (
        str(unknown.structured_input_signature) == "((TensorSpec(shape=<unknown>, dtype=tf.float32, name='a'), 2), {})"
    )


@pytest.mark.rule(77)
def test_structured_input_signature_of_structures(tf, spec):
    def f(p, *, k, flag=True):
        return p[0] + k["b"]

    concrete = tf.function(f).get_concrete_function((spec([]), spec([2])), k={"b": spec([]), "a": spec([], "int32")})
    args, kwargs = concrete.structured_input_signature
    assert args == ((spec([], name="p_0"), spec([2], name="p_1")),)
    assert kwargs == {"k": {"b": spec([], name="k_b"), "a": spec([], "int32", name="k_a")}, "flag": True}


@pytest.mark.rule(77)
def test_structured_input_signature_of_variables_and_varargs(tf, spec):
    v = tf.Variable(1.0)
    concrete = tf.function(lambda v: v + 1.0).get_concrete_function(v)
    assert str(concrete.structured_input_signature) == (
        "((VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0),), {})"
    )
    many = tf.function(lambda *a, **k: a[0]).get_concrete_function(spec([]), 3, z=spec([]))
    assert many.structured_input_signature == ((spec([], name="a_0"), 3), {"z": spec([], name="z")})


@pytest.mark.rule(69, 70)
def test_fixed_arguments_before_tensors(tf):
    class Model:
        weight = 2.0

    model = Model()
    concrete = tf.function(lambda m, x: x * m.weight).get_concrete_function(model, tf.constant(1.0))
    given = tf.constant(3.0)
    assert [concrete(given).numpy(), concrete(x=given).numpy(), concrete(model, given).numpy()] == [6.0, 6.0, 6.0]

    @tf.function
    def f(a, x, b=2, *, k=3, t):
        return a + x + b + k + t

    concrete = f.get_concrete_function(1, tf.constant(1), t=tf.constant(5))
    one = tf.constant(1)
    assert concrete(one, tf.constant(2)).numpy() == 9 and concrete(x=one, t=one).numpy() == 8
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        concrete(t=one)


@pytest.mark.rule(78)
def test_outputs(tf, spec):
    def f(x):
        return {"s": x, "t": (x * 2.0, None, 3), "l": [tf.cast(x[0], tf.int64)]}

    concrete = tf.function(f).get_concrete_function(spec([None]))
    outputs = concrete.structured_outputs
    assert [type(outputs), type(outputs["t"]), type(outputs["l"])] == [dict, tuple, list] and outputs["t"][1] is None
    assert str(outputs["l"][0]) == 'Tensor("Identity:0", shape=(), dtype=int64)'
    assert str(outputs["s"]) == 'Tensor("Identity_1:0", shape=(None,), dtype=float32)'
    assert [t.name for t in concrete.outputs] == ["Identity:0", "Identity_1:0", "Identity_2:0", "Identity_3:0"]
    assert concrete.output_dtypes == {"s": tf.float32, "t": (tf.float32, None, tf.int32), "l": [tf.int64]}
    assert concrete.output_shapes["s"].as_list() == [None] and concrete.output_shapes["l"][0].as_list() == []
    assert concrete.output_shapes["t"][1].rank is None


@pytest.mark.rule(78)
def test_no_outputs(tf, spec):
    concrete = tf.function(lambda x: None).get_concrete_function(spec([]))
    assert concrete.structured_outputs is None and concrete.outputs == [] and concrete(1.0) is None


@pytest.mark.rule(78)
def test_inputs_flat_in_sorted_key_order_then_captures(tf, spec):
    v, w = tf.Variable(2.0), tf.constant(5.0)
    concrete = tf.function(lambda d: d["b"] * v + d["a"] * w).get_concrete_function({"b": spec([]), "a": spec([2])})
    assert [t.dtype.name for t in concrete.inputs] == ["float32", "float32", "resource", "float32"]
    assert [t.shape.as_list() for t in concrete.inputs] == [[2], [], [], []]


@pytest.mark.rule(79)
def test_captures(tf):
    v, frozen = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    w = tf.constant(5.0)
    concrete = tf.function(lambda x: x * v + w + frozen).get_concrete_function(tf.constant(1.0))
    assert len(concrete.captured_inputs) == 3
    assert [t.dtype.name for t in concrete.captured_inputs] == ["resource", "float32", "resource"]
    assert concrete.captured_inputs[1].numpy() == 5.0
    assert [x is y for x, y in zip(concrete.variables, (v, frozen), strict=True)] == [True, True]
    assert len(concrete.trainable_variables) == 1 and concrete.trainable_variables[0] is v


@pytest.mark.rule(79)
def test_graph_and_name(tf):
    def scale(x):
        return x * 2.0 + 1.0

    f = tf.function(scale)
    concrete, other = f.get_concrete_function(tf.constant(1.0)), f.get_concrete_function(tf.constant([1.0]))
    operations = concrete.graph.get_operations()
    assert [op.type for op in operations] == ["Placeholder", "Const", "Mul", "Const", "AddV2", "Identity"]
    assert [op.name for op in operations] == ["x", "mul/y", "mul", "add/y", "add", "Identity"]
    assert isinstance(concrete.name, bytes) and concrete.name.startswith(b"__inference_scale_")
    assert concrete.name != other.name


@pytest.mark.rule(79)
def test_function_type_of_a_concrete_function(power):
    assert str(power.function_type) == (
        "(a: TensorSpec(shape=(), dtype=tf.float32, name=None), b: Literal[2]) ->"
        " TensorSpec(shape=(), dtype=tf.float32, name=None)"
    )


@pytest.mark.rule(80)
def test_one_graph_for_all_calls(tf, traces, spec):
    concrete = tf.function(lambda x: (traces.append(0), x + 1.0)[1]).get_concrete_function(spec([None]))
    for n in range(4):
        assert concrete(tf.zeros([n])).shape.as_list() == [n]
    assert len(traces) == 1


@pytest.mark.rule(80, 93)
def test_structured_results_of_a_concrete_function(tf, spec):
    Pair = collections.namedtuple("Pair", "double same")
    concrete = tf.function(lambda x: Pair(x * 2.0, [x])).get_concrete_function(spec([]))
    result = concrete(tf.constant(4.0))
    assert isinstance(result, Pair) and result.double.numpy() == 8.0 and result.same[0].numpy() == 4.0


@pytest.mark.rule(79)
def test_captures_of_the_graph(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    large, small = tf.ones([256]), tf.ones([2])
    graph = tf.function(lambda: (large * v, small * w)).get_concrete_function().graph
    assert [x is y for x, y in zip(graph.variables, (v, w), strict=True)] == [True, True]
    assert [x is v for x in graph.trainable_variables] == [True]
    assert len(graph.internal_captures) == len(graph.external_captures) == 4
    assert sorted(inner.op.type for inner in graph.internal_captures) == ["Const"] + ["Placeholder"] * 3
