"""Reads and runs transcripts: sessions of `>>>` lines with the output that TensorFlow gave, as in doctest.

A file is a list of paragraphs parted by empty lines; a paragraph of steps is one test with names of its own (`tf` and `np`
are there), a paragraph of text is a heading. Steps under a heading with "(traced too)" are run inside a Function as well. An
exception is recorded as its type and the first line of its text; only the type is compared, unless the source line ends in
`# text`.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import re
import warnings

import numpy as np


@dataclasses.dataclass
class Step:
    """One statement and what it gave: the repr of an expression's value, what it printed, or its exception."""

    source: str
    output: str


@dataclasses.dataclass
class Paragraph:
    """Consecutive steps that share their names; `line` is the number of the first in the file, from 1."""

    line: int
    heading: str
    steps: list[Step]

    @property
    def title(self) -> str:
        return f"{self.line}: {self.steps[0].source.splitlines()[0][:60]}"


def parse(text: str) -> list[Paragraph]:
    """The paragraphs of a transcript, each with the heading that it stands under."""
    paragraphs, steps, start, heading = [], [], 0, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith(">>> "):
            start = start or number
            steps.append(Step(line[4:], ""))
        elif line.startswith("... ") and steps:
            steps[-1].source += "\n" + line[4:]
        elif line and steps:
            steps[-1].output += line + "\n"
        elif line:
            heading = line
        elif steps:
            paragraphs.append(Paragraph(start, heading, steps))
            steps, start = [], 0
    return paragraphs


def normalise(text: str) -> str:
    """Takes out addresses, identifiers of graphs and functions, and trailing and empty lines."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x...", text)
    text = re.sub(r"(__inference_\w+?)_\d+\b", r"\1_N", text)
    text = re.sub(r"\bid=\d+", "id=N", text)
    text = re.sub(r"<class '(?:\w+\.)+(\w+)'>", r"<class '\1'>", text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def error_text(error: Exception) -> str:
    """The type and the first line of the text, without the node names that TensorFlow puts before it."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    first = re.sub(r"^\{\{function_node \S+\}\} ?", "", lines[0])
    return f"{type(error).__name__}: {first[:200]}"


def is_expression(source: str) -> bool:
    body = ast.parse(source).body
    return len(body) == 1 and isinstance(body[0], ast.Expr)


def run_step(source: str, names: dict) -> str:
    """Runs one statement and gives back its normalised output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if is_expression(source):
                value = eval(compile(source, "<transcript>", "eval", dont_inherit=True), names)
                if value is not None:
                    print(repr(value))
            else:
                exec(compile(source, "<transcript>", "exec", dont_inherit=True), names)
        except Exception as error:
            print(error_text(error))
    return normalise(printed.getvalue())


def run_traced(source: str, names: dict) -> str:
    """Runs one expression inside a Function, and gives back the output for the Function's result."""
    code = compile(source, "<transcript>", "eval", dont_inherit=True)
    names = {**names, "traced_": names["tf"].function(lambda: eval(code, names), autograph=False)}
    return run_step("traced_()", names)


def names_for(tf) -> dict:
    """The names that a paragraph begins with."""
    return {"tf": tf, "np": np, "__name__": "transcript"}


def is_error(output: str) -> bool:
    return re.match(r"\w*(Error|Exception|Iteration|Warning): ?", output) is not None


def agrees(step: Step, output: str) -> bool:
    """Whether the output is the recorded one: for an exception the type, with `# text` the first line as well."""
    recorded = normalise(step.output)
    if is_error(recorded) and "# text" not in step.source:
        return output.split(":")[0] == recorded.split(":")[0]
    return output == recorded


def render(text: str, tf) -> str:
    """The same transcript with every output replaced by what the module `tf` gives."""
    lines = []
    at = {p.line: p for p in parse(text)}
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if number in at:
            inside, names = True, names_for(tf)
            for step in at[number].steps:
                source = step.source.splitlines()
                lines += [">>> " + source[0], *("... " + rest for rest in source[1:])]
                lines += filter(None, run_step(step.source, names).splitlines())
        elif not line:
            inside = False
            lines.append("")
        elif not inside:
            lines.append(line)
    return "\n".join(lines) + "\n"
