"""for and while over tensors: condition and body are traced into graphs of their own, and become one While node."""

from __future__ import annotations

import sys
from typing import Any

from tracefn import _core, nest
from tracefn._control_flow.bodies import is_composite, loop_structure, shapes_in
from tracefn._control_flow.loop import _stateless_while, _while
from tracefn.autograph.marks import LOOP_OPTIONS
from tracefn.autograph.runtime import mismatch, values
from tracefn.autograph.runtime.branches import note_total_return, zeros
from tracefn.autograph.runtime.conditions import is_staged, scalar_bool
from tracefn.autograph.runtime.iterables import Elements, is_staged_iterable, source_of
from tracefn.autograph.runtime.lists import ListProbe, StagedList
from tracefn.autograph.runtime.mismatch import Problem
from tracefn.autograph.runtime.staging import Staged, is_staging, shown
from tracefn.autograph.runtime.undefined import is_missing, undefined, unset
from tracefn.framework import name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.type_spec import TypeSpec

_UNDEFINED_ERRORS = (UnboundLocalError, TypeError, ValueError, KeyError)
_CHANGED = (
    "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because variables "
    "changed type, or when a break or return statement inside the loop depends on a Tensor condition. In both cases, "
    "changing to a TF loop should remove the error.\nSee https://github.com/tensorflow/tensorflow/blob/master/tensorflow/"
    "python/autograph/g3doc/reference/limitations.md#consistency-of-control-flow-types for more info."
)
_LEAVES = (
    "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend to "
    "make it a TF loop?\nSee https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/"
    "reference/limitations.md#consistency-of-control-flow-types for more info."
)


def for_stmt(iterable, info):
    """(the iterable for Python's loop, the staged loop or None); `info` describes the loop, see StagedLoop."""
    if is_staged_iterable(iterable) and is_staging():
        loop = StagedFor(iterable, info, sys._getframe(1))
        return loop, loop
    return iterable, None


def while_stmt(info):
    """The loop to trace, or None if nothing is being traced; `info` describes the loop, see StagedLoop."""
    return StagedWhile(info, sys._getframe(1)) if is_staging() else None


def leaves(loop, flag) -> bool:
    """Whether a loop that runs in Python ends here. A staged loop decides that in its condition.

    Raises:
      NotImplementedError: it depends on a tensor.
    """
    if loop is not None:
        return False
    if is_staged(flag):
        raise NotImplementedError(mismatch.with_fix(_LEAVES, mismatch.graph_loop_fix(sys._getframe(1))))
    return bool(flag)


def python_condition(value) -> bool:
    """The truth value of a while condition that started as a Python value.

    Raises:
      NotImplementedError: it has become a tensor.
    """
    if is_staged(value):
        raise NotImplementedError(mismatch.with_fix(_CHANGED, mismatch.graph_loop_fix(sys._getframe(1))))
    return bool(value)


class _Variable:
    """One loop variable: its names, its value before the loop, and its tensors inside."""

    __slots__ = ("after", "before", "flat", "held", "is_list", "is_target", "key", "name", "probed", "shapes")

    def __init__(self, key, name, before, is_list=False, is_target=False) -> None:
        self.key = key
        self.name = name
        self.before = before
        self.is_list = is_list
        self.is_target = is_target
        self.flat: values.Flat | None = None  # None: not carried between iterations
        self.shapes: list = []
        self.held: list = []
        self.after: object = None
        self.probed = False

    @property
    def needs_probe(self) -> bool:
        """Whether the type of the variable is known only after one iteration."""
        return is_missing(self.before) or self.before is None or (self.is_list and type(self.before) is list)

    def carry(self, value) -> None:
        flat = values.flatten(self.name, value)
        if type(flat.structure) is not StagedList:
            flat = values.Flat(loop_structure(flat.structure), flat.tensors)
        self.flat = flat
        self.shapes = [t.shape for t in flat.tensors] if type(flat.structure) is StagedList else shapes_in(flat.structure)

    def current(self):
        """The value inside the graph being traced."""
        if self.flat is None or not self.held and self.flat.tensors:
            return self.before
        return self.flat.rebuild(self.held)


def _with_invariant(name: str, before: TensorShape, invariant) -> TensorShape:
    """The shape that a tensor of a variable has inside the loop; an invariant of None says nothing."""
    if invariant is None:
        return before
    shape = TensorShape(getattr(invariant, "shape", invariant))
    if not before.is_subtype_of(shape):
        raise ValueError(f"'{name}' has shape {before} before the loop, which does not conform with the shape invariant {shape}.")
    return shape


