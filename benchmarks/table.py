"""The whole table of speed: every row against every peer that can answer it, in one run, wins and losses.

python benchmarks/table.py                                   all rows (peers that are missing are left out and named)
python benchmarks/table.py --rows 'call|eager'               rows whose section or name matches
python benchmarks/table.py --quick                           short timings: whether everything runs, not how fast
python benchmarks/table.py --setting 'v3 1'                  with kernels for AVX2 only, on one core, all contenders alike
python benchmarks/table.py --also 'v4 1' --also 'v3 2'       once more the heavy ops, under other settings
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
from dataclasses import replace
from pathlib import Path

import arrays
import calls
import convolutions
import datasets
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
from measure import Bench, Limits, machine_limits
from rows import Row
from settings import Setting, setting

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
    "Datasets": datasets.ROWS,
    "Gradients": gradients.ROWS,
    "Optimizers": optimizers.ROWS,
    "Memory": memory.ROWS,
    "Start": start.ROWS,
}

# What is measured under further settings, and beside whom.
HEAVY = ("Products", "Convolutions", "Networks", "Arrays")
PEERS = ("tracefn", "tf.function", "jax.jit", "torch", "numpy")


def chosen(pattern: str) -> dict[str, list[Row]]:
    """The rows whose name or section matches, by section."""
    found = {
        title: [row for row in rows if re.search(pattern, f"{title} {row.name}", re.IGNORECASE)]
        for title, rows in SECTIONS.items()
    }
    return {title: rows for title, rows in found.items() if rows}


def beside_peers(row: Row) -> Row:
    """The row with the contenders of further settings; TensorFlow's eager mode is one where there is no traced one."""
    names = PEERS if "tf.function" in row.codes else (*PEERS, "TF eager")
    return replace(row, codes={name: code for name, code in row.codes.items() if name in names})


def processor() -> str:
    """The model of the CPU."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except FileNotFoundError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return named[1] if named else platform.machine()


def described(limits: Limits) -> str:
    return (
        f"{limits.read / 1e9:.3g} GB/s are read, a copy moves {limits.copy / 1e9:.3g} GB/s, "
        f"multiply-adds reach {limits.flops / 1e9:.4g} GFLOP/s"
    )


def headline(
    versions: dict[str, str], left_out: dict[str, str], runs: list[report.Run], load: tuple, took: float
) -> list[str]:
    """When, where, how and against what."""
    contenders = ", ".join(f"{name} {version}" for name, version in versions.items())
    machine = f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    measured = f"Measured on {datetime.date.today().isoformat()} by `python {shlex.join(sys.argv)}` in {took:.0f} s"
    lines = [
        f"{measured}; load average before it {load[0]:.2f}.",
        f"Machine: {machine}, Python {platform.python_version()}.",
        f"Contenders: {contenders}.",
    ]
    known = [f"with {run.setting} {described(run.limits)}" for run in runs if run.limits]
    if known:
        lines.append(f"Limits: {'; '.join(known)}.")
    lines += [f"Left out: {name} ({why})." for name, why in left_out.items()]
    return lines


def measured(bench: Bench, sections: dict[str, list[Row]], under: Setting) -> report.Run:
    """Measures rows, and prints them."""
    knows_work = any(row.work for rows in sections.values() for row in rows)
    run = report.Run(under, {}, machine_limits(under) if knows_work else None)
    for title, rows in sections.items():
        print(f"== {title}", flush=True)
        for row in rows:
            answer = bench.measure(row)
            run.sections.setdefault(title, []).append(answer)
            print(report.line(answer), flush=True)
            if run.limits and (share := report.fraction(answer, run.limits)):
                print(f"    {share}")
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="a regular expression: rows whose section or name it finds")
    parser.add_argument("--quick", action="store_true", help="short timings")
    parser.add_argument("--rounds", type=int, help="how often contenders take turns: 7, or 3 with --quick")
    parser.add_argument("--seconds", type=float, help="how long each turn lasts: 0.05, or 0.005 with --quick")
    parser.add_argument("--setting", type=setting, default=Setting(), help="instruction set and threads: 'v3 1'")
    parser.add_argument("--also", type=setting, action="append", default=[], help="a further setting, of heavy ops")
    parser.add_argument("--markdown", action="store_true", help="print Markdown at the end")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="replace the table in a document")
    options = parser.parse_args()
    began, load = time.perf_counter(), os.getloadavg()
    sections = chosen(options.rows)
    heavy = {title: [beside_peers(row) for row in rows] for title, rows in sections.items() if title in HEAVY}
    rounds = options.rounds or (3 if options.quick else 7)
    seconds = options.seconds or (0.005 if options.quick else 0.05)
    runs, versions, left_out = [], {}, {}
    for under in (options.setting, *options.also):
        under.apply()
        bench = Bench(rounds=rounds, seconds=seconds)
        print(f"= {under}", flush=True)
        runs.append(measured(bench, heavy if runs else sections, under))
        versions, left_out = versions or bench.versions(), left_out or bench.left_out
        bench.close()
    took = time.perf_counter() - began
    print(f"took {took:.0f} s")
    text = report.markdown(runs, headline(versions, left_out, runs, load, took))
    if options.markdown:
        print(text)
    if options.write:
        report.write(options.write, text)


if __name__ == "__main__":
    main()
