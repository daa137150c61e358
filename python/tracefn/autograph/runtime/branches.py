"""if statements over a tensor: both branches are traced, one after the other, and become one If node."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn._control_flow.bodies import merged_structure, new_graph
from tracefn._control_flow.conditional import _if, _stateless_if, emit_branches
from tracefn.autograph.runtime import mismatch, values
from tracefn.autograph.runtime.conditions import is_staged, scalar_bool
from tracefn.autograph.runtime.lists import ListProbe, StagedList
from tracefn.autograph.runtime.mismatch import Problem
from tracefn.autograph.runtime.staging import Staged, in_staged_loop, shown
from tracefn.autograph.runtime.undefined import is_missing, undefined, unset
from tracefn.framework import name_scope

_BRANCHES = ("main", "else")
_FLAGS = frozenset({"do_return", "break_", "continue_"})


def if_stmt(condition, info, places=()):
    """Starts an if statement: returns a bool for a Python condition, a StagedIf (which is true) for a tensor.

    Args:
      condition: any value.
      info: the number of the statement, the variables that it sets, which of them are live after it, whether both branches
        must return, and which variables are declared global or nonlocal.
      places: attributes and items that the statement sets.
    """
    if not is_staged(condition):
        return bool(condition)
    return StagedIf(condition, info, places, sys._getframe(1))


class _Numbers:
    """What the Python numbers that branches leave become: with weak dtypes, weak tensors."""

    convert: Callable | None = None


def numbers_by(convert: Callable | None) -> None:
    """Chooses the function that each leaf of what branches leave passes through; None: it stays as it is."""
    _Numbers.convert = convert


class StagedIf(Staged):
    """An if statement being traced: first the main branch, then the else branch."""

    def __init__(self, condition, info, places, frame) -> None:
        condition = scalar_bool(condition, "if statement")
        number, keys, live, strict, outer = info
        self._restored = frozenset(name for name, is_live in zip(keys, live, strict=True) if not is_live).intersection(outer)
        super().__init__(number, frame, outer)
        self._condition = condition
        self._lenient = in_staged_loop(frame)
        self._strict = strict and not self._lenient
        self._names, self._live = shown(keys), live
        self._keys = keys
        self._places = values.Places(places)
        self._before = self.variables(keys)
        self._before_places = self._places.get()
        self._scope = self.enter(name_scope("cond"))
        self._graphs = [self.open_graph("true", self._scope)]
        self._after: list = []

    def _collect(self, after) -> None:
        self._after.append((after, self._places.get()))
        self.leave_context()

    def orelse(self):
        """Ends the main branch and begins the other one; returns the variables' values before the statement."""
        self._collect(self.variables(self._keys))
        self._places.set(self._before_places)
        self._graphs.append(self.open_graph("false", self._scope))
        return self._before

    def finish(self):
        """Ends the else branch; returns the variables that are live after the statement, as results of the node, and the
        globals that are not, as they were before."""
        self._collect(self.variables(self._keys))
        (main, main_places), (other, other_places) = self._after
        merge = _Merge(self._graphs, self._lenient, self._strict, self.frame)
        kept = [i for i, is_live in enumerate(self._live) if is_live]
        for i in kept:
            merge.add(self._names[i], main[i], other[i], self._before[i])
        for name, *three in zip(self._places.names, main_places, other_places, self._before_places, strict=True):
            merge.add(name, *three)
        results = merge.emit(self._condition, self._scope)
        self.end()
        self._places.set(results[len(kept) :])
        if not self._restored:
            return results[: len(kept)]
        merged = iter(results)
        return [
            next(merged) if is_live else before
            for key, is_live, before in zip(self._keys, self._live, self._before, strict=True)
            if is_live or key in self._restored
        ]


