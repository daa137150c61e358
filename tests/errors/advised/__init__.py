"""Programs with one mistake each, whose message says in code what to write instead; one module for each subject."""

from advised import branches, containers, dimensions, gradients, loops, operands, python, tensors, texts
from advised.case import Case

__all__ = ["CASES", "Case"]

CASES = {}
for subject in (branches, loops, operands, dimensions, gradients, python, tensors, texts, containers):
    assert not CASES.keys() & subject.CASES.keys()
    CASES.update(subject.CASES)
