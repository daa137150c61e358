"""What to write instead of a missing name, found by comparing the names of TensorFlow and tracefn."""

from __future__ import annotations

import difflib
import functools
import pathlib
import sys
import types

from tracefn._missing.spellings import ELSEWHERE, GONE, IN_TENSORFLOW_2

_FILE = pathlib.Path(__file__).with_name("tensorflow_names.txt")
_PAGE = "docs/coverage.md lists what there is."


@functools.cache
def tensorflow_names() -> dict[str, frozenset[str]]:
    """Maps a namespace ("" or "math") to TensorFlow's names in it, as recorded by tests/oracle/record_names.py."""
    found = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        path, _, names = line.partition(": ")
        if path != "renamed":
            found[path.removeprefix("tf").removeprefix(".")] = frozenset(names.split())
    return found


@functools.cache
def renamed() -> dict[str, str]:
    """Maps names of TensorFlow 1 to their names in TensorFlow 2."""
    line = next(line for line in _FILE.read_text(encoding="utf-8").splitlines() if line.startswith("renamed: "))
    return dict(pair.split("=") for pair in line.split()[1:])


def names_here(path: str) -> set[str]:
    """The public names of a namespace of tracefn."""
    module = sys.modules[f"tracefn.{path}" if path else "tracefn"]
    known = tensorflow_names().get(path, frozenset())
    found = {name for name in (*dir(module), *getattr(module, "__all__", ())) if not name.startswith("_")}
    held = vars(module)
    # Modules that are not TensorFlow namespaces hold the package's code.
    return {name for name in found if name in known or not isinstance(held.get(name), types.ModuleType)}


def is_here(path: str) -> bool:
    """Whether tracefn has a public name like "math.log"."""
    *namespaces, name = path.split(".")
    module: object = sys.modules["tracefn"]
    if namespaces and namespaces[0] not in dir(module):
        return False  # Keras is not listed, and would be imported
    for namespace in namespaces:
        module = getattr(module, namespace, None)
    return hasattr(module, name)


def advice_for(path: str, name: str) -> str:
    """What to write instead of `tf.path.name`, which is missing; "" if nothing is known."""
    spelled = f"{path}.{name}" if path else name
    if name in tensorflow_names().get(path, ()) or spelled in tensorflow_names():
        if path == "compat.v1" and name in GONE:
            return f"It is not supported. {GONE[name]}"
        return f"TensorFlow has tf.{spelled}, which is not supported yet: {_PAGE}"
    gone = spelled.removeprefix("compat.v1.")
    if gone in GONE:
        return GONE[gone]
    other = renamed().get(name) if path == "" else None
    if other is None:
        other = ELSEWHERE.get(name) if path in ("", "math") else None
    if other is not None:
        return f"It is called tf.{other}." if is_here(other) else f"It is called tf.{other}, which is not supported yet: {_PAGE}"
    if spelled in IN_TENSORFLOW_2:
        return _of_tensorflow_1(path, name)
    same = [n for n in names_here(path) if n.lower() == name.lower()] or _same_elsewhere(path, name)
    return _question(path, same) or _of_tensorflow_1(path, name) or _misspelt(path, name)


def _misspelt(path: str, name: str) -> str:
    """Similar names of tracefn and TensorFlow."""
    here = names_here(path) | ({"keras"} if path == "" else set())  # whether or not it is installed
    close = close_names(name, here)
    older = close_names(name, _of_other_times()) if path == "" else []
    if older and not (close and _likeness(name, close[0]) >= _likeness(name, older[0])):
        return f"Did you mean tf.{older[0]}? {advice_for(path, older[0])}"
    others = close_names(name, tensorflow_names().get(path, frozenset()) - here)
    if others and not (close and _likeness(name, close[0]) >= _likeness(name, others[0])):
        spelled = f"{path}.{others[0]}" if path else others[0]
        return f"Did you mean tf.{spelled}? It is not supported yet: {_PAGE}"
    return _question(path, close or _abbreviated(name, here))


def _of_other_times() -> set[str]:
    """The names at the top that TensorFlow has no longer."""
    names = {*GONE, *renamed(), *tensorflow_names()["compat.v1"]}
    return {name for name in names if "." not in name} - names_here("")


def close_names(name: str, known) -> list[str]:
    """The candidates for a misspelled name: the most similar one, and those nearly as similar."""
    if len(name) < 5:  # a letter more or less is a great part of it
        known = [n for n in known if abs(len(n) - len(name)) < 2]
    found = difflib.get_close_matches(name, known, n=3, cutoff=0.72)
    return [n for n in found if _likeness(name, n) > _likeness(name, found[0]) - 0.02]


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, one).ratio()


def _abbreviated(name: str, known) -> list[str]:
    """The only name that shares a prefix, as "det" and "determinant" do."""
    found = [n for n in known if len(n) > 2 and len(name) > 2 and (n.startswith(name) or name.startswith(n))]
    return found if len(found) == 1 else []


def _same_elsewhere(path: str, name: str) -> list[str]:
    """The shortest name in another namespace with the same last part, like "nn.relu"."""
    spaces = sorted((space for space in tensorflow_names() if not space.startswith("compat.v1.")), key=len)
    private = ("raw_ops", "compat.v1", path)
    found = (f"{s}.{name}" if s else name for s in spaces if s not in private and name in tensorflow_names()[s])
    shortest = next(filter(is_here, found), None)
    return [] if shortest is None else ["." + shortest]


def _question(path: str, names: list[str]) -> str:
    """ "Did you mean tf.a, or tf.b?"; a name that begins with a dot is unchanged. "" without names."""
    if not names:
        return ""
    start = f"tf.{path}." if path else "tf."
    spelled = [f"tf{name}" if name.startswith(".") else start + name for name in names]
    return f"Did you mean {', or '.join(spelled)}?"


def _of_tensorflow_1(path: str, name: str) -> str:
    found = sys.modules["tracefn"].compat.v1
    for part in path.split(".") if path else ():
        found = getattr(found, part, None)
    spelled = f"{path}.{name}" if path else name
    instead = f" In TensorFlow 2 write {IN_TENSORFLOW_2[spelled]}." if spelled in IN_TENSORFLOW_2 else ""
    if hasattr(found, name):
        return f"It is a name of TensorFlow 1: tf.compat.v1.{spelled}.{instead}"
    if path == "" and name in tensorflow_names()["compat.v1"]:
        return f"It is a name of TensorFlow 1, which is not supported: {_PAGE}"
    return ""