class _Merge:
    """Merges the variables of two branches."""

    def __init__(self, graphs, lenient: bool, strict: bool, frame, told=mismatch.of_branches) -> None:
        self._graphs = graphs
        self._frame = frame
        self._told = told
        self._lenient = lenient
        self._strict = strict
        self._results: list = []  # (index of the first tensor, Flat) or an unchanged value
        self._tensors: tuple[list, list] = ([], [])
        self._problems: list[Problem] = []

    def add(self, name: str, main, other, before) -> None:
        if name == "do_return" and self._strict and main is True:
            self._results.append((True,))
            return
        if main is other and (is_missing(main) or main is before or (name in _FLAGS) or isinstance(main, ListProbe)):
            self._results.append((main,))
            return
        pair = [main, other]
        if name == "retval_" and self._lenient:
            pair = self._fill_missing(pair)
        problem = _missing(name, pair)
        if problem is not None:
            problem.rank = next((side for side in (0, 1) if is_missing(pair[side])), 2)
            self._problems.append(self._with_other_side(problem, pair))
            return
        flats = self._flattened(name, pair)
        problem = _difference(name, *flats)
        if problem is None and _Numbers.convert is not None:
            flats = self._flattened(name, self._numbers_converted(pair))
            problem = _difference(name, *flats)
        if problem is not None:
            self._problems.append(problem)
            return
        first, second = flats
        if not isinstance(first.structure, StagedList):
            first = values.Flat(merged_structure(first.structure, [second.structure]), first.tensors)
        self._results.append((len(self._tensors[0]), first))
        for tensors, flat in zip(self._tensors, flats, strict=True):
            tensors.extend(flat.tensors)

    def _flattened(self, name: str, pair) -> list:
        flats = []
        for graph, value in zip(self._graphs, pair, strict=True):
            with _core.TargetContext(graph):
                flats.append(values.flatten(name, value))
        return flats

    def _numbers_converted(self, pair) -> list:
        found = []
        for graph, value in zip(self._graphs, pair, strict=True):
            with _core.TargetContext(graph):
                found.append(nest.map_structure(_Numbers.convert, value))
        return found

    def _with_other_side(self, problem: Problem, pair) -> Problem:
        """Adds to the problem of a variable without a value in one branch its value in the other one."""
        present = [None if is_missing(v) or v is None or None in _leaves(v) else v for v in pair]
        if present[0] is present[1]:
            return problem
        side = 0 if present[0] is not None else 1
        with _core.TargetContext(self._graphs[side]):
            flat = values.flatten(problem.name, present[side])
        setattr(problem, ("first", "second")[side], flat)
        return problem

    def _fill_missing(self, pair):
        """Fills in a missing return value with zeros. In a staged loop not every path must return; that value is never read."""
        for i in (0, 1):
            if pair[i] is unset and pair[1 - i] is not unset and pair[1 - i] is not None:
                with _core.TargetContext(self._graphs[1 - i]):
                    present = values.flatten("retval_", pair[1 - i])
                with _core.TargetContext(self._graphs[i]):
                    pair[i] = present.rebuild([zeros(t.dtype, t.shape) for t in present.tensors])
        return pair

    def emit(self, condition, scope: str) -> list:
        if self._problems:
            # TensorFlow's order: first what the main branch leaves without a value, then the else branch.
            self._problems.sort(key=lambda problem: problem.rank)
            raise self._told(self._problems, self._frame)
        for graph, tensors in zip(self._graphs, self._tensors, strict=True):
            with _core.TargetContext(graph):
                for tensor in tensors:
                    graph.add_output(tensor)
        outputs = emit_branches(
            (_if, _stateless_if),
            {"cond": condition},
            self._graphs,
            [list(self._graphs[0].outputs)] * 2,
            scope,
            lambda graphs: {"then_branch": graphs[0], "else_branch": graphs[1]},
        )
        results = []
        for entry in self._results:
            if len(entry) == 1:
                results.append(entry[0])
            else:
                first, flat = entry
                results.append(flat.rebuild(outputs[first : first + len(flat.tensors)]))
        return results


def zeros(dtype, shape):
    """Zeros (or empty strings) of a static shape; unknown sizes are 0."""
    sizes = [] if shape.rank is None else [size or 0 if size is None else size for size in shape.as_list()]
    if dtype.name == "string":
        return _core.convert_to_tensor(np.full(sizes, "", object), dtype=dtype)
    return _core.convert_to_tensor(np.zeros(sizes, dtype.as_numpy_dtype), dtype=dtype)


def _missing(name: str, pair):
    """The problem of a variable that has no value after one branch, or None."""
    for branch, value in zip(_BRANCHES, pair, strict=True):
        if value is unset:
            return Problem(ValueError(f"the {branch} branch must also have a return statement."), name)
        if value is undefined:
            return Problem(ValueError(f"'{name}' must also be initialized in the {branch} branch"), name)
    for branch, value in zip(_BRANCHES, pair, strict=True):
        if value is None or (isinstance(value, (tuple, list, dict)) and None in _leaves(value)):
            return Problem(ValueError(f"'{name}' is None at the end of the {branch} branch."), name, is_none=True)
    return None


def _leaves(value) -> list:
    """The leaves of a nest that are None."""
    return [leaf for leaf in nest.flatten(value) if leaf is None]


def _difference(name: str, main, other):
    """The problem of a variable whose structure or dtypes differ between the branches, or None."""
    details = values.same_structure(main.structure, other.structure)
    if details is not None:
        text = f"'{name}' must have the same nested structure in the main and else branches:\n\n{details}"
        return Problem(TypeError(text), name, main, other)
    for first, second in zip(main.tensors, other.tensors, strict=True):
        if first.dtype != second.dtype:
            text = (
                f"'{name}' has dtype {first.dtype.name} in the main branch, but dtype {second.dtype.name} in the else branch"
            )
            return Problem(TypeError(text), name, main, other)
    return None


def if_value(condition, main, orelse, label: str):
    """A conditional expression or boolean operator over a tensor. Each operand is traced into its own graph.

    Args:
      condition: scalar bool tensor.
      main, orelse: thunks.
      label: the name of the value in messages.
    """
    graphs, results = [], []
    with name_scope("cond") as scope:
        for kind, thunk in (("true", main), ("false", orelse)):
            graphs.append(new_graph(kind, scope))
            with _core.TargetContext(graphs[-1]):
                results.append(thunk())
        merge = _Merge(graphs, False, False, sys._getframe(2), mismatch.of_expression)
        merge.add(label, results[0], results[1], undefined)
        return merge.emit(condition, scope)[0]


def note_total_return(flag) -> None:
    """Records that the body of a loop always returns and sets this flag: the result is valid if the loop ran at all."""
    graph = flag.graph
    graph._total_returns = getattr(graph, "_total_returns", frozenset()) | {flag.name}


def returned(flag, value):
    """The result of a function whose `return` statements were lowered.

    Raises:
      ValueError: whether it returned depends on a tensor.
    """
    if flag is False or value is unset:  # in a loop the flag may be a tensor though no trace of the body returns
        return None
    if flag is True or flag.name in getattr(flag.graph, "_total_returns", ()):
        return value
    problem = Problem(ValueError("the else branch must also have a return statement."), "retval_", values.flatten("it", value))
    raise mismatch.of_function(problem, sys._getframe(1))
