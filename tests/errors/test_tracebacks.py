"""Who reads an error that left a trace: loggers, threads, pools, pickle, debuggers, test runners, notebooks."""

import concurrent.futures
import copy
import gc
import io
import json
import logging
import os
import pathlib
import pdb
import pickle
import subprocess
import sys
import threading
import traceback
import types
import weakref

import pytest
import tracefn as tf


def helper(x):
    doubled = x * 2
    raise ValueError(f"rank {doubled.shape.rank}")


@tf.function
def fails(x):
    return helper(x)


@tf.function
def calls(x):
    return fails(x)


# The package's own folder; a checkout may well be called tracefn.
PACKAGE = str(pathlib.Path(tf.__file__).parent)
ONE = tf.constant(1)


def raised(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return caught.value


def own_functions(error):
    """The functions of this file in an error's traceback, the callers of the test left out."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    return [frame.name for frame in frames[1:]]


def test_the_users_frames_and_no_others():
    error = raised(fails, ONE)
    assert own_functions(error) == ["fails", "helper"]
    assert (error.__cause__, error.__context__) == (None, None)
    assert not [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]


def test_a_nested_function_tells_once():
    text = str(raised(calls, ONE))
    assert text.count("in user code:") == text.count("ValueError: rank 0") == 1
    assert [text.index(f"in {name}  *") for name in ("calls", "fails", "helper")] == sorted(
        text.index(f"in {name}  *") for name in ("calls", "fails", "helper")
    )


def test_what_inner_code_catches_is_told_too():
    texts = []

    @tf.function
    def outer(x):
        try:
            return fails(x)
        except ValueError as error:
            texts.append(str(error))
        return x

    assert int(outer(ONE)) == 1
    assert texts[0].startswith("in user code:") and "in outer" not in texts[0]


def test_an_error_that_is_raised_again_does_not_grow():
    error = ValueError("the same object")

    @tf.function
    def again(x):
        raise error

    texts = [str(raised(again, ONE)) for _ in range(3)]
    assert raised(again, ONE) is error
    assert texts[1] == texts[2] and texts[2].count("in user code:") == 1
    assert texts[2].count("ValueError: the same object") == 1


def test_an_error_with_another_text_is_told_anew():
    error = raised(fails, ONE)
    error.args = ("new text",)

    @tf.function
    def again(x):
        raise error

    assert "    ValueError: new text" in str(raised(again, ONE)) and "rank" not in str(error)


def test_causes_and_contexts_of_the_users_stay():
    @tf.function
    def chained(x):
        try:
            return {}["k"]
        except KeyError as error:
            raise OSError(2, "the text") from error

    @tf.function
    def unchained(x):
        try:
            return {}["k"]
        except KeyError:
            raise ValueError("the text")  # noqa: B904

    assert isinstance(raised(chained, ONE).__cause__, KeyError)
    error = raised(unchained, ONE)
    assert isinstance(error.__context__, KeyError) and not error.__suppress_context__


def test_a_handled_error_around_the_call_is_its_context():
    with pytest.raises(KeyError) as caught:
        try:
            raise OSError("around")
        except OSError:
            tf.function(lambda x: {}["k"])(ONE)
    assert isinstance(caught.value.__context__, OSError)


class Coded(Exception):
    def __init__(self, code, place):
        super().__init__(code, place)
        self.code = code

    def __str__(self):
        return f"code {self.code}"


class Slotted(Exception):
    __slots__ = ("extra",)


def slotted():
    error = Slotted("text")
    error.extra = 3
    return error


def not_json():
    try:
        json.loads("{")
    except ValueError as error:
        return error


KINDS = {
    "KeyError": (lambda: KeyError("k"), {"args": ("k",)}),
    "FileNotFoundError": (lambda: OSError(2, "No such file", "name"), {"errno": 2, "strerror": "No such file", "filename": "name"}),
    "UnicodeDecodeError": (lambda: UnicodeDecodeError("utf8", b"x", 0, 1, "why"), {"reason": "why", "object": b"x"}),
    "SyntaxError": (lambda: SyntaxError("text", ("f.py", 3, 1, "a b")), {"lineno": 3, "filename": "f.py", "msg": "text"}),
    "ImportError": (lambda: ImportError("text", name="n", path="p"), {"name": "n", "path": "p", "msg": "text"}),
    "AttributeError": (lambda: AttributeError("text", name="n", obj=3), {"name": "n"}),
    "StopIteration": (lambda: StopIteration(3), {"value": 3}),
    "ExceptionGroup": (lambda: ExceptionGroup("text", [OSError(1)]), {"message": "text"}),
    "NotImplementedError": (NotImplementedError, {}),
    "JSONDecodeError": (not_json, {"pos": 1, "lineno": 1}),
    "InvalidArgumentError": (lambda: tf.errors.InvalidArgumentError(None, None, "text"), {"error_code": 3, "op": None, "node_def": None}),
    "Coded": (lambda: Coded(7, "here"), {"code": 7, "args": (7, "here")}),
    "Slotted": (slotted, {"extra": 3}),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_type_and_attributes_stay(name):
    make, attributes = KINDS[name]

    @tf.function
    def f(x):
        raise make()

    error = raised(f, ONE)
    assert isinstance(error, type(make())) and type(error).__name__ == name
    assert str(error).startswith("in user code:\n\n    File ")
    assert {key: getattr(error, key) for key in attributes} == attributes
    last = traceback.format_exception_only(error)
    assert any(line.startswith((f"{name}:", f"{type(make()).__module__}.{name}:", "  | ExceptionGroup", "SyntaxError: ")) for line in last)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("JSONDecodeError", "Slotted")])
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy])
def test_pickle_and_copy_keep_the_text(name, again):
    make, attributes = KINDS[name]

    @tf.function
    def f(x):
        raise make()

    error = again(raised(f, ONE))
    assert isinstance(error, type(make())) and str(error).startswith("in user code:")
    if name != "AttributeError":  # Python itself keeps the name from version 3.12
        assert {key: getattr(error, key) for key in attributes} == attributes


def test_a_class_that_pickles_itself_does_so():
    error = raised(tf.function(lambda x: json.loads("{")), ONE)
    assert type(pickle.loads(pickle.dumps(error))) is json.JSONDecodeError


def test_a_suggestion_of_python_ends_the_text():
    class Model:
        weight = 1.0

    shown = "".join(traceback.format_exception_only(raised(tf.function(lambda x: Model().weigth), ONE)))
    assert "has no attribute 'weigth'\n" not in shown or sys.version_info < (3, 12)
    assert not shown.endswith("\n\n")


def texts_from_a_log():
    stream = io.StringIO()
    log = logging.getLogger("test_tracebacks")
    log.addHandler(logging.StreamHandler(stream))
    log.propagate = False
    try:
        fails(ONE)
    except ValueError:
        log.exception("it failed")
    log.handlers.clear()
    return stream.getvalue()


def texts_from_a_pool():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return "".join(traceback.format_exception(pool.submit(fails, ONE).exception()))


def texts_from_a_thread():
    seen = []
    before, threading.excepthook = threading.excepthook, lambda args: seen.append(args.exc_value)
    try:
        thread = threading.Thread(target=fails, args=[ONE])
        thread.start()
        thread.join()
    finally:
        threading.excepthook = before
    return "".join(traceback.format_exception(seen[0]))


def texts_with_a_note():
    error = raised(fails, ONE)
    error.add_note("a note")
    text = "".join(traceback.TracebackException.from_exception(error).format())
    assert text.endswith("a note\n")
    return text


@pytest.mark.parametrize("reader", [texts_from_a_log, texts_from_a_pool, texts_from_a_thread, texts_with_a_note])
def test_readers(reader):
    text = reader()
    assert PACKAGE not in text and "direct cause" not in text and "During handling" not in text
    assert "in helper  *" in text and 'raise ValueError(f"rank' in text and "ValueError: rank 0" in text


def test_a_debugger_stands_in_the_users_frame():
    error = raised(fails, ONE)
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p doubled.dtype\nup\np x.shape\nq\n"), stdout=output)
    debugger.reset()
    debugger.interaction(None, error.__traceback__)
    assert "-> raise ValueError" in output.getvalue() and "tf.int32" in output.getvalue()
    assert "-> return helper(x)" in output.getvalue() and "TensorShape([])" in output.getvalue()


PROGRAM = """
import tracefn as tf
def helper(x):
    return tf.reshape(x, [7])
@tf.function
def step(x):
    return helper(x)
def test_step():
    step(tf.constant([1.0, 2.0]))
"""


def test_pytest_shows_the_users_frames(tmp_path):
    (tmp_path / "test_it.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "test_it.py"]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tf.__file__))}
    text = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False).stdout
    shown = [line for line in text.splitlines() if line.startswith("test_it.py:")]
    assert shown == ["test_it.py:9: in test_step", "test_it.py:7: in step", "test_it.py:4: in helper"]
    assert PACKAGE not in text


def test_a_notebook_shows_the_cells():
    pytest.importorskip("IPython")
    program = PROGRAM.replace("def test_step():\n    ", "") + "\n"
    cells = [program[: program.index("step(tf.constant")], "step(tf.constant([1.0, 2.0]))"]
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance(colors="nocolor")
    with capture_output() as captured:
        for cell in cells:
            shell.run_cell(cell, store_history=True)
    assert "Cell In[1], line 6, in step(x)" in captured.stdout and "Cell In[1], line 3, in helper(x)" in captured.stdout
    assert PACKAGE not in captured.stdout


def test_everything_is_shown_on_request():
    tf.debugging.disable_traceback_filtering()
    try:
        error = raised(calls, ONE)
    finally:
        tf.debugging.enable_traceback_filtering()
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert {"call", "_trace_once", "trace", "calls", "fails", "helper"} <= set(names)


class Thing:
    """Something that a weak reference may be of."""


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize(
    "fail",
    [
        helper,
        lambda x: {}["k"],
        lambda x: tf.reshape(x, [7]),
        lambda x: tf.map_fn(helper, tf.stack([x, x])),
        lambda x: fails(x),
        lambda x: tf.cond(x > 0, lambda: helper(x), lambda: x),
    ],
    ids=["function", "key", "op", "mapped", "nested", "cond"],
)
def test_no_cycle_keeps_the_trace(fail, autograph):
    thing = Thing()
    dead = weakref.ref(thing)

    def f(x, kept=thing):
        local = kept
        return fail(x), local

    del thing
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(Exception) as caught:
            tf.function(f, autograph=autograph)(ONE)
        del caught, f
        assert dead() is None
    finally:
        gc.enable()


def test_an_instruction_without_a_line_has_the_one_before():
    """Python gives none to the jump back of a loop that ends with `with`; a signal's handler may raise there."""
    from tracefn._user_code.frames import line_of, linked

    def loop():
        for _ in range(2):
            with memoryview(b""):
                pass
        raise ValueError

    error = raised(loop)
    entry = error.__traceback__
    while entry.tb_frame.f_code is not loop.__code__:
        entry = entry.tb_next
    without = [start for start, _, line in loop.__code__.co_lines() if line is None]
    for offset in without:
        there = types.SimpleNamespace(tb_frame=entry.tb_frame, tb_lasti=offset, tb_lineno=None)
        assert loop.__code__.co_firstlineno <= line_of(there) <= entry.tb_lineno
        assert linked([there]).tb_lineno == line_of(there)
    assert without or sys.version_info[:2] != (3, 11)
