"""Runs CPython's own tests with their functions converted, beside the same functions unconverted.

`python tests/support/cpython_suite.py` prints the totals for the interpreter that runs it; with `--json`, for each module the
number of tests with the same outcome, and those with another one. The tests collect garbage so often that they want a process
without much else in it.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import linecache
import pathlib
import re
import symtable
import sys
import textwrap
import types
import unittest

import tracefn as tf

MODULES = [
    "test_patma", "test_grammar", "test_scope", "test_generators", "test_with", "test_fstring", "test_list", "test_dict",
    "test_unpack", "test_unpack_ex", "test_named_expressions", "test_compare", "test_augassign", "test_extcall",
    "test_keywordonlyarg", "test_exceptions",
]  # fmt: skip
SKIPS = pathlib.Path(__file__).parents[1] / "autograph" / "cpython_skips.txt"


class Totals:
    """What became of the tests of one module."""

    def __init__(self) -> None:
        self.same: list[str] = []
        self.different: list[str] = []
        self.skipped: collections.Counter = collections.Counter()  # reason -> tests

    def add(self, key: str, plain, converted, skips) -> None:
        """Compares the outcome of a test with that of its converted form, a function that runs it."""
        if key in skips:
            self.skipped[skips[key]] += 1
        elif plain is None:
            self.skipped["does not pass unconverted, or the test skips itself"] += 1
        else:
            outcome = converted()
            if outcome == plain:
                self.same.append(key)
            else:
                self.different.append(f"{key}\n{outcome}")


def skip_reasons() -> dict:
    """Test id -> reason."""
    pairs = (line.split(": ", 1) for line in SKIPS.read_text().splitlines() if line and not line.startswith("#"))
    return dict(pairs)


def is_installed(name: str) -> bool:
    """Whether the interpreter comes with this test module."""
    return importlib.util.find_spec(f"test.{name}") is not None


def run(name: str) -> Totals:
    """Runs the test methods and doctests of a module, each unconverted and converted."""
    module = importlib.import_module(f"test.{name}")
    skips, totals = skip_reasons(), Totals()
    for class_name, case_class, method in _methods(module):
        key = f"{name}.{class_name}.{method}"
        plain = _method_outcome(case_class, method, converted=False)
        totals.add(key, plain, lambda c=case_class, m=method: _method_outcome(c, m, converted=True) or "failed", skips)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if test.examples:
            plain = _doctest_outcome(test, converted=False)
            totals.add(test.name, plain, lambda t=test: _doctest_outcome(t, converted=True), skips)
    return totals


def _methods(module):
    """Every test method of a module's test cases."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__:
            for method in unittest.TestLoader().getTestCaseNames(value):
                yield name, value, method


def _method_outcome(case_class, method: str, converted: bool):
    """What a test method did: "passed", None where it is skipped or fails unconverted, or the failure's text."""
    case = case_class(method)
    if converted:
        function = getattr(case_class, method)
        if isinstance(function, types.FunctionType):
            setattr(case, method, types.MethodType(tf.autograph.to_graph(function), case))
    result = unittest.TestResult()
    case.run(result)
    if result.wasSuccessful():
        return None if result.skipped else "passed"
    return "".join(text for _, text in result.failures + result.errors) if converted else None


def _doctest_outcome(test, converted: bool) -> list[str]:
    """What each example of a doctest printed or raised; an example runs as the body of a function."""
    scope = {**test.globs, "show": sys.displayhook}
    return [_example_outcome(example, f"{test.name}[{i}]", scope, converted) for i, example in enumerate(test.examples)]


def _example_outcome(example, label: str, scope: dict, converted: bool) -> str:
    file = f"<doctest {label}>"
    text = _as_function(example.source)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(text, file, "exec"), scope)  # an example of CPython's documentation
            function = scope["example"]
            # TensorFlow converts no generators, and neither does tracefn.
            (tf.autograph.to_graph(function) if converted and not inspect.isgeneratorfunction(function) else function)()
        except Exception as error:
            printed.write(f"{type(error).__name__}: {error}")
    return re.sub("0x[0-9a-f]+", "0x", printed.getvalue())


def _as_function(source: str) -> str:
    """The text of a function `example` that does what an interactive example does."""
    try:
        body = ast.parse(source).body
        symbols = symtable.symtable(source, "<example>", "exec").get_symbols()
    except SyntaxError:
        return source
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        source = f"show(\n{source.rstrip()}\n)\n"
    bound = [s.get_name() for s in symbols if s.is_assigned() or s.is_imported()]
    declared = f"    global {', '.join(bound)}\n" if bound else ""
    return f"def example():\n{declared}{textwrap.indent(source, '    ')}"


def main() -> None:
    """Prints a line for each module, and the totals."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    same = different = 0
    skipped: collections.Counter = collections.Counter()
    for name in MODULES:
        if not is_installed(name):
            print(f"{name}: not installed")
            continue
        totals = run(name)
        same += len(totals.same)
        different += len(totals.different)
        skipped.update(totals.skipped)
        print(f"{name}: {len(totals.same)} the same, {len(totals.different)} differ, {totals.skipped.total()} skipped")
        for text in totals.different:
            print(textwrap.indent(text, "    "))
    print(f"Python {sys.version.split()[0]}: {same + different} converted, {same} the same, {different} differ")
    for reason, count in skipped.most_common():
        print(f"{count} skipped: {reason}")


def print_json() -> None:
    """Prints the outcome of each module as JSON."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    outcomes = {}
    for name in filter(is_installed, MODULES):
        totals = run(name)
        outcomes[name] = {"same": len(totals.same), "different": list(map(str, totals.different))}
    print(json.dumps(outcomes))


if __name__ == "__main__":
    print_json() if "--json" in sys.argv else main()
