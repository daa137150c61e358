"""Every example in a docstring of the package runs and gives what it shows."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# `annotations`: examples are not compiled with the module's own future import. `__name__`: they are a user's code, which
# AutoGraph converts, and not the package's.
NAMES = {"tf": tf, "np": np, "annotations": None, "__name__": "__main__"}

# They change the process for good: other tests would see it.
IN_A_PROCESS_OF_ITS_OWN = {
    "tracefn.install_as_tensorflow",
    "tracefn.as_tensorflow.install_as_tensorflow",
    "tracefn.ops.execution_modes.enable_strict_mode",
}

# Packages without which they do not run.
NEEDED = dict.fromkeys(
    (
        "tracefn._for_libraries.models.parse_saved_model",
        "tracefn.distribute._cluster_spec.ClusterSpec.as_cluster_def",
        "tracefn.python.saved_model.nested_structure_coder.decode_proto",
    ),
    "tensorboard",
)


def _modules():
    yield tf
    for info in pkgutil.walk_packages(tf.__path__, "tracefn."):
        name = info.name.rpartition(".")[2]
        if not name.startswith(("_core", "_kernels")):
            yield importlib.import_module(info.name)


def _examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in list(_modules()):  # all are imported first: an import while the package is walked through changes it
        for test in finder.find(module, extraglobs=NAMES):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("example", list(_examples()))
def test_docstring(example):
    if example.name in NEEDED:
        pytest.importorskip(NEEDED[example.name])
    if example.name in IN_A_PROCESS_OF_ITS_OWN:
        check_in_a_process(example)
        return
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)


def check_in_a_process(example):
    """Runs the examples in another process, where the lines shown must be what is printed."""
    lines = [f"    print({step.source.strip()})" if step.want else f"    {step.source.strip()}" for step in example.examples]
    program = "\n".join(["import tracefn as tf", "if True:", *lines])
    path = os.pathsep.join([os.path.dirname(tf.__path__[0]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(step.want for step in example.examples)
