"""Every statement and expression class of Python's ast has a case: converted, passed through, or left alone."""

import ast
import logging

import pytest

import tracefn as tf
from tracefn.autograph.converters import rewrite

# They occur only in generators and coroutines, which are left alone as a whole, or are removed from the language.
LEFT_ALONE = {
    "AsyncFor", "AsyncWith", "Await", "Yield", "YieldFrom", "TemplateStr", "Interpolation",
    "Num", "Str", "Bytes", "NameConstant", "Ellipsis",
}  # fmt: skip


def classes_of(base):
    return [c for c in vars(ast).values() if isinstance(c, type) and issubclass(c, base) and c is not base]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "base, known",
    [
        (ast.stmt, set(rewrite._STATEMENTS) | rewrite._KNOWN_STATEMENTS),
        (ast.expr, set(rewrite._EXPRESSIONS) | rewrite._KNOWN_EXPRESSIONS | rewrite._LEAVES),
    ],
)
def test_every_class_has_a_case(base, known):
    missing = [c.__name__ for c in classes_of(base) if c not in known and c.__name__ not in LEFT_ALONE]
    assert not missing


@pytest.fixture
def lines(monkeypatch):
    """The texts that are logged as warnings."""
    monkeypatch.setattr(tf.get_logger(), "disabled", False)
    monkeypatch.setattr(logging.root.manager, "disable", logging.NOTSET)
    level = tf.get_logger().level
    tf.get_logger().setLevel("WARNING")
    logged = []

    class Collect(logging.Handler):
        def emit(self, record):
            logged.append(record.getMessage())

    handler = Collect()
    tf.get_logger().addHandler(handler)
    yield logged
    tf.get_logger().removeHandler(handler)
    tf.get_logger().setLevel(level)


def test_an_unrolled_loop_of_many_nodes_is_named(lines):
    @tf.function
    def f(x):
        for i in range(1200):
            x = x + i
        return x

    f(tf.constant(1))
    assert len(lines) == 1 and f"line {f.python_function.__code__.co_firstlineno + 3} made" in lines[0]
    assert "tf.range" in lines[0]


@pytest.mark.parametrize("take", ["tape", "gradients"])
def test_a_line_that_takes_gradients_is_no_loop(lines, take):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in range(300):
                y = tf.sin(y)
                y = y * x
        return tape.gradient(y, x) if take == "tape" else tf.gradients(y, x)[0]

    f(tf.constant(0.5))
    assert len(f.get_concrete_function(tf.TensorSpec([])).graph.get_operations()) > 1500
    assert not lines


def test_a_line_of_a_library_is_not_named(lines):
    library = compile("def repeated(x):\n    for _ in range(1200):\n        x = x + 1\n    return x", "/env/site-packages/l.py", "exec")
    names = {}
    exec(library, names)
    tf.function(names["repeated"])(tf.constant(1))
    assert not lines
