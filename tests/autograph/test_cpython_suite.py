"""CPython's own tests, each test function converted: the results must be those of the unconverted functions.

The modules are those of the interpreter that runs the tests, where it has them. What is skipped stands in
cpython_skips.txt, each line with its reason.
"""

import json
import subprocess
import sys

import pytest
from support import cpython_suite


@pytest.fixture(scope="module")
def outcomes() -> dict:
    command = [sys.executable, "-W", "ignore", cpython_suite.__file__, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", cpython_suite.MODULES)
def test_converted_functions_do_what_python_does(name, outcomes):
    if not cpython_suite.is_installed(name):
        pytest.skip("the interpreter comes without its tests")
    different = outcomes[name]["different"]
    assert not different, f"{len(different)} differ:\n" + "\n".join(different)
    assert outcomes[name]["same"]
