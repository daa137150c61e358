"""The functions of a loaded model: traces made from the graph in the file, and the Functions that choose among them."""

from __future__ import annotations

import inspect
import threading

from tracefn import _core, nest
from tracefn._nest.shallow import flatten_up_to
from tracefn._saved_model.call_nodes import call_node, placeholder
from tracefn._saved_model.function_records import JIT_COMPILE
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn._saved_model.renaming import Renaming
from tracefn._structured_value import decoded as decoded_structure
from tracefn._tracking.asset import Asset
from tracefn._wire import delimited
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.function import function as traced_function
from tracefn.ops.graph_import import import_graph_def
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec
from tracefn.variable import Variable

_CALL = "call"


def python_signature(spec: Record | None) -> inspect.Signature:
    """The parameters that a FunctionSpec describes, for calls without the instance of a method.

    Raises:
      NotImplementedError: a method has no parameter for its instance.
      ValueError: a name is no identifier, or the message is incomplete.
    """
    if spec is None or not spec.fullargspec:
        raise ValueError("A function of the saved model has no parameters in the file.")
    full = decoded_structure(spec.fullargspec)
    if spec.is_method and not full.args:
        raise NotImplementedError("Cannot deserialize a method function without a named 'self' argument.")
    # Older releases of TensorFlow wrote the instance of a method, which no trace takes.
    names = full.args[1:] if spec.is_method or full.args[:1] == ["self"] else full.args
    kinds = inspect.Parameter
    defaults = full.defaults or ()
    found = []
    for i, name in enumerate(names):
        place = i - (len(names) - len(defaults))
        found.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if place < 0 else defaults[place]))
    if full.varargs:
        found.append(kinds(full.varargs, kinds.VAR_POSITIONAL))
    only = full.kwonlydefaults or {}
    found += [kinds(name, kinds.KEYWORD_ONLY, default=only.get(name, kinds.empty)) for name in full.kwonlyargs]
    if full.varkw:
        found.append(kinds(full.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def _called(node: Record) -> set[str]:
    """The functions that the attributes of a node name."""
    names = set()
    for attr in node.attr.values():
        if attr.func is not None and attr.func.name:
            names.add(attr.func.name)
        if attr.list is not None:
            names.update(one.name for one in attr.list.func if one.name)
    return names


class Library:
    """The functions of a model's graph. Any thread may ask for a trace.

    Args:
      functions: the serialized FunctionDefs.
      registered_gradients: RegisteredGradients.

    Attributes:
      records: dict from a name to FunctionDef.
      gradients: dict from the name of a gradient to its function's.
    """

    def __init__(self, functions: list[bytes], registered_gradients: list[Record]) -> None:
        self.gradients: dict[str, str] = {
            one.registered_op_type or "": one.gradient_func or "" for one in registered_gradients
        }
        self._bytes: dict[str, bytes] = {}
        self.records: dict[str, Record] = {}
        for data in functions:
            record = decoded("FunctionDef", data)
            if record.signature is None or not record.signature.name:
                raise ValueError("A function of the saved model has no name.")
            self._bytes[record.signature.name] = data
            self.records[record.signature.name] = record
        self._renaming = Renaming(self.records, self.gradients)

    def _closure(self, name: str) -> list[bytes]:
        """A function and all that it calls."""
        found, waiting = {name}, [name]
        while waiting:
            for node in self.records[waiting.pop()].node_def:
                names = _called(node) | ({node.op} if node.op in self.records else set())
                for inner in names - found:
                    if inner in self.records:
                        found.add(inner)
                        waiting.append(inner)
        return [self._bytes[one] for one in sorted(found)]

    def signature(self, name: str) -> Record:
        """The OpDef of a function.

        Raises:
          ValueError: the file has no such function.
        """
        if name not in self.records:
            raise ValueError(f"The saved model has no function {name!r}.")
        return self.records[name].signature

    def gradient_name(self, name: str) -> str:
        """The name that a gradient has from now on."""
        return self._renaming.gradient(name)

    def call_graph(self, name: str) -> bytes:
        """A GraphDef with one call of a function, whose arguments are the nodes arg0, arg1, …

        Raises:
          ValueError: the file has no such function.
        """
        signature = self.signature(name)
        in_types = [one.type or 0 for one in signature.input_arg]
        out_types = [one.type or 0 for one in signature.output_arg]
        names = [f"arg{i}" for i in range(len(in_types))]
        nodes = [placeholder(*pair) for pair in zip(names, in_types, strict=True)]
        nodes.append(call_node(_CALL, self._renaming[name], names, in_types, out_types, bool(signature.is_stateful)))
        library = b"".join(delimited(1, self._renaming.apply(data)) for data in self._closure(name))
        return encoded(Record("GraphDef", node=nodes)) + delimited(2, library)


def _is_tensor(value) -> bool:
    return isinstance(value, (_core.Tensor, CompositeTensor))


def _flat_tensors(structure) -> list:
    """The leaves of a structure, with the handles of Variables."""
    leaves = nest.flatten(structure, expand_composites=True)
    return [leaf.handle if isinstance(leaf, Variable) else leaf for leaf in leaves]


def _is_resource(value) -> bool:
    return isinstance(value, _core.Tensor) and value.dtype == "resource"


class RestoredTraces:
    """Makes the traces of a model when they are needed.

    Args:
      library: Library.
      records: dict from a name to SavedConcreteFunction.
      specs: dict from a name to the FunctionSpec that binds its calls.
      captured: function from the number of an object to the tensor that functions capture of it, or to the Asset.

    Attributes:
      library, records, captured: the same.
    """

    def __init__(self, library: Library, records: dict, specs: dict, captured) -> None:
        self.library, self.records, self.captured = library, records, captured
        self._specs = specs
        self._made: dict[tuple, object] = {}
        self._lock = threading.RLock()

    def signature_of(self, name: str):
        """(args, kwargs) of a trace: specs, and Python values.

        Raises:
          ValueError: the file says nothing of it.
        """
        if name not in self.records or not self.records[name].canonicalized_input_signature:
            raise ValueError(f"The saved model does not say what the function {name!r} takes.")
        return decoded_structure(self.records[name].canonicalized_input_signature)

    def concrete(self, name: str):
        """The trace of a name: one for each replica whose Variables it captures."""
        with self._lock:
            captures = [self.captured(number) for number in self.records[name].bound_inputs]
            key = (name, *(_core.resource_key(one) for one in captures if _is_resource(one)))
            if key not in self._made:
                self._made[key] = self._make(name, captures)
            return self._made[key]

    def _make(self, name: str, captures: list):
        args, kwargs = self.signature_of(name)
        count = len(self.library.signature(name).input_arg) - len(captures)

        def restored(*given, **named):
            flat = [leaf for leaf in _flat_tensors((given, named)) if _is_tensor(leaf)]
            if len(flat) != count:
                raise ValueError(
                    f"The function {name!r} of the saved model takes {count} tensors, but its signature has {len(flat)}."
                )
            return self.called(name, [*flat, *captures])

        restored.__name__ = restored.__qualname__ = _python_name(name)
        restored.__signature__ = python_signature(self._specs.get(name))  # type: ignore[attr-defined]
        concrete = traced_function(restored, autograph=False).get_concrete_function(*args, **kwargs)
        concrete.structured_outputs = self._outputs(name)  # their specs, whose names say which result is which
        return concrete

    def _outputs(self, name: str):
        """The structure of a function's results, of specs."""
        record = self.records[name]
        return decoded_structure(record.output_signature) if record.output_signature else None

    def called(self, name: str, values: list):
        """The results of a function, by a call in the default graph.

        Args:
          name: str.
          values: its arguments and what it captures, flat. The path of a file is an input of the default graph, so that a
            model that is saved again has the file as well.
        """
        given = {f"arg{i}:0": one.asset_path if isinstance(one, Asset) else one for i, one in enumerate(values)}
        results = [f"{_CALL}:{i}" for i in range(len(self.library.signature(name).output_arg))]
        graph_def = self.library.call_graph(name)
        found = import_graph_def(graph_def, input_map=given, return_elements=results or [_CALL], name="restored")
        return _packed(self._outputs(name), list(found) if results else [])


def _packed(structure, flat: list):
    """Results in the structure of their specs."""
    leaves = nest.flatten(structure)
    found = []
    rest = iter(flat)
    for leaf in leaves:
        if isinstance(leaf, TensorSpec):
            tensor = next(rest)
            if tensor.shape.rank is None or not tensor.shape.is_fully_defined():
                tensor.set_shape(leaf.shape)
            found.append(tensor)
        elif isinstance(leaf, TypeSpec):
            parts = nest.flatten(leaf._component_specs, expand_composites=True)
            components = nest.pack_sequence_as(
                leaf._component_specs, [next(rest) for _ in parts], expand_composites=True
            )
            found.append(leaf._from_components(components))
        else:
            found.append(leaf)
    return nest.pack_sequence_as(structure, found)


def _python_name(name: str) -> str:
    """The name of the Python function that a trace's name was made of."""
    base = name.removeprefix("__inference_").rstrip("0123456789").rstrip("_")
    return base or "function"


def _converted(value, spec):
    """A value as a tensor of a spec's dtype, if it can be one."""
    if _is_tensor(value) or isinstance(value, TypeSpec):
        return value
    try:
        return _core.convert_to_tensor(value, dtype=spec.dtype)
    except (TypeError, ValueError):
        return value


def _accepts(expected, given, convert: bool) -> bool:
    """Whether a trace with these specs and values can be called with these arguments."""
    try:
        values = flatten_up_to(expected, given)
    except (TypeError, ValueError):
        return False
    for spec, value in zip(nest.flatten(expected), values, strict=True):
        if isinstance(spec, TensorSpec):
            value = _converted(value, spec) if convert else value
            if not isinstance(value, (_core.Tensor, TensorSpec)):
                return False
            if as_dtype(value.dtype) != spec.dtype or not spec.shape.is_compatible_with(value.shape):
                return False
        elif isinstance(spec, TypeSpec):
            if not spec.is_compatible_with(value):
                return False
        elif _is_tensor(value) or spec != value:
            return False
    return True


def _listed(args, kwargs) -> str:
    from pprint import pformat  # start-up time: only errors need it

    lines = [f"  Positional arguments ({len(args)} total):", *(f"    * {pformat(one)}" for one in args)]
    lines.append(f"  Keyword arguments: {kwargs}")
    return "\n".join(lines)


def restored_function(name: str, traces: RestoredTraces, record: Record):
    """A Function that calls the trace that fits.

    Args:
      name: str, its name.
      traces: RestoredTraces.
      record: SavedFunction.
    """
    names = list(record.concrete_functions)
    signature = python_signature(record.function_spec)

    def restored_function_body(*args, **kwargs):
        if not names:
            raise ValueError("Found zero restored functions for caller function.")
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = (bound.args, bound.kwargs)
        expected = {one: traces.signature_of(one) for one in names}
        for convert in (False, True):
            for one in names:
                if not _accepts(expected[one], given, convert):
                    continue
                flat = [
                    _converted(value, spec) if isinstance(spec, TensorSpec) else value
                    for spec, value in zip(nest.flatten(expected[one]), nest.flatten(given), strict=True)
                    if isinstance(spec, TypeSpec)
                ]
                concrete = traces.concrete(one)
                return concrete._call_flat(_flat_tensors(flat))
        options = [f"Option {i + 1}:\n{_listed(*expected[one])}" for i, one in enumerate(names)]
        raise ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n{_listed(*given)}\n\n"
            f" Expected these arguments to match one of the following {len(names)} option(s):\n\n"
            + "\n\n".join(options)
        )

    # A code object of its own: warnings of retracing are counted for each.
    restored_function_body.__code__ = restored_function_body.__code__.replace(co_name=name)
    restored_function_body.__name__ = restored_function_body.__qualname__ = name
    restored_function_body.__signature__ = signature  # type: ignore[attr-defined]
    spec = record.function_spec
    input_signature = decoded_structure(spec.input_signature) if spec.input_signature else None
    function = traced_function(
        restored_function_body,
        input_signature=input_signature,
        autograph=False,
        jit_compile=JIT_COMPILE[spec.jit_compile or 0],
    )
    function.concrete_functions = _Concretes(traces, names)
    return function


class _Concretes(list):
    """The traces of a loaded Function, made when they are looked at."""

    def __init__(self, traces: RestoredTraces, names: list[str]) -> None:
        super().__init__(names)
        self._traces = traces

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._traces.concrete(name) for name in super().__getitem__(index)]
        return self._traces.concrete(super().__getitem__(index))

    def __iter__(self):
        return (self._traces.concrete(name) for name in super().__iter__())

    def __repr__(self) -> str:
        return repr(list(self))
