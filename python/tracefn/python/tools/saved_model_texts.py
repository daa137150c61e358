"""What saved models hold, as the command `saved_model_cli` prints it."""

from __future__ import annotations

from collections.abc import Iterable

from tracefn._messages import data_type_name
from tracefn.dtypes import as_dtype
from tracefn.tensor_spec import TensorSpec


def ops_of(meta_graph) -> set[str]:
    """The ops that a graph uses, also in its functions."""
    graph = meta_graph.graph_def
    functions = {function.signature.name for function in graph.library.function}
    found = {node.op for node in graph.node}
    for function in graph.library.function:
        found |= {node.op for node in function.node_def}
    return found - functions


def ops_text(meta_graph) -> str:
    """The line with the ops of a graph."""
    return f"The MetaGraph with tag set {list(meta_graph.meta_info_def.tags)} contains the following ops: {ops_of(meta_graph)}"


def signature_lines(signature, indent: str = "") -> list[str]:
    """The inputs and outputs of a SignatureDef."""
    lines = []
    for kind, tensors in (("input", signature.inputs), ("output", signature.outputs)):
        lines.append(f"The given SavedModel SignatureDef contains the following {kind}(s):")
        for key in sorted(tensors):
            lines += [f"  {kind}s['{key}'] tensor_info:", *_tensor_lines(tensors[key])]
    lines.append(f"Method name is: {signature.method_name}")
    return [indent + line for line in lines]


def _tensor_lines(info) -> list[str]:
    shape = info.tensor_shape
    sizes = "unknown_rank" if shape.unknown_rank else f"({', '.join(str(dim.size) for dim in shape.dim)})"
    kind = data_type_name(as_dtype(info.dtype)) if info.dtype else "DT_INVALID"
    return [f"      dtype: {kind}", f"      shape: {sizes}", f"      name: {info.name}"]


def meta_graph_lines(meta_graph) -> list[str]:
    """All signatures of a graph, and its ops."""
    tags = ", ".join(meta_graph.meta_info_def.tags)
    lines = ["", f"MetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:"]
    for key in sorted(meta_graph.signature_def):
        lines += ["", f"signature_def['{key}']:", *signature_lines(meta_graph.signature_def[key], "  ")]
    return [*lines, ops_text(meta_graph)]


def function_lines(name: str, traces) -> list[str]:
    """What a function of a loaded model can be called with: a line for each argument of each trace."""
    lines = ["", f"  Function Name: '{name}'"]
    for number, trace in enumerate(sorted(traces, key=lambda trace: trace.name), 1):
        args, kwargs = trace.structured_input_signature
        if args:
            lines += [f"    Option #{number}", "      Callable with:", *_argument_lines(args, "Argument")]
        if kwargs:
            lines += _argument_lines(kwargs, "Named Argument")
    return lines


def _argument_lines(arguments, kind: str) -> list[str]:
    lines = []
    for number, argument in enumerate(arguments, 1):
        lines.append(f"        {kind} #{number}")
        lines += [f"          {line}" for line in _value_lines(argument)]
    return lines


def _value_lines(value) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, TensorSpec):
        return [f"{value.name}: {value!r}"]
    if isinstance(value, dict):
        text = "{" + ", ".join(f"'{key}': {_quoted(each)}" for key, each in value.items()) + "}"
    elif isinstance(value, Iterable):
        text = "[" + ", ".join(_quoted(each) for each in value) + "]"
    else:
        text = str(value)
    return [f"DType: {type(value).__name__}", f"Value: {text}"]


def _quoted(value) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)