class StagedLoop(Staged):
    """The parts that for and while share: variables, options, the probe of undefined variables, the node.

    Args:
      info: the number of the loop, its variables, which of them are lists that the loop only appends to, the targets of a
        for loop, the flag that ends it, which variables are declared global or nonlocal, and the globals that are as before
        after the loop.
      frame: the frame of the function.
    """

    is_loop = True

    def __init__(self, info, frame) -> None:
        number, self._keys, self._lists, self._targets, self._exit_name, outer, restored = info
        super().__init__(number, frame, outer)
        self._restored = self.variables(restored)
        self._variables: list[_Variable] = []
        self._probing = False
        self._outputs: list = []
        self._places = values.Places(())
        self._options: dict = {}

    def configure(self, places, options) -> None:
        """Takes the attributes and items that the loop sets, and a thunk for the arguments of set_loop_options or None."""
        self._places = values.Places(places)
        self._options = options() if options is not None else {}

    def _heeds_options(self) -> bool:
        """Whether TensorFlow looks at the options of such a loop."""
        return True

    def _begin(self) -> None:
        """Reads the variables before the body runs.

        Raises:
          TypeError: set_loop_options got an argument of another name.
        """
        unknown = [name for name in self._options if name not in LOOP_OPTIONS]
        if unknown and self._heeds_options():
            raise TypeError(f"while_loop() got an unexpected keyword argument {unknown[0]!r}")
        before = self.variables(self._keys)
        for key, name, value, is_list in zip(self._keys, shown(self._keys), before, self._lists, strict=True):
            self._variables.append(_Variable(key, name, value, is_list, key in self._targets))
        self._count = len(self._variables)
        for name, value in zip(self._places.names, self._places.get(), strict=True):
            self._variables.append(_Variable(None, name, value))
        self._maximum = self._options.get("maximum_iterations")
        self._parallel = self._options.get("parallel_iterations") or 10
        self._invariants = list(self._options.get("shape_invariants") or ())

    def _prepare(self) -> None:
        """Converts the values before the loop. The probe finds the types of the variables that have none."""
        for variable in self._variables:
            if not variable.needs_probe:
                variable.carry(variable.before)
                self._apply_invariant(variable)

    def _apply_invariant(self, variable) -> None:
        """Takes what set_loop_options says of a variable: a shape or spec, or for a structure one like it.

        Raises:
          TypeError: the types of the structures differ.
          ValueError: the structures differ, or a shape does not fit the value before the loop.
        """
        for value, invariant in self._invariants:
            if value is not variable.before:
                continue
            if type(variable.flat.structure) is StagedList or not nest.is_nested(value):
                parts, invariants = [variable.flat.structure], [invariant]
            else:
                nest.assert_same_structure(value, invariant)
                parts, invariants = nest.flatten(variable.flat.structure), nest.flatten(invariant)
            shapes = iter(variable.shapes)
            inside: list = []
            variable.shapes = []
            for leaf, part, wanted in zip(nest.flatten(value), parts, invariants, strict=True):
                before = [next(shapes) for _ in shapes_in(part)]
                if is_composite(leaf) and wanted is not None:
                    spec = wanted if isinstance(wanted, TypeSpec) else leaf._shape_invariant_to_type_spec(wanted)
                    inside.append(spec)
                    variable.shapes += shapes_in(spec)
                else:
                    inside.append(part)
                    variable.shapes += [_with_invariant(variable.name, before[0], wanted)] if len(before) == 1 else before
            if not isinstance(variable.flat.structure, StagedList):
                structure = nest.pack_sequence_as(value, inside) if nest.is_nested(value) else inside[0]
                variable.flat = values.Flat(structure, variable.flat.tensors)

    def _needs_probe(self) -> bool:
        return any(v.needs_probe for v in self._variables)

    def values(self):
        """The variables of the frame as values of the graph being traced."""
        current = [v.current() for v in self._variables]
        self._places.set(current[self._count :])
        found = current[: self._count]
        if self._probing:
            for i, variable in enumerate(self._variables[: self._count]):
                if isinstance(variable.after, ListProbe):
                    found[i] = variable.after
        return found

    def _hold(self, graph) -> None:
        """Placeholders of the graph for every carried tensor."""
        for variable in self._variables:
            if variable.flat is not None:
                variable.held = [
                    graph.placeholder_like(t, shape, graph.scope + "Placeholder")
                    for t, shape in zip(variable.flat.tensors, variable.shapes, strict=True)
                ]

    def _after(self) -> list:
        return self.variables(self._keys) + self._places.get()

    # The probe: one discarded trace of the body, to find the types of undefined variables.

    def _begin_probe(self) -> None:
        self._probing = True
        graph = self.open_graph("tmp")
        self._hold(graph)
        for variable in self._variables:
            if variable.is_list and type(variable.before) is list:
                variable.held = []
                variable.after = ListProbe(variable.before)

    def _end_probe(self) -> None:
        found = self._after()
        specs: list = []
        for variable, value in zip(self._variables, found, strict=True):
            specs.append(None)
            if not variable.needs_probe or is_missing(value):
                continue
            if isinstance(value, ListProbe):
                specs[-1] = value
            elif value is not None and not (variable.is_list and type(value) is list):
                specs[-1] = values.flatten(variable.name, value)
            elif value is None and variable.before is not None:
                raise ValueError(f"'{variable.name}' is None at the end of the iteration.")
        self.leave_context()
        self._probing = False
        for variable, spec in zip(self._variables, specs, strict=True):
            if not variable.needs_probe or spec is None:
                continue
            if isinstance(spec, ListProbe):
                if spec.dtype is not None:
                    variable.carry(StagedList.of(variable.before, spec.dtype, spec.shape))
                continue
            variable.probed = True
            start = self._start_value(variable)
            variable.carry(spec.rebuild([zeros(t.dtype, t.shape) for t in spec.tensors]) if start is None else start)
            if start is None:
                variable.shapes = [t.shape for t in spec.tensors]

    def _start_value(self, variable):
        return None

    def explain(self, error):
        """The error for an undefined variable that the probe read: it must be defined before the loop (rule 168)."""
        if not self._probing or not isinstance(error, _UNDEFINED_ERRORS):
            return None
        missing = [v for v in self._variables if v.needs_probe and not v.is_list]
        if not missing:
            return None
        named = getattr(error, "_tracefn_names", ())
        variable = next((v for v in missing if v.name in named), missing[0])
        return ValueError(mismatch.of_probe(variable.name, variable.before is None, error, self.frame))

    # The final trace of the body.

    def _collect(self) -> None:
        """Collects the variables after one iteration as outputs of the body."""
        problems = []
        tensors: list = []
        for variable, value in zip(self._variables, self._after(), strict=True):
            if variable.flat is None:
                if value is not variable.before and not is_missing(value) and value is not None:
                    problems.append(_undefined_before(variable.name, value))
                continue
            variable.after = value
            problem, flat = _check_after(variable, value)
            if problem is not None:
                problems.append(problem)
            else:
                tensors.extend(flat.tensors)
        if problems:
            raise mismatch.of_loop(problems, self.frame)
        self._results = tensors

    def _emit(self, cond_graph, body_graph, held_count: int, inputs, shapes, scope: str):
        captured = _core.align_captures([cond_graph, body_graph])
        with _core.TargetContext(body_graph):
            for tensor in body_graph.inputs[held_count:]:
                body_graph.add_output(tensor)
        op = _while if cond_graph.has_effects or body_graph.has_effects else _stateless_while
        return op(
            input=[*inputs, *captured],
            cond=cond_graph,
            body=body_graph,
            output_shapes=[*shapes, *(c.shape for c in captured)],
            parallel_iterations=self._parallel,
            name=scope,
        )

    def _trace_parts(self, sources) -> None:
        """Prepares the inputs of the node: counter, limit, the state of the source, then the variables."""
        self._scope = self.enter(name_scope("while"))
        limit = -1 if self._maximum is None else self._maximum
        self._limit = _core.convert_to_tensor(limit, dtype="int32", name="maximum_iterations")
        self._counter = _core.convert_to_tensor(0, dtype="int32", name="loop_counter")
        self._carried: list[Any] = [v for v in self._variables if v.flat is not None]
        self._inputs = [self._counter, self._limit, *sources]
        self._shapes = [t.shape for t in self._inputs]
        for variable in self._carried:
            self._inputs += variable.flat.tensors
            self._shapes += variable.shapes

    def _enter_graph(self, kind: str, source_count: int):
        """(graph, counter, limit, the source's state) with placeholders for all inputs."""
        graph = self.open_graph(kind, self._scope)
        names = ["while_loop_counter", "while_maximum_iterations"]
        held = []
        for i, (tensor, shape) in enumerate(zip(self._inputs[: 2 + source_count], self._shapes, strict=False)):
            name = names[i] if i < 2 else graph.scope + "Placeholder"
            held.append(graph.placeholder_like(tensor, shape, name))
        self._hold(graph)
        return graph, held[0], held[1], held[2:]

    def _finish_condition(self, graph, truth, counter, limit) -> None:
        if self._maximum is not None:
            truth = _core.raw_op("LogicalAnd")(x=_core.raw_op("Less")(x=counter, y=limit), y=truth)
        graph.add_output(truth)
        self.leave_context()

    def _close(self, cond_graph, body_graph, counter, limit, state_after) -> None:
        """Adds the body's outputs and creates the node."""
        body_graph.add_output(counter + 1)
        body_graph.add_output(limit)
        for tensor in [*state_after, *self._results]:
            body_graph.add_output(tensor)
        self.leave_context()
        outputs = self._emit(cond_graph, body_graph, len(self._inputs), self._inputs, self._shapes, self._scope)
        self.leave_context()
        self._take(outputs, 2 + len(state_after))

    def _take(self, outputs, at: int) -> None:
        for variable in self._carried:
            size = len(variable.flat.tensors)
            variable.held = list(outputs[at : at + size])
            at += size
        for variable in self._carried:
            if variable.name == "do_return" and variable.after is True:
                note_total_return(variable.held[0])
        required = [v.name for v in self._carried if v.probed and v.name not in ("retval_", "do_return")]
        if required:
            _require_iteration(outputs[0], required)

    def finish(self):
        """The variables after the loop, and the globals that are as before."""
        result = self.values() + self._restored
        self.end()
        return result


