"""The graph of a traced function in the form in which TensorFlow's runtime exports it: arguments and results are nodes."""

from __future__ import annotations

from tracefn.ops.summary.messages import fields, int_field, message_field, text_field

_INPUT = 3  # the field of NodeDef


def _attr(name: str, value: bytes) -> bytes:
    """An entry of NodeDef.attr; `value` is the field of an AttrValue."""
    return message_field(5, text_field(1, name), message_field(2, value))


def _place(index: int) -> bytes:
    """The attribute `index`, which is there even if it is 0."""
    return _attr("index", int_field(3, index) or b"\x18\x00")


def _argument(node, name: str, index: int) -> bytes:
    """A placeholder as a node `_Arg`."""
    attrs = [_attr("T", int_field(6, node.attr["dtype"].type)), _place(index)]
    shown = node.attr.get("_user_specified_name")
    if shown is not None:
        attrs.append(_attr("_user_specified_name", text_field(2, shown.s)))
    return b"".join([text_field(1, name), text_field(2, "_Arg"), *attrs])


def _result(tensor, name: str, source: str, index: int) -> bytes:
    """A node `_Retval`."""
    attrs = [_attr("T", int_field(6, tensor.dtype.as_datatype_enum)), _place(index)]
    return b"".join([text_field(1, name), text_field(2, "_Retval"), text_field(_INPUT, source), *attrs])


def _with_inputs(node: bytes, names: dict[str, str]) -> bytes:
    """A serialized NodeDef whose inputs have other names."""
    parts = []
    for number, value, whole in fields(node):
        if number == _INPUT and (name := value.decode().removeprefix("^")) in names:
            whole = text_field(_INPUT, value[: -len(name.encode())] + names[name].encode())
        parts.append(whole)
    return b"".join(parts)


class _Names:
    """Names of arguments and results: as a FunctionDef has them, and no two alike."""

    def __init__(self, taken) -> None:
        self._taken = set(taken)

    def new(self, name: str, end: str = "") -> str:
        base = name.replace("/", "_").lower()
        name, n = base + end, 0
        while name in self._taken:
            n += 1
            name = f"{base}_{n}{end}"
        self._taken.add(name)
        return name


def function_graph(graph_def, graph) -> bytes:
    """A serialized GraphDef: that of a FuncGraph, whose inputs are nodes `_Arg` and whose results nodes `_Retval`."""
    places = {tensor.op.name: i for i, tensor in enumerate(graph.inputs)}
    names = _Names(node.name for node in graph_def.node if node.name not in places)
    renamed = {name: names.new(name) for name in places}
    nodes = [
        _argument(node, renamed[node.name], places[node.name])
        if node.name in places
        else _with_inputs(node.SerializeToString(), renamed)
        for node in graph_def.node
    ]
    for i, tensor in enumerate(graph.outputs):
        name = tensor.op.name
        source = renamed.get(name, name) if tensor.value_index == 0 else tensor.name
        nodes.append(_result(tensor, names.new(name, "_RetVal"), source, i))
    functions = [message_field(1, function.SerializeToString()) for function in graph_def.library.function]
    library = message_field(2, *functions) if functions else b""
    versions = message_field(4, graph_def.versions.SerializeToString())
    return b"".join([*(message_field(1, node) for node in nodes), library, versions])
