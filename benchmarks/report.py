"""The measured rows as text and as Markdown, with the reasons of lost rows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from _timing import text
from measure import Limits, Measured
from peers import CONTENDERS
from settings import Setting

REASONS = Path(__file__).with_name("reasons.toml")
MARKS = "<!-- table: begin -->", "<!-- table: end -->"


def amount(measured: Measured, value: float) -> str:
    """A figure with its unit."""
    return f"{value / 1e6:.3g} MB" if measured.row.kind == "memory" else text(value)


def times(ratio: float) -> str:
    """How many times as much: "0.35x", "2.1x", "8,850x"."""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2g}x" if ratio < 10 else f"{ratio:.3g}x"


def cell(measured: Measured, name: str) -> str:
    """A contender's figure and how many times ours it is."""
    if name not in measured.figures:
        return "-"
    value = measured.figures[name][0]
    if name == "tracefn" or "tracefn" not in measured.figures:
        return amount(measured, value)
    ours = measured.figures["tracefn"][0]
    return f"{amount(measured, value)} ({times(value / ours)})"


def verdict(measured: Measured) -> str:
    """Won or lost, against which peer, by how much; and whether the row's own goal is reached."""
    if "tracefn" not in measured.figures:
        return "**lost**: no figure"
    best = measured.best_peer()
    said = "no peer"
    if best:
        ratio = best[1] / measured.figures["tracefn"][0]
        said = f"{'won' if measured.won() else '**lost**'}, {times(ratio)} {best[0]}"
    if measured.row.goal:
        said += f"; {'reached' if measured.row.goal.reached(measured.medians()) else '**missed**'}: {measured.row.goal.text}"
    return said


def lost(measured: Measured) -> bool:
    """Whether the row needs a reason: a peer is ahead or its goal is missed."""
    goal = measured.row.goal
    return not measured.won() or (goal is not None and not goal.reached(measured.medians()))


def share(measured: Measured, limits: Limits) -> tuple[str, dict[str, float]] | None:
    """The limit, and how much of it each contender reaches, the best first; for rows whose work is known."""
    work = measured.row.work
    if work is None:
        return None
    moved = work.bytes / (limits.read if work.reads else limits.copy)
    computed = work.flops / limits.flops
    bound = "FMA peak" if computed > moved else "read bandwidth" if work.reads else "copy bandwidth"
    by_speed = sorted(measured.medians().items(), key=lambda item: item[1])
    return bound, {name: max(moved, computed) / value for name, value in by_speed}


def fraction(measured: Measured, limits: Limits) -> str | None:
    """The same as text."""
    found = share(measured, limits)
    if found is None:
        return None
    shares = [f"{name} {100 * part:.0f} %" for name, part in found[1].items()]
    return f"{measured.row.name}, of {found[0]}: " + ", ".join(shares)


def line(measured: Measured) -> str:
    """A row in one line of text."""
    names = [c.name for c in CONTENDERS if c.name in measured.figures]
    cells = [f"{name} {cell(measured, name)}" for name in names]
    said = f"{measured.row.name:42s} {verdict(measured).replace('**', '')}\n    " + "   ".join(cells)
    for name, note in measured.notes.items():
        said += f"\n    {name}: {note}"
    return said


def table(title: str, rows: list[Measured]) -> list[str]:
    """A section as Markdown: the contenders that answered any of its rows are its columns."""
    names = [c.name for c in CONTENDERS if any(c.name in m.figures for m in rows)]
    lines = [f"### {title}", "", "| row | " + " | ".join(names) + " | |", "|---" * (len(names) + 2) + "|"]
    for m in rows:
        lines.append(f"| {m.row.name} | " + " | ".join(cell(m, name) for name in names) + f" | {verdict(m)} |")
    notes: dict[str, list[str]] = {}
    for m in rows:
        for name, note in m.notes.items():
            notes.setdefault(f"{name} {note}", []).append(m.row.name)
    if notes:
        lines += [
            "",
            "Without a figure: " + "; ".join(f"{note} ({', '.join(where)})" for note, where in notes.items()) + ".",
        ]
    return [*lines, ""]


