"""The losses of Keras's `fit` on tracefn and on other backends, step by step: how far they leave TensorFlow's.

python benchmarks/loss_curves.py --tracefn PYTHON --tensorflow PYTHON [--jax PYTHON]
    each: the python of an environment with Keras and that backend; TensorFlow's is that of the peers unless told
    --seeds 10 --steps 100    how many weights and data are tried, and the steps of each

The networks are those of keras_backends.py. TensorFlow runs twice: without oneDNN, which the others are compared with,
and with it, which shows how far sums in another order lead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from peers import environment

ONEDNN = "TF_ENABLE_ONEDNN_OPTS"


def curve(keras, build, seed: int, steps: int) -> list[float]:
    """The loss of each step from weights and data of a seed."""
    from _keras_steps import BATCH, prepared

    model, x, y = prepared(keras, build, seed, steps)
    # One step at a time: within a longer fit Keras tells the means of all losses so far, in float32.
    batches = [slice(i * BATCH, (i + 1) * BATCH) for i in range(steps)]
    return [model.fit(x[b], y[b], BATCH, shuffle=False, verbose=0).history["loss"][0] for b in batches]


def contender(name: str, seeds: int, steps: int) -> None:
    """Prints the curves of all networks and seeds as JSON."""
    os.environ["KERAS_BACKEND"] = "tensorflow" if name == "tracefn" else name
    if name == "tracefn":
        import tracefn

        tracefn.install_as_tensorflow()
    import keras
    from _keras_steps import NETWORKS

    print(json.dumps({n: [curve(keras, b, seed, steps) for seed in range(seeds)] for n, b in NETWORKS.items()}))


def curves(name: str, python: str, onednn: str, seeds: int, steps: int) -> dict[str, list[list[float]]]:
    """The curves of one contender, from a process of its own."""
    variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", ONEDNN: onednn}
    if name != "tracefn":
        variables.pop("PYTHONPATH", None)
    command = [python, str(Path(__file__)), "--contender", name, "--seeds", str(seeds), "--steps", str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, env=variables)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracefn", default=sys.executable)
    parser.add_argument("--tensorflow", default=environment("tf"))
    parser.add_argument("--jax")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        contender(given.contender, given.seeds, given.steps)
        return 0
    expected = curves("tensorflow", given.tensorflow, "0", given.seeds, given.steps)
    print("| network | backend | largest difference of a loss from TensorFlow's, per seed |\n|---|---|---|")
    others = [("tracefn", given.tracefn, "0"), ("tensorflow", given.tensorflow, "1"), ("jax", given.jax, "0")]
    for name, python, onednn in others:
        if not python:
            continue
        found = curves(name, python, onednn, given.seeds, given.steps)
        shown = f"{name} with oneDNN" if onednn == "1" else name
        for network, of_seeds in found.items():
            pairs = zip(of_seeds, expected[network], strict=True)
            differences = [max(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in pairs]
            print(f"| {network} | {shown} | {', '.join(f'{d:.0e}' for d in differences)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
