"""How long Ctrl-C takes: for each kind of long work (tests/support/long_work.py) the time from the signal to the handler of
KeyboardInterrupt, the worst of several tries. Prints all, then the slowest ten.

    python benchmarks/interrupt_latency.py [--tries 5] [--size 4000000] [--only NAME ...] [--threads N]
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"

CHILD = """
import signal, sys, time
sys.path.insert(0, {tests!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
from support.long_work import MAKERS
run = MAKERS[{name!r}]({size})
run()
for _ in range({tries}):
    try:
        print("ready", flush=True)
        while True:
            run()
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
"""


def latencies(name: str, size: int, tries: int, patience: float) -> list[float]:
    """Seconds, by try; infinite where nothing was heard for `patience` seconds."""
    program = CHILD.format(tests=str(TESTS), name=name, size=size, tries=tries)
    found: list[float] = []
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        try:
            for _ in range(tries):
                if child.stdout.readline() != "ready\n":
                    break
                time.sleep(random.uniform(0.05, 0.4))
                sent = time.monotonic()
                child.send_signal(signal.SIGINT)
                line = child.stdout.readline()
                if not line:
                    break
                found.append(float(line) - sent)
                if found[-1] > patience:
                    break
        finally:
            child.kill()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--size", type=int, default=4_000_000)
    parser.add_argument("--only", nargs="*", help="names of kinds; all by default")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    if arguments.threads:
        os.environ["TRACEFN_NUM_THREADS"] = str(arguments.threads)
    sys.path.insert(0, str(TESTS))
    from support.long_work import MAKERS

    rows = []
    for name in arguments.only or MAKERS:
        found = latencies(name, arguments.size, arguments.tries, patience=5)
        worst = max(found, default=float("nan"))
        rows.append((worst, name))
        print(f"{worst * 1000:9.1f} ms  {name}", flush=True)
    print("\nslowest ten")
    for worst, name in sorted(rows, reverse=True)[:10]:
        print(f"{worst * 1000:9.1f} ms  {name}")


if __name__ == "__main__":
    main()
