"""Functions of the package take their own entries off tracebacks (cpp/bind/own_frames.h), and do so for all ways to fail."""

import asyncio
import contextlib
import functools
import io
import os
import pdb
import subprocess
import sys
import threading
import traceback
import types

import pytest
import tracefn as tf
from tracefn import _core
from tracefn.ops import by_path

SOURCE = '''
import contextlib
def plain(f, x=1, *, k=2):
    return f() + x + k
def nested(f):
    def inner():
        return f()
    return inner()
def replaces(f):
    try:
        f()
    except KeyError:
        raise ValueError("another") from None
    finally:
        done = [i for i in range(3)]
def loops(f):
    for i in range(3):
        with contextlib.suppress(ZeroDivisionError):
            for j in (1, 2):
                try:
                    f()
                except (OSError, KeyError):
                    f()
                    raise
def comprehends(f):
    return [f() for _ in range(3)]
def calls_a_lambda(f):
    return (lambda: f())()
def generates(f):
    yield 1
    f()
async def waits(f):
    return f()
class Made:
    def __init__(self, f):
        f()
def many_constants(f):
    return [CONSTANTS, f()]
@contextlib.contextmanager
def context():
    yield
def returns(a, b=2, *args, c=3, **kwargs):
    try:
        return (a, b, args, c, kwargs, sum(x for x in range(10)))
    finally:
        a = None
'''.replace("CONSTANTS", ", ".join(f"'constant {i}'" for i in range(400)))


@functools.cache
def package():
    """SOURCE as if it were a file of the package."""
    module = types.ModuleType("tracefn.pretended")
    code = compile(SOURCE, os.path.join(os.path.dirname(tf.__file__), "pretended.py"), "exec")
    exec(_core.hide_frames(code), module.__dict__)
    return module


def fail(*_):
    raise KeyError("the user's")


def functions_in_traceback(call):
    with pytest.raises(Exception) as caught:
        call()
    assert sys.exception() is None
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    return names[names.index("functions_in_traceback") + 1 :]


WAYS = {
    "plain": lambda p: p.plain(fail),
    "nested": lambda p: p.nested(fail),
    "loops": lambda p: p.loops(fail),
    "comprehends": lambda p: p.comprehends(fail),
    "calls_a_lambda": lambda p: p.calls_a_lambda(fail),
    "generates": lambda p: list(p.generates(fail)),
    "Made": lambda p: p.Made(fail),
    "many_constants": lambda p: p.many_constants(fail),
}


@pytest.mark.parametrize("way", WAYS)
def test_only_the_users_frames_are_left(way):
    assert functions_in_traceback(lambda: WAYS[way](package())) == ["<lambda>", "<lambda>", "fail"]


@pytest.mark.parametrize("call", [lambda p: p.plain(), lambda p: p.replaces(fail), lambda p: p.generates(fail).throw(OSError())])
def test_errors_of_the_package_itself(call):
    assert functions_in_traceback(lambda: call(package())) == ["<lambda>", "<lambda>"]


def test_a_generator_that_has_begun():
    def throw_into(generator):
        next(generator)
        generator.throw(OSError())

    assert functions_in_traceback(lambda: throw_into(package().generates(fail))) == ["<lambda>", "throw_into"]


def test_a_coroutine():
    names = functions_in_traceback(lambda: asyncio.run(package().waits(fail)))
    assert "waits" not in names and names[-1] == "fail"


def test_a_context_manager():
    def inside():
        with package().context():
            fail()

    assert functions_in_traceback(inside) == ["inside", "fail"]


def test_what_does_not_fail_is_as_before():
    assert package().returns(1, 2, 3, c=4, d=5) == (1, 2, (3,), 4, {"d": 5}, 45)


def test_the_handled_exception_stays_the_users():
    try:
        fail()
    except KeyError as outer:
        with contextlib.suppress(ValueError):
            package().replaces(fail)
        assert sys.exception() is outer


def functions_inside(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from functions_inside(constant)


def test_lines_stay_and_the_handler_has_the_first():
    with open(traceback.__file__, encoding="utf-8") as file:  # a module of some length
        codes = functions_inside(compile(file.read() + SOURCE, "file.py", "exec"))
    for code in codes:
        hidden = _core.hide_frames(code)
        lines, positions = list(code.co_lines()), list(code.co_positions())
        longer = list(hidden.co_positions())
        assert longer[: len(positions)] == positions
        assert list(hidden.co_lines())[: len(lines) - 1] == lines[:-1]
        if hidden.co_consts != code.co_consts and len(longer) > len(positions):
            assert set(longer[len(positions) :]) == {(code.co_firstlineno, code.co_firstlineno, None, None)}


def test_a_debugger_steps_over_an_error():
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("next\n" * 8 + "continue\n"), stdout=output, nosigint=True)
    with pytest.raises(KeyError, match="the user's"):
        debugger.runcall(package().plain, fail)
    assert "KeyError" in output.getvalue() and "--Return--" in output.getvalue()


