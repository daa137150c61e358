"""Whatever raises, and wherever, leaves the contexts of the thread as they were, and the functions usable."""

import contextlib
import os
import sys
import threading

import numpy as np
import pytest
import tracefn as tf
from support import every_step
from support.context_programs import PROGRAMS, Object
from tracefn import _core, _device, _plain_python, framework, nest
from tracefn._function import explain, impl
from tracefn._variable import creators, traces

FILES = [PROGRAMS["branches"].__code__.co_filename]

# All steps take minutes: TRACEFN_EVERY_STEP=1. Otherwise so many for each program, evenly spread.
STEPS = 10**9 if os.environ.get("TRACEFN_EVERY_STEP") else 24


def state() -> dict:
    """What this thread's ops depend on."""
    graph = _core.current_graph()
    return {
        "eager": tf.executing_eagerly(),
        "graph": graph and (graph.name, graph.scope, graph.placement, graph.gradient_names),
        "contexts": [id(context) for context in _core.open_contexts()],
        "statements": _core.open_statements(),
        "tapes": _core.tapes_listen(),
        "scope": _core.eager_scope(),
        "device": _device._thread.place,
        "creators": creators._thread.creators,
        "creation": traces._thread.scope,
        "refused": explain._thread.refused,
        "depth": impl._thread.depth,
        "plain": _plain_python.STATE.plain,
        "left": framework._left.graph,
    }


def values(result) -> list:
    return [leaf.numpy() for leaf in nest.flatten(result)]


def check_every_step(make, make_error, share) -> None:
    """Raises at steps of a program, each time of a new one: at each `share[1]`-th, the `share[0]`-th first."""
    expected = values(make()())
    steps = every_step.steps_of(lambda: make()(), FILES)
    assert len(steps) > 50
    stride = max(1, len(steps) // STEPS)
    reached = 0
    for step in steps[share[0] * stride // share[1] :: stride]:
        program = make()
        before = state()
        raised, error = every_step.run_and_raise(program, FILES, step, make_error())
        reached += raised
        after = state()
        assert after == before, (step, error)
        del error
        program = make() if make is PROGRAMS["variables"] else program
        for found, wanted in zip(values(program()), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=str(step))
        assert state() == before, step
    assert reached > 0.5 * min(STEPS, len(steps))


# From Python 3.12 on the closing of a generator is traced, too, where an exception reaches nobody.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_an_exception(name):
    check_every_step(PROGRAMS[name], lambda: every_step.Injected("here"), (0, 2))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_an_interrupt(name):
    check_every_step(PROGRAMS[name], KeyboardInterrupt, (1, 2))


def test_within_other_contexts():
    def creator(next_creator, **kwargs):
        return next_creator(**kwargs)

    with contextlib.ExitStack() as around:
        around.enter_context(tf.name_scope("around"))
        around.enter_context(tf.device("/CPU:0"))
        around.enter_context(tf.variable_creator_scope(creator))
        tape = around.enter_context(tf.GradientTape(persistent=True))
        x = tf.constant(2.0)
        tape.watch(x)
        check_every_step(PROGRAMS["custom_gradients"], KeyboardInterrupt, (0, 1))
        y = x * x
        assert tf.get_current_name_scope() == "around"
    assert float(tape.gradient(y, x)) == 4.0
    assert _core.open_contexts() == []


# CPython 3.12 calls the trace function of a thread that has none (sys_trace_instruction_func) and crashes.
@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="CPython 3.12 crashes when several threads are traced")
def test_in_threads():
    errors = []

    def work(name):
        try:
            check_every_step(PROGRAMS[name], lambda: every_step.Injected("here"), (0, 1))
        except BaseException as error:
            errors.append(error)

    # A trace function is the thread's own.
    threads = [threading.Thread(target=work, args=(name,)) for name in ("loops", "branches", "a_tape_in_a_function")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    assert _core.open_contexts() == []


def branch_with_for(x):
    if x > 0:
        o = Object()
        for i in tf.range(3):
            o = o + i
    return x


def branch_with_while(x):
    if x > 0:
        o = Object()
        while x > 0:
            o = o + x
            x -= 1
    return x


def branch_with_lists(x):
    if x > 0:
        rows = []
        for i in tf.range(3):
            inner = []
            for _ in tf.range(2):
                inner.append(i)
            rows.append(inner)
    return x


def loop_in_a_loop(x):
    for i in tf.range(3):
        for j in tf.range(3):
            undefined = undefined + i + j  # noqa: F821, F841
    return x


def branch_of_an_undefined(x):
    for i in tf.range(3):
        if x > 1:
            y = 1
        z = y + i
    return z


@pytest.mark.parametrize(
    "function", [branch_with_for, branch_with_while, branch_with_lists, loop_in_a_loop, branch_of_an_undefined]
)
def test_a_statement_that_fails_to_stage_inside_of_another(function):
    f = tf.function(function)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError)):
            f(tf.constant(2))
        assert tf.executing_eagerly()
        assert _core.open_contexts() == [] and _core.open_statements() == []


