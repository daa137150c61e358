"""Runs numbered cases in a child process, so that a case that crashes or hangs is known by its number and the run goes on.

A program of this folder gives `main` three functions: one prepares (once, in the parent; its bytes are handed to each
child), one makes of the bytes what cases need, and one runs a case by its seed and says in a word or two what came of it. What
a case raises is a finding, unless the program catches it.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

# What a child may take beyond what it has at first.
MEMORY = 4 << 30
# A child answers this many cases; a fresh one shows what depends on what was before.
CASES_OF_A_CHILD = 4000
# Seconds in which a child begins with its first.
START = 300
# What a child may grow by after its first cases, in MiB.
GROWTH = 400
FIRST_CASES = 1000


class TooLong(Exception):
    """A case was stopped, as Ctrl-C stops a program."""


def _stop(signum, frame):
    raise TooLong


def _is_sanitized() -> bool:
    return "libasan" in os.environ.get("LD_PRELOAD", "")


def _size(field: int) -> int:
    """Bytes of this process: of address space (0), in memory (1)."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


def _resident() -> int:
    """MiB of this process in memory."""
    return _size(1) >> 20


def _limit_memory(memory: int) -> None:
    if not _is_sanitized():  # which reserves more address space than there is memory
        limit = _size(0) + memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _child(
    run: Callable[[object, int], str], loaded: object, first: int, last: int, seconds: float, memory: int
) -> None:
    """Answers each seed with a line, after a line that names it."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what ops print is no answer
    faulthandler.enable()
    signal.signal(signal.SIGALRM, _stop)
    _limit_memory(memory)
    before = 0
    for seed in range(first, last):
        answers.write(f"seed {seed}\n")
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            outcome = run(loaded, seed)
        except TooLong:
            outcome = "stopped: it takes too long"
        except BaseException as error:  # noqa: B036 - whatever it is, it is reported and the run goes on
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            text = " ".join(str(error).split())[:300]
            outcome = f"FINDING {type(error).__name__} at {where.filename}:{where.lineno}: {text}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(f"outcome {outcome}\n")
        if seed - first == FIRST_CASES:
            before = _resident()
    if before and (grown := _resident() - before) > GROWTH and not _is_sanitized():
        answers.write(f"outcome FINDING memory grew by {grown} MiB from case {first + FIRST_CASES} to {last}\n")


class _Lines:
    """The lines of a pipe, waited for no longer than a limit."""

    def __init__(self, pipe) -> None:
        self._pipe = pipe
        self._rest = b""

    def next(self, seconds: float) -> str | None:
        """The next line; "" at the end, None when none came."""
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._pipe], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            data = os.read(self._pipe.fileno(), 1 << 16)
            if not data:
                return ""
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace")


def _drive(
    command: list[str], first: int, last: int, seconds: float, totals: collections.Counter, findings: list
) -> int:
    """One child from `first` on; returns the seed to go on with."""
    grace = 60 if _is_sanitized() else 20
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([*command, str(first), str(last)], stdout=subprocess.PIPE, stderr=errors)
        lines = _Lines(process.stdout)
        seed, is_answered = first - 1, True

        def finding(text: str) -> None:
            errors.seek(0, os.SEEK_END)
            errors.seek(max(0, errors.tell() - 6000))
            tail = errors.read().decode(errors="replace")
            findings.append((seed, f"{text}\n{tail}"))
            print(f"seed {seed}: {text}\n{tail}", flush=True)

        while True:
            line = lines.next(START if seed < first else seconds + grace)
            if line is None:
                os.kill(process.pid, signal.SIGABRT)  # faulthandler shows where it is
                time.sleep(2)
                process.kill()
                process.wait()
                totals["HANG"] += 1
                finding("hang")
                return seed + 1
            if not line:
                break
            kind, _, text = line.partition(" ")
            if kind == "seed":
                seed, is_answered = int(text), False
                continue
            is_answered = True
            if text.startswith("FINDING"):
                totals["FINDING"] += 1
                findings.append((seed, text))
                print(f"seed {seed}: {text}", flush=True)
            else:
                totals[text] += 1
        code = process.wait()
        if code or not is_answered:
            totals["CRASH"] += 1
            finding(f"crash: the child ended with {code}")
            return seed + 1
    return last


def main(
    prepare: Callable[[], bytes],
    load: Callable[[bytes], object],
    run: Callable[[object, int], str],
    program: str,
    description: str,
    memory: int = MEMORY,
) -> int:
    """The command line of a program of this folder; returns its exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", type=int, default=1000, help="how many (default: 1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--seconds", type=float, default=3.0, help="after which a case is stopped (default: 3)")
    parser.add_argument("--seed", type=int, help="run this case alone, in this process, and show what it raises")
    parser.add_argument("--child", nargs=3, metavar=("FILE", "FIRST", "LAST"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        loaded = load(pathlib.Path(options.child[0]).read_bytes())  # in no case's time
        _child(run, loaded, int(options.child[1]), int(options.child[2]), options.seconds, memory)
        return 0
    if options.seed is not None:
        faulthandler.enable()
        _limit_memory(memory)
        print(run(load(prepare()), options.seed))
        return 0
    totals: collections.Counter = collections.Counter()
    findings: list = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "prepared"
        file.write_bytes(prepare())
        command = [sys.executable, program, "--seconds", str(options.seconds), "--child", str(file)]
        seed, last = options.first, options.first + options.cases
        while seed < last:
            seed = _drive(command, seed, min(seed + CASES_OF_A_CHILD, last), options.seconds, totals, findings)
    for outcome, n in totals.most_common():
        print(f"{n:8}  {outcome}")
    print(f"{options.cases} cases in {time.monotonic() - start:.0f} s, {len(findings)} findings")
    return 1 if findings else 0
