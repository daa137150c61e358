"""Section A of the tracing rules: the Function object, its parameters and attributes."""

import functools
import inspect
import pickle
import sys

import pytest


def module_level(x):
    return x + 1


class Adder:
    """Has a method that a test decorates."""

    step = 2

    def add(self, x):
        return x + self.step


@pytest.mark.rule(1)
def test_decorating_traces_nothing(tf, traces):
    f = tf.function(lambda x: traces.append(x))
    assert callable(f) and traces == []
    f(1)
    assert len(traces) == 1


@pytest.mark.rule(1)
def test_a_call_gives_a_tensor(tf):
    @tf.function
    def double(x):
        return x * 2

    result = double(tf.constant([1, 2]))
    assert isinstance(result, tf.Tensor) and result.numpy().tolist() == [2, 4]


@pytest.mark.rule(2)
@pytest.mark.parametrize("form", ["bare", "empty call", "none", "keywords", "called with func"])
def test_decorator_forms(tf, form):
    def f(x):
        return x + 1

    decorated = {
        "bare": lambda: tf.function(f),
        "empty call": lambda: tf.function()(f),
        "none": lambda: tf.function(None)(f),
        "keywords": lambda: tf.function(reduce_retracing=True)(f),
        "called with func": lambda: tf.function(func=f, autograph=False),
    }[form]()
    assert decorated.python_function is f
    assert decorated(tf.constant(2)).numpy() == 3


@pytest.mark.rule(2)
def test_options_before_and_with_func_are_the_same(tf):
    spec = [tf.TensorSpec([None], tf.float32)]
    first = tf.function(input_signature=spec)(lambda x: x)
    second = tf.function(lambda x: x, input_signature=spec)
    assert first.input_signature == second.input_signature == (spec[0],)


@pytest.mark.rule(3)
def test_parameters_in_order(tf):
    parameters = inspect.signature(tf.function).parameters
    assert list(parameters)[:11] == [
        "func",
        "input_signature",
        "autograph",
        "jit_compile",
        "reduce_retracing",
        "experimental_implements",
        "experimental_autograph_options",
        "experimental_attributes",
        "experimental_relax_shapes",
        "experimental_compile",
        "experimental_follow_type_hints",
    ]
    defaults = [parameters[name].default for name in list(parameters)[:11]]
    assert defaults == [None, None, True, None, False, None, None, None, None, None, None]


@pytest.mark.rule(4)
def test_input_signature_is_second_positional(tf):
    f = tf.function(lambda x: x, [tf.TensorSpec([], tf.int32)])
    assert f.input_signature == (tf.TensorSpec([], tf.int32),)


@pytest.mark.rule(4)
def test_all_options_by_position(tf):
    f = tf.function(lambda x: x + 1, None, False, None, True)
    for n in range(1, 5):
        f(tf.zeros([n]))
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(5, 52)
def test_experimental_relax_shapes_is_reduce_retracing(tf):
    f = tf.function(lambda x: x, experimental_relax_shapes=True)
    for n in range(1, 6):
        f(tf.zeros([n]))
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(5)
def test_older_arguments_are_logged(run_program):
    for name, text in (
        ("experimental_relax_shapes", "experimental_relax_shapes is deprecated, use reduce_retracing instead"),
        ("experimental_compile", "experimental_compile is deprecated, use jit_compile instead"),
        ("experimental_follow_type_hints", "experimental_follow_type_hints is deprecated"),
    ):
        _, log = run_program(f"for _ in range(2): tf.function(lambda x: x, {name}=True)")
        notice = f"calling function (from tensorflow.python.eager.polymorphic_function.polymorphic_function) with {name} is "
        assert log.count(f"{notice}deprecated and will be removed in a future version.\nInstructions for updating:\n{text}") == 1


@pytest.mark.rule(5)
def test_experimental_relax_shapes_false(tf):
    f = tf.function(lambda x: x, experimental_relax_shapes=False)
    for n in range(1, 4):
        f(tf.zeros([n]))
    assert f.experimental_get_tracing_count() == 3


@pytest.mark.rule(5)
def test_experimental_follow_type_hints_does_nothing(tf, traces):
    @tf.function(experimental_follow_type_hints=True)
    def f(x: tf.Tensor):
        traces.append(x)

    f(1)
    f(2)
    assert traces == [1, 2]


@pytest.mark.rule(6)
@pytest.mark.parametrize("keyword", ["foo", "inputsignature"])
def test_unknown_keyword(tf, keyword):
    with pytest.raises(TypeError, match=rf"function\(\) got an unexpected keyword argument '{keyword}'"):
        tf.function(lambda x: x, **{keyword: 1})


@pytest.mark.rule(6)
@pytest.mark.parametrize("value", [3, "text", (1, 2)])
def test_func_must_be_callable(tf, value):
    with pytest.raises(TypeError, match="is not a callable object") as error:
        tf.function(value)
    assert str(error.value) == f"{value!r} is not a callable object"


