"""Contenders in processes of their own: a peer library lives in another environment, and is timed there in turns with ours.

A worker executes snippets sent to it and answers with seconds per evaluation, so that contenders alternate though their
libraries cannot be imported into one process. Contenders of one library (TensorFlow eager, as a graph, by XLA) share a
process. A process is stopped while another one works: the threads of several libraries spin for a while after their work, and
would take the cores from the next contender.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_WORKER = Path(__file__).with_name("_worker.py")


def environment(name: str) -> str:
    """The python of a peer environment ("tf", "misc") made beforehand; see docs/performance.md. "" is this one."""
    if not name:
        return sys.executable
    root = os.environ.get("TRACEFN_PEERS") or os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "tracefn-peers"
    )
    return str(Path(root) / name / "bin" / "python")


@dataclass(frozen=True)
class Contender:
    """A library in one of its modes.

    Every prelude defines `arr` (an array of the library from a numpy array), `jit(f, static)` (f compiled; `static` are
    the positions of arguments that are Python values) and `done(x)` (x, computed for certain).
    """

    name: str
    library: str
    module: str
    env: str
    prelude: str
    lazy: bool = False  # results have to be waited for: rows wrap their expression in done()


_TF = """
import numpy as np, tensorflow as tf
tf.get_logger().setLevel("ERROR")
arr, done = tf.constant, lambda x: x
def jit(f, static=()):
    return function(f)
"""
_NUMPY = """
import numpy as np
from scipy.special import erf
xp, arr, done, amax = np, np.asarray, lambda x: x, np.max
def jit(f, static=()):
    return f
"""
_TORCH = """
import numpy as np, torch
xp, done, amax, erf = torch, lambda x: x, torch.amax, torch.erf
def arr(x):
    return torch.from_numpy(np.array(x))
torch.set_grad_enabled(False)
def jit(f, static=()):
    return f
"""
CONTENDERS = [
    Contender(
        "tracefn",
        "tracefn",
        "tracefn",
        "",
        _TF.replace("tensorflow", "tracefn") + "function = tf.function\n",
    ),
    Contender("tf.function", "tensorflow", "tensorflow", "tf", _TF + "function = tf.function\n"),
    Contender(
        "TF XLA", "tensorflow", "tensorflow", "tf", _TF + "def function(f): return tf.function(f, jit_compile=True)\n"
    ),
    Contender("TF eager", "tensorflow", "tensorflow", "tf", _TF + "def function(f): return f\n"),
    Contender(
        "jax.jit",
        "jax",
        "jax",
        "misc",
        """
import numpy as np, jax, jax.numpy as jnp
from jax import lax
from jax.scipy.special import erf
xp, arr, done, amax = jnp, jnp.asarray, jax.block_until_ready, jnp.max
jax.config.update("jax_enable_x64", False)
def jit(f, static=()):
    return jax.jit(f, static_argnums=static)
""",
        lazy=True,
    ),
    Contender("torch", "torch", "torch", "misc", _TORCH),
    Contender("torch.compile", "torch", "torch", "misc", _TORCH + "def jit(f, static=()): return torch.compile(f)\n"),
    Contender(
        "mlx.compile",
        "mlx",
        "mlx.core",
        "misc",
        """
import numpy as np, mlx.core as mx
mx.set_default_device(mx.cpu)
xp, amax, erf = mx, mx.max, mx.erf
def arr(x):
    return mx.array(np.asarray(x))
def done(x):
    mx.eval(x)
    return x
def jit(f, static=()):
    return mx.compile(f)
""",
        lazy=True,
    ),
    Contender(
        "numexpr",
        "numexpr",
        "numexpr",
        "misc",
        "import numpy as np, numexpr as ne\nne.set_num_threads(2)\narr, done = np.asarray, lambda x: x\n",
    ),
    Contender(
        "numba",
        "numba",
        "numba",
        "misc",
        """
import math, numpy as np, numba
from numba import njit, prange
f32 = np.float32
arr, done = np.asarray, lambda x: x
def jit(f, static=()):
    return njit(f)
""",
    ),
    Contender("numpy", "numpy", "numpy", "misc", _NUMPY),
]
BY_NAME = {contender.name: contender for contender in CONTENDERS}


def environment_variables() -> dict:
    """What a contender's process runs under: quiet, on the CPU; bytecode is kept, as it is for an installed package."""
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", JAX_PLATFORMS="cpu")
    if env.pop("PYTHONDONTWRITEBYTECODE", None):
        env["PYTHONPYCACHEPREFIX"] = str(Path(env.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tracefn-benchmarks")
    return env


class Failed(Exception):
    """A contender's code raised; the text is its error."""


class Worker:
    """A python process that runs and times snippets.

    Each order names a space: a dict of globals that keeps what setup() defined there.
    """

    def __init__(self, python: str = sys.executable) -> None:
        self._process = subprocess.Popen(
            [python, str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment_variables(),
        )
        self._process.send_signal(signal.SIGSTOP)

    def _ask(self, **order):
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failed(f"the process ended with code {self._process.wait()}")
        self._process.send_signal(signal.SIGSTOP)
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["answer"]

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def setup(self, source: str, space: str = "") -> None:
        """Executes statements in a space."""
        self._ask(do="setup", source=source, space=space)

    def result(self, expression: str, space: str = "") -> dict:
        """The value of an expression, as shape and evenly spaced samples; and the seconds it took."""
        return self._ask(do="result", source=expression, space=space)

    def time(self, expression: str, number: int, space: str = "") -> float:
        """Seconds per evaluation of an expression."""
        return self._ask(do="time", source=expression, number=number, space=space)

    def peak(self, expression: str, space: str = "") -> int:
        """Bytes by which the resident memory of the process rises, at most, while the expression is evaluated once."""
        return self._ask(do="peak", source=expression, space=space)

    def forget(self, space: str = "") -> None:
        """Drops a space."""
        self._ask(do="forget", space=space)

    def close(self) -> None:
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.close()
        self._process.wait()
