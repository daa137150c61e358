"""The Python blocks of README.md and docs/*.md run, a file's blocks one after the other, and print what the text says: the
plain block that follows the line "prints". Programs of docs/errors.md fail; tests/errors/test_page.py runs them."""

import contextlib
import io
import itertools
import linecache
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TEXTS = {p.name: p.read_text(encoding="utf-8") for p in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(text: str):
    """(code, first line, output that the text promises or None) of each Python block."""
    found = list(BLOCK.finditer(text))
    for block, following in itertools.zip_longest(found, found[1:]):
        if block[1] != "python":
            continue
        promised = None
        if following and not following[1] and text[block.end() : following.start()].strip() in ("prints", "prints:"):
            promised = following[2]
        yield block[2], text.count("\n", 0, block.start(2)), promised


def run(code: str, line: int, name: str, namespace: dict) -> str:
    """Runs a block as if it stood in a file at that line, so that AutoGraph finds its source; what it printed."""
    source = "\n" * line + code
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, name, "exec"), namespace)
    return printed.getvalue()


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "```python" in text and name != "errors.md"])
def test_blocks(name):
    if name == "keras.md":
        pytest.importorskip("keras")
    namespace = {"__name__": "__main__"}
    for code, line, promised in blocks(TEXTS[name]):
        printed = run(code, line, f"<{name}:{line}>", namespace)
        if promised is not None:
            assert printed.strip() == promised.strip()


def test_a_block_is_compared_with_its_output():
    text = "```python\nprint(1)\n```\n\nprints\n\n```\n2\n```\n"
    ((code, line, promised),) = blocks(text)
    assert (run(code, line, "<text>", {}), promised) == ("1\n", "2\n")
