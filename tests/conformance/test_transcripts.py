"""The public surface, against transcripts recorded from TensorFlow by tests/oracle/record_transcripts.py."""

import pathlib

import pytest

from transcript import agrees, is_error, is_expression, names_for, parse, run_step, run_traced

FOLDER = pathlib.Path(__file__).parent / "transcripts"
LATER = {"later_ops": [pytest.mark.needs("ops")]}
CASES = [
    pytest.param(paragraph, id=f"{path.stem}:{paragraph.title}", marks=LATER.get(path.stem, []))
    for path in sorted(FOLDER.glob("*.txt"))
    for paragraph in parse(path.read_text())
]
TRACED = [case for case in CASES if "(traced too)" in case.values[0].heading]


@pytest.mark.rule("surface")
@pytest.mark.parametrize("paragraph", CASES)
def test_transcript(tf, paragraph):
    names = names_for(tf)
    differences = []
    for step in paragraph.steps:
        output = run_step(step.source, names)
        if not agrees(step, output):
            differences.append(f">>> {step.source}\nrecorded:\n{step.output}now:\n{output}")
    assert not differences, "\n".join(differences)


@pytest.mark.rule("surface", 13)
@pytest.mark.parametrize("paragraph", TRACED)
def test_traced_is_as_eager(tf, paragraph):
    names = names_for(tf)
    differences = []
    for step in paragraph.steps:
        if not is_expression(step.source):
            run_step(step.source, names)
        elif not is_error(step.output):
            output = run_traced(step.source, names)
            if not agrees(step, output):
                differences.append(f">>> {step.source}\nrecorded:\n{step.output}traced:\n{output}")
    assert not differences, "\n".join(differences)
