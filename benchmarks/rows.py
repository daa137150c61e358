"""What a row of the table is, and what it takes to win it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

# Bytes by which resident memory varies from run to run: it comes and goes in huge pages of 2 MiB.
MEMORY_MARGIN = 2 * 2**21


@dataclass(frozen=True)
class Code:
    """What a contender runs for a row: statements, kept as long as the next rows have the same, and an expression."""

    setup: str
    expression: str = "run()"


@dataclass(frozen=True)
class Work:
    """The least that one evaluation moves and computes.

    Attributes:
      bytes: bytes read and written.
      flops: single-precision operations; one in double precision counts twice.
      reads: whether next to nothing is written, so that the limit is that of reading.
    """

    bytes: float
    flops: float
    reads: bool = False


@dataclass(frozen=True)
class Goal:
    """What the row should reach, beyond being faster than the best peer."""

    text: str
    reached: Callable[[dict[str, float]], bool]


def under(limit: float, text: str) -> Goal:
    """The figure of tracefn is below a limit."""
    return Goal(f"under {text}", lambda figures: figures["tracefn"] < limit)


@dataclass(frozen=True)
class Row:
    """One question, put to every contender that can answer it.

    Attributes:
      name: what is measured; unique.
      codes: contender -> Code.
      prepare: statements run before this row in the space of its code (the sizes of a row, say).
      scale: the operations in one evaluation; the figure shown is that of one operation.
      kind: "time" in seconds, "memory" in bytes above the process's own, "process" in seconds of a whole process.
      tolerance, mismatches: how far results may lie apart, and the fraction of them that may lie further apart.
      why_not: contender -> why it does not answer.
    """

    name: str
    codes: dict[str, Code]
    prepare: str = ""
    scale: float = 1
    kind: str = "time"
    goal: Goal | None = None
    work: Work | None = None
    tolerance: float = 1e-4
    mismatches: float = 0.0
    why_not: dict[str, str] = field(default_factory=dict)


def same(code: Code, *names: str) -> dict[str, Code]:
    """The same code for several contenders."""
    return dict.fromkeys(names, code)
