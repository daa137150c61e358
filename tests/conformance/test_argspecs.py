"""tensorflow.python.util.tf_inspect: parameters of functions, partial calls, objects and what is decorated."""

import functools

import pytest

pytestmark = pytest.mark.rule("surface")


def plain(m, n, k, last=4):
    return m, n, k, last


def by_name(*args, b, c=2):
    return args, b, c


class Callable:
    def __call__(self, a, b=1):
        return a, b

    def method(self):
        return self


def test_parameters(internal):
    inspect = internal("util.tf_inspect")
    spec = inspect.ArgSpec
    assert inspect.getargspec(by_name) == spec(["b", "c"], "args", None, (2,))
    assert inspect.getargspec(functools.partial(by_name, b=3)) == spec(["b", "c"], "args", None, (3, 2))
    assert inspect.getargspec(functools.partial(plain, n=7, k=2)) == spec(["m", "n", "k", "last"], None, None, (7, 2, 4))
    assert inspect.getargspec(functools.partial(plain, 1, 2)) == spec(["k", "last"], None, None, (4,))
    assert inspect.getargspec(Callable()) == spec(["self", "a", "b"], None, None, (1,))
    assert inspect.getargspec(lambda a, b=1, *, c, d=2: 0) == spec(["a", "b", "c", "d"], None, None, (1, 2))
    for given in ({"n": 7}, {"m": 0, "n": 1}):
        with pytest.raises(ValueError, match=r"has some keyword-only arguments, which are not supported: \['k'\]\."):
            inspect.getargspec(functools.partial(plain, **given))
    full = inspect.getfullargspec(functools.partial(plain, n=7))
    assert (full.args, full.kwonlyargs, full.kwonlydefaults) == (["m"], ["n", "k", "last"], {"n": 7, "last": 4})


def test_stated_parameters(internal):
    inspect, decorator = internal("util.tf_inspect"), internal("util.tf_decorator")
    stated = inspect.FullArgSpec(["a", "b"], None, None, (1,), [], None, {})
    inner = decorator.TFDecorator("", plain, "", stated)
    for made in (inner, decorator.TFDecorator("", inner)):
        assert inspect.getfullargspec(made) is stated
        assert inspect.getargspec(made) is stated


def test_kinds_of_what_is_decorated(internal):
    inspect, decorator = internal("util.tf_inspect"), internal("util.tf_decorator")

    def generator():
        yield 1

    made = [decorator.TFDecorator("x", each) for each in (plain, Callable, generator, Callable().method, len)]
    assert list(map(inspect.isfunction, made)) == [True, False, True, False, False]
    assert list(map(inspect.isclass, made)) == [False, True, False, False, False]
    assert list(map(inspect.isgeneratorfunction, made)) == [False, False, True, False, False]
    assert list(map(inspect.ismethod, made)) == [False, False, False, True, False]
    assert list(map(inspect.isroutine, made)) == [True, False, True, True, True]
    assert list(map(inspect.isbuiltin, made)) == [False, False, False, False, True]
