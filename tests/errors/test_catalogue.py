"""The catalogue of mistakes (catalogue.py): each shows its number of lines at most, the line at fault, and what is wrong."""

import functools
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import catalogue

MISTAKES = catalogue.mistakes()
# Shown by a process of their own, too: of several kinds of errors, and from a thread.
ALONE = ["matmul_of_wrong_shapes", "eager_bad_axis", "recursion_of_a_helper", "failing_py_function", "in_a_thread"]


@functools.cache
def all_shown():
    return catalogue.shown(MISTAKES.values())


def test_there_are_many():
    assert len(MISTAKES) >= 100
    assert all(mistake.lines <= catalogue.MOST_LINES and mistake.says for mistake in MISTAKES.values())


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake(name):
    text = all_shown()[name]
    assert not catalogue.complaints(MISTAKES[name], text), text


@pytest.mark.parametrize("name", ALONE)
def test_a_script_shows_the_same(name, tmp_path):
    path = tmp_path / f"{name}.py"
    path.write_text(MISTAKES[name].program, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    expected = all_shown()[name].splitlines()

    def kept(line):
        line = line.partition(f"{name}.py")[2] or line  # the folder differs
        return re.sub(r"\d+ more frames", "N more frames", line)  # of those around a program, a few

    assert list(map(kept, lines)) == list(map(kept, expected))
