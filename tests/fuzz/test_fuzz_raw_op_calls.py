"""A few seconds of tests/fuzz/raw_op_calls.py: no finding. The seeds are not those that a longer run begins with."""

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("raw_op_calls.py")


def test_no_finding():
    command = [sys.executable, str(PROGRAM), "--cases", "1200", "--first", "1000000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    totals = {line.split(None, 1)[1]: int(line.split()[0]) for line in done.stdout.splitlines()[:-1]}
    assert sum(totals.values()) == 1200
    for mode in ("eager", "tape", "traced", "traced gradient"):
        assert totals[f"{mode}: an answer"] > 8
        assert (
            totals[f"{mode}: InvalidArgumentError"] + totals[f"{mode}: TypeError"] + totals[f"{mode}: ValueError"] > 20
        )
