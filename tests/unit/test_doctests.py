"""Every example in a docstring of the package runs and gives what it shows."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest
import tracefn as tf

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# `annotations`: examples are not compiled with the module's own future import. `__name__`: they are a user's code, which
# AutoGraph converts, and not the package's.
NAMES = {"tf": tf, "np": np, "annotations": None, "__name__": "__main__"}


def _modules():
    yield tf
    for info in pkgutil.walk_packages(tf.__path__, "tracefn."):
        name = info.name.rpartition(".")[2]
        if not name.startswith(("_core", "_kernels")):
            yield importlib.import_module(info.name)


def _examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in _modules():
        for test in finder.find(module, extraglobs=NAMES):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("example", list(_examples()))
def test_docstring(example):
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
