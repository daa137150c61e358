"""Every rule of docs/tracing_rules.md is held up by a test, and every rule that a test names is there."""

import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
RULES = HERE.parent.parent / "docs" / "tracing_rules.md"

# Rules that say what is not promised, or a definition that other rules' tests rest on.
WITHOUT_TEST = {"75", "213"}


def rules_in_the_document():
    text = RULES.read_text()
    return set(re.findall(r"^(\d+)\. ", text, re.MULTILINE)) | set(re.findall(r"^- \*\*(Y\d)\*\*", text, re.MULTILINE))


def rules_in_tests():
    marks = re.findall(r"pytest\.mark\.rule\(([^)]*)\)", "".join(p.read_text() for p in HERE.glob("test_?_*.py")))
    return {label.strip(" \"'") for mark in marks for label in mark.split(",")}


@pytest.mark.rule("all")
def test_the_document_numbers_every_rule():
    numbers = {label for label in rules_in_the_document() if label.isdigit()}
    assert numbers == {str(n) for n in range(1, 227)}


@pytest.mark.rule("all")
def test_every_rule_has_a_test():
    assert sorted(rules_in_the_document() - rules_in_tests() - WITHOUT_TEST) == []


@pytest.mark.rule("all")
def test_every_rule_named_exists():
    assert sorted(rules_in_tests() - rules_in_the_document()) == []
