"""Failing programs: each message as recorded, at most 12 lines long, with the user's line in it.

After a change that is meant, `python tests/errors/record_messages.py` writes messages.txt anew; its diff is what to review.
"""

import inspect
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import record_messages

PROGRAMS = record_messages.all_programs()
MESSAGES = record_messages.read()


def test_there_is_a_message_for_each_program():
    assert list(MESSAGES) == list(PROGRAMS) and len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_message(name):
    assert record_messages.message_of(PROGRAMS[name]) == MESSAGES[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_short_and_names_the_line(name):
    program = record_messages.failing.called if name == "calls" else PROGRAMS[name]
    lines, first = inspect.getsourcelines(program)
    marked = next(i for i, line in enumerate(lines) if "# here" in line)
    kind, *text = MESSAGES[name].splitlines()
    offset = first - inspect.getsourcelines(PROGRAMS[name])[1]
    assert kind.isidentifier() and text[0] == "in user code:" and len(text) <= 12
    assert any(line.startswith(f'    File "failing.py", line +{offset + marked}, in {program.__name__}  *') for line in text)
