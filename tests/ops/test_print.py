"""tf.print and tf.strings.format: the text of values, and where it goes."""

import sys

import pytest
import tracefn as tf


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("x", 1.0, True, None), "x 1.0 True None"),
        ((tf.constant([1.5, 2.0]),), "[1.5 2]"),
        ((tf.constant(1e10), tf.constant(1 / 3), tf.constant(1 / 3, tf.float64)), "1e+10 0.333333343 0.33333333333333331"),
        ((tf.constant("a"),), "a"),
        ((tf.constant("a"), tf.constant(["a", "b"])), '"a" ["a" "b"]'),
        ((tf.range(10),), "[0 1 2 ... 7 8 9]"),
        ((tf.constant([[1, 2], [3, 4]]),), "[[1 2]\n [3 4]]"),
        (({"k": tf.constant(1)}, [tf.constant(1), 1], (1, "a", tf.constant(2))), "{'k': 1} [1, 1] (1, 'a', 2)"),
        ((tf.constant([True, False]),), "[1 0]"),
    ],
)
def test_text(capsys, values, expected):
    tf.print(*values)
    assert capsys.readouterr() == ("", expected + "\n")


def test_streams(capsys, tmp_path):
    tf.print("a", "b", sep="-", end="!", output_stream=sys.stdout)
    assert capsys.readouterr() == ("a-b!", "")
    path = tmp_path / "log"
    tf.print("a", output_stream=f"file://{path}")
    tf.print("b", output_stream=f"file://{path}")
    assert path.read_text() == "a\nb\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("a", output_stream=3)
    with pytest.raises(ValueError, match="Unrecognized keyword arguments for tf.print"):
        tf.print("a", foo=1)


def test_in_a_function(capsys):
    @tf.function
    def f(x):
        tf.print("x =", x)
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    assert capsys.readouterr().err == "x = 1\nx = 2\n"


def test_format():
    assert tf.strings.format("{} and {}", [tf.range(7), "a"], summarize=1).numpy() == b'[0 ... 6] and "a"'
    with pytest.raises(ValueError, match="The template expects 2 tensors, but the inputs only has 1"):
        tf.strings.format("{} {}", (1,))
