"""docs/coverage.md: which of TensorFlow's public names are here, as python/tracefn/_missing/tensorflow_names.txt has them."""

from __future__ import annotations

import importlib
import textwrap

from tracefn._missing.names import names_here, tensorflow_names

_WIDTH = 130
_HEAD = """# What is here of TensorFlow's interface

Written by `python/tools/gen_stubs.py` from the public names of TensorFlow 2.21, which `python tests/oracle/record_names.py` records.
A name that is not here yet is an `AttributeError` that says so. Of `tf.compat.v1` the names in the namespace itself are counted.
"""


def _title(path: str) -> str:
    return f"tf.{path}" if path else "tf"


def _names_there(path: str) -> set[str] | None:
    """The names that a namespace has here; None where there is none."""
    try:
        module = importlib.import_module(f"tracefn.{path}" if path else "tracefn")
    except ModuleNotFoundError:
        return None
    asked = {name for name in tensorflow_names()[path] if hasattr(module, name)}
    return asked | names_here(path)


def _listed(names) -> str:
    return textwrap.fill(" ".join(f"`{name}`" for name in sorted(names, key=lambda name: (name.lower(), name))), _WIDTH, break_on_hyphens=False)


def _section(path: str, has: set[str], wanted: frozenset[str]) -> str:
    parts = [f"## {_title(path)}", f"Here: {len(has & wanted)} of {len(wanted)}.", _listed(has & wanted)]
    if wanted - has:
        parts += [f"Not yet ({len(wanted - has)}):", _listed(wanted - has)]
    if has - wanted:
        parts += ["Here, and not in TensorFlow:", _listed(has - wanted)]
    return "\n\n".join(part for part in parts if part)


def coverage() -> str:
    """The page."""
    known = {path: (_names_there(path), names) for path, names in tensorflow_names().items()}
    rows, here, not_yet = [], [], []
    for path, (has, wanted) in known.items():
        if has is None:
            not_yet.append(f"`{_title(path)}` ({len(wanted)}):\n{_listed(wanted)}")
        else:
            rows.append(f"| [`{_title(path)}`](#{_title(path).replace('.', '')}) | {len(has & wanted)} | {len(wanted)} |")
            here.append(_section(path, has, wanted))
    count = sum(len(has & wanted) for has, wanted in known.values() if has)
    total = sum(len(wanted) for _, wanted in known.values())
    summary = f"{count} of {total} names, in {len(here)} of {len(known)} namespaces."
    table = "\n".join(["| namespace | here | in TensorFlow |", "|---|---|---|", *rows])
    absent = "\n\n".join(["## Namespaces that are not here yet", *not_yet])
    return "\n\n".join([_HEAD.rstrip("\n"), summary, table, *here, absent]) + "\n"
