"""Loops over larger arrays: the bits of op by op."""

import os

import numpy as np
import pytest
import tracefn as tf
from support.array_programs import Writer
from support.program_runs import check_bits, program_of

PROGRAMS = int(os.environ.get("TRACEFN_ARRAY_PROGRAMS", "60"))
FIRST = int(os.environ.get("TRACEFN_FIRST_PROGRAM", "0"))


def arguments(seed: int) -> list:
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=shape).astype(np.float32) for shape in [(70,), (70,), (5, 70), (13, 11), ()]]
    numbers[0][3] = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30, 1.0])
    xs, ids = rng.normal(size=8).astype(np.float32), rng.integers(-5, 5, 8).astype(np.int32)
    return [*map(tf.constant, numbers), tf.constant(rng.integers(0, 9).astype(np.int32)), tf.constant(xs), tf.constant(ids)]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_random_programs_have_the_bits_of_op_by_op(seed):
    text = Writer(seed).text()
    program = program_of(text, f"<arrays {seed}>")
    for steps in (0, 1, 7):
        check_bits(program, [*arguments(seed), tf.constant(steps)], f"after {steps} steps of\n{text}")
