"""The names of TensorFlow that an installed Keras 3 uses, and which of them tracefn lacks.

    PYTHONPATH=python python python/tools/keras_names.py [FOLDER]            list those that are missing
    PYTHONPATH=python python python/tools/keras_names.py FOLDER --record     write all into tests/oracle/keras_names.txt

FOLDER is that of the package `keras`; without it, the recorded names are looked up. Only Keras's backend for TensorFlow is
read, and what else imports tensorflow. Names are read from the sources: nothing of Keras is imported.
"""

from __future__ import annotations

import ast
import pathlib
import sys

from tracefn._missing.names import tensorflow_names

RECORDED = pathlib.Path(__file__).parents[2] / "tests" / "oracle" / "keras_names.txt"
_LEFT_OUT = ("_test.py", "/saved_model_test", "/distribute_test")


def _chain(node: ast.AST) -> list[str]:
    """The names of `a.b.c`; none of another expression."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        outer = _chain(node.value)
        return [*outer, node.attr] if outer else []
    return []


def _modules(tree: ast.Module) -> set[str]:
    """What a file calls TensorFlow."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) or isinstance(node, ast.ImportFrom) and (node.module or "").endswith("module_utils"):
            found |= {a.asname or a.name for a in node.names if a.name == "tensorflow"}
    return found


def _public(chain: list[str]) -> str:
    """The path of the name that a chain begins with: up to the first part that is not a namespace."""
    namespaces, path = tensorflow_names(), []
    for part in chain:
        path.append(part)
        joined = ".".join(path)
        if path[0] in ("__internal__", "compat") and len(path) < 3:
            continue
        if joined not in namespaces:
            break
    return ".".join(path)


def names_in(folder: pathlib.Path) -> set[str]:
    """The paths, without "tf.", that the files below a folder use."""
    found = set()
    for file in folder.rglob("*.py"):
        if any(part in str(file) for part in _LEFT_OUT):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        modules = _modules(tree)
        if not modules:
            continue
        inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and id(node) not in inner:
                chain = _chain(node)
                if len(chain) > 1 and chain[0] in modules and chain[1] != "available":  # of Keras's lazy module
                    found.add(_public(chain[1:]))
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorflow."):
                module = node.module.removeprefix("tensorflow.")
                found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def recorded() -> list[str]:
    """The names of the recorded file."""
    return RECORDED.read_text(encoding="utf-8").split("\n")[1:-1]


def is_there(path: str) -> bool:
    """Whether tracefn has the name, as `import tensorflow` finds it: modules of TensorFlow's own have stand-ins."""
    import tracefn
    from tracefn.as_tensorflow.internal_modules import module_at

    module, _, name = path.rpartition(".")
    own = module_at(module) if path.startswith("python.") else None
    if own is not None:
        return hasattr(own, name)
    value = tracefn
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return False
    return True


def missing(names) -> list[str]:
    """Those that tracefn lacks."""
    return sorted(name for name in names if not is_there(name))


def main(arguments: list[str]) -> None:
    folders = [argument for argument in arguments if not argument.startswith("--")]
    names = names_in(pathlib.Path(folders[0])) if folders else recorded()
    if "--record" in arguments:
        head = "Names of TensorFlow that Keras 3 uses, without tf.; written by python/tools/keras_names.py"
        RECORDED.write_text("\n".join([head, *sorted(names)]) + "\n", encoding="utf-8")
    lacking = missing(names)
    print("\n".join(lacking))
    print(f"{len(lacking)} of {len(names)} names are missing")


if __name__ == "__main__":
    main(sys.argv[1:])
