"""Public names: those of files that are imported later are the names that these files register."""

import subprocess
import sys

import pytest
import tracefn as tf
from tracefn import _namespaces


@pytest.mark.parametrize("file", _namespaces._LATER)
def test_a_file_imported_later_registers_its_names(file):
    # In a process of its own: here other tests may have imported it.
    program = (
        "import importlib, tracefn; from tracefn import _export; before = set(_export._functions)\n"
        f"importlib.import_module('tracefn.ops.{file}'); print(*sorted(set(_export._functions) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(_namespaces._LATER[file])


def test_they_are_found_by_name():
    assert tf.einsum is tf.linalg.einsum and tf.map_fn.__name__ == "map_fn"
    assert "einsum" in dir(tf) and "einsum" in tf.__all__ and hasattr(tf.nn, "moments")
    with pytest.raises(AttributeError, match="module 'tracefn.nn' has no attribute 'nothing'"):
        _ = tf.nn.nothing
    with pytest.raises(AttributeError, match="module 'tracefn' has no attribute 'nothing'"):
        _ = tf.nothing
