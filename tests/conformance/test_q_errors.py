"""Section Q of the tracing rules: errors while tracing, at run time, and when arguments are bound."""

import re

import pytest


class Custom(Exception):
    """An exception type of the user's."""


def failing_helper(x):
    raise KeyError("inner text")


def calls_helper(x):
    y = x + 1
    return failing_helper(y)


@pytest.mark.rule(191)
def test_the_text_shows_the_users_frames(tf):
    with pytest.raises(KeyError) as error:
        tf.function(calls_helper)(tf.constant(1))
    shown = re.sub(r'File ".*?(\w+\.py)", line \d+', r'File "\1", line N', str(error.value))
    assert shown.rstrip("\n") == (
        "in user code:\n"
        "\n"
        '    File "test_q_errors.py", line N, in calls_helper  *\n'
        "        return failing_helper(y)\n"
        '    File "test_q_errors.py", line N, in failing_helper  *\n'
        '        raise KeyError("inner text")\n'
        "\n"
        "    KeyError: 'inner text'"
    )


@pytest.mark.rule(191)
def test_the_lines_are_the_users(tf):
    def f(x):
        first = x
        raise ValueError(f"rank {first.shape.rank}")

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.constant([1]))
    line = f.__code__.co_firstlineno + 2
    assert re.search(rf'test_q_errors.py", line {line}, in f  \*', str(error.value))
    assert "    ValueError: rank 1" in str(error.value)


@pytest.mark.rule(191)
@pytest.mark.parametrize(
    "kind",
    [
        ValueError,
        RuntimeError,
        Custom,
        NotImplementedError,
        pytest.param(IndexError, marks=pytest.mark.superset("191")),
    ],
)
def test_the_type_is_kept(tf, kind):
    def f(x):
        raise kind("the text")

    with pytest.raises(kind) as error:
        tf.function(f)(tf.constant(1))
    assert type(error.value) is kind
    assert str(error.value).startswith("in user code:\n\n    File ") and f"    {kind.__name__}: the text" in str(
        error.value
    )


@pytest.mark.rule(191, 27)
def test_errors_of_ops_too(tf):
    def f(x):
        return x + tf.zeros([2])

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.zeros([3]))
    text = str(error.value)
    assert text.startswith("in user code:") and "        return x + tf.zeros([2])" in text
    assert "    ValueError: Dimensions must be equal, but are 3 and 2 for" in text


@pytest.mark.rule(191)
def test_in_a_nested_function(tf):
    @tf.function
    def inner(x):
        raise ValueError("inner text")

    def outer(x):
        return inner(x)

    with pytest.raises(ValueError) as error:
        tf.function(outer)(tf.constant(1))
    text = str(error.value)
    assert "in outer  *" in text and "in inner  *" in text and "ValueError: inner text" in text


@pytest.mark.rule(192)
def test_without_autograph_the_exception_is_unchanged(tf):
    raised = Custom("as it is", 3)

    def f(x):
        raise raised

    with pytest.raises(Custom) as error:
        tf.function(f, autograph=False)(tf.constant(1))
    assert error.value is raised and error.value.args == ("as it is", 3)


@pytest.mark.rule(193)
def test_run_time_errors(tf):
    f = tf.function(lambda x, i: tf.gather(x, i))
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(tf.constant([1, 2]), tf.constant([7]))
    assert "indices[0] = 7 is not in [0, 2)" in str(error.value) and "GatherV2" in str(error.value)
    assert isinstance(error.value, tf.errors.OpError)
    assert error.value.error_code == tf.errors.INVALID_ARGUMENT


