"""Parts of `test_util`: decorators that run a test in several ways, or not at all."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import types
import unittest
from collections import OrderedDict

from tracefn._core import SymbolicTensor, Tensor
from tracefn._namespaces import root
from tracefn.compat import forward_compatibility_horizon
from tracefn.framework import Graph, inside_function
from tracefn.function import function
from tracefn.python.eager.context import eager_mode
from tracefn.variable import Variable


def is_test(name: str, value) -> bool:
    """Whether a method of a class is a test that decorators of classes change."""
    return callable(value) and name.startswith(unittest.defaultTestLoader.testMethodPrefix) and name != "test_session"


def for_all_test_methods(decorator, *args, **kwargs):
    """A decorator of a class that decorates each test by `decorator(*args, **kwargs)`."""

    def decorate(cls):
        for name in dir(cls):
            value = getattr(cls, name)
            if is_test(name, value):
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorate


def refuse_class(f, name: str, instead: str = "") -> None:
    """Raises the error of a decorator of tests that is written above a class.

    Raises:
      ValueError: `f` is a class.
    """
    if isinstance(f, type):
        raise ValueError(f"`{name}` only supports test methods.{instead}")


def skip_if(condition):
    """A decorator of a test that does not run it under a condition.

    Args:
      condition: bool, or a callable without arguments that returns one when the test runs.
    """

    def decorate(test):
        @functools.wraps(test)
        def decorated(*args, **kwargs):
            skipped = condition() if callable(condition) else condition
            return None if skipped else test(*args, **kwargs)

        return decorated

    return decorate


@contextlib.contextmanager
def skip_if_error(test_obj, error_type, messages=None):
    """A context that skips a test where an error of a type is raised.

    Args:
      messages: str or structure of them: the error's text must contain one; None for any text.
    """
    try:
        yield
    except error_type as error:
        texts = root().nest.flatten(messages) if messages else [""]
        if not any(text in str(error) for text in texts):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def disable_eager_op_as_function(unused_msg):
    """A decorator of a test that does not run where eager ops run as functions, which TensorFlow's do: it passes."""
    del unused_msg
    return skip_if(True)


def with_forward_compatibility_horizons(*horizons):
    """A decorator of a test that runs it once for each date.

    Args:
      horizons: tuples (year, month, day), or None for the date that there is.

    Raises:
      ValueError: there is none, or one is no such tuple, or the decorator is written above a class.
    """
    if not horizons:
        raise ValueError("Expected at least one horizon.")
    for horizon in horizons:
        if horizon is not None and not (len(horizon) == 3 and all(isinstance(part, int) for part in horizon)):
            raise ValueError(f"Bad horizon value: {horizon!r}")

    def decorate(test):
        refuse_class(test, "with_forward_compatibility_horizons")

        @functools.wraps(test)
        def decorated(*args, **kwargs):
            for horizon in horizons:
                with contextlib.nullcontext() if horizon is None else forward_compatibility_horizon(*horizon):
                    test(*args, **kwargs)

        return decorated

    return decorate


def _parameterized():
    return importlib.import_module("absl.testing.parameterized")  # optional: a package of its own


def run_in_async_and_sync_mode(f):
    """A decorator of a test that runs it twice; its class must be absl's `parameterized.TestCase`."""

    @_parameterized().named_parameters([("Async", True), ("", False)])
    @functools.wraps(f)
    def decorated(self, async_mode, *args, **kwargs):
        with root().experimental.async_scope() if async_mode else contextlib.nullcontext():
            f(self, *args, **kwargs)

    return decorated


def build_as_function_and_v1_graph(func):
    """A decorator of a test that runs it in a graph, and while a Function is traced; for `parameterized.TestCase`.

    Raises:
      ValueError: it decorates a class.
    """
    refuse_class(func, "run_in_graph_mode_and_function")

    @_parameterized().named_parameters(("_v1_graph", "v1_graph"), ("_function", "function"))
    @functools.wraps(func)
    def decorated(self, run_mode, *args, **kwargs):
        if run_mode == "v1_graph":
            with Graph().as_default():
                func(self, *args, **kwargs)
        else:
            with Graph().as_default(), eager_mode():
                function(lambda: func(self, *args, **kwargs))()

    return decorated


def py_func_if_in_function(f):
    """A decorator of a function that, called in a Function, runs when the Function does, with the values of its tensors."""

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if not inside_function():
            return f(*args, **kwargs)
        places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor | SymbolicTensor | Variable)]

        def call(*values):
            given = dict(zip(places, values, strict=True))
            return f(*(given.get(i, arg) for i, arg in enumerate(args)), **kwargs)

        return root().compat.v1.py_func(call, [args[i] for i in places], [])

    return decorated


def run_in_v1_v2(device_to_use=None, assert_no_eager_garbage=False):
    """A decorator of a test that runs it in a graph, as TensorFlow 1 does, and after another `setUp` eagerly.

    Args:
      device_to_use: str, the device of the eager run, or None.
    """
    del assert_no_eager_garbage

    def decorate(test):
        if hasattr(test, "wrapped_with_v1_v2_decorator"):
            return test

        @functools.wraps(test)
        def decorated(self, *args, **kwargs):
            with contextlib.suppress(unittest.SkipTest), self.subTest("V1_mode"), Graph().as_default():
                test(self, *args, **kwargs)
            self.tearDown()
            self._tempdir = None
            with self.subTest("V2_mode"):
                self.setUp()
                with root().device(device_to_use) if device_to_use else contextlib.nullcontext():
                    test(self, *args, **kwargs)

        decorated.wrapped_with_v1_v2_decorator = True  # type: ignore[attr-defined]
        return decorated

    return decorate


def run_class_in_v1_v2(cls):
    """`run_in_v1_v2` for each test of a class, except for those that have one mode."""
    for name in dir(cls):
        value = getattr(cls, name)
        if is_test(name, value) and not name.startswith(("testSkipEager", "test_skip_eager", "test_scope")):
            setattr(cls, name, run_in_v1_v2()(value))
    return cls


def _named_combinations(**kwargs):
    """The combinations of options, which are single values or lists of them, as lists of (name, value)."""
    choices = [
        [(name, value) for value in (given if isinstance(given, list) else [given])]
        for name, given in sorted(kwargs.items())
    ]
    return [OrderedDict(chosen) for chosen in itertools.product(*choices)]


def generate_combinations_with_testcase_name(**kwargs):
    """The combinations of options for `parameterized.named_parameters`.

    Args:
      **kwargs: by name a value, or a list of values.

    Returns:
      list of OrderedDicts with a value for each option, and the name of the test: `testcase_name`.
    """

    def words(text) -> str:
        return "".join(filter(str.isalnum, str(text)))

    named = []
    for combination in _named_combinations(**kwargs):
        name = "".join(f"_{words(key)}_{words(value)}" for key, value in combination.items())
        named.append(OrderedDict([*combination.items(), ("testcase_name", f"_test{name}")]))
    return named


def each_function(cls: type, decorate) -> type:
    """A class, each of whose own tests that are functions was decorated."""
    for name, value in list(vars(cls).items()):
        if is_test(name, value) and isinstance(value, types.FunctionType):
            setattr(cls, name, decorate(value))
    return cls
