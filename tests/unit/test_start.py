"""What a program does not use is not imported: neither by `import tracefn` nor by its first results."""

import pathlib
import subprocess
import sys

import pytest
import tracefn as tf

# What finds and reads source code, and what reads and writes files.
HEAVY = {"ast", "csv", "dataclasses", "datetime", "dis", "gzip", "importlib.metadata", "importlib.resources", "inspect", "json",
         "linecache", "logging", "numpy", "pathlib", "pickle", "shutil", "subprocess", "tempfile", "tokenize", "traceback",
         "uuid"}  # fmt: skip
IMPORT = "import tracefn as tf"
PROGRAMS = {
    "import": "",
    "eager": "assert tf.constant([1.0, 2.0])[1] + 1.0 == 3.0",
    "trace": "f = tf.function(lambda x: x * 2.0 + 1.0); assert f(tf.constant(1.0)) == 3.0",
    "variable": "v = tf.Variable(1.0); v.assign_add(1.0); assert v == 2.0",
    "gradient": "\n".join([
        "x = tf.Variable(2.0)",
        "with tf.GradientTape() as tape:",
        "    y = x * x",
        "assert tape.gradient(y, x) == 4.0",
    ]),
}  # fmt: skip


def imported(program: str) -> set[str]:
    """The modules of a process that runs the program, and nothing of site-packages."""
    package = str(pathlib.Path(tf.__file__).parents[1])
    start = f"import sys; sys.path.insert(0, {package!r})\n{IMPORT}\n"
    command = [sys.executable, "-S", "-c", f"{start}{program}\nprint(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_it_imports_nothing_heavy(program):
    assert imported(program) & HEAVY == set()


def test_import_reads_no_file_of_composed_functions_nor_of_most_namespaces():
    modules = imported("")
    assert {m for m in modules if m.startswith("tracefn.ops.")} == {"tracefn.ops.by_path"}
    assert modules & {f"tracefn.{name}" for name in ("compat", "experimental", "linalg", "math", "nn", "raw_ops")} == set()


def test_a_function_without_control_flow_and_calls_needs_no_conversion():
    assert {m for m in imported(PROGRAMS["trace"]) if m.startswith("tracefn.autograph.convert")} == set()


def test_pipelines_need_neither_numpy_nor_files():
    modules = imported("assert len(list(tf.data.Dataset.range(10).map(lambda x: x * 2).batch(5, drop_remainder=True))) == 2")
    assert modules & {"csv", "numpy", "shutil", "tracefn.ops.gfile"} == set()


def test_threads_may_make_the_first_use_at_once():
    modules = imported("""
import threading
names = ["reduce_sum", "math.add_n", "nn.softmax", "linalg.matmul", "strings.join", "random.normal", "debugging.assert_equal"]
start, found, errors = threading.Barrier(4 * len(names)), {name: [] for name in names}, []

def use(name):
    start.wait()
    value = tf
    try:
        for part in name.split("."):
            value = getattr(value, part)
        found[name].append(value)
    except BaseException as error:
        errors.append((name, error))

threads = [threading.Thread(target=use, args=(name,)) for name in names * 4]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors, errors
assert all(len(values) == 4 and len(set(map(id, values))) == 1 for values in found.values())
""")
    assert "tracefn.ops.reduction" in modules
