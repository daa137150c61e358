"""Writes what TensorFlow's modules below `tensorflow.python` hold into python/tracefn/as_tensorflow/tensorflow_modules.txt:
`python tests/oracle/record_modules.py`, where TensorFlow 2.21 is.

A line is a module, a colon, the public objects that it defines, " | ", the public objects that it imports, " | " and other
names in it. "a=math.b" is an object `a` that the public interface calls `tf.math.b`; "a" alone is `tf.a`. "a=gen:b" is the generated
function `b` of an op. Modules of generated ops have no names: they follow from the ops.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import sys
import types

import tensorflow as tf

TARGET = pathlib.Path(__file__).parents[2] / "python" / "tracefn" / "as_tensorflow" / "tensorflow_modules.txt"
FOLDERS = ("python", "core", "compiler", "security", "tools")
# Have the names of other modules.
LEFT_OUT = ("tensorflow.python.ops.standard_ops", "tensorflow.python.framework.framework_lib")
# Where modules are that are imported on use, and what tests have there.
LATER = re.compile(r"tensorflow\.python\.(autograph\.pyct|data\.(ops|util|experimental\.ops)|framework|layers|ops|saved_model|training|util)\.")
OF_TESTS = re.compile(r"test|subscribe|memory_checker|keyword_args")
# The public interface's namespace for libraries.
INTERNAL = "__internal__"
# What only generated code or accelerators have.
UNUSED = re.compile(r"_eager_fallback$|^TV_|^__|^[A-Z]+_[A-Z_]*API")
# Python modules that lie beside the public ones.
BESIDE = {"keras", "python", "compiler", "core", "tools", "lite", "security", "dtensor"}


def is_better(path: str, other: str | None) -> bool:
    """Whether a path is preferred: one that is not internal, then the shorter one."""
    return other is None or _rank(path) < _rank(other)


def _rank(path: str) -> tuple:
    return INTERNAL in path, path.count("."), len(path), path


def is_object(value) -> bool:
    """Whether it is a function, a class or an object of TensorFlow's, which is itself wherever it is named."""
    if isinstance(value, (int, str, float, tuple, list, dict)):
        return False
    return callable(value) or type(value).__module__.startswith("tensorflow")


def public_objects() -> tuple[dict[int, str], dict[int, object]]:
    """The shortest public path of each function and class, and these objects, by their ids."""
    found: dict[int, str] = {}
    objects: dict[int, object] = {}
    seen = set()
    waiting = [(tf, "")]
    while waiting:
        module, path = waiting.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in sorted(dir(module)):
            if (name.startswith("_") and name != INTERNAL) or (not path and name in BESIDE):
                continue
            value = getattr(module, name)
            spelled = f"{path}.{name}" if path else name
            if "Lazy" in type(value).__name__ or path == "raw_ops":
                continue
            if isinstance(value, types.ModuleType):
                if "._api." in value.__name__:
                    waiting.append((value, spelled))
            elif is_object(value) and is_better(spelled, found.get(id(value))):
                found[id(value)] = spelled
                objects[id(value)] = value
    return found, objects


def definition(value) -> tuple[str, str] | None:
    """Where a function is defined: the same for one that dispatches and for the one that it calls."""
    if isinstance(value, type) or not hasattr(value, "__qualname__") or "<" in value.__qualname__:
        return None
    module = str(value.__module__)
    return (module, value.__qualname__) if module.startswith("tensorflow") else None


def by_definition(public: dict[int, str], objects: dict[int, object]) -> dict[tuple[str, str], str]:
    """The shortest public path of each definition."""
    found: dict[tuple[str, str], str] = {}
    for key, path in public.items():
        where = definition(objects[key])
        if where is not None and "raw_ops" not in path and is_better(path, found.get(where)):
            found[where] = path
    return found


def target_of(value, public: dict[int, str], defined: dict[tuple[str, str], str]) -> str | None:
    """What an object is: a public path, or a generated function. None: neither."""
    where = definition(value)
    path = public.get(id(value)) or (defined.get(where) if where else None)
    if path is None and where is not None and re.search(r"\.gen_\w+$", where[0]):
        return f"gen:{where[1]}"
    return path


def is_own(key: str, value) -> bool:
    """Whether a name that is not public is TensorFlow's: not the standard library's, and no constant for its own use."""
    if isinstance(value, type) or callable(value) and hasattr(value, "__qualname__"):
        return str(getattr(value, "__module__", "")).startswith("tensorflow")
    return not key.startswith("_")


def line(name: str, module: types.ModuleType, public: dict[int, str], defined: dict[tuple[str, str], str]) -> str:
    """The line of a module."""
    if re.search(r"\.gen_\w+$", name):
        return name
    objects: tuple[list, list] = [], []
    others = []
    for key, value in sorted(vars(module).items()):
        if UNUSED.search(key) or isinstance(value, types.ModuleType):
            continue
        path = target_of(value, public, defined)
        if path is not None:
            is_foreign = getattr(value, "__module__", name) != name
            objects[is_foreign].append(key if path == key else f"{key}={path}")
        elif is_own(key, value):
            others.append(key)
    return f"{name}: {' '.join(objects[0])} | {' '.join(objects[1])} | {' '.join(others)}"


def modules() -> list[str]:
    """The modules that are imported."""
    found = sorted(name for name in sys.modules if name.startswith("tensorflow."))
    return [name for name in found if name.split(".")[1] in FOLDERS and name not in LEFT_OUT]


def import_rest() -> None:
    """Imports the modules of Python code that TensorFlow itself imports only when they are used."""
    root = pathlib.Path(tf.__file__).parent
    for file in sorted((root / "python").rglob("*.py")):
        name = ".".join(("tensorflow", *file.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        if LATER.match(name) and not OF_TESTS.search(name):
            importlib.import_module(name)


def main() -> None:
    public, objects = public_objects()
    defined = by_definition(public, objects)
    chosen = modules()
    import_rest()
    chosen += [name for name in modules() if name not in set(chosen)]  # last: they repeat other modules' names
    lines = [line(name, sys.modules[name], public, defined) for name in chosen]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {len(lines)} modules of TensorFlow {tf.__version__}, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
