"""What is said of variables that a staged statement cannot carry: one message for all of them.

Each gets TensorFlow's sentence, and below it the lines that set it, what it was on both sides, and the line to add.
"""

from __future__ import annotations

import ast
import linecache

from tracefn import nest
from tracefn.autograph.analysis.walk import every
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec

_LONGEST = 160


class Problem:
    """One variable: the error for it alone, its values as Flat on the two sides (None: no value), and the line to add."""

    __slots__ = ("add", "error", "first", "name", "rank", "second")

    def __init__(self, error: Exception, name: str, first=None, second=None, add: str | None = None) -> None:
        self.error = error
        self.name = name
        self.first = first
        self.second = second
        self.add = add
        self.rank = 2  # the lower, the earlier it is told of


def of_loop(problems, frame) -> Exception:
    """One exception for the variables of a loop whose header line `frame` is at."""
    return _combined(problems, frame, "before the loop", "after one iteration")


def of_branches(problems, frame) -> Exception:
    """One exception for the variables of an if statement that `frame` is at, or of an expression (no frame)."""
    return _combined(problems, frame, "in the main branch", "in the else branch")


def _combined(problems, frame, first: str, second: str) -> Exception:
    lines: list[str] = []
    for problem in problems:
        text = str(problem.error)
        if len(problems) > 1:
            text = text.replace("\n\n", "\n")
        if text in lines:
            continue
        lines.append(text)
        before, inside, otherwise = set_on(frame, problem.name)
        after = inside if first.startswith("before") else otherwise
        sides = [
            _side(first, before if after is inside else inside, problem.first),
            _side(second, after, problem.second),
        ]
        said = [side for side in sides if side]
        if problem.add:
            said.append(f"add {problem.add}")
        if said:
            lines.append("    " + "; ".join(said))
    return type(problems[0].error)("\n".join(lines))


def _side(label: str, lines, flat) -> str:
    if flat is None:
        return ""
    where = f" (set on line {', '.join(map(str, lines))})" if lines else ""
    return f"{label}{where}: {spec_text(flat)}"


def spec_text(flat) -> str:
    """The structure of a value with TensorSpecs for leaves."""
    structure = flat.structure
    if not isinstance(structure, _NESTS):
        leaves = [TensorSpec(t.shape, t.dtype) for t in flat.tensors]
        text = repr(leaves[0]) if len(leaves) == 1 else repr(leaves)
    else:
        text = repr(nest.map_structure(lambda t: None if t is None else TensorSpec(t.shape, t.dtype), structure))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


_NESTS = (list, tuple, dict)


def zeros_text(flat) -> str | None:
    """Code for a value like a single tensor, or None."""
    if len(flat.tensors) != 1 or isinstance(flat.structure, _NESTS):
        return None
    tensor = flat.tensors[0]
    if (
        tensor.shape.rank is None
        or None in tensor.shape.as_list()
        or tensor.dtype.name in ("string", "variant", "resource")
    ):
        return None
    return f"tf.zeros({tensor.shape.as_list()}, tf.{tensor.dtype.name})"


def cast_text(where: str, name: str, before, after) -> str | None:
    """The line that makes a variable of one dtype one of another, or None where there is no cast."""
    if {before.name, after.name} & {"string", "variant", "resource"}:
        return None
    return f"{where}: {name} = tf.cast({name}, tf.{after.name})"


def invariant_text(name: str, before, after) -> str:
    """The loop option that lets a shape vary from `before` to `after`."""
    general = before.most_specific_common_supertype([after]) if before.rank == after.rank else TensorShape(None)
    shape = "None" if general.rank is None else repr(general.as_list())
    return (
        f"to the loop: tf.autograph.experimental.set_loop_options(shape_invariants=[({name}, tf.TensorShape({shape}))])"
    )


def set_on(frame, name: str) -> tuple[list[int], list[int], list[int]]:
    """The lines that set a variable: before the statement that `frame` is at, in its body, and in its else."""
    statement, function = _statement(frame)
    if statement is None:
        return [], [], []
    inside = _lines(statement.body, name)
    otherwise = _lines(statement.orelse, name)
    if isinstance(statement, ast.For):
        inside = sorted({*inside, *_lines([statement.target], name)})
    before = [line for line in _lines([function], name) if line < statement.lineno]
    return before, inside, otherwise


def _statement(frame):
    """(the if, for or while at the frame's line, the function around it), or (None, None) where there is no source."""
    if frame is None:
        return None, None
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:  # a cell with magic commands, say: the message does without line numbers
        return None, None
    function = statement = None
    for node in every(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno <= frame.f_lineno <= (node.end_lineno or 0):
            function = node  # the last one found is the innermost
        elif isinstance(node, (ast.If, ast.For, ast.While)) and node.lineno == frame.f_lineno:
            statement = node
    return (statement, function) if function is not None else (None, None)


def _lines(body, name: str) -> list[int]:
    found = set()
    for root in body:
        for node in every(root):
            is_target = isinstance(getattr(node, "ctx", None), ast.Store) and ast.unparse(node) == name
            if is_target or (isinstance(node, ast.arg) and node.arg == name):
                found.add(node.lineno)
    return sorted(found)