def _require_iteration(count, names) -> None:
    """Asserts that the loop ran: variables that are first set in the body have no value otherwise."""
    text = f"loop must iterate at least once to initialize {', '.join(names)}"
    ran = _core.raw_op("Greater")(x=count, y=_core.convert_to_tensor(0, dtype="int32"))
    with name_scope("Assert"):
        _core.raw_op("Assert")(condition=ran, data=[_core.convert_to_tensor(text)])


def _undefined_before(name: str, value) -> Problem:
    return Problem(ValueError(f"'{name}' must be defined before the loop."), name, None, values.flatten(name, value))


def _check_after(variable, value):
    """(Problem or None, Flat) of a variable's value after one iteration (rules 160, 161, 164, 165)."""
    name, before = variable.name, variable.flat
    if value is undefined:
        return Problem(ValueError(f"'{name}' must be defined before the loop."), name), None
    if value is unset:
        return Problem(ValueError("a return statement must be reached on each way through the loop."), name), None
    if value is None and before.tensors:
        return Problem(ValueError(f"'{name}' is None at the end of the iteration."), name, before), None
    flat = values.flatten(name, value)
    details = values.same_structure(variable.flat.structure, flat.structure)
    if details is not None:
        text = f"'{name}' does not have the same nested structure after one iteration.\n\n{details}"
        return Problem(TypeError(text), name, before, flat), None
    for spec, leaf in zip(nest.flatten(before.structure), nest.flatten(flat.structure), strict=True):
        # A spec need not have a shape: the parts of the value have theirs.
        first, shape = (getattr(part, "shape", None) if is_composite(leaf) else None for part in (spec, leaf))
        if isinstance(first, TensorShape) and not shape.is_subtype_of(first):
            return Problem(ValueError(_shape_changes(name, first, shape)), name, before, flat), None
    for held, shape, after in zip(variable.held, variable.shapes, flat.tensors, strict=True):
        if held.dtype != after.dtype:
            text = f"'{name}' has dtype {held.dtype.name} before the loop, but dtype {after.dtype.name} after one iteration"
            return Problem(TypeError(text), name, before, flat), None
        if not after.shape.is_subtype_of(shape):
            text = _shape_changes(name, shape, after.shape)
            return Problem(ValueError(text), name, before, flat, shape=shape), None
    return None, flat


