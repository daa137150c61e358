"""The catalogue of mistakes: what a terminal shows of each program below mistakes/.

A file of mistakes/ holds programs one after the other. The line `# === NAME: N lines` begins one, and says how many
non-empty lines its failure may show; each line `# says: TEXT` below it gives words that must be shown (`A|B`: one of
them). The line at fault ends in `# here`. Every program begins with `import tracefn as tf`, which is not written.

`python tests/errors/catalogue.py [NAME ...]` prints what is shown; without names also how many are good.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
MOST_LINES = 12
_START = re.compile(r"^# === (\w+): (\d+) lines\n", re.MULTILINE)
_MARK = "  # here"
_SAYS = re.compile(r"^# says: (.*)\n", re.MULTILINE)


class Mistake(NamedTuple):
    """A program that fails: how many lines that may show, words of the message, and the number of the line at fault."""

    name: str
    lines: int
    says: list[str]
    program: str
    fault: int


def _mistake(name: str, lines: str, text: str, package: str) -> Mistake:
    program = f"import {package} as tf\n" + _SAYS.sub("", text).strip() + "\n"
    faults = [i for i, line in enumerate(program.splitlines(), 1) if line.endswith(_MARK)]
    if len(faults) != 1:
        raise ValueError(f"{name}: one line must end in `# here`")
    return Mistake(name, int(lines), _SAYS.findall(text), program.replace(_MARK, ""), faults[0])


def mistakes(package: str = "tracefn") -> dict[str, Mistake]:
    """Name -> Mistake, for all files."""
    found: dict[str, Mistake] = {}
    for file in sorted((HERE / "mistakes").glob("*.py")):
        _, *parts = _START.split(file.read_text(encoding="utf-8"))
        for name, lines, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if name in found:
                raise ValueError(f"two mistakes are called {name}")
            found[name] = _mistake(name, lines, text, package)
    return found


def shown(programs, package: str = "tracefn", environment=None) -> dict[str, str]:
    """What each program writes to stderr: one process imports the package and forks one for each program."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for mistake in programs:
            path = pathlib.Path(folder, mistake.name + ".py")
            path.write_text(mistake.program, encoding="utf-8")
            paths.append(str(path))
        command = [sys.executable, str(HERE / "run_programs.py"), package]
        done = subprocess.run(command, input=json.dumps(paths), text=True, capture_output=True, env=environment, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"run_programs.py failed:\n{done.stderr}")
        return {pathlib.Path(path).stem: text for path, text in json.loads(done.stdout).items()}


def count_lines(text: str) -> int:
    """From Python 3.13 on without those that only underline: it underlines every call."""
    left_out = " ~^" if sys.version_info >= (3, 13) else " "
    return sum(bool(line.strip(left_out)) for line in text.splitlines())


def package_frames(text: str, package: str = "tracefn") -> list[str]:
    """The frames of the package's own files, and of files that it generates, among the lines shown."""
    return re.findall(rf'^ *File ".*(?:/{package}/(?!.*\.py", line \d+, in \w+  \*)|autograph_generated).*$', text, re.MULTILINE)


def complaints(mistake: Mistake, text: str, package: str = "tracefn") -> list[str]:
    """What is wrong with what was shown of a mistake."""
    found = []
    most = min(mistake.lines, MOST_LINES)
    if count_lines(text) > most:
        found.append(f"{count_lines(text)} lines, more than {most}")
    frames = package_frames(text, package)
    if frames:
        found.append(f"{len(frames)} frames of the package")
    if f'{mistake.name}.py", line {mistake.fault},' not in text:
        found.append(f"line {mistake.fault} is not named")
    found += [f"{says!r} is not said" for says in mistake.says if not any(words in text for words in says.split("|"))]
    return found


def main(names: list[str]) -> None:
    package = "tensorflow" if "--tensorflow" in names else "tracefn"
    names = [name for name in names if not name.startswith("--")]
    everything = mistakes(package)
    chosen = [everything[name] for name in names] or list(everything.values())
    texts = shown(chosen, package)
    counts, good = [], 0
    for mistake in chosen:
        text = texts[mistake.name]
        wrong = complaints(mistake, text, package)
        counts.append(count_lines(text))
        good += not wrong
        print(f"=== {mistake.name}: {counts[-1]} lines, {len(package_frames(text, package))} frames of the package")
        print(text.rstrip())
        for line in wrong:
            print(f"!!! {line}")
        print()
    counts.sort()
    print(f"{good} of {len(chosen)} are good; lines: median {counts[len(counts) // 2]}, most {counts[-1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
