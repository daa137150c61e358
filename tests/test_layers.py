"""The layers of the Python package, as docs/layout.md has them: what each module imports, and where native classes get methods."""

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from typing import NamedTuple

import pytest
import tracefn

PACKAGE = pathlib.Path(tracefn.__file__).parent
LAYOUT = pathlib.Path(__file__).parents[1] / "docs" / "layout.md"
REASON = re.compile(r"# (start-up time|optional): \w+")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Import(NamedTuple):
    """What one statement imports: modules of the package and others, where it stands, and its reason if it has one."""

    modules: tuple[str, ...]
    line: int
    in_function: bool
    reason: str | None


def module_name(path: pathlib.Path) -> str:
    parts = ["tracefn", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(source) for name, source in SOURCES.items()}


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(call.func, "attr", None) or getattr(call.func, "id", "")


def is_dynamic(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("import_module", "__import__")


def imported(node) -> tuple[str, ...]:
    """What a statement imports; a call, by what its argument begins with: "tracefn.ops" of f"tracefn.ops.{file}"."""
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports name whole paths"
        return tuple(m if (m := f"{node.module}.{a.name}") in known_modules() else node.module for a in node.names)
    start = next((n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)), "")  # "": of another package
    return (start.rstrip("."),)


def known_modules() -> set[str]:
    return {*SOURCES, "tracefn._core"}


def comments_of(source: str) -> tuple[dict[int, str], dict[int, str]]:
    """Line -> comment: of those behind code, and of those that have their line to themselves."""
    behind, alone = {}, {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            (alone if token.line.lstrip().startswith("#") else behind)[token.start[0]] = token.string
    return behind, alone


def imports_of(source: str) -> list[Import]:
    """All imports of a module, those inside of functions and those by `importlib.import_module` too."""
    behind, alone = comments_of(source)
    found: list[Import] = []

    def note(node, first, in_function: bool) -> None:
        """`first`: the first of the imports in a row that the node is one of; a comment above that one is for all."""
        comments = (behind.get(node.end_lineno, ""), alone.get(first.lineno - 1, ""))
        reason = next((match[1] for match in map(REASON.match, comments) if match), None)
        found.append(Import(imported(node), node.lineno, in_function, reason))

    def visit(node: ast.AST, in_function: bool) -> None:
        first = None
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                first = first or child
                note(child, first, in_function)
                continue
            first = None
            if is_dynamic(child):
                note(child, child, in_function)
            visit(child, in_function or isinstance(child, FUNCTIONS))

    visit(ast.parse(source), False)
    return found


IMPORTS = {name: imports_of(source) for name, source in SOURCES.items()}


def edges(name: str) -> set[str]:
    """The modules of the package that a module imports. (Python also imports the packages that they are in.)"""
    return {m for i in IMPORTS[name] for m in i.modules if m.partition(".")[0] == "tracefn"}


def layers() -> dict[str, int]:
    """Module or folder -> number of its layer, from the bottom up, as the table in docs/layout.md says."""
    text = LAYOUT.read_text(encoding="utf-8").partition("## Layers of the Python package")[2]
    rows = [line.split("|") for line in text.splitlines() if line.startswith("|")][2:]
    return {name: i for i, row in enumerate(rows) for name in re.findall(r"`([\w.]+)`", row[3])}


LAYERS = layers()


def layer_of(name: str) -> int:
    """That of the module itself, or of the innermost folder that the table names."""
    path = name.removeprefix("tracefn.")
    while path:
        if path in LAYERS:
            return LAYERS[path]
        path = path.rpartition(".")[0]
    raise AssertionError(f"{name} is in no layer of docs/layout.md")


def test_the_table_names_what_there_is():
    known = {name.removeprefix("tracefn.") for name in known_modules()}
    assert sorted(set(LAYERS) - known) == []


@pytest.mark.parametrize("name", SOURCES)
def test_imports_are_from_no_layer_above(name):
    mine = layer_of(name)
    assert [m for m in sorted(edges(name)) if layer_of(m) > mine] == []


def test_no_module_imports_itself_in_a_circle():
    left = {name: edges(name) & set(SOURCES) for name in SOURCES}
    while free := [name for name, others in left.items() if not others & set(left)]:
        for name in free:
            del left[name]
    assert left == {}, "these are in circles, or rest on what is"


@pytest.fixture(scope="module")
def at_start() -> set[str]:
    """The modules that `import tracefn` has imported, in a process that has imported nothing else."""
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import tracefn; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


IN_PARTS = {"tracefn.ops", "tracefn._tracking"}
LATER = [(name, i) for name, found in IMPORTS.items() for i in found if i.in_function]


@pytest.mark.parametrize(
    ("name", "later"), LATER, ids=lambda value: value if isinstance(value, str) else str(value.line)
)
def test_an_import_inside_a_function_has_a_reason(name, later, at_start):
    assert later.reason, f"{name}:{later.line}: say why, as `# start-up time: ...` or `# optional: ...`"
    if later.reason == "optional":
        assert not any(m.partition(".")[0] in {"tracefn", "numpy", *sys.stdlib_module_names} for m in later.modules)
    else:  # what is there at the start anyway costs nothing, but for packages whose files are imported by name
        assert any(m not in at_start or m in IN_PARTS for m in later.modules)


def native_names(tree: ast.Module) -> set[str]:
    """What a module calls the classes of the core that it imports by name."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "tracefn._core"]
    return {alias.asname or alias.name for node in nodes for alias in node.names}


def is_native_class(node: ast.AST, names: set[str]) -> bool:
    text = ast.unparse(node)
    native = text in names or text.startswith("_core.")
    return native and isinstance(getattr(tracefn._core, text.removeprefix("_core."), None), type)


# The second one gives classes the names of TensorFlow's modules, when it is asked to.
APART = {"tracefn._native_methods", "tracefn.as_tensorflow.class_modules"}


@pytest.mark.parametrize("name", sorted(set(SOURCES) - APART))
def test_native_classes_get_their_methods_in_one_place(name):
    names = native_names(TREES[name])
    nodes = list(ast.walk(TREES[name]))
    targets = [t for n in nodes if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in nodes if isinstance(n, (ast.AugAssign, ast.AnnAssign))]
    set_here = [ast.unparse(t) for t in targets if isinstance(t, ast.Attribute) and is_native_class(t.value, names)]
    calls = [n for n in nodes if isinstance(n, ast.Call) and called(n) == "setattr"]
    set_here += [ast.unparse(n) for n in calls if is_native_class(n.args[0], names)]
    assert set_here == []


def test_what_the_rules_are_read_from():
    """The reading itself: an import in each place where one may stand."""
    source = """
import ast

class C:
    def f(self):
        # start-up time: of both
        import dis
        import enum
        call()
        import io  # because
        x = [import_module(f"tracefn.ops.{file}") for file in "ab"]  # optional: not really
        return lambda: __import__("re")
"""
    assert [(i.modules, i.in_function, i.reason) for i in imports_of(source)] == [
        (("ast",), False, None),
        (("dis",), True, "start-up time"),
        (("enum",), True, "start-up time"),
        (("io",), True, None),
        (("tracefn.ops",), True, "optional"),
        (("re",), True, None),
    ]