@pytest.mark.rule(7)
def test_metadata_of_the_wrapped_function(tf):
    def scale(x, factor=2.0):
        """Scales x."""
        return x * factor

    f = tf.function(scale)
    assert f.python_function is scale and f.__wrapped__ is scale
    assert f.__name__ == "scale" and f.name == "scale" and f.__doc__ == "Scales x."
    assert str(inspect.signature(f)) == "(x, factor=2.0)"
    assert f.input_signature is None


@pytest.mark.rule(7)
def test_metadata_of_a_lambda(tf):
    f = tf.function(lambda a, *, b: a + b)
    assert f.name == "<lambda>" and not f.__doc__
    assert list(inspect.signature(f).parameters) == ["a", "b"]


@pytest.mark.rule(7)
def test_input_signature_attribute_is_a_tuple(tf):
    spec = tf.TensorSpec([2], tf.int64)
    assert tf.function(lambda x: x, input_signature=[spec]).input_signature == (spec,)
    assert tf.function(lambda: 1, input_signature=()).input_signature == ()


@pytest.mark.rule(8)
def test_function_type_shows_defaults(tf):
    def f(x, y=2, *args, z, **kwargs):
        return x

    assert str(tf.function(f).function_type) == "(x, y=<captured_default_value>, *args, z, **kwargs)"


@pytest.mark.rule(8)
def test_function_type_without_defaults(tf):
    assert str(tf.function(lambda a, b: a).function_type) == "(a, b)"
    assert str(tf.function(lambda: 0).function_type) == "()"


@pytest.mark.rule(8)
def test_function_type_with_input_signature(tf):
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.int32)])
    assert str(f.function_type) == "(x: TensorSpec(shape=(), dtype=tf.int32, name=None))"

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def g(x, training=True):
        return x

    assert str(g.function_type) == (
        "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None),"
        " training: Literal[True] = <captured_default_value>)"
    )


@pytest.mark.rule(9)
def test_functions_over_one_python_function_share_nothing(tf, traces):
    def body(x):
        traces.append(x)
        return x

    f, g = tf.function(body), tf.function(body)
    f(1), g(1), f(1), g(1)
    assert len(traces) == 2
    assert f.get_concrete_function(1) is not g.get_concrete_function(1)


@pytest.mark.rule(10)
def test_tracing_count(tf):
    f = tf.function(lambda x: x)
    assert f.experimental_get_tracing_count() == 0
    for value in (1, 1, 2, "a"):
        f(value)
    assert f.experimental_get_tracing_count() == 3
    f.get_concrete_function(7)
    assert f.experimental_get_tracing_count() == 4


@pytest.mark.rule(10, 115)
def test_tracing_count_of_a_function_that_makes_variables(tf):
    kept = []

    @tf.function
    def f(x):
        if not kept:
            kept.append(tf.Variable(3.0))
        return x + kept[0]

    assert f(tf.constant(1.0)).numpy() == 4.0
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(11)
def test_function_of_a_function(tf, traces):
    @tf.function
    def inner(x):
        traces.append(x)
        return x + 1

    outer = tf.function(inner)
    assert outer.python_function is inner
    assert outer(tf.constant(1)).numpy() == 2 and outer(tf.constant(5)).numpy() == 6
    assert len(traces) == 1 and outer.experimental_get_tracing_count() == 1


@pytest.mark.rule(11, 206)
def test_function_of_a_partial(tf):
    f = tf.function(functools.partial(lambda x, y: x - y, 10))
    assert f(tf.constant(3)).numpy() == 7


@pytest.mark.rule(7)
@pytest.mark.parametrize("traced", [False, pytest.param(True, marks=pytest.mark.superset("7"))])
def test_a_function_pickles_by_its_python_function(tf, traced):
    f = tf.function(module_level)
    if traced:
        f(tf.constant(1))
    again = pickle.loads(pickle.dumps(f))
    assert again.python_function is module_level
    assert again.experimental_get_tracing_count() == 0 and again(tf.constant(1)).numpy() == 2


@pytest.mark.rule(7)
@pytest.mark.superset("7")
def test_a_decorated_function_and_a_method_pickle_by_name(monkeypatch, tf):
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "module_level", tf.function(module_level))
    module.module_level(tf.constant(1))
    assert pickle.loads(pickle.dumps(module.module_level)) is module.module_level
    monkeypatch.setattr(Adder, "add", tf.function(Adder.add))
    adder = Adder()
    assert pickle.loads(pickle.dumps(adder.add))(tf.constant(1)).numpy() == 3


@pytest.mark.rule(7)
def test_full_argument_specs(tf):
    class Holder:
        @tf.function
        def method(self, a, b=1):
            return a

    free = tf.function(lambda x, y=2, *args, k, **rest: x)
    spec = inspect.getfullargspec(free)
    assert (spec.args, spec.varargs, spec.varkw, spec.defaults, spec.kwonlyargs) == (["x", "y"], "args", "rest", (2,), ["k"])
    assert inspect.getfullargspec(Holder().method).args == ["a", "b"]
    assert inspect.getfullargspec(Holder.method).args == ["self", "a", "b"]
    assert inspect.getfullargspec(tf.function(functools.partial(lambda a, b: a, 1))).args == ["b"]
