"""Peers in processes of their own: a peer library lives in another environment, and is timed there in turns with ours.

A worker executes snippets sent to it and answers with seconds per call, so that contenders alternate though their
libraries cannot be imported into one process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_WORKER = """
import json, sys, time
space = {}
for line in sys.stdin:
    order = json.loads(line)
    try:
        if "setup" in order:
            exec(order["setup"], space)
            answer = None
        else:
            code = compile(order["time"], "<timed>", "eval")
            call = eval("lambda: " + order["time"], space)
            start = time.perf_counter()
            for _ in range(order["number"]):
                call()
            answer = (time.perf_counter() - start) / order["number"]
        print(json.dumps({"answer": answer}), flush=True)
    except Exception as error:
        print(json.dumps({"error": repr(error)}), flush=True)
"""


def environment(name: str) -> str:
    """The python of a peer environment ("tf", "misc") made beforehand; see docs/performance.md."""
    root = os.environ.get("TRACEFN_PEERS") or os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "tracefn-peers"
    )
    return str(Path(root) / name / "bin" / "python")


class Worker:
    """A python process that runs and times snippets."""

    def __init__(self, python: str = sys.executable) -> None:
        env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", JAX_PLATFORMS="cpu")
        self._process = subprocess.Popen(
            [python, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
        )

    def _ask(self, order: dict):
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["answer"]

    def setup(self, source: str) -> None:
        """Executes statements, once."""
        self._ask({"setup": source})

    def time(self, expression: str, number: int) -> float:
        """Seconds per evaluation of an expression."""
        return self._ask({"time": expression, "number": number})

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
