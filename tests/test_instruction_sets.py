"""The op tests once per instruction set that this machine and this build have; the others are skipped by name."""

import os
import pathlib
import subprocess
import sys

import pytest
import tracefn as tf

OPS = pathlib.Path(__file__).parent / "ops"
ROOT = pathlib.Path(__file__).parents[1]


def run(isa: str, *arguments: str) -> subprocess.CompletedProcess:
    """Runs Python with the kernels of `isa`, and with the package that this process has."""
    package = str(pathlib.Path(tf.__file__).parents[1])
    environment = {**os.environ, "TRACEFN_ISA": isa, "PYTHONPATH": package}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)


@pytest.mark.parametrize("isa", ["v2", "v3", "v4", "neon"])
def test_ops(isa):
    if isa == tf._core.instruction_set():
        pytest.skip(f"{isa} is what the other tests of this run use")
    probe = run(isa, "-c", "import tracefn as tf; print(tf._core.instruction_set(), int(tf.constant(1) + 1))")
    if probe.returncode:
        pytest.skip(f"{isa} is left out: {probe.stderr.strip().splitlines()[-1]}")
    assert probe.stdout.split() == [isa, "2"]
    tests = run(isa, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-q", "-p", "no:cacheprovider", str(OPS))
    assert tests.returncode == 0, tests.stdout[-4000:]
