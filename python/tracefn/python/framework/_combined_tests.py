"""Tests that run for each combination of their arguments, for test_combinations: a test runner would load a module of that
name itself, and show its frames."""

from __future__ import annotations

import collections
import contextlib
import functools
import importlib
import inspect
import itertools
import re
import types

__all__ = ["NamedObject", "OptionalParameter", "ParameterModifier", "TestCombination", "combine", "generate", "times"]


class TestCombination:
    """What a kind of arguments means for a test; subclasses override the methods."""

    __test__ = False  # for pytest

    def should_execute_combination(self, kwargs) -> tuple:
        """(whether the test runs with these arguments, the reason if it does not)."""
        del kwargs
        return True, None

    def parameter_modifiers(self) -> list:
        """ParameterModifiers, which change the arguments."""
        return []

    def context_managers(self, kwargs) -> list:
        """Context managers around the test with these arguments."""
        del kwargs
        return []


class ParameterModifier:
    """Changes arguments before a test gets them; subclasses override `modified_arguments`.

    Args:
      parameter_name: str, the one that it is about; modifiers of one class and name count once.
    """

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name=None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs, requested_parameters) -> dict:
        """New values of arguments; `DO_NOT_PASS_TO_THE_TEST` for one that the test does not get."""
        del kwargs, requested_parameters
        return {}

    def __eq__(self, other) -> bool:
        return self is other or (type(self) is type(other) and self._parameter_name == other._parameter_name)

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


class OptionalParameter(ParameterModifier):
    """An argument that only tests get that have a parameter of its name."""

    def modified_arguments(self, kwargs, requested_parameters) -> dict:
        """Drops the argument if there is no such parameter."""
        if self._parameter_name in requested_parameters:
            return {}
        return {self._parameter_name: ParameterModifier.DO_NOT_PASS_TO_THE_TEST}


class NamedObject:
    """An object with a name that becomes part of the names of tests.

    Args:
      name: str.
      obj: any object; its attributes and calls are this one's.
    """

    def __init__(self, name, obj) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str):
        return getattr(self._obj, name)

    def __call__(self, *args, **kwargs):
        return self._obj(*args, **kwargs)

    def __iter__(self):
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs) -> list:
    """All combinations of the arguments.

    Args:
      **kwargs: for each argument a list of its values, or one value that is no list.

    Returns:
      List of OrderedDicts from names, in alphabetical order, to values.
    """
    names = sorted(kwargs)
    values = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [collections.OrderedDict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]


def times(*combined) -> list:
    """Each combination of one list with each of the others.

    Args:
      *combined: lists as `combine` makes them.

    Raises:
      ValueError: two of the lists have a name in common.
    """
    first, *rest = combined
    for others in rest:
        for a, b in itertools.product(first, others):
            if a.keys() & b.keys():
                raise ValueError(f"Keys need to not overlap: {a.keys()} vs {b.keys()}")
        first = [collections.OrderedDict([*a.items(), *b.items()]) for a, b in itertools.product(first, others)]
    return first


def generate(combinations, test_combinations=()):
    """A decorator that makes a test method, or each of a class, one test for each combination.

    Args:
      combinations: list as `combine` makes it.
      test_combinations: TestCombinations, for the meaning of arguments.

    Raises:
      ModuleNotFoundError: absl-py, whose parameterized.TestCase a method's class must be, is not installed (of a method).
    """
    named = [collections.OrderedDict(one, testcase_name=f"_test{_suffix(one)}") for one in combinations]

    def decorator(decorated):
        if isinstance(decorated, type):
            return _of_class(decorated, named, test_combinations)
        parameterized = importlib.import_module("absl.testing.parameterized")  # optional: a package of its own
        return parameterized.named_parameters(*named)(_with_arguments(decorated, test_combinations))

    return decorator


def _suffix(combination) -> str:
    def word(text: str) -> str:
        return "".join(filter(str.isalnum, text))

    addressless = [re.sub("0[xX][0-9a-fA-F]+", str(i), str(value)) for i, value in enumerate(combination.values())]
    return "".join(f"_{word(key)}_{word(text)}" for key, text in zip(combination, addressless, strict=True))


def _of_class(cls: type, named: list, test_combinations) -> type:
    for name, method in list(vars(cls).items()):
        if name.startswith("test") and isinstance(method, types.FunctionType):
            delattr(cls, name)
            with_arguments = _with_arguments(method, test_combinations)
            for one in named:
                arguments = {key: value for key, value in one.items() if key != "testcase_name"}
                setattr(cls, name + one["testcase_name"], functools.partialmethod(with_arguments, **arguments))
    return cls


def _with_arguments(test, test_combinations):
    """A test that is skipped where a TestCombination says so, and gets the arguments as these leave them."""
    parameters = inspect.getfullargspec(test).args

    @functools.wraps(test)
    def run(self, **kwargs):
        answers = [combination.should_execute_combination(dict(kwargs)) for combination in test_combinations]
        reasons = [f" - {reason}" for runs, reason in answers if not runs]
        if reasons:
            self.skipTest("\n".join(reasons))
        with contextlib.ExitStack() as around:
            for combination in test_combinations:
                for manager in combination.context_managers(dict(kwargs)):
                    around.enter_context(manager)
            test(self, **_as_modified(kwargs, test_combinations, parameters))

    del run.__wrapped__  # type: ignore[attr-defined]  # pytest would look for fixtures of the test's parameters
    return run


def _as_modified(kwargs: dict, test_combinations, parameters: list) -> dict:
    given = dict(kwargs)
    for modifier in {one for combination in test_combinations for one in combination.parameter_modifiers()}:
        for name, value in modifier.modified_arguments(dict(kwargs), parameters).items():
            if value is ParameterModifier.DO_NOT_PASS_TO_THE_TEST:
                given.pop(name, None)
            else:
                given[name] = value
    wanted, found = set(parameters) - {"self"}, set(given) - {"self"}
    if wanted - found:
        raise ValueError(f"The test requires parameters whose arguments were not passed: {wanted - found} .")
    if found - wanted:
        raise ValueError(f"The test does not take parameters that were passed : {found - wanted} .")
    return given
