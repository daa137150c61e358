"""Puts a row's question to its contenders: results compared first, then timed in turns."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from _timing import alternate
from peers import BY_NAME, CONTENDERS, Contender, Failed, Worker, environment, environment_variables
from rows import MEMORY_MARGIN, Row
from settings import Setting

# An evaluation of more seconds than this, after a first one, is not repeated.
LONG = 5.0
_PRINT_SECONDS = """
{code.setup}
from time import perf_counter
began = perf_counter()
{code.expression}
print(perf_counter() - began)
"""
_LIMITS = Path(__file__).parent / "machine" / "limits.cpp"


@dataclass
class Measured:
    """The figures of a row: contender -> (median, spread), per operation; and why others have none."""

    row: Row
    figures: dict[str, tuple[float, float]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def medians(self) -> dict[str, float]:
        return {name: median for name, (median, _) in self.figures.items()}

    def best_peer(self) -> tuple[str, float] | None:
        """The fastest (or smallest) of the others."""
        others = {name: value for name, value in self.medians().items() if name != "tracefn"}
        return min(others.items(), key=lambda item: item[1]) if others else None

    def won(self) -> bool:
        if "tracefn" not in self.figures:
            return False
        best = self.best_peer()
        margin = MEMORY_MARGIN if self.row.kind == "memory" else 0
        return best is None or self.figures["tracefn"][0] <= best[1] + margin


@dataclass(frozen=True)
class Limits:
    """What the machine can do at most: bytes per second that are read, and that a copy moves; operations per second."""

    read: float
    copy: float
    flops: float


def machine_limits(setting: Setting) -> Limits:
    """By a program compiled for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "limits")
        compiler = os.environ.get("CXX", "c++")
        command = [compiler, "-O3", f"-march={setting.march()}", "-pthread", str(_LIMITS), "-o", program]
        subprocess.run(command, check=True)
        printed = subprocess.run([program, str(setting.threads)], check=True, capture_output=True, text=True).stdout
    return Limits(*map(float, printed.split()))


def differs(row: Row, answer: dict, expected: dict) -> str | None:
    """How an answer departs from another contender's, or None."""
    if answer["shapes"] != expected["shapes"]:
        return f"has shapes {answer['shapes']} for {expected['shapes']}"
    pairs = [
        (a, b)
        for ours, theirs in zip(answer["values"], expected["values"], strict=True)
        for a, b in zip(ours, theirs, strict=True)
    ]
    # nan is close to nothing, itself included; infinities are equal.
    apart = [(a, b) for a, b in pairs if a != b and not abs(a - b) <= row.tolerance * (1 + abs(b))]
    if len(apart) > row.mismatches * len(pairs):
        return f"differs in {len(apart)} of {len(pairs)} values: {apart[0][0]} for {apart[0][1]}"
    return None


