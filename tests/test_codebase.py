"""The linters and the generators as tests, over the source tree that these tests are part of."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import tracefn
from tracefn import _core

ROOT = pathlib.Path(__file__).parents[1]


def run(*command: str) -> None:
    """Runs a command at the root of the repository; its output is the failure's text."""
    package = pathlib.Path(tracefn.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def needs_module(name: str):
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"{name} is not installed")


@needs_module("ruff")
def test_ruff():
    run(sys.executable, "-m", "ruff", "check", "--no-cache", "python", "tests", "docs", "benchmarks")


@needs_module("mypy")
def test_mypy(tmp_path):
    run(sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}")


def clang_format_is_ours() -> bool:
    """Versions of clang-format differ in what they make of the same file."""
    if shutil.which("clang-format") is None:
        return False
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
    return "version 14." in version


@pytest.mark.skipif(not clang_format_is_ours(), reason="clang-format 14 is not installed")
def test_clang_format():
    sources = [str(p) for folder in ("cpp", "tests/cpp", "benchmarks/cpp") for p in (ROOT / folder).rglob("*.[ch]*")]
    run("clang-format", "--dry-run", "-Werror", *sources)


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="they hold docstrings of Python 3.11 itself")
def test_generated_files_are_up_to_date():
    """After a new op or a changed signature: `python python/tools/gen_stubs.py`."""
    run(sys.executable, "python/tools/gen_stubs.py", "--check")


def test_names_of_test_files_are_unique():
    """Pytest imports them by their names alone."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_the_package_says_that_it_is_typed():
    assert (pathlib.Path(tracefn.__file__).parent / "py.typed").is_file()


# Patterns of rewriting passes name what they rewrite.
MAY_NAME_OPS = ("cpp/ops/", "cpp/passes/simplify")


def test_facts_about_ops_are_asked_of_their_records():
    """Code outside of cpp/ops compares no names of ops: a fact that it needs is a field of the record."""
    ops = set(_core.op_names())
    comparison = re.compile(r'(?:[!=]= ?"(\w+)"|"(\w+)" ?[!=]=|(?:starts|ends)_with\("(\w+)"\))')
    found = []
    for path in sorted((ROOT / "cpp").rglob("*.[ch]*")):
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(MAY_NAME_OPS):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            names = [name for match in comparison.findall(line) for name in match if name]
            if any(name in ops or name.startswith("TensorList") for name in names):
                found.append(f"{place}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_no_guarded_static_runs_python():
    """The guard of a static is held while it is made: an import lets another thread run, which would wait for it."""
    made = re.compile(r"\bstatic [^;{}()]*=[^;]*PyImport")
    found = [p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "cpp").rglob("*.[ch]*")) if made.search(p.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)
