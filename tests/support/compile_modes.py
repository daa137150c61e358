"""Runs a program in a process of its own with loops compiled, compared or run op by op."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = str(Path(__file__).parents[1])

# TRACEFN_COMPILE, and what `explain_compilation()` says of a loop then.
MODES = [("off", "op by op: TRACEFN_COMPILE=off"), ("always", "compiled as a whole"), ("verify", "compiled as a whole")]


def printed(mode: str, program: str) -> list[str]:
    """The lines that the program prints, which may import what tests share."""
    paths = os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"TRACEFN_COMPILE": mode, "PYTHONPATH": paths}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()
