"""CPython's own tests, each test function converted: the results must be those of the unconverted functions.

The modules are those of the interpreter that runs the tests, where it has them. What is skipped stands in
cpython_skips.txt, each line with its reason.
"""

import importlib
import importlib.util
import pathlib
import types
import unittest

import pytest

import tracefn as tf

MODULES = [
    "test_patma", "test_grammar", "test_scope", "test_generators", "test_with", "test_fstring", "test_list", "test_dict",
    "test_unpack", "test_unpack_ex", "test_named_expressions", "test_compare", "test_augassign", "test_extcall",
    "test_keywordonlyarg", "test_exceptions",
]  # fmt: skip
SKIPS = pathlib.Path(__file__).with_name("cpython_skips.txt")


def skip_reasons() -> dict:
    """Test id -> reason."""
    pairs = (line.split(": ", 1) for line in SKIPS.read_text().splitlines() if line and not line.startswith("#"))
    return dict(pairs)


def cases_of(module):
    """Every test method of a module's test cases."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__:
            for method in unittest.TestLoader().getTestCaseNames(value):
                yield name, value, method


def outcome(case_class, method: str, converted: bool):
    """(whether it passed or was skipped, what went wrong) of one test method."""
    case = case_class(method)
    if converted:
        function = getattr(case_class, method)
        if isinstance(function, types.FunctionType):
            setattr(case, method, types.MethodType(tf.autograph.to_graph(function), case))
    result = unittest.TestResult()
    case.run(result)
    return result.wasSuccessful(), "".join(text for _, text in result.failures + result.errors)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_converted_functions_do_what_python_does(name):
    if importlib.util.find_spec(f"test.{name}") is None:
        pytest.skip("the interpreter comes without its tests")
    module = importlib.import_module(f"test.{name}")
    skips = skip_reasons()
    total, problems = 0, []
    for class_name, case_class, method in cases_of(module):
        key = f"{name}.{class_name}.{method}"
        if key in skips:
            continue
        plain, _ = outcome(case_class, method, converted=False)
        if not plain:
            continue
        total += 1
        passed, text = outcome(case_class, method, converted=True)
        if not passed:
            problems.append(f"{key}\n{text}")
    assert not problems, f"{len(problems)} of {total} differ:\n" + "\n".join(problems)
    if not total:
        pytest.skip("its tests are doctests")
