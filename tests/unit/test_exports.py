"""Public names: those of files that are imported later are the names that these files register."""

import operator
import subprocess
import sys

import pytest
import tracefn as tf
from tracefn._later import FILES


@pytest.mark.parametrize("file", FILES)
def test_a_file_imported_later_registers_its_names(file):
    # In a process of its own: here other tests may have imported it.
    program = (
        "import importlib, sys, tracefn; from tracefn import _export; before = dict(_export._functions)\n"
        f"importlib.import_module('tracefn.ops.{file}'); made = _export._functions.items() - before.items()\n"
        "print(*(path for path, _ in made), '|', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    names, modules = (set(part.split()) for part in done.stdout.split("|"))
    imported = {name for other, names in FILES.items() if f"tracefn.ops.{other}" in modules for name in names}
    assert names == imported and set(FILES[file]) <= names


@pytest.mark.parametrize("file", FILES)
def test_each_is_found_by_its_path(file):
    for path in FILES[file]:
        assert operator.attrgetter(path)(tf) is not None, path


def test_they_are_found_by_name():
    assert tf.einsum is tf.linalg.einsum and tf.map_fn.__qualname__ == "map_fn"
    assert "einsum" in dir(tf) and "einsum" in tf.__all__ and hasattr(tf.nn, "moments")
    with pytest.raises(AttributeError, match="module 'tracefn.nn' has no attribute 'nothing'"):
        _ = tf.nn.nothing
    with pytest.raises(AttributeError, match="module 'tracefn' has no attribute 'nothing'"):
        _ = tf.nothing


def test_a_function_of_an_op_has_a_module_and_a_docstring_and_so_has_its_class():
    assert tf.nn.relu.__module__ == "tracefn.nn" and tf.nn.relu.__doc__.startswith("max(features, 0)")
    assert type(tf.nn.relu).__module__ == "tracefn._core" and type(tf.nn.relu).__doc__ is None
    assert not hasattr(tf.nn.relu, "no_such_attribute")
