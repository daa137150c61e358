"""Converted functions keep Python's scopes, frames, names, defaults and tracebacks."""

import functools
import sys
import traceback
import types

import pytest

import tracefn as tf


def convert(function):
    converted = tf.autograph.to_graph(function)
    assert converted is not function
    return converted


def test_metadata_and_defaults():
    default = []

    def f(a, b=default, *args, k=default, **kwargs):
        """Text."""
        if a:
            b = k
        return b

    g = convert(f)
    assert g.__name__ == "f" and g.__qualname__ == f.__qualname__ and g.__doc__ == "Text."
    assert g.__code__.co_qualname == f.__code__.co_qualname and g.__code__.co_filename == __file__
    assert g.__defaults__[0] is default and g(1) is default


def test_closures_are_shared():
    count = 0

    def f(n):
        nonlocal count
        for _ in range(n):
            if n > 1:
                count += 1
        return count

    assert convert(f)(3) == 3 and count == 3


def test_locals_show_the_users_names():
    def f(a):
        if a:
            b = 1
        for i in range(2):
            c = i
        return locals()

    assert convert(f)(True) == {"a": True, "b": 1, "i": 1, "c": 1}


def test_eval_and_del():
    def f(a):
        b = 3 if a else 4
        total = eval("a + b")
        del b
        if a:
            try:
                return b
            except UnboundLocalError:
                return total
        return None

    assert convert(f)(2) == 5


class Base:
    def value(self):
        return 1


class Derived(Base):
    __secret = 5

    def value(self):
        if self.__secret > 3:
            return super().value() + __class__.__secret
        return 0

    @property
    def doubled(self):
        return 2 * self.value() if self else 0


def test_super_and_private_names():
    assert types.MethodType(convert(Derived.value), Derived())() == 6
    assert convert(Derived.doubled.fget)(Derived()) == 12


def test_tracebacks_name_the_users_lines():
    def f(x):
        if x:
            for _ in range(1):
                raise KeyError("here")

    try:
        convert(f)(1)
    except KeyError:
        frames = traceback.extract_tb(sys.exc_info()[2])
    assert len(frames) == 2
    assert frames[1].name == "f" and frames[1].lineno == f.__code__.co_firstlineno + 3
    assert frames[1].line == 'raise KeyError("here")'


def test_several_lambdas_on_a_line():
    first, second = (lambda x: 1 if x > 0 else 2), (lambda x, y=3: y if x > 0 else 4)
    assert [convert(g)(n) for g in (first, second) for n in (1, -1)] == [1, 2, 3, 4]


def test_decorators_run_once():
    calls = []

    def decorate(function):
        calls.append(function.__name__)

        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) + 1 if args else 0

        return wrapper

    @decorate
    def f(x):
        return x if x > 0 else -x

    assert convert(f)(-3) == 4 and calls == ["f"]


def test_functions_without_control_flow_are_left_alone():
    def f(x):
        return x + 1

    assert tf.autograph.to_graph(f) is f


def test_generators_are_left_alone():
    def f(n):
        for i in range(n):
            yield i

    def g(n):
        return list(f(n))

    assert tf.autograph.to_graph(g)(3) == [0, 1, 2]


def test_try_finally_and_with():
    events = []

    class Manager:
        def __enter__(self):
            events.append("enter")
            return self

        def __exit__(self, *exc):
            events.append("exit")
            return exc[0] is ValueError

    def f(mode):
        for i in range(3):
            with Manager():
                try:
                    if mode == "raise" and i == 1:
                        raise ValueError
                    if mode == "return" and i == 1:
                        return i
                    if mode == "break":
                        break
                finally:
                    events.append(i)
        else:
            return "else"
        return "end"

    g = convert(f)
    for mode in ("none", "raise", "return", "break"):
        events.clear()
        expected, seen = f(mode), list(events)
        events.clear()
        assert g(mode) == expected and events == seen


def leave_by_break(n):
    for i in range(n):
        try:
            if i == 1:
                raise ValueError
        finally:
            if i > 0:
                break
    return i


