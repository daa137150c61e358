"""Loops whose counters are indices: the bits of op by op, and the same errors, though checks that cannot fail are gone."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tracefn as tf
from support.index_programs import Writer
from support.program_runs import bits, program_of, seeds

SEEDS = seeds(150)


def arguments(seed: int) -> list:
    rng = np.random.default_rng(seed)
    shapes = [(9,), (7,), (9, 7)]
    return [*(tf.constant(rng.integers(-3, 9, s).astype(np.int32)) for s in shapes), tf.constant(np.int32(rng.integers(0, 40)))]


def outcome(program, given: list):
    try:
        return bits(tf.function(program)(*given))
    except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError):  # eagerly lists raise the second one
        return "fails"


def eager_outcome(program, given: list):
    tf.config.run_functions_eagerly(True)
    try:
        return outcome(program, given)
    finally:
        tf.config.run_functions_eagerly(False)


def test_random_programs_have_the_bits_of_eager_code():
    failed = 0
    for seed in SEEDS:
        text = Writer(seed).text()
        program = program_of(text, f"<indices {seed}>")
        found, wanted = outcome(program, arguments(seed)), eager_outcome(program, arguments(seed))
        failed += wanted == "fails"
        # What nothing reads is not computed when traced, and does not fail.
        assert found == wanted or wanted == "fails", f"seed {seed}:\n{text}"
    assert len(SEEDS) < 50 or len(SEEDS) / 50 < failed < len(SEEDS) * 0.7


VERIFIED = f"""
from support.index_programs import Writer
from support.program_runs import program_of
from function.test_index_loops import arguments, outcome
print(sum(outcome(program_of(Writer(s).text(), str(s)), arguments(s)) == "fails" for s in range({SEEDS.start + 1000}, {SEEDS.stop + 1000})))
"""


def test_random_programs_fail_as_op_by_op():
    """A loop that has other bits or another error compiled than op by op raises InternalError in this mode."""
    environment = os.environ | {"TRACEFN_COMPILE": "verify"}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", VERIFIED], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(SEEDS) < 50 or len(SEEDS) / 50 < int(done.stdout) < len(SEEDS) * 0.7


def test_an_index_out_of_range_in_a_late_iteration():
    @tf.function
    def total(x, n):
        s = 0
        for i in tf.range(n):
            s += x[i]
        return s

    x = tf.range(10)
    assert total(x, 10).numpy() == 45
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 10 of dimension 0 out of bounds") as e:
        total(x, 11)
    assert "s += x[i]" in str(e.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index -1 of dimension 0 out of bounds"):
        tf.function(lambda x, n: tf.while_loop(lambda i, _: i > n, lambda i, s: (i - 1, s + x[i]), (9, 0)))(x, -12)