def _shape_changes(name: str, before, after) -> str:
    return (
        f"'{name}' has shape {before} before the loop, but shape {after} after one iteration. Use "
        "tf.autograph.experimental.set_loop_options to set shape invariants."
    )


class StagedFor(StagedLoop):
    """A for loop. Python's for statement iterates over it: once for the probe, if there is one, and once for the body."""

    def __init__(self, iterable, info, frame) -> None:
        self._source = source_of(iterable)
        super().__init__(info, frame)
        self._phase = "start"

    def _heeds_options(self) -> bool:
        return not (isinstance(self._source, Elements) and self._source.is_own)

    def __iter__(self):
        return self

    def __next__(self):
        if self._phase == "start":
            self._begin()
            self._prepare()
            if self._needs_probe():
                self._phase = "probe"
                self._begin_probe()
                return self._source.element(self._source.start)
            self._phase = "probed"
        if self._phase == "probed":
            self._phase = "body"
            return self._begin_body()
        raise StopIteration

    def _start_value(self, variable):
        if variable.is_target and self._source.initial_from_start:
            return self._source.start[0]
        return None

    def _begin_body(self):
        source = self._source
        self._trace_parts(source.start)
        count = len(source.start)
        self._cond_graph, counter, limit, state = self._enter_graph("cond", count)
        truth = source.test(state)
        exits = [v for v in self._carried if v.key is not None and v.key == self._exit_name]
        if exits:
            going = _core.raw_op("LogicalNot")(x=exits[0].held[0])
            truth = _core.raw_op("LogicalAnd")(x=truth, y=going)
        self._finish_condition(self._cond_graph, truth, counter, limit)
        self._body_graph, self._body_counter, self._body_limit, self._state = self._enter_graph("body", count)
        return source.element(self._state)

    def leave(self) -> None:
        """Ends the body."""
        if self._phase == "probe":
            self._end_probe()
            self._phase = "probed"
            return
        if getattr(self._source, "relaxes_shapes", False) and self._relax_shapes():
            # The body is traced again, with the shapes that hold in every iteration.
            self.leave_context()
            self.leave_context()
            self._phase = "probed"
            return
        self._collect()
        if isinstance(self._source, Elements):
            exits = [v.after for v in self._carried if v.key is not None and v.key == self._exit_name]
            advanced = self._source.advance(self._state, *exits)
        else:
            advanced = self._source.advance(self._state)
        self._close(self._cond_graph, self._body_graph, self._body_counter, self._body_limit, advanced)

    def _relax_shapes(self) -> bool:
        """Whether tensors have other shapes after the iteration; what holds before and after is then their shape inside."""
        changed = False
        for variable, value in zip(self._variables, self._after(), strict=True):
            if variable.flat is None or is_missing(value) or value is None:
                continue
            flat = values.flatten(variable.name, value)
            if values.same_structure(variable.flat.structure, flat.structure) is not None:
                continue
            for i, (inside, after) in enumerate(zip(variable.shapes, flat.tensors, strict=True)):
                if not after.shape.is_subtype_of(inside):
                    common = inside.most_specific_common_supertype([after.shape])
                    variable.shapes[i] = TensorShape(None) if common is None else common
                    changed = True
        return changed

    def _take(self, outputs, at: int) -> None:
        if self._source.initial_from_start:
            for variable in self._carried:
                if variable.is_target:
                    variable.probed = False
        super()._take(outputs, at)