@pytest.mark.rule(193)
def test_an_assertion_in_a_graph(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_equal(x, 1, message="not one")
        return x

    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(tf.constant(2))
    text = str(error.value)
    assert "Graph execution error:" in text and "assertion failed" in text and "not one" in text


@pytest.mark.rule(193)
@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda tf, x: tf.reshape(x, [4, 2]),
            "Input to reshape is a tensor with 3 values, but the requested shape has 8",
        ),
        (lambda tf, x: x + tf.zeros(tf.shape(x) + 1), "Incompatible shapes|required broadcastable shapes"),
        (lambda tf, x: x[tf.shape(x)[0]], "slice index 3 of dimension 0 out of bounds"),
        (lambda tf, x: tf.concat([x[None], tf.zeros([1, tf.shape(x)[0] + 1])], 0), "ConcatOp"),
    ],
)
def test_run_time_shape_errors(tf, call, words):
    f = tf.function(lambda x: call(tf, x), autograph=False)
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        concrete(tf.zeros([3]))


@pytest.mark.rule(193)
def test_integer_division_by_zero(tf):
    f = tf.function(lambda x, y: x // y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        f(tf.constant(1), tf.constant(0))


@pytest.mark.rule(193)
def test_a_failing_call_leaves_the_function_usable(tf):
    f = tf.function(lambda x, i: tf.gather(x, i))
    x = tf.constant([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(x, tf.constant([7]))
    assert f(x, tf.constant([1])).numpy().tolist() == [2] and f.experimental_get_tracing_count() == 1


BINDING = [
    (lambda f: f(), "missing a required argument: 'x'", "()", "{}"),
    (lambda f: f(y=1), "missing a required argument: 'x'", "()", "{'y': 1}"),
    (lambda f: f(1, 2, 3), "too many positional arguments", "(1, 2, 3)", "{}"),
    (lambda f: f(1, z=2), "got an unexpected keyword argument 'z'", "(1,)", "{'z': 2}"),
    (lambda f: f(1, x=2), "multiple values for argument 'x'", "(1,)", "{'x': 2}"),
]


@pytest.mark.rule(194)
@pytest.mark.parametrize("call, problem, args, kwargs", BINDING)
def test_binding_errors(tf, call, problem, args, kwargs):
    f = tf.function(lambda x, y=2: x)
    with pytest.raises(TypeError) as error:
        call(f)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{problem}`. Received args: {args} and kwargs: {kwargs} for"
        " signature: (x, y=<captured_default_value>)."
    )
    assert f.experimental_get_tracing_count() == 0


@pytest.mark.rule(194)
def test_binding_errors_of_other_kinds_of_parameters(tf):
    def keyword_only(x, *, k):
        return x

    def positional_only(a, /, b):
        return a

    for call, words in (
        (lambda: tf.function(keyword_only)(1), r"`missing a required (keyword-only )?argument: 'k'`.* for signature: \(x, \*, k\)\."),
        (lambda: tf.function(keyword_only)(1, 2), r"`too many positional arguments`.* for signature: \(x, \*, k\)\."),
        (lambda: tf.function(positional_only)(a=1, b=2), r"positional.only.* for signature: \(a, /, b\)\."),
        (lambda: tf.function(keyword_only).get_concrete_function(), "`missing a required argument: 'x'`"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


@pytest.mark.rule(191)
def test_the_class_of_an_error_takes_another_text(tf):
    """Libraries make an error of the same class with a longer text."""
    places = (
        lambda: tf.function(lambda x: x.numpy())(tf.constant(1.0)),
        lambda: tf.constant(1.0).reshape([1]),
        lambda: tf.arange(3),
        lambda: tf.math.nothing,
    )
    for fail in places:
        with pytest.raises(AttributeError, match="has no attribute") as caught:
            fail()
        again = type(caught.value)("another text")
        assert isinstance(again, AttributeError)
        assert str(again) == "another text"


@pytest.mark.rule(191)
def test_methods_of_numpy(tf):
    x = tf.constant([1.0, 2.0])
    for name in ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"):
        for tensor_has, kind in ((getattr, "EagerTensor"), (lambda x, n: tf.function(lambda x: getattr(x, n))(x), "SymbolicTensor")):
            with pytest.raises(AttributeError, match=f"{kind} object has no attribute '{name}'") as caught:
                tensor_has(x, name)
            assert "If you are looking for numpy-related methods, please run the following:" in str(caught.value)