class Bench:
    """The processes of the contenders, and the measuring of rows in them."""

    def __init__(self, rounds: int, seconds: float) -> None:
        self._rounds = rounds
        self._seconds = seconds
        self._workers: dict[str, Worker] = {}
        self._spaces: dict[str, str] = {}
        self.left_out = self._missing()

    @staticmethod
    def _missing() -> dict[str, str]:
        """library -> why it cannot take part."""
        missing: dict[str, str] = {}
        for contender in CONTENDERS:
            python = environment(contender.env)
            if contender.library in missing:
                continue
            if not os.path.exists(python):
                missing[contender.library] = f"{python} is not there"
                continue
            found = subprocess.run(
                [python, "-c", f"import {contender.module}"],
                env=environment_variables(),
                capture_output=True,
                text=True,
            )
            if found.returncode:
                missing[contender.library] = found.stderr.strip().splitlines()[-1]
        return missing

    def versions(self) -> dict[str, str]:
        """library -> version, of those that take part."""
        found = {}
        for contender in CONTENDERS:
            if contender.library not in self.left_out and contender.library not in found:
                program = f"import importlib.metadata as m, {contender.module}; print(m.version('{contender.library}'))"
                if contender.library == "tensorflow":
                    program = "import tensorflow as tf; print(tf.__version__)"
                if contender.library == "tracefn":
                    program = "from tracefn import _core; print('of this tree, kernels ' + _core.instruction_set())"
                ran = subprocess.run(
                    [environment(contender.env), "-c", program],
                    env=environment_variables(),
                    capture_output=True,
                    text=True,
                )
                found[contender.library] = ran.stdout.strip()
        return found

    def measure(self, row: Row) -> Measured:
        """All figures of a row."""
        measured = Measured(row, notes=dict(row.why_not))
        contenders = [BY_NAME[name] for name in row.codes if BY_NAME[name].library not in self.left_out]
        by_kind = {"time": self._times, "memory": self._peaks, "process": self._processes}
        by_kind[row.kind](row, contenders, measured)
        return measured

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

    def _worker(self, contender: Contender) -> Worker:
        if contender.library not in self._workers or not self._workers[contender.library].alive():
            self._workers[contender.library] = Worker(environment(contender.env))
            for other in CONTENDERS:
                if other.library == contender.library:
                    self._spaces.pop(other.name, None)
        return self._workers[contender.library]

    def _enter(self, contender: Contender, row: Row) -> str:
        """The space of the row's code, made if the last row of this contender had another; prepared for the row."""
        worker, space = self._worker(contender), contender.name
        source = contender.prelude + row.codes[contender.name].setup
        if self._spaces.get(space) != source:
            self._spaces.pop(space, None)
            worker.forget(space)
            worker.setup(source, space)
            self._spaces[space] = source
        worker.setup(row.prepare, space)
        return space

    def _times(self, row: Row, contenders: list[Contender], measured: Measured) -> None:
        first: dict[str, float] = {}
        alone: dict[str, tuple[float, float]] = {}
        answers: dict[str, dict] = {}
        for contender in contenders:
            name, worker, expression = contender.name, self._worker(contender), row.codes[contender.name].expression
            try:
                space = self._enter(contender, row)
                # The first results are compared, as training goes on from call to call; the first call may compile.
                answers[name] = worker.result(expression, space)
                first[name] = worker.result(expression, space)["seconds"]
                if first[name] > LONG:
                    alone[name] = (first[name] / row.scale, 0.0)
            except Failed as failure:
                measured.notes[name] = f"fails: {failure}"
        self._compare(row, answers, measured)

        def timed(contender):
            worker, expression = self._worker(contender), row.codes[contender.name].expression
            return lambda number: worker.time(expression, number, contender.name)

        racing = {c.name: timed(c) for c in contenders if c.name in answers and c.name not in alone}
        figures = alternate(racing, {name: first[name] for name in racing}, self._rounds, self._seconds)
        measured.figures = {n: (median / row.scale, spread / row.scale) for n, (median, spread) in figures.items()}
        measured.figures |= {name: figure for name, figure in alone.items() if name in answers}

    @staticmethod
    def _compare(row: Row, answers: dict[str, dict], measured: Measured) -> None:
        """Takes out the answers that differ from the one that most others agree with."""
        agreeing = {
            name: sum(differs(row, other, answer) is None for other in answers.values())
            for name, answer in answers.items()
        }
        if not agreeing:
            return
        expected = answers[max(agreeing, key=lambda name: agreeing[name])]
        for name in list(answers):
            difference = differs(row, answers[name], expected)
            if difference:
                measured.notes[name] = f"wrong: {difference}"
                del answers[name]

    def _peaks(self, row: Row, contenders: list[Contender], measured: Measured) -> None:
        for contender in contenders:
            code = row.codes[contender.name]
            worker = Worker(environment(contender.env))
            try:
                worker.setup(contender.prelude + code.setup)
                measured.figures[contender.name] = (float(worker.peak(code.expression)), 0.0)
            except Failed as failure:
                measured.notes[contender.name] = f"fails: {failure}"
            finally:
                worker.close()

    def _processes(self, row: Row, contenders: list[Contender], measured: Measured) -> None:
        env = environment_variables()

        def once(contender):
            """Seconds of the whole process; of the expression alone where there is a setup, printed by the process."""
            code = row.codes[contender.name]
            program = _PRINT_SECONDS.format(code=code) if code.setup else code.expression
            command = [environment(contender.env), "-c", program]
            start = time.perf_counter()
            ran = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
            return float(ran.stdout) if code.setup else time.perf_counter() - start

        def timed(contender):
            return lambda number: sum(once(contender) for _ in range(number)) / number

        racing, first = {}, {}
        for contender in contenders:
            try:
                once(contender)  # writes the bytecode and fills the file cache
                first[contender.name] = once(contender)
                racing[contender.name] = timed(contender)
            except subprocess.CalledProcessError as failure:
                measured.notes[contender.name] = f"fails: {failure.stderr.strip().splitlines()[-1]}"
        measured.figures = alternate(racing, first, self._rounds, self._seconds)
