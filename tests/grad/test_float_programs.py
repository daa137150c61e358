"""Random programs with nested conditionals, loops, jumps, arrays and inner functions: TensorFlow's gradients, every way."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
import tracefn as tf
from grad.float_programs import ARGUMENTS, function_of, gradients, tensors, text_of

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "programs.json").read_text())
PROGRAMS = list(RECORDED)


def ways(function) -> dict:
    """name -> what takes the arguments and gives (first gradients, second ones)."""
    traced = tf.function(function)
    return {
        "eager": lambda arguments: gradients(function, arguments, tf),
        "of a function": lambda arguments: gradients(traced, arguments, tf),
        "in a function": tf.function(lambda *arguments: gradients(function, list(arguments), tf)),
        "of a function in a function": tf.function(lambda *arguments: gradients(traced, list(arguments), tf)),
    }


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_program(number):
    text = PROGRAMS[number]
    for name, way in ways(function_of(text, tf)).items():
        for values, wanted in zip(ARGUMENTS, RECORDED[text], strict=True):
            arguments = tensors(values, tf)
            found = way(arguments) if name in ("eager", "of a function") else way(*arguments)
            for got, numbers in zip(found, wanted, strict=True):
                for g, n in zip(got, numbers, strict=True):
                    np.testing.assert_allclose(g.numpy(), n, rtol=1e-7, atol=1e-9, err_msg=f"{name}\n{text}")


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_ways_agree(seed):
    text = text_of(seed)
    answers = {}
    for name, way in ways(function_of(text, tf)).items():
        arguments = tensors(ARGUMENTS[seed % 2], tf)
        found = way(arguments) if name in ("eager", "of a function") else way(*arguments)
        answers[name] = [g.numpy() for order in found for g in order]
    for name, found in answers.items():
        for got, wanted in zip(found, answers["eager"], strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-10, err_msg=f"{name}\n{text}")


def test_programs_are_those_recorded():
    assert [text_of(seed) for seed in range(len(PROGRAMS))] == PROGRAMS, "run tests/grad/record_programs.py"
