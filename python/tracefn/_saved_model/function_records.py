"""Functions and their traces as the messages SavedFunction and SavedConcreteFunction."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Mapping

from tracefn import _core
from tracefn._saved_model.messages import Record
from tracefn._structured_value import NotEncodableError, encoded
from tracefn.tensor_spec import TensorSpec

# What the field `jit_compile` of a FunctionSpec says, by its number.
JIT_COMPILE = (None, True, False)

FullArgSpec = namedtuple(
    "FullArgSpec", ["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"]
)


def _encodable(value):
    """A default value; None where a file cannot hold it."""
    try:
        encoded(value)
    except NotEncodableError:
        return None
    return value


def _positional(function_type) -> list:
    """The parameters that calls may give by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter for parameter in function_type.parameters.values() if parameter.kind in kinds]


def function_spec(function) -> Record:
    """How calls of a Function are bound, without the object that it is a method of."""
    spec = function.function_spec
    full = spec.fullargspec
    args = list(full.args)
    if function._instance is not None or (args and args[0] == "self" and "self" not in spec.function_type.parameters):
        args = args[1:]
    varargs, defaults = full.varargs, full.defaults
    if varargs and function.input_signature is not None:
        # The signature says how many there are. Calls of the loaded function may name them, as in TensorFlow.
        names = [one.name for one in _positional(spec.function_type)]
        defaults = defaults if names == args else None
        args, varargs = names, None
    defaults = None if defaults is None else tuple(map(_encodable, defaults))
    only = (
        None
        if full.kwonlydefaults is None
        else {name: _encodable(value) for name, value in full.kwonlydefaults.items()}
    )
    return _spec_record(
        FullArgSpec(args, varargs, full.varkw, defaults, list(full.kwonlyargs), only, {}),
        function.input_signature,
        spec.jit_compile,
    )


def _spec_record(full, input_signature, jit_compile) -> Record:
    signature = None if input_signature is None else tuple(input_signature)
    return Record(
        "FunctionSpec",
        fullargspec=encoded(full),
        input_signature=encoded(signature),
        jit_compile=None if jit_compile is None else JIT_COMPILE.index(bool(jit_compile)),
    )


def _spec_of_trace(concrete) -> Record:
    """How calls of a trace alone are bound."""
    parameters = concrete.function_type.parameters.values()
    only = [parameter.name for parameter in parameters if parameter.kind == inspect.Parameter.KEYWORD_ONLY]
    positional = [parameter.name for parameter in _positional(concrete.function_type)]
    return _spec_record(FullArgSpec(positional, None, None, None, only, None, {}), None, False)


def argument_keywords(concrete) -> list[str]:
    """The names of a trace's tensors in a flat call."""
    return [tensor.name.partition(":")[0] for tensor in given_inputs(concrete)]


def given_inputs(concrete) -> list:
    """The inputs of a trace that calls give: without what it captures."""
    return concrete.inputs[: len(concrete.inputs) - len(concrete.captured_inputs)]


def _named_specs(outputs, path: str = ""):
    """The results as specs, named as TensorFlow names them: by where they are."""
    if isinstance(outputs, Mapping):
        return {name: _named_specs(value, f"{path}_{name}" if path else str(name)) for name, value in outputs.items()}
    if isinstance(outputs, (list, tuple)):
        inner = [_named_specs(value, f"{path}_{i}" if path else f"tensor_{i}") for i, value in enumerate(outputs)]
        if hasattr(outputs, "_fields"):
            return type(outputs)(*inner)
        return inner if isinstance(outputs, list) else tuple(inner)
    if isinstance(outputs, _core.Tensor):
        return TensorSpec(outputs.shape, outputs.dtype, path or "unknown")
    spec = getattr(outputs, "_type_spec", None)
    return outputs if spec is None else spec


def concrete_function(concrete, bound: list[int]) -> Record:
    """A trace.

    Args:
      concrete: ConcreteFunction.
      bound: the numbers of the objects that it captures.

    Raises:
      NotEncodableError: an argument has no form in a file.
    """
    return Record(
        "SavedConcreteFunction",
        bound_inputs=bound,
        canonicalized_input_signature=encoded(concrete.structured_input_signature),
        output_signature=encoded(_named_specs(concrete.structured_outputs)),
    )


def bare_concrete_function(concrete) -> Record:
    """A trace as an object of its own."""
    spec = _spec_of_trace(concrete)
    keywords = argument_keywords(concrete)
    args, kwargs = concrete.structured_input_signature
    return Record(
        "SavedBareConcreteFunction",
        concrete_function_name=concrete.name.decode(),
        argument_keywords=keywords,
        allowed_positional_arguments=len(keywords) if args or len(kwargs) == 1 else 0,
        function_spec=spec,
    )
