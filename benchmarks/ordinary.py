"""Ordinary programs (benchmarks/programs), each written as a user of each library writes it, side by side in one run.

python benchmarks/ordinary.py                       all programs, at both sizes
python benchmarks/ordinary.py --programs 'lorenz|life' --size 0
python benchmarks/ordinary.py --contenders tracefn jax.jit numba
python benchmarks/ordinary.py --write docs/performance.md   replaces the document's table
python benchmarks/ordinary.py --write docs/performance.md --processor AVX2   the one of this processor
python benchmarks/ordinary.py --folder later_programs   those that were written after the compiler
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import re
from pathlib import Path
from types import ModuleType

from _timing import text
from measure import Bench, Measured
from rows import Code, Row

HERE = Path(__file__).parent
# contender -> the program's function, and what it takes.
SOURCES = {
    "tracefn": ("tensorflow", "tf"),
    "tf.function": ("tensorflow", "tf"),
    "TF XLA": ("tensorflow", "tf"),
    "jax.jit": ("jax", "jax, jnp, lax"),
    "numba": ("numba", "njit, np"),
    "numpy": ("numpy", "np"),
}


def load(path: Path) -> ModuleType:
    """A program's module, without a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row_of(path: Path, size) -> Row:
    """The program at one of its sizes."""
    module = load(path)
    codes = {}
    for name, (function, arguments) in SOURCES.items():
        setup = f"""
import sys
sys.path.insert(0, {str(path.parent)!r})
import {path.stem} as program
arguments = program.data(np, {size!r})
made = program.{function}({arguments})
"""
        if function == "tensorflow":
            setup += "made = function(made)\narguments = tuple(map(arr, arguments))\n"
        elif function == "jax":  # a number may be static
            setup += "arguments = tuple(arr(a) if a.ndim else int(a) for a in arguments)\n"
        expression = "done(made(*arguments))" if function == "jax" else "made(*arguments)"
        codes[name] = Code(setup, expression)
    return Row(f"{path.stem} {size}", codes, tolerance=getattr(module, "TOLERANCE", 1e-4))


def ratio(measured: Measured) -> float | None:
    """tracefn's time by that of the best peer."""
    best = measured.best_peer()
    return measured.figures["tracefn"][0] / best[1] if best and "tracefn" in measured.figures else None


def table(results: list[Measured], contenders: list[str]) -> str:
    """The table in Markdown, with the geometric mean of the ratios."""
    lines = [f"| program | {' | '.join(contenders)} | tracefn / best |", "|---" * (len(contenders) + 2) + "|"]
    for measured in results:
        cells = [text(measured.figures[name][0]) if name in measured.figures else "–" for name in contenders]
        found = ratio(measured)
        lines.append(f"| {measured.row.name} | {' | '.join(cells)} | {f'{found:.2f}' if found else '–'} |")
    ratios = [found for measured in results if (found := ratio(measured))]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(
            f"\n{sum(r <= 1 for r in ratios)} of {len(ratios)} won; geometric mean of tracefn / best: {mean:.2f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="programs", choices=["programs", "later_programs"])
    parser.add_argument("--programs", default="")
    parser.add_argument("--size", type=int, action="append", choices=(0, 1))
    parser.add_argument("--contenders", nargs="+", default=list(SOURCES), choices=list(SOURCES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--processor", default="AVX-512", choices=["AVX2", "AVX-512"])
    options = parser.parse_args()
    bench = Bench(options.rounds, options.seconds)
    results = []
    for path in sorted((HERE / options.folder).glob("*.py")):
        if not re.search(options.programs, path.stem):
            continue
        for i in options.size or (0, 1):
            row = row_of(path, load(path).SIZES[i])
            row = Row(row.name, {c: row.codes[c] for c in options.contenders}, tolerance=row.tolerance)
            results.append(bench.measure(row))
            print(table(results[-1:], options.contenders).splitlines()[2], flush=True)
            for name, note in results[-1].notes.items():
                print(f"  {name}: {note}", flush=True)
    bench.close()
    made = table(results, options.contenders)
    print(made)
    if options.write:
        page = options.write.read_text()
        begin, end = (f"<!-- {edge}ordinary programs, {options.processor} -->" for edge in ("", "end of "))
        before, rest = page.split(begin)
        options.write.write_text(f"{before}{begin}\n{made}\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()
