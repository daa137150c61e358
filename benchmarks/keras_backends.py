"""Keras on tracefn beside Keras's own backends: seconds per step of `fit` at batch 32, of the import, and memory.

python benchmarks/keras_backends.py --tracefn PYTHON --tensorflow PYTHON [--jax PYTHON] [--torch PYTHON]
    each: the python of an environment with Keras and that backend (library_tests.py makes two of them); TensorFlow's is
    that of the peers unless told
    --rounds 3 --steps 100    how often each is run, in turns, and how many steps an epoch has
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from _timing import text
from peers import environment

STEPS = Path(__file__).with_name("_keras_steps.py")
CONTENDERS = ("tracefn", "tensorflow", "jax", "torch")


def measured(name: str, python: str, steps: int) -> dict:
    """The figures of one run of a contender, in a process of its own."""
    variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    if name != "tracefn":
        variables.pop("PYTHONPATH", None)
    done = subprocess.run([python, str(STEPS), name, str(steps)], capture_output=True, text=True, env=variables)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def shown(row: str, value: float) -> str:
    """A figure with its unit."""
    return f"{value / 2**20:.0f} MB" if row == "memory" else text(value)


def table(runs: dict[str, list[dict]]) -> str:
    """The medians, in Markdown, with tracefn's ratio to TensorFlow."""
    names = list(runs)
    lines = [f"| | {' | '.join(names)} | times TensorFlow's speed |", "|---|" + "---:|" * (len(names) + 1)]
    for row in runs[names[0]][0]["figures"]:
        medians = {name: statistics.median(run["figures"][row] for run in runs[name]) for name in names}
        ratio = medians["tensorflow"] / medians["tracefn"]
        lines.append(f"| {row} | {' | '.join(shown(row, medians[name]) for name in names)} | {ratio:.2f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracefn", default=sys.executable)
    parser.add_argument("--tensorflow", default=environment("tf"))
    parser.add_argument("--jax")
    parser.add_argument("--torch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    pythons = {name: getattr(given, name) for name in CONTENDERS if getattr(given, name)}
    runs: dict[str, list[dict]] = {name: [] for name in pythons}
    for _ in range(given.rounds):
        for name, python in pythons.items():
            runs[name].append(measured(name, python, given.steps))
    print(table(runs))
    first = {name: found[0]["losses"] for name, found in runs.items()}
    print("\nMean losses of the first epoch:")
    for name, losses in first.items():
        print(f"  {name}: " + ", ".join(f"{network} {loss:.6f}" for network, loss in losses.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
