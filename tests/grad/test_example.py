"""The classifiers of digits in docs/examples run: eager and traced losses agree, and the accuracy is over 95 %."""

import pathlib
import runpy

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize("name", ["digits.py", "digits_by_convolutions.py"])
def test_digits(name, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    printed = capsys.readouterr().out
    assert "eager" in printed and "traced" in printed


def test_losses_are_compared(capsys, monkeypatch, tmp_path):
    pytest.importorskip("sklearn")
    monkeypatch.setattr("sys.argv", ["digits_by_convolutions.py"])
    compare = runpy.run_path(str(EXAMPLES / "digits_by_convolutions.py"))["compare"]
    compare(np.array([1.0, 0.5]), tmp_path / "losses.txt")
    assert capsys.readouterr().out == ""
    compare(np.array([1.0, 0.25]), tmp_path / "losses.txt")
    assert capsys.readouterr().out == "largest difference of a loss from losses.txt: 2.5e-01\n"
