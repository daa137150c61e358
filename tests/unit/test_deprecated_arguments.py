"""Warnings about deprecated names and arguments, each shown once."""

import logging
import operator
import subprocess
import sys

import pytest
import tracefn as tf
from tracefn._deprecated import decorators, without_notices
from tracefn._deprecated.names import NAMES
from tracefn._deprecated.notices import OF
from tracefn.python.util import deprecation


def test_each_argument_warns_once(caplog):
    @deprecation.deprecated_args("2030-01-01", "Use y.", "older", ("oldest", None))
    def f(older=None, y=None, oldest=None):
        return y

    with caplog.at_level(logging.WARNING, tf.get_logger().name), tf.Graph().as_default():
        f(y=3), f(oldest=None)
        assert not caplog.messages
        f(older=3), f(5), f(oldest=1), f(oldest=2)
    assert [" with older is " in caplog.messages[0], " with oldest is " in caplog.messages[1]] == [True, True]
    assert len(caplog.messages) == 2


def test_strict_mode(monkeypatch):
    monkeypatch.setattr(decorators, "_strict", False)  # and so it is afterwards
    monkeypatch.setattr(decorators, "_PRINTED_WARNING", {})
    tf.experimental.enable_strict_mode()
    with pytest.raises(RuntimeError, match="^This behavior has been deprecated, which raises an error in strict mode\\.$"):
        tf.compat.v1.div(1, 2)


def test_each_function_of_the_table_warns():
    """But for the functions that are not here, and one that has no such argument in TensorFlow either."""
    silent = []
    for path in [path for path, said in OF.items() if not isinstance(said, dict)]:
        try:
            value = operator.attrgetter(path)(tf)
        except AttributeError:
            continue
        if without_notices(value) is value:
            silent.append(path)
    assert silent == ["compat.v1.config.optimizer.set_jit", "config.optimizer.set_jit"]


def test_the_tables_agree():
    names = {f"{namespace}.{name}".lstrip(".") for namespace, text in NAMES.items() for name in text.split()}
    assert names == set(OF)


def test_texts_are_loaded_when_a_deprecated_name_is_used():
    program = """
import sys, tracefn as tf
tf.compat.v1.reduce_mean([1.0]), tf.nn.softmax([1.0]), tf.data.Dataset
loaded = "tracefn._deprecated.notices" in sys.modules
tf.compat.v1.div
print(loaded, "tracefn._deprecated.notices" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
