"""Where the source of a function comes from, and what happens where there is none."""

import importlib
import importlib.util
import linecache
import os
import subprocess
import sys

import pytest

import tracefn as tf


def test_an_edited_file_is_an_error(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "edited_module.py"
    file.write_text("def f(x):\n    if x > 0:\n        return x\n    return -x\n")
    module = importlib.import_module("edited_module")
    file.write_text("def f(x):\n    if x < 0:\n        return x\n    return -x\n")
    linecache.checkcache(str(file))
    with pytest.raises(RuntimeError, match="edited since"):
        tf.function(module.f)(tf.constant(1))
    del sys.modules["edited_module"]


def test_a_new_file_is_none(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "new_module.py").write_text(
        "class C:\n    __k = 2\n\n    def f(self, x, y=3):\n        def inner(v):\n            return v if v > 0 else self.__k\n\n"
        "        return inner(x)\n\n\ng = [lambda x, k=4: x if x > 0 else k][0]\n"
    )
    module = importlib.import_module("new_module")
    assert int(tf.function(module.C().f)(tf.constant(-1))) == 2
    assert int(tf.function(module.g)(tf.constant(-1))) == 4
    del sys.modules["new_module"]


def test_no_source_is_said_where_it_matters():
    scope = {}
    exec("def f(x):\n    return 1 if x > 0 else 2", scope)
    assert tf.function(scope["f"])(1).numpy() == 1
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="the source of f was not found") as error:
        tf.function(scope["f"])(tf.constant(1))
    assert "tf.cond" in str(error.value)


def test_kept_text_is_found():
    text = "def f(x):\n    return 1 if x > 0 else 2\n"
    linecache.cache["<kept>"] = (len(text), None, text.splitlines(True), "<kept>")
    scope = {}
    exec(compile(text, "<kept>", "exec"), scope)
    assert tf.function(scope["f"])(tf.constant(-1)).numpy() == 2


def test_verbosity(capsys):
    def sign(x):
        return 1 if x > 0 else -1

    def silent(x):
        return 2 if x > 0 else -2

    tf.autograph.set_verbosity(3, alsologtostdout=True)
    try:
        tf.function(sign)(tf.constant(1))
    finally:
        tf.autograph.set_verbosity(0)
    tf.function(silent)(tf.constant(1))
    told = capsys.readouterr().out
    assert f"Converted {sign}" in told and "def sign(x):" in told and "silent" not in told


def test_the_text_of_a_command_is_found():
    text = (
        "import tracefn as tf\nf = lambda x: x if x > 0 else -x\n"
        "def g(x):\n    if x > 0:\n        return x\n    return -2 * x\n"
        "print(int(tf.function(f)(tf.constant(-3))), int(tf.function(g)(tf.constant(-3))))\n"
        "exec('def g(x):\\n    if x > 0:\\n        return x\\n    return -3 * x')\n"
        "try:\n    tf.function(g)(tf.constant(-3))\n"
        "except tf.errors.OperatorNotAllowedInGraphError as error:\n    print('the source of g was not found' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "6", "True"]


def test_a_file_edited_before_the_first_conversion_is_an_error(tmp_path):
    (tmp_path / "early_module.py").write_text("def f(x):\n    return x if x > 0 else -x\n")
    program = (
        "import pathlib, tracefn as tf, early_module\n"
        "pathlib.Path(early_module.__file__).write_text('def f(x):\\n    return x if x < 0 else -x\\n')\n"
        "try:\n    tf.function(early_module.f)(tf.constant(1))\n"
        "except RuntimeError as error:\n    print('edited since' in str(error))\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.stdout.split() == ["True"]


def test_a_file_written_while_the_program_runs(tmp_path):
    # Calls through a name that the file imports are compiled another way than without the import.
    file = tmp_path / "late_module.py"
    file.write_text("import tracefn as tf\n\n\ndef f(x):\n    return tf.abs(x) if x > 0 else tf.negative(x)\n")
    spec = importlib.util.spec_from_file_location("late_module", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert int(tf.function(module.f)(tf.constant(-3))) == 3


def _kept(name: str, text: str):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def test_code_that_is_nested_too_deeply_is_left_as_it_is():
    terms = _kept("<terms>", f"def f(x, deep=True):\n    if deep:\n        return {' + '.join(['x'] * 600)}\n    return x\n")
    assert int(tf.function(terms)(tf.constant(2))) == 1200
    branches = _kept("<branches>", f"def f(x):\n    if x > 0:\n        return {' + '.join(['x'] * 600)}\n    return x\n")
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="nested as deeply as in this function"):
        tf.function(branches)(tf.constant(2))
    loops = "".join("    " * (i + 1) + f"for i{i} in range(1):\n" for i in range(20))
    blocks = _kept("<blocks>", f"def f(x):\n{loops}{'    ' * 21}x += 1\n    return x\n")
    assert int(tf.function(blocks)(tf.constant(2))) == 3


def test_the_programs_own_recursion_is_not_taken_for_nesting():
    def helper(n):
        return n if n > 0 else -n

    def endless(n):
        return endless(helper(n) + 1)

    with pytest.raises(RecursionError):
        tf.function(endless)(1)
    assert int(tf.function(lambda x: helper(x))(tf.constant(-3))) == 3


@pytest.mark.parametrize(
    "body",
    [
        "(1 if x > 2 else 3) if x > 0 else 5",
        "((1 if x > 2 else 3)) if x > 0 else (5 if x < -2 else 6)",
        "(\n    (\n  1 if x > 2 else 3 )\n  if x > 0 else 5\n)",
        "(x > 0 or x < -3) and ((x < 5) or (x > 7))",
        "(x * 2 if x > 2 else x) if (x > 0) else (x if x < -2 else (x * 3))",
        "')' if x > 0 else '(('",
    ],
)
def test_lambdas_with_parentheses_that_no_instruction_covers(body):
    function = _kept(f"<{body}>", f"f = lambda x: {body}\n")
    for x in (-4, 0, 1, 3, 9):
        want = function(x)
        got = tf.function(function)(tf.constant(x)).numpy()
        assert (got.decode() if isinstance(want, str) else got) == want
