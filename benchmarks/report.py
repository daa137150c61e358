"""The measured rows as text and as Markdown, with the reasons of lost rows."""

from __future__ import annotations

import tomllib
from pathlib import Path

from _timing import text
from measure import Measured
from peers import CONTENDERS

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


def fraction(measured: Measured, limits: tuple[float, float]) -> str | None:
    """How much of the machine's limit each contender reaches, for rows whose work is known."""
    work = measured.row.work
    if work is None:
        return None
    least = max(work.bytes / limits[0], work.flops / limits[1])
    bound = "copy bandwidth" if work.bytes / limits[0] >= work.flops / limits[1] else "FMA peak"
    shares = [
        f"{name} {100 * least / value:.0f} %" for name, value in sorted(measured.medians().items(), key=lambda i: i[1])
    ]
    return f"{measured.row.name}, of {bound}: " + ", ".join(shares)


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


def markdown(sections: dict[str, list[Measured]], limits: tuple[float, float] | None, head: list[str]) -> str:
    """All sections, then the fractions of the machine's limits, then the lost rows with their reasons."""
    lines = [*head, ""]
    for title, rows in sections.items():
        lines += table(title, rows)
    everything = [m for rows in sections.values() for m in rows]
    shares = [share for m in everything if limits and (share := fraction(m, limits))]
    if shares:
        lines += ["### Share of the machine's limit", "", *(f"- {share}" for share in shares), ""]
    known = reasons()
    missing = "no reason is written down yet in benchmarks/reasons.toml"
    losses = [f"- **{m.row.name}** ({verdict(m)}): {known.get(m.row.name, missing)}" for m in everything if lost(m)]
    won = sum(m.won() for m in everything)
    lines += ["### Lost rows and missed goals", "", f"{won} of {len(everything)} rows are won.", "", *losses, ""]
    return "\n".join(lines)


def write(path: Path, body: str, marks: tuple[str, str] = MARKS) -> None:
    """Replaces what stands between the marks in a document."""
    document = path.read_text()
    before, begin, rest = document.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise SystemExit(f"{path} has no place for the table: the lines {marks[0]} and {marks[1]}")
    path.write_text(f"{before}{begin}\n\n{body}\n{end}{after}")
