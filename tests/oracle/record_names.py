"""Writes TensorFlow's public names into python/tracefn/_missing/tensorflow_names.txt: `python tests/oracle/record_names.py`, where
TensorFlow 2.21 is.

A line is a namespace ("tf", "tf.math", "tf.compat.v1"), a colon and its names. In the line of `renamed` are names of TensorFlow 1
that TensorFlow 2 has under another: "log=math.log".
"""

from __future__ import annotations

import pathlib
import types

import tensorflow as tf

TARGET = pathlib.Path(__file__).parents[2] / "python" / "tracefn" / "_missing" / "tensorflow_names.txt"


def is_namespace(value) -> bool:
    """Whether it is a module of the public interface, and not a Python module that one of them imports."""
    if not isinstance(value, types.ModuleType):
        return False
    package = value.__name__
    return "._api." in package or "._tf_keras." in package or package == "tensorflow.experimental"


def is_public(value) -> bool:
    """False for Python modules that a namespace imports for itself, or that lie beside it."""
    return not isinstance(value, types.ModuleType) or is_namespace(value) or value.__name__.startswith("keras.")


def names_of(module) -> list[str]:
    """The public names of a namespace."""
    return sorted(name for name in dir(module) if not name.startswith("_") and is_public(getattr(module, name)))


def walk(module, path: str, found: dict) -> dict:
    """Namespace -> names, of a namespace and all below it; `tf.compat.v1` and `v2` aside."""
    found[path] = names_of(module)
    for name in found[path]:
        below = f"{path}.{name}" if path else name
        if is_namespace(getattr(module, name)) and not below.startswith("compat."):
            walk(getattr(module, name), below, found)
    return found


def value_of(path: str):
    value = tf
    for name in path.split("."):
        value = getattr(value, name)
    return value


def renamed(found: dict, old_names: list[str]) -> dict[str, str]:
    """What TensorFlow 2 calls the names of TensorFlow 1 that it has no more: the shortest name of the same object."""
    paths: dict[int, list[str]] = {}
    for namespace, names in found.items():
        for name in names:
            path = f"{namespace}.{name}" if namespace else name
            value = value_of(path)
            if callable(value) and not namespace.startswith("keras"):
                paths.setdefault(id(value), []).append(path)
    new = {name: paths.get(id(getattr(tf.compat.v1, name, None)), []) for name in old_names if name not in found[""]}
    # "mod": the name that is documented is the last one.
    return {name: max(named, key=lambda path: (-path.count("."), path)) for name, named in new.items() if named}


def main() -> None:
    found = walk(tf, "", {})
    old = sorted(name for name in dir(tf.compat.v1) if not name.startswith("_"))
    lines = [f"{'tf.' + path if path else 'tf'}: {' '.join(names)}" for path, names in sorted(found.items())]
    lines.append(f"tf.compat.v1: {' '.join(old)}")
    for below in ("train", "train.experimental"):
        lines.append(f"tf.compat.v1.{below}: {' '.join(names_of(value_of(f'compat.v1.{below}')))}")
    lines.append("renamed: " + " ".join(f"{name}={path}" for name, path in sorted(renamed(found, old).items())))
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {sum(map(len, found.values()))} names of TensorFlow {tf.__version__}, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
