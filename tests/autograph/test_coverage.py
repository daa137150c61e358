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


def test_an_unrolled_loop_of_many_nodes_is_named(monkeypatch):
    monkeypatch.setattr(tf.get_logger(), "disabled", False)
    monkeypatch.setattr(logging.root.manager, "disable", logging.NOTSET)
    level = tf.get_logger().level
    tf.get_logger().setLevel("WARNING")
    lines = []

    class Collect(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    handler = Collect()
    tf.get_logger().addHandler(handler)
    try:

        @tf.function
        def f(x):
            for i in range(1200):
                x = x + i
            return x

        f(tf.constant(1))
    finally:
        tf.get_logger().removeHandler(handler)
        tf.get_logger().setLevel(level)
    assert len(lines) == 1 and f"line {f.python_function.__code__.co_firstlineno + 3} made" in lines[0]
    assert "tf.range" in lines[0]
