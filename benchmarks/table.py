"""The whole table of speed: every row against every peer that can answer it, in one run, wins and losses.

python benchmarks/table.py                                   all rows (peers that are missing are left out and named)
python benchmarks/table.py --rows 'call|eager'               rows whose section or name matches
python benchmarks/table.py --quick                           short timings: whether everything runs, not how fast
python benchmarks/table.py --write docs/performance.md       replaces the document's table
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import shlex
import sys
import time
from pathlib import Path

import arrays
import calls
import convolutions
import fusion
import gradients
import indices
import loops
import memory
import networks
import optimizers
import products
import report
import start
import tracing
from measure import Bench, Measured, machine_limits
from rows import Row

SECTIONS: dict[str, list[Row]] = {
    "Calls": calls.ROWS,
    "Tracing": tracing.ROWS,
    "Fusion": fusion.ROWS,
    "Products": products.ROWS,
    "Convolutions": convolutions.ROWS,
    "Networks": networks.ROWS,
    "Arrays": arrays.ROWS,
    "Indices": indices.ROWS,
    "Loops": loops.ROWS,
    "Gradients": gradients.ROWS,
    "Optimizers": optimizers.ROWS,
    "Memory": memory.ROWS,
    "Start": start.ROWS,
}


def chosen(pattern: str) -> dict[str, list[Row]]:
    """The rows whose name or section matches, by section."""
    found = {
        title: [row for row in rows if re.search(pattern, f"{title} {row.name}", re.IGNORECASE)]
        for title, rows in SECTIONS.items()
    }
    return {title: rows for title, rows in found.items() if rows}


def processor() -> str:
    """The model of the CPU."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except FileNotFoundError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return named[1] if named else platform.machine()


def headline(bench: Bench, limits: tuple[float, float] | None, load: tuple, took: float) -> list[str]:
    """When, where, how and against what."""
    versions = ", ".join(f"{name} {version}" for name, version in bench.versions().items())
    machine = f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    measured = f"Measured on {datetime.date.today().isoformat()} by `python {shlex.join(sys.argv)}` in {took:.0f} s"
    lines = [
        f"{measured}; load average before it {load[0]:.2f}.",
        f"Machine: {machine}, Python {platform.python_version()}.",
        f"Contenders: {versions}.",
    ]
    if limits:
        lines.append(
            f"Limits: a copy moves {limits[0] / 1e9:.3g} GB/s, multiply-adds reach {limits[1] / 1e9:.4g} GFLOP/s."
        )
    lines += [f"Left out: {name} ({why})." for name, why in bench.left_out.items()]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="a regular expression: rows whose section or name it finds")
    parser.add_argument("--quick", action="store_true", help="short timings")
    parser.add_argument("--rounds", type=int, help="how often contenders take turns: 7, or 3 with --quick")
    parser.add_argument("--markdown", action="store_true", help="print Markdown at the end")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="replace the table in a document")
    options = parser.parse_args()
    began, load = time.perf_counter(), os.getloadavg()
    sections = chosen(options.rows)
    rounds = options.rounds or (3 if options.quick else 7)
    bench = Bench(rounds=rounds, seconds=0.005 if options.quick else 0.05)
    limits = (
        machine_limits(os.cpu_count() or 1) if any(row.work for rows in sections.values() for row in rows) else None
    )
    measured: dict[str, list[Measured]] = {}
    for title, rows in sections.items():
        print(f"== {title}", flush=True)
        for row in rows:
            answer = bench.measure(row)
            measured.setdefault(title, []).append(answer)
            print(report.line(answer), flush=True)
            if limits and (share := report.fraction(answer, limits)):
                print(f"    {share}")
    bench.close()
    took = time.perf_counter() - began
    print(f"took {took:.0f} s")
    text = report.markdown(measured, limits, headline(bench, limits, load, took))
    if options.markdown:
        print(text)
    if options.write:
        report.write(options.write, text)


if __name__ == "__main__":
    main()
