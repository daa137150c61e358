"""Modules below tensorflow.python.autograph: calls of converted functions, options, builtins, logical operators."""

import functools
import inspect
import types

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(scope="module")
def module(internal):
    return lambda path: internal(f"autograph.{path}")


@pytest.fixture
def call(tf, module):
    """The value of a converted call in a function."""
    api, converter = module("impl.api"), module("core.converter")
    options = converter.ConversionOptions(recursive=True)

    def run(f, *args, **kwargs):
        return tf.function(lambda: api.converted_call(f, args, kwargs, options=options))()

    return run


def positive(x, y=1, z=1):
    if x < 0:
        return -x, -y, -z
    return x, y, z


class Number:
    def __init__(self, x):
        self.x = x

    def positive(self):
        if self.x < 0:
            return -self.x
        return self.x

    def again(self):
        return self.positive()

    def __call__(self):
        return self.again()

    @classmethod
    def of_class(cls, x):
        return positive(x)[0]

    @staticmethod
    def of_nobody(x):
        return positive(x)[0]


def test_converted_calls(tf, call):
    minus = tf.constant(-1)
    assert [int(t) for t in call(positive, minus)] == [1, -1, -1]
    partial = functools.partial(functools.partial(positive, minus), z=-3)
    assert [int(t) for t in call(partial, tf.constant(-2))] == [1, 2, 3]
    number = Number(minus)
    bound = types.MethodType(Number.positive, number)
    for f in (number.positive, number.again, number, bound, functools.partial(Number.positive, number)):
        assert int(call(f)) == 1
    assert int(call(Number.positive, number)) == int(call(Number.of_class, minus)) == int(call(Number.of_nobody, minus)) == 1


def test_calls_that_are_not_converted(tf, module):
    api, converter = module("impl.api"), module("core.converter")
    options = converter.STANDARD_OPTIONS
    assert tuple(api.converted_call(range, (3,), {}, options=options)) == (0, 1, 2)
    assert np.array_equal(api.converted_call(np.arange, (5,), None, options=options), np.arange(5))
    assert isinstance(api.converted_call(Number, (1,), {}, options=options), Number)
    with pytest.raises(ValueError, match="either caller_fn_scope or options must have a value"):
        api.converted_call(range, (3,), {})
    off = converter.ConversionOptions(internal_convert_user_code=False)
    for autograph, options in ((True, off), (False, converter.STANDARD_OPTIONS)):
        f = tf.function(lambda x, options=options: api.converted_call(positive, (x,), {}, options=options), autograph=autograph)
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            f(tf.constant(1))


def test_decorator(tf, module):
    api = module("impl.api")
    converted = api.convert(recursive=True)(positive)
    assert int(tf.function(lambda x: converted(x)[0])(tf.constant(-2))) == 2
    assert list(inspect.signature(converted).parameters) == ["x", "y", "z"]
    assert converted.__name__ == "positive"


def test_options(tf, module):
    converter = module("core.converter")
    feature = tf.autograph.experimental.Feature
    options = converter.ConversionOptions(recursive=True, user_requested=True, optional_features=feature.LISTS)
    assert options.as_tuple() == (True, True, True, frozenset({feature.LISTS}))
    assert options.uses(feature.LISTS)
    assert not options.uses(feature.EQUALITY_OPERATORS)
    assert converter.ConversionOptions().uses(feature.LISTS)
    assert options.call_options().as_tuple() == (True, False, True, frozenset({feature.LISTS}))
    assert not converter.ConversionOptions().call_options().internal_convert_user_code
    assert {options: 1}[converter.ConversionOptions(True, True, True, (feature.LISTS,))] == 1
    assert converter.STANDARD_OPTIONS.as_tuple() == (True, False, True, frozenset())


def test_builtins(tf, module):
    b = module("operators.py_builtins")
    assert (b.abs_(-1), b.float_("10.0"), b.int_("11", 2), b.len_([1, 2])) == (1, 10.0, 3, 2)
    assert int(b.abs_(tf.constant(-1))) == 1
    assert float(b.float_(tf.constant("1.0"))) == float(b.float_(tf.constant(1, tf.int64))) == 1.0
    assert int(b.int_(tf.constant("7"))) == 7
    with pytest.raises(NotImplementedError):
        b.int_(tf.constant(1.0), 2)
    assert b.range_(2, 0, tf.constant(-1)).numpy().tolist() == [2, 1]
    assert b.len_(tf.constant([[1], [2]])) == 2
    assert int(b.max_(tf.constant([1, 3, 2]))) == int(b.max_(tf.constant(1), tf.constant(3))) == b.max_(1, 3) == 3
    assert int(b.min_(tf.constant([3, 1, 2]))) == b.min_([3, 1]) == 1
    numbers = tf.data.Dataset.range
    assert list(b.map_(lambda x, y: x + y, numbers(2), numbers(2)).as_numpy_iterator()) == [0, 2]
    assert list(b.filter_(lambda x: x == 1, numbers(3)).as_numpy_iterator()) == [1]
    assert list(b.zip_(numbers(2), numbers(2)).as_numpy_iterator()) == [(0, 0), (1, 1)]
    assert b.next_(iter([]), 4) == 4


def test_logical_operators(tf, module):
    logical = module("operators.logical")
    assert logical.or_(lambda: False, lambda: 3) == 3
    assert logical.and_(lambda: 0, lambda: 1 / 0) == 0
    assert logical.not_eq(1, 2) is True
    f = tf.function(
        lambda x: (
            logical.and_(lambda: x > 0, lambda: x < 5),
            logical.or_(lambda: x < 0, lambda: x > 5),
            logical.not_(x > 0),
            logical.eq(x, 3),
            logical.not_eq(x, 3),
        ),
        autograph=False,
    )
    assert [bool(t) for t in f(tf.constant(3))] == [True, False, False, True, False]


def test_status(tf, module):
    context = module("core.ag_ctx")

    @tf.function
    def traced():
        return context.control_status_ctx().status is context.Status.ENABLED

    assert bool(traced())
    assert context.control_status_ctx().status is context.Status.UNSPECIFIED


class _OfLibrary:
    """Its methods are taken for those of a library that AutoGraph leaves alone."""

    def __call__(self, x):
        return self.absolute(x)

    def absolute(self, x):
        if x < 0:
            return -x
        return x

    @classmethod
    def of_class(cls, x):
        return x if x > 0 else -x


for _name in ("__call__", "absolute"):
    getattr(_OfLibrary, _name).__module__ = "tf_keras.layers"
_OfLibrary.of_class.__func__.__module__ = "tf_keras.layers"
_OfLibrary.__module__ = "tf_keras.layers"


@pytest.mark.parametrize("form", [
    lambda thing: thing.absolute,
    lambda thing: thing.of_class,
    lambda thing: functools.partial(_OfLibrary.absolute, thing),
    lambda thing: functools.partial(thing.absolute),
    lambda thing: functools.partial(_OfLibrary.absolute, thing).func.__get__(thing),
])  # fmt: skip
def test_what_a_library_decorates_is_converted(tf, form):
    assert int(tf.function(form(_OfLibrary()))(tf.constant(-3))) == 3


def test_methods_that_a_library_decorates(tf):
    class Layer(_OfLibrary):
        decorated = tf.function(_OfLibrary.absolute)

    assert int(Layer().decorated(tf.constant(-3))) == 3
    assert int(tf.function(lambda x: Layer().decorated(x))(tf.constant(-3))) == 3
