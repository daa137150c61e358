"""Every rule of docs/tracing_rules.md is held up by a test that tracefn runs, and every rule that a test names is there."""

import importlib
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
RULES = HERE.parent.parent / "docs" / "tracing_rules.md"

# Says itself that it is none.
WITHOUT_TEST = {"213"}

# The words of `needs` as the document has them.
LATER = {"keras": "Keras"}


def rules_in_the_document():
    text = RULES.read_text()
    return set(re.findall(r"^(\d+)\. ", text, re.MULTILINE)) | set(re.findall(r"^- \*\*(Y\d)\*\*", text, re.MULTILINE))


def rules_for_later():
    """The rules of features that tracefn does not have yet, by the feature's word: as the document says."""
    text = RULES.read_text()
    lists = {word: re.search(rf"{name} \(rules ([\d,\s]+)", text) for word, name in LATER.items()}
    return {word: set(re.findall(r"\d+", found.group(1))) for word, found in lists.items()}


def marked_tests():
    """The marks of each test of a rule, those of its module among them."""
    for path in sorted(HERE.glob("test_?_*.py")):
        module = importlib.import_module(path.stem)
        of_module = getattr(module, "pytestmark", [])
        of_module = of_module if isinstance(of_module, list) else [of_module]
        for name, test in vars(module).items():
            if name.startswith("test_"):
                assert callable(test), f"{path.name}: {name}"
                yield [getattr(mark, "mark", mark) for mark in of_module + getattr(test, "pytestmark", [])]


def rules_of(marks):
    return {str(label) for mark in marks if mark.name == "rule" for label in mark.args}


def words_of(marks):
    return {word for mark in marks if mark.name == "needs" for word in mark.args}


def runs(marks, not_yet) -> bool:
    """Whether tracefn runs the test with some of its parameters, whatever the machine."""
    if any(mark.name in {"skip", "skipif", "xfail"} for mark in marks) or words_of(marks) & not_yet:
        return False
    return all(
        any(runs(list(getattr(case, "marks", [])), not_yet) for case in mark.args[1])
        for mark in marks
        if mark.name == "parametrize"
    )


@pytest.fixture
def not_yet(request):
    """The words of NOT_YET in conftest.py."""
    plugins = request.config.pluginmanager.get_plugins()
    return {word for p in plugins if getattr(p, "__file__", None) == str(HERE / "conftest.py") for word in p.NOT_YET}


@pytest.mark.rule("all")
def test_the_document_numbers_every_rule():
    numbers = {label for label in rules_in_the_document() if label.isdigit()}
    assert numbers == {str(n) for n in range(1, 227)}


@pytest.mark.rule("all")
def test_every_rule_has_a_test_that_runs(not_yet):
    assert not_yet >= set(LATER)
    held_up = set().union(*(rules_of(marks) for marks in marked_tests() if runs(marks, not_yet)))
    later = set().union(*rules_for_later().values())
    assert sorted(rules_in_the_document() - held_up - WITHOUT_TEST) == sorted(later)


@pytest.mark.rule("all")
def test_rules_for_later_have_a_test_of_their_feature():
    for word, rules in rules_for_later().items():
        of_word = set().union(*(rules_of(marks) for marks in marked_tests() if word in words_of(marks)))
        assert rules and rules <= of_word, word


@pytest.mark.rule("all")
def test_every_rule_named_exists():
    named = set().union(*(rules_of(marks) for marks in marked_tests()))
    assert sorted(named - rules_in_the_document()) == []
    assert sorted(WITHOUT_TEST & named) == []
