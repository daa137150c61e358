"""tf.compat.v1.flags and app with and without absl-py, and imports of the namespaces of tf.compat.v1."""

import subprocess
import sys
import types

import pytest
import tracefn as tf


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_namespaces_are_modules():
    program = (
        "import tracefn.compat.v1.nn as nn\n"
        "from tracefn.compat.v1 import math, train\n"
        "from tracefn.compat.v1.losses import mean_squared_error\n"
        "import tracefn.compat.v1.math.special\n"
        "import tracefn as tf\n"
        "print(nn is tf.compat.v1.nn, math.reduce_sum is tf.compat.v1.reduce_sum, train.AdamOptimizer.__name__)\n"
        "print(float(mean_squared_error([1.0], [3.0])), 'softmax' in dir(nn), 'gelu' in dir(nn), hasattr(tf.compat.v1, 'session'))\n"
    )
    assert run(program) == "True True AdamOptimizer\n4.0 True False False\n"


def test_flags_need_absl(monkeypatch):
    monkeypatch.setitem(sys.modules, "absl", None)
    monkeypatch.setitem(sys.modules, "absl.flags", None)
    for use in (lambda: tf.compat.v1.flags.FLAGS, tf.compat.v1.app.run):
        with pytest.raises(ModuleNotFoundError, match="absl-py, which is not installed"):
            use()


def test_main_runs_with_the_flags_of_absl(monkeypatch):
    """absl is played by two modules, of which the functions are asked for what they need."""

    class Error(Exception):
        pass

    def parse(arguments, known_only):
        assert known_only
        if "--bad" in arguments:
            raise Error("no such flag")
        return arguments[:1]

    flags = types.SimpleNamespace(FLAGS=parse, Error=Error, DEFINE_string="define")
    app = types.SimpleNamespace(run=lambda main, argv, flags_parser: main(flags_parser(argv)))
    for name, module in (("absl", types.ModuleType("absl")), ("absl.flags", flags), ("absl.app", app)):
        monkeypatch.setitem(sys.modules, name, module)
    seen = []
    tf.compat.v1.app.run(main=seen.append, argv=["program", "--flag"])
    assert seen == [["program"]] and tf.compat.v1.flags.DEFINE_string == "define"
    with pytest.raises(SystemExit):
        tf.compat.v1.app.run(main=seen.append, argv=["program", "--bad"])