def reasons() -> dict[str, str]:
    """Row name -> why it was lost and what would win it; kept by hand, reviewed when a rerun loses other rows."""
    return tomllib.loads(REASONS.read_text())


@dataclass
class Run:
    """All rows that were measured under one setting."""

    setting: Setting
    sections: dict[str, list[Measured]]
    limits: Limits | None

    def rows(self) -> list[Measured]:
        return [m for rows in self.sections.values() for m in rows]


def short(measured: Measured, limits: Limits | None) -> str:
    """A row's own figure, the best peer, and the share of the limit, in one cell."""
    if "tracefn" not in measured.figures:
        return "**lost**: no figure"
    best, own = measured.best_peer(), measured.figures["tracefn"][0]
    said = amount(measured, own)
    if best:
        said += f", {times(best[1] / own)} {best[0]}"
    if limits and (found := share(measured, limits)):
        said += f", {100 * found[1]['tracefn']:.0f} %"
    return said if measured.won() else f"**{said}**"


def comparison(runs: list[Run]) -> list[str]:
    """The rows that were measured under several settings, which are the columns."""
    columns = [{m.row.name: m for m in run.rows()} for run in runs]
    lines = [
        "### Instruction sets and threads",
        "",
        "tracefn's figure, how many times as much the best peer takes, and its share of the limit. Lost rows are bold.",
        "With v3 kernels the peers are kept to AVX2, too, where they can be told so.",
        "",
        "| row | " + " | ".join(str(run.setting) for run in runs) + " |",
        "|---" * (len(runs) + 1) + "|",
    ]
    for name in columns[-1]:
        cells = [
            short(column[name], run.limits) if name in column else "-"
            for column, run in zip(columns, runs, strict=True)
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    wins = [f"{sum(m.won() for m in run.rows())} of {len(run.rows())} with {run.setting}" for run in runs]
    return [*lines, "", f"Won: {', '.join(wins)}.", ""]


def losses(runs: list[Run]) -> list[str]:
    """The lost rows with their reasons, each row once."""
    known = reasons()
    missing = "no reason is written down yet in benchmarks/reasons.toml"
    where: dict[str, list[str]] = {}
    for run in runs:
        for m in run.rows():
            if lost(m):
                where.setdefault(m.row.name, []).append(
                    verdict(m) if run is runs[0] else f"{run.setting}: {verdict(m)}"
                )
    return [f"- **{name}** ({'; '.join(said)}): {known.get(name, missing)}" for name, said in where.items()]


def markdown(runs: list[Run], head: list[str]) -> str:
    """The tables of the first run, then the fractions of the machine's limits, the other runs, and the lost rows."""
    first = runs[0]
    lines = [*head, ""]
    for title, rows in first.sections.items():
        lines += table(title, rows)
    shares = [said for m in first.rows() if first.limits and (said := fraction(m, first.limits))]
    if shares:
        lines += ["### Share of the machine's limit", "", *(f"- {said}" for said in shares), ""]
    if len(runs) > 1:
        lines += comparison(runs)
    won = sum(m.won() for m in first.rows())
    lines += [
        "### Lost rows and missed goals",
        "",
        f"{won} of {len(first.rows())} rows are won.",
        "",
        *losses(runs),
        "",
    ]
    return "\n".join(lines)


def write(path: Path, body: str, marks: tuple[str, str] = MARKS) -> None:
    """Replaces what stands between the marks in a document."""
    document = path.read_text()
    before, begin, rest = document.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise SystemExit(f"{path} has no place for the table: the lines {marks[0]} and {marks[1]}")
    path.write_text(f"{before}{begin}\n\n{body}\n{end}{after}")
