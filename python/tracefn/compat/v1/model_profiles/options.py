"""The options of a profile."""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass

_LEAST = (
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "params",
    "float_ops",
    "occurrence",
)
_PATTERNS = (
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
)
# The outputs, and the option that each of them needs.
_OUTPUTS = {"file": "outfile", "none": None, "pprof": "outfile", "stdout": None, "timeline": "outfile"}


class Patterns:
    """Regular expressions for whole names.

    Attributes:
      texts: list of str.
      is_any: whether they are the one that matches any name.
    """

    def __init__(self, texts) -> None:
        self.texts = list(texts)
        self.is_any = self.texts == [".*"]

    def match(self, name: str) -> bool:
        """Whether one of them matches a name."""
        return any(pattern is not None and pattern.fullmatch(name) for pattern in self._compiled)

    @functools.cached_property
    def _compiled(self) -> list[re.Pattern | None]:
        return [_compiled(text) for text in self.texts]


def _compiled(text: str) -> re.Pattern | None:
    try:
        return re.compile(text)
    except re.error as error:  # it matches no name
        print(f"Error parsing '{text}': {error}", file=sys.stderr)
        return None


@dataclass(frozen=True)
class Options:
    """What a profile shows, and where.

    Attributes:
      least: dict of int, the least numbers of what is shown.
      patterns: dict of Patterns by the names of the options.
      selected: sorted list of str.
      output, file: the kind of output, and its file or None.
    """

    max_depth: int
    least: dict[str, int]
    step: int
    order_by: str
    patterns: dict[str, Patterns]
    account_displayed_op_only: bool
    selected: list[str]
    output: str
    file: str | None

    def __str__(self) -> str:
        lines = [
            ("max_depth", self.max_depth),
            *((f"min_{name}", number) for name, number in self.least.items()),
            ("step", self.step),
            ("order_by", self.order_by),
            *((name, ",".join(patterns.texts)) for name, patterns in self.patterns.items()),
            ("account_displayed_op_only", "true" if self.account_displayed_op_only else "false"),
            ("select", ",".join(self.selected)),
            ("output", f"{self.output}:{'' if self.file is None else f'outfile={self.file}'}"),
        ]
        return "".join(f"{'-' + name:<28}{value}\n" for name, value in lines)


def options_from(options: dict) -> Options | None:
    """The options in a dict; None if its output is none, which is reported."""
    given = options.get("output", "stdout") or "stdout"
    file = options.get("dump_to_file") or None
    if file is not None:
        print("-dump_to_file option is deprecated. Please use -output file:outfile=<filename>", file=sys.stderr)
        print(f"-output {given} is overwritten with -output file:outfile={file}", file=sys.stderr)
        output = "file"
    else:
        output, file, problem = _output(given)
        if problem:
            print(f"INVALID_ARGUMENT: {problem}", file=sys.stderr)
            return None
    return Options(
        max_depth=options.get("max_depth", 10),
        least={name: options.get(f"min_{name}", 0) for name in _LEAST},
        step=max(options.get("step", -1), -1),
        order_by=options.get("order_by", "name"),
        patterns={name: Patterns(options.get(name, ())) for name in _PATTERNS},
        account_displayed_op_only=options.get("account_displayed_op_only", False),
        selected=sorted(set(options.get("select", ()))),
        output=output,
        file=file,
    )


def _output(text: str) -> tuple[str, str | None, str]:
    """The kind of an output such as "file:outfile=a.txt", its file, and what is wrong with it."""
    kind, _, rest = text.partition(":")
    if kind not in _OUTPUTS:
        return kind, None, f"E.g. Unknown output type: {kind}, Valid types: {','.join(_OUTPUTS)}\n"
    needed, file = _OUTPUTS[kind], None
    for setting in filter(None, rest.split(",")):
        name, *value = filter(None, setting.split("="))
        if not value:
            return kind, None, "Visualize format: -output timeline:key=value,key=value,..."
        if name != needed:
            return kind, None, f"Unrecognized options {name} for output_type: {kind}\n"
        file = "=".join(value)
    if needed is not None and file is None:
        return kind, None, f"Missing required output_options for {kind}\nE.g. -output {kind}:{needed}=...\n"
    return kind, file, ""
