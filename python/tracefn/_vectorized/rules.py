"""The table of batch rules, and what a rule is given: a node of the function of one row, and its converted inputs."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes

RULES: dict = {}


class NoRuleError(Exception):
    """A node cannot be converted.

    Args:
      operation: the node.
      inputs: its converted inputs, as far as they are known.
    """

    def __init__(self, operation, inputs=()) -> None:
        super().__init__(operation.type)
        self.operation = operation
        self.inputs = inputs
        self.graph = operation.graph  # keeps it alive


class Value:
    """A converted tensor: of one row and the same for all of them, or stacked, with the rows as its first axis."""

    __slots__ = ("stacked", "tensor")

    def __init__(self, tensor, stacked: bool) -> None:
        self.tensor = tensor
        self.stacked = stacked

    def __repr__(self) -> str:
        return f"WrappedTensor(t={self.tensor!r}, is_stacked={self.stacked}, is_sparse_stacked=False)"


class Node:
    """A node of the function of one row.

    Args:
      operation: the node.
      inputs: the Value of each input.
      rows: a `Rows`.
    """

    def __init__(self, operation, inputs: list, rows) -> None:
        self.operation = operation
        self.inputs = inputs
        self.rows = rows
        self.type = operation.type

    def refuse(self) -> NoRuleError:
        """The error that says that this node has no conversion."""
        return NoRuleError(self.operation, self.inputs)

    def attr(self, name: str):
        """The value of an attribute."""
        return self.operation.get_attr(name)

    def row_shape(self, i: int) -> list:
        """The static shape of input i in one row, with None for unknown sizes.

        Raises:
          NoRuleError: its rank is unknown.
        """
        return self._known(self.operation.inputs[i])

    def result_shape(self, i: int = 0) -> list:
        """The static shape of output i in one row, as `row_shape`."""
        return self._known(self.operation.outputs[i])

    def _known(self, tensor) -> list:
        shape = tensor.shape
        if shape.rank is None:
            raise self.refuse()
        return shape.as_list()

    def same(self, i: int):
        """Input i, which is the same for all rows.

        Raises:
          NoRuleError: it is stacked.
        """
        if self.inputs[i].stacked:
            raise self.refuse()
        return self.inputs[i].tensor

    def number(self, i: int) -> int:
        """Input i as an int that is known while tracing.

        Raises:
          NoRuleError: it is not.
        """
        return self.numbers(i, 0)

    def numbers(self, i: int, rank: int = 1):
        """Input i as a list of ints that are known while tracing, or as an int for rank 0; errors as in `number`."""
        known = _core.constant_value(self.operation.inputs[i])
        if known is None or known.shape.rank != rank:
            raise self.refuse()
        return known.numpy().tolist()

    def stack(self, i: int):
        """Input i stacked: repeated for each row if it is the same for all."""
        value = self.inputs[i]
        if value.stacked:
            return value.tensor
        return self.rows.repeated(value.tensor, self.row_shape(i))

    def aligned(self, i: int, rank: int):
        """Input i such that it broadcasts beside others of up to `rank` axes in one row."""
        value = self.inputs[i]
        if not value.stacked:
            return value.tensor
        missing = rank - len(self.row_shape(i))
        if missing <= 0:
            return value.tensor
        tensor = value.tensor
        own = sizes.of(tensor)
        return sizes.reshape(tensor, [own[0], *[1] * missing, *own[1:]])

    def emit(self, *tensors, op: str | None = None, **attributes):
        """Emits this node's op, with its attributes, or another op, on other inputs.

        Args:
          tensors: one for each input of this node; in order.
          op: the other op, which takes these attributes: those of this node are not handed on.
          attributes: attributes with other values.
        """
        kind = self.type if op is None else op
        own = {} if op is not None else {name: self.attr(name) for name in signature(kind).free}
        return emit(kind, tensors, {**own, **attributes}, f"{self.operation.name}/pfor/{kind}", self.operation)


class _Signature:
    """How an op takes its inputs: (name, attribute with their number or None, whether that is a list), and free attributes."""

    def __init__(self, op: str) -> None:
        record = _core.op_record(op)
        self.inputs = [(i["name"], i.get("number_attr"), i.get("type_list_attr")) for i in record["inputs"]]
        bound = {i.get(k) for i in record["inputs"] for k in ("type_attr", "number_attr", "type_list_attr")}
        self.attributes = [a["name"] for a in record["attrs"]]
        self.free = [name for name in self.attributes if name not in bound]
        self.stateful = record["is_stateful"]
        self.holds_functions = any("func" in a["type"] for a in record["attrs"])


_signatures: dict = {}


def signature(op: str) -> _Signature:
    """The signature of an op."""
    found = _signatures.get(op)
    if found is None:
        found = _signatures[op] = _Signature(op)
    return found


def emit(op: str, tensors, attributes, name: str, like=None):
    """Emits an op; returns the list of its outputs.

    Args:
      op: its name.
      tensors: its inputs in order, lists of inputs one after the other.
      attributes: dict.
      name: the name of the node.
      like: a node of that op with as many inputs; needed for ops that take lists.
    """
    remaining = list(tensors)
    arguments = {}
    for argument, number, types in signature(op).inputs:
        if number or types:
            count = like.get_attr(number) if number else len(like.get_attr(types))
            arguments[argument], remaining = remaining[:count], remaining[count:]
        else:
            arguments[argument] = remaining.pop(0)
    result = _core.raw_op(op)(**arguments, **attributes, name=name)
    if result is None or isinstance(result, _core.Operation):
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Rule:
    """A batch rule.

    Args:
      convert: takes a Node, returns the list of its outputs: tensors, which are stacked, or Values.
      always: whether it converts nodes without stacked inputs, too: one that draws random numbers for each row.
      effect: whether it may convert an op with a side effect.
    """

    def __init__(self, convert, always: bool = False, effect: bool = False) -> None:
        self.convert = convert
        self.always = always
        self.effect = effect


def rule(names: str, always: bool = False, effect: bool = False):
    """A decorator that registers a function as the rule of ops, whose names are separated by spaces."""

    def register(convert):
        for name in names.split():
            RULES[name] = Rule(convert, always, effect)
        return convert

    return register
