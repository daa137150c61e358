"""docs/errors.md: each program says what the page says, and the one without the error runs and says nothing.

After a change of a message that is meant, `python tests/errors/record_page.py` writes the page anew; its diff is what to review.
"""

import functools
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import record_page

TEXT = record_page.PAGE.read_text(encoding="utf-8")
ENTRIES = record_page.entries(TEXT)


@functools.cache
def said():
    return record_page.messages(ENTRIES)


def test_every_heading_is_an_entry():
    headings = [line for line in TEXT.splitlines() if line.startswith("### ")]
    assert headings == [f"### {entry.title}" for entry in ENTRIES] and len(ENTRIES) >= 50
    assert TEXT.count("```python") == 2 * len(ENTRIES)
    assert len({entry.title for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("number", range(len(ENTRIES)), ids=[entry.title for entry in ENTRIES])
def test_an_entry(number):
    says, without = said()[number]
    assert ENTRIES[number].says == f"```\n{says}\n```\n" and says
    assert without == ""


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.title for entry in ENTRIES])
def test_programs_and_messages_are_short(entry):
    assert len(entry.program.splitlines()) <= 10 and len(entry.says.splitlines()) <= 2 + 13