class StagedWhile(StagedLoop):
    """A while loop: checks its condition first; if that is a tensor, traces condition and body into their graphs."""

    def __init__(self, info, frame) -> None:
        super().__init__(info, frame)
        self._phase = "first"
        self.detached = False
        self.again = False
        self.open_graph("tmp")

    def configure(self, places, options) -> None:
        self.leave_context()  # options are not part of the condition, whose graph is discarded
        super().configure(places, options)
        self.open_graph("tmp")

    def test(self, condition):
        """Takes the value of the condition and returns whether the body runs; sets `detached` and `again` for the loop's code."""
        self.again = False
        if self._phase == "first":
            staged = is_staged(condition)
            self.leave_context()
            if not staged:
                self.detached = True
                self.end()
                return bool(condition)
            self._begin()
            self._prepare()
            if self._needs_probe():
                self._phase = "probe"
                self._begin_probe()
            else:
                self._begin_condition()
            return True
        graph, counter, limit = self._condition_parts
        truth = scalar_bool(condition, "while loop")
        self._finish_condition(graph, truth, counter, limit)
        self._phase = "body"
        self._body_graph, self._body_counter, self._body_limit, _ = self._enter_graph("body", 0)
        return True

    def _begin_condition(self) -> None:
        self._phase = "condition"
        self.again = True
        self._trace_parts([])
        self._condition_parts = self._enter_graph("cond", 0)[:3]

    def leave(self) -> bool:
        """Ends the body; returns whether the loop is complete."""
        if self._phase == "probe":
            self._end_probe()
            self._begin_condition()
            return False
        self._collect()
        self._close(self._condition_parts[0], self._body_graph, self._body_counter, self._body_limit, [])
        return True