@pytest.fixture
def unfiltered():
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    yield
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()


@pytest.mark.usefixtures("unfiltered")
def test_all_frames_on_request():
    assert functions_in_traceback(lambda: package().plain(fail)) == ["<lambda>", "plain", "fail"]


@pytest.mark.usefixtures("unfiltered")
def test_the_request_is_a_threads_own():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tf.debugging.is_traceback_filtering_enabled()))
    thread.start()
    thread.join()
    assert seen == [True]


PROGRAM = """
import traceback, threading, tracefn as tf
def show():
    try:
        tf.nest.map_structure(lambda x: 1 / x, [0])
    except ZeroDivisionError as error:
        print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
"""


@pytest.mark.parametrize(("value", "filtered"), [(None, True), ("on", True), ("off", False), ("0", False)])
def test_the_environment_variable(value, filtered):
    environment = {key: text for key, text in os.environ.items() if key != "TRACEFN_TRACEBACK_FILTERING"}
    if value is not None:
        environment["TRACEFN_TRACEBACK_FILTERING"] = value
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    first, second = map(eval, done.stdout.splitlines())
    assert first == second
    assert (first == ["show", "<lambda>"]) is filtered
    assert filtered or first[1].startswith("map_structure")


def _functions(value, seen):
    """The functions behind a value of a module or class."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, types.FunctionType):
        yield value
    elif isinstance(value, property):
        for accessor in (value.fget, value.fset, value.fdel):
            yield from _functions(accessor, seen)
    elif isinstance(value, type) and value not in seen:
        seen.add(value)
        for member in vars(value).values():
            yield from _functions(member, seen)


def test_every_function_of_the_package_does_it():
    folder = os.path.dirname(tf.__file__) + os.sep
    seen: set = set()
    own = [
        function
        for name, module in list(sys.modules.items())
        if name.startswith("tracefn") and name not in ("tracefn._own_frames", "tracefn.pretended")
        if not type(module.__loader__).__module__.startswith("_pytest")  # it loads test_*.py of packages itself
        for value in list(vars(module).values())
        for function in _functions(value, seen)
        if function.__code__.co_filename.startswith(folder)
    ]
    assert len(own) > 1000
    visible = {f.__qualname__ for f in own if type(f.__code__.co_consts[-1]).__name__ != "FrameRemover"}
    assert not visible - {"_SourceLoader.get_code", "_SourcelessLoader.get_code", "_Finder.find_spec"}


MISUSES = [(), (object(),), (None, "text"), (lambda *_: 1 / 0, [1.0]), ([[1], [2, 3]],), (1, 2, 3, 4, 5, 6)]
WITHOUT = ("while_loop", "print", "debugging.enable", "debugging.disable", "set_global_generator")
# They change the process.
WITHOUT += ("compat.v1.enable", "compat.v1.disable", "InteractiveSession", "reset_default_graph", "enable_strict_mode")


def test_no_public_function_shows_its_frames():
    folder = os.path.dirname(tf.__file__) + os.sep
    failures = 0
    for path, function in by_path.public_paths().items():
        for misuse in () if any(name in path for name in WITHOUT) else MISUSES:
            try:
                function(*misuse)
            except Exception as error:
                failures += 1
                text = "".join(traceback.format_exception(error))
                assert folder not in text and "another exception" not in text and "direct cause" not in text, text
    assert failures > 1000


def test_errors_that_led_to_one_show_no_frames():
    def of_another_type():
        yield 1
        yield "a"

    def of_the_user():
        yield 1
        raise KeyError("mine")

    folder = os.path.dirname(tf.__file__) + os.sep
    for generator in (of_another_type, of_the_user):
        dataset = tf.data.Dataset.from_generator(generator, output_signature=tf.TensorSpec([], tf.int32))
        with pytest.raises(tf.errors.OpError) as raised:
            list(dataset)
        text = "".join(traceback.format_exception(raised.value))
        assert folder not in text and "direct cause" in text, text
        assert ("in of_the_user" in text) == (generator is of_the_user)


def test_only_code_is_taken():
    with pytest.raises(TypeError, match="takes a code object"):
        _core.hide_frames(fail)