def test_each_loop_explains_what_the_one_inside_of_it_says():
    with pytest.raises(ValueError, match="must be defined before the loop") as error:
        tf.function(loop_in_a_loop)(tf.constant(2))
    assert str(error.value).count("AutoGraph tried to define it automatically") == 2


def test_contexts_that_a_trace_leaves_open_end_with_it():
    held = []

    @tf.function
    def f(x):
        held.extend([tf.name_scope("left"), tf.Graph().as_default(), tf.GradientTape(), tf.device("/CPU:0")])
        for context in held:
            context.__enter__()
        raise ValueError("on purpose")

    before = state()
    with pytest.raises(ValueError, match="on purpose"):
        f(tf.constant(1))
    assert state() == before
    for context in held:
        context.__exit__(None, None, None)  # has ended already
    assert state() == before


def test_settings_that_end_in_another_order():
    def creator(next_creator, **kwargs):
        return next_creator(**kwargs)

    before = state()
    contexts = [tf.device("/CPU:0"), tf.device("/job:localhost"), tf.name_scope("a"), tf.name_scope("b")]
    contexts += [tf.variable_creator_scope(creator), tf.variable_creator_scope(creator), tf.init_scope()]
    for context in contexts:
        context.__enter__()
    for context in contexts:
        context.__exit__(None, None, None)
    assert state() == before


def test_control_dependencies_that_end_in_another_order():
    graph = tf.Graph()
    with graph.as_default():
        a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
        after_a, after_b = tf.control_dependencies([a]), tf.control_dependencies([b])
        after_a.__enter__()
        after_b.__enter__()
        after_a.__exit__(None, None, None)
        c = tf.constant(3, name="c")
        after_b.__exit__(None, None, None)
        d = tf.constant(4, name="d")
    assert [op.name for op in c.op.control_inputs] == ["b"]
    assert list(d.op.control_inputs) == []


def test_a_tape_that_another_thread_stops_records_no_more():
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=True)
    tape.__enter__()
    tape.watch(x)
    y = x * x
    thread = threading.Thread(target=tape.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    z = y * x
    assert float(tape.gradient(y, x)) == 6.0 and tape.gradient(z, x) is None
    with tape:
        tape.watch(x)
        z = x * x * x
    assert float(tape.gradient(z, x)) == 27.0
    with tf.name_scope("next"):
        pass
    assert _core.open_contexts() == []


def test_a_name_scope_that_ends_on_another_thread():
    scope = tf.name_scope("here")
    errors = []

    def end():
        try:
            scope.__exit__(None, None, None)
        except RuntimeError as error:
            errors.append(str(error))

    with scope:
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        assert tf.get_current_name_scope() == "here"
    assert "ends on another thread than it began on" in errors[0]
    assert tf.get_current_name_scope() == ""


def test_a_composed_context_is_entered_whole_or_not_at_all():
    before = state()
    graph = tf.Graph()
    with graph.as_default():
        inside = state()
        with pytest.raises(ValueError, match="of another graph"), tf.control_dependencies([_op_of_another_graph()]):
            pass
        assert state() == inside
    with pytest.raises(ValueError, match="Unknown attribute"), tf.device("/nonsense:x:y"):
        pass
    assert state() == before


def _op_of_another_graph():
    with tf.Graph().as_default():
        return tf.constant(1).op


def test_contexts_as_decorators():
    @tf.init_scope()
    def eager():
        return tf.executing_eagerly()

    @tf.function
    def f():
        return eager() and not tf.executing_eagerly()

    assert bool(f())


def test_the_waiting_threads_go_on_when_a_trace_is_interrupted():
    started, go = threading.Event(), threading.Event()
    calls = []

    @tf.function
    def f(x):
        calls.append(threading.get_ident())
        if len(calls) == 1:
            started.set()
            go.wait(10)
            raise KeyboardInterrupt
        return x + 1

    found = []

    def first():
        try:
            f(tf.constant(1))
        except KeyboardInterrupt:
            found.append("interrupted")

    threads = [threading.Thread(target=first)]
    threads[0].start()
    assert started.wait(10)
    threads += [threading.Thread(target=lambda: found.append(int(f(tf.constant(1))))) for _ in range(3)]
    for thread in threads[1:]:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert sorted(map(str, found)) == ["2", "2", "2", "interrupted"]
    assert len(calls) == 2 and f._impl.pending == []