def leave_by_return(n):
    try:
        if n > 1:
            raise KeyError
    finally:
        if n != 5:
            return 7
    return 8


def leave_by_continue(n):
    total = 0
    for i in range(n):
        try:
            if i == 2:
                raise ValueError
            total += 1
        finally:
            if i % 2 == 0:
                continue
        total += 10
    return total


@pytest.mark.parametrize("program", [leave_by_break, leave_by_return, leave_by_continue])
@pytest.mark.parametrize("n", range(6))
def test_a_jump_out_of_finally_ends_the_exception(program, n):
    def outcome(function):
        try:
            return function(n)
        except (KeyError, UnboundLocalError) as error:
            return type(error)

    assert outcome(convert(program)) == outcome(program)


def test_the_debugger_stops_in_the_users_file(tmp_path):
    import subprocess

    program = tmp_path / "program.py"
    program.write_text(
        "import tracefn as tf\n\n\n@tf.function\ndef f(x):\n    if x > 0:\n        y = x + 1\n    else:\n        y = x\n"
        "    return y\n\n\nprint(f(tf.constant(1)).numpy())\n"
    )
    session = "b 7\nc\np x\nn\nwhere\nq\n"
    done = subprocess.run(
        [sys.executable, "-m", "pdb", str(program)],
        input=session,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert f"{program}(7)f()" in done.stdout and "-> y = x + 1" in done.stdout
    assert 'Tensor("x:0", shape=(), dtype=int32)' in done.stdout or "<tf.Tensor 'x:0'" in done.stdout


@pytest.mark.parametrize("text", ["x if x > 0 else -x", "(x and 1) or 2", "not x", "0 < x < 3"])
def test_expressions(text):
    scope = {}
    function = types.FunctionType(compile(f"lambda x: {text}", "<text>", "eval").co_consts[0], scope)
    import linecache

    linecache.cache["<text>"] = (1, None, [f"lambda x: {text}"], "<text>")
    converted = convert(function)
    assert [converted(v) for v in (-1, 0, 1, 5)] == [function(v) for v in (-1, 0, 1, 5)]


def test_classes_made_in_converted_functions_have_their_qualified_names():
    def f(n):
        class Made:
            def method(self):
                return n if n > 1 else None

            class Inner:
                pass

        return Made

    made = tf.autograph.to_graph(f)(3)
    assert made.__qualname__ == f(3).__qualname__
    assert made.method.__qualname__ == f(3).method.__qualname__
    assert made.Inner.__qualname__ == f(3).Inner.__qualname__


@pytest.mark.parametrize(
    "call",
    [
        lambda: int(x=1.5), lambda: len(), lambda: len(1, 2), lambda: float("1", 2), lambda: range(), lambda: range("a"),
        lambda: enumerate(), lambda: enumerate([1], 2, 3), lambda: zip([1], other=2), lambda: reversed(), lambda: sorted(),
        lambda: sorted([1], None), lambda: sum(), lambda: sum(1), lambda: sum(["a"]), lambda: list(1), lambda: list(1, 2),
        lambda: tuple(x=1), lambda: min(), lambda: max([], default=1, other=2), lambda: min([]),
    ],
)  # fmt: skip
def test_wrong_calls_of_builtins_fail_as_in_python(call):
    with pytest.raises((TypeError, ValueError)) as plain:
        call()
    with pytest.raises(type(plain.value)) as converted:
        tf.autograph.to_graph(call)()
    assert str(converted.value) == str(plain.value)


def test_builtins_do_not_look_up_the_class_in_an_object():
    class Watched:
        def __getattribute__(self, name):
            raise AssertionError(name)

        def __reversed__(self):
            return iter((2, 1))

        def __len__(self):
            return 2

        def __int__(self):
            return 5

        def __iter__(self):
            return iter((1, 2))

    def f(x):
        return list(reversed(x)), len(x), int(x), list(zip(x, x, strict=True)), list(enumerate(x)), sorted(x), sum(x), bool(x)

    assert tf.autograph.to_graph(f)(Watched()) == f(Watched())
