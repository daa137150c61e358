"""Random programs with Variables, rows, jumps, tapes and custom gradients: TensorFlow's gradients, and the same in every way."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
import tracefn as tf
from grad.float_programs import ARGUMENTS, tensors
from grad.wide_programs import gradients, program_of, text_of

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "wide_programs.json").read_text())
PROGRAMS = list(RECORDED)
MORE = range(len(PROGRAMS), len(PROGRAMS) + 40)


def arrays(found) -> list:
    """First and second gradients as arrays."""
    for order in found:
        if isinstance(order, Exception):
            raise order
    return [[None if g is None else g.numpy() for g in order] for order in found]


def assert_equal(got: list, wanted: list, where: str, none_as_zero: bool = False) -> None:
    for g, w in zip(got, wanted, strict=True):
        if none_as_zero:
            g, w = (0.0 if x is None else x for x in (g, w))
        assert (g is None) == (w is None), where
        if w is not None:
            np.testing.assert_allclose(g, w, rtol=1e-7, atol=1e-9, err_msg=where)


@pytest.mark.parametrize("number", [n for n, text in enumerate(PROGRAMS) if RECORDED[text] is not None])
def test_program(number):
    text = PROGRAMS[number]
    function, variables = program_of(text, tf)
    traced = tf.function(function)
    for values, (first, second) in zip(ARGUMENTS, RECORDED[text], strict=True):
        found = arrays(gradients(traced, tensors(values, tf), variables, tf))
        assert_equal(found[0], first, f"first\n{text}")
        if second is not None:
            assert_equal(found[1], second, f"second\n{text}")


@pytest.mark.parametrize("number", [*range(len(PROGRAMS)), *MORE])
def test_ways_agree(number):
    text = text_of(number)
    function, variables = program_of(text, tf)
    traced = tf.function(function)
    arguments = tensors(ARGUMENTS[number % 2], tf)

    def inside(function):
        def both(*arguments):
            orders = gradients(function, list(arguments), variables, tf)
            like = [*arguments, *variables]
            return [[tf.zeros_like(x) if g is None else g for g, x in zip(o, like, strict=True)] for o in orders]

        return tf.function(both)

    eager = arrays(gradients(function, arguments, variables, tf))
    for name, found in {
        "of a function": gradients(traced, arguments, variables, tf),
        "in a function": inside(function)(*arguments),
        "of a function in a function": inside(traced)(*arguments),
    }.items():
        for got, wanted in zip(arrays(found), eager, strict=True):
            assert_equal(got, wanted, f"{name}\n{text}", none_as_zero=True)


def test_programs_are_those_recorded():
    assert [text_of(seed) for seed in range(len(PROGRAMS))] == PROGRAMS, "run tests/grad/record_wide_programs.py"
