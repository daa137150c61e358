"""Tests that fail for a reason that is known: run, expected to fail, and listed in known_gaps.txt beside this file."""

from pathlib import Path

import pytest

GAPS = {
    line
    for line in (Path(__file__).parent / "known_gaps.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
}


def pytest_collection_modifyitems(config, items):
    # The list is tracefn's: the same tests must pass on TensorFlow.
    if config.getoption("--impl", default="tracefn") != "tracefn":
        return
    for item in items:
        if item.nodeid in GAPS:
            item.add_marker(pytest.mark.xfail(reason="a known gap: tests/known_gaps.txt", strict=False))
