"""`tf.einsum`: computes an equation over named axes with sums, transposes and batched matrix products."""

from __future__ import annotations

import re

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn.errors import InvalidArgumentError
from tracefn.framework import executing_eagerly, is_tensor
from tracefn.ops._build import convert, ints, name_scope, op
from tracefn.ops._eager_programs import EagerPrograms

_DOTS = "..."


@export("einsum", "linalg.einsum")
def einsum(equation, *inputs, **kwargs):
    """Products of tensors over named axes, summed over the axes that the result does not name.

    Args:
      equation: str, such as "ij,jk->ik"; "..." stands for further axes, which broadcast. Without "->" the result has the
        axes that occur once, in alphabetical order.
      *inputs: tensors of one dtype, one for each term of the equation.
      optimize: accepted, without effect; products are computed from left to right.
      name: name of the ops.

    Returns:
      Tensor of the inputs' dtype.

    Raises:
      ValueError: the equation does not fit the number, ranks or sizes of the inputs.
      TypeError: there is an unknown keyword.

    Example:
      >>> import tracefn as tf
      >>> tf.einsum("ij,j->i", tf.constant([[1, 2], [3, 4]]), tf.constant([1, 10])).numpy().tolist()
      [21, 43]
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize, greedy."
        )
    if executing_eagerly():
        return _computed_eagerly(equation, _of_one_dtype(equation, inputs))
    with name_scope(name or "einsum"):
        return _computed(equation, _of_one_dtype(equation, inputs))


def _of_one_dtype(equation: str, inputs):
    tensors = _as_tensors(inputs)
    if len({tensor.dtype for tensor in tensors}) > 1:
        op("Einsum")(inputs=tensors, equation=equation)  # refuses them
    return tensors


def _computed(equation: str, tensors):
    equation = _resolved(equation, len(tensors))
    if any(tensor.shape.rank is None for tensor in tensors):
        return _of_unknown_ranks(equation, tensors)
    terms, result = _parse(equation, tensors)
    _check_sizes(terms, tensors, equation)
    parts = [_diagonal(_Part(tensor, term)) for tensor, term in zip(tensors, terms, strict=True)]
    while len(parts) > 1:
        first, second, *rest = parts
        later = {axis for part in rest for axis in part.axes} | set(result)
        parts = [_product(first, second, later, None if rest else result), *rest]
    return _arranged(_summed(parts[0], set(result)), result, "Einsum").tensor


_computed_eagerly = EagerPrograms(_computed)


class _Part:
    """A tensor with a name for each of its axes."""

    def __init__(self, tensor, axes) -> None:
        self.tensor = tensor
        self.axes = list(axes)

    def dim(self, axis):
        """The size of an axis: an int if it is known, else a scalar tensor."""
        at = self.axes.index(axis)
        size = self.tensor.shape[at]
        return op("Shape")(input=self.tensor)[at] if size is None else int(size)


def _as_tensors(inputs):
    """Python and NumPy values take the dtype of the first tensor; eagerly also a Variable's, else that of the first value."""
    eager = executing_eagerly()
    if eager and all(isinstance(value, _core.EagerTensor) for value in inputs):
        return list(inputs)
    lends = is_tensor if eager else lambda value: isinstance(value, _core.Tensor)
    first = next(filter(lends, inputs), None)
    if first is None and eager and inputs:
        first = convert(inputs[0])
    dtype = None if first is None else first.dtype
    plain = [isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "dtype") for value in inputs]
    return [convert(value, dtype=dtype if taken else None) for value, taken in zip(inputs, plain, strict=True)]


def _resolved(equation: str, inputs: int) -> str:
    """The equation without spaces, and with "->" and its result's axes if it leaves them to the rule: those named once."""
    text = equation.replace(" ", "")
    match = re.fullmatch(r"([a-zA-Z.,]*)(->[a-zA-Z.]*)?", text)
    if match is None or any("." in term.replace(_DOTS, "", 1) for term in match.group(1).split(",")):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    terms = match.group(1).count(",") + 1
    if terms != inputs:
        raise ValueError(f'Got {inputs} inputs for equation "{equation}", expecting {terms}')
    if match.group(2) is not None:
        return text
    letters = text.replace(",", "").replace(_DOTS, "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return f"{text}->{_DOTS if _DOTS in text else ''}{''.join(once)}"


def _parse(equation: str, tensors):
    """([axis names of each input], axis names of the result); axes under "..." are numbered from the right."""
    inputs, _, output = equation.partition("->")
    terms = inputs.split(",")
    _check_result(terms, output.replace(_DOTS, ""))
    counts = []
    for number, (term, tensor) in enumerate(zip(terms, tensors, strict=True)):
        rank = tensor.shape.rank
        letters = len(term.replace(_DOTS, ""))
        if letters > rank or (letters != rank and _DOTS not in term):
            _refuse(
                f"Expected input {number} to have rank {letters} but got: {rank}",
                f"Shape must be rank {letters} but is rank {rank}\n\t for {number}th input and equation: {equation}",
                tensors,
                equation,
            )
        counts.append(rank - letters if _DOTS in term else 0)
    longest = max(counts, default=0)
    if longest and _DOTS not in output:
        _refuse(
            f"Output contains {longest} broadcasting dimension(s) but no ellipsis (...) was found in the output "
            f"subscripts.",
            f"Shape must be at most rank 0 but is rank {longest}\n\t for einsum equation '{equation}' without ellipsis "
            f"(...) in the output subscripts where input(s) have non-empty broadcasting shape",
            tensors,
            equation,
        )
    named = [_with_dots(term, count) for term, count in zip(terms, counts, strict=True)]
    return named, _with_dots(output, longest)


def _of_unknown_ranks(equation: str, tensors):
    """The result by ops that learn when they run what "..." stands for: one for each pair of tensors."""
    inputs, _, result = equation.partition("->")
    terms = inputs.split(",")
    _check_result(terms, result.replace(_DOTS, ""))
    while len(tensors) > 2:
        both, later = f"{terms[0]},{terms[1]}", ",".join([*terms[2:], result])
        kept = "".join(dict.fromkeys(letter for letter in both if letter.isalpha() and letter in later))
        product = f"{_DOTS if _DOTS in both else ''}{kept}"
        tensors = [op("Einsum")(inputs=tensors[:2], equation=f"{both}->{product}"), *tensors[2:]]
        terms = [product, *terms[2:]]
    return op("Einsum")(inputs=tensors, equation=f"{','.join(terms)}->{result}")


def _check_result(terms, letters: str) -> None:
    for letter in letters:
        if letters.count(letter) > 1:
            raise ValueError(
                f"Output subscripts contain a label appearing more than once: {','.join(terms)}->{letters}"
            )
        if not any(letter in term for term in terms):
            raise ValueError(f"Output subscripts contain the label {letter} not present in the input subscripts.")


def _refuse(text: str, traced_text: str, tensors, equation: str):
    if not executing_eagerly():
        raise ValueError(traced_text + _node_text(tensors, equation))
    place = f"{{{{function_node __wrapped__Einsum_N_{len(tensors)}_device_/job:localhost/replica:0/task:0/device:CPU:0}}}}"
    raise InvalidArgumentError(None, None, f"{place} {text} [Op:Einsum] name: ")


def _node_text(tensors, equation: str) -> str:
    """What an error of the graph says about the node that `tensors` do not fit: its attributes, inputs and their shapes."""
    try:
        op("Einsum")(inputs=tensors, equation=equation)
    except ValueError as refused:
        _, node, description = str(refused).partition(" for '{{node")
        return node + description
    return ""


def _with_dots(term: str, count: int) -> list:
    before, dots, after = term.partition(_DOTS)
    return [*before, *(range(count - 1, -1, -1) if dots else ()), *after]


def _check_sizes(terms, tensors, equation: str) -> None:
    """Checks that axes of the same name have the same static size; `equation` names the result's axes.

    Raises:
      InvalidArgumentError: sizes differ (ValueError while tracing).
    """
    sizes: dict = {}
    for term, tensor in zip(terms, tensors, strict=True):
        dims = tensor.shape.as_list()
        for place, (axis, size) in enumerate(zip(term, dims, strict=True)):
            if size is None or (isinstance(axis, int) and size == 1):
                continue
            if sizes.setdefault(axis, size) != size:
                shape = ",".join(map(str, dims))
                text = (
                    f"Expected dimension {sizes[axis]} at axis {place} of the input shaped [{shape}] but got dimension "
                    f"{size}"
                )
                _refuse(text, f"Dimensions must be equal, but are {sizes[axis]} and {size}", tensors, equation)


def _diagonal(part: _Part) -> _Part:
    """Takes the diagonal of axes that have the same name in one input."""
    for axis in dict.fromkeys(part.axes):
        while part.axes.count(axis) > 1:
            others = [i for i, a in enumerate(part.axes) if a != axis]
            first, second, *more = [i for i, a in enumerate(part.axes) if a == axis]
            order = [*others, *more, first, second]
            moved = op("Transpose")(x=part.tensor, perm=ints(order))
            names = [part.axes[i] for i in order]
            diagonal = op("MatrixDiagPartV3")(input=moved, k=ints([0, 0]), padding_value=convert(0, dtype=moved.dtype))
            part = _Part(diagonal, names[:-1])
    return part


def _summed(part: _Part, kept: set) -> _Part:
    """Sums over the axes that nothing needs any more."""
    gone = [i for i, axis in enumerate(part.axes) if axis not in kept]
    if not gone:
        return part
    total = op("Sum")(input=part.tensor, reduction_indices=ints(gone))
    return _Part(total, [axis for axis in part.axes if axis in kept])


def _arranged(part: _Part, axes: list, name: str | None = None) -> _Part:
    """The tensor with its axes in that order; missing ones get size 1. `name` is that of the node which orders them."""
    present = [axis for axis in axes if axis in part.axes]
    tensor = part.tensor
    order = [part.axes.index(axis) for axis in present]
    if order != list(range(len(order))):
        tensor = op("Transpose")(x=tensor, perm=ints(order), name=name)
    for at, axis in enumerate(axes):
        if axis not in present:
            tensor = op("ExpandDims")(input=tensor, dim=at)
    return _Part(tensor, axes)


def _product(first: _Part, second: _Part, later: set, result: list | None) -> _Part:
    """The product of two parts, summed over the axes that are not needed later; `result` are the axes of the last product."""
    first = _summed(first, later | set(second.axes))
    second = _summed(second, later | set(first.axes))
    both = [axis for axis in first.axes if axis in second.axes]
    contracted = [axis for axis in both if axis not in later]
    dotted = [axis for axis in dict.fromkeys([*first.axes, *second.axes]) if isinstance(axis, int)]
    batch = sorted((a for a in dotted if a not in contracted), reverse=True)
    batch += [axis for axis in both if axis not in contracted and axis not in batch]
    left = [axis for axis in first.axes if axis not in both and axis not in batch]
    right = [axis for axis in second.axes if axis not in both and axis not in batch]
    a = _matrices(first, batch, left, contracted)
    b = _matrices(second, batch, contracted, right)
    product = op("BatchMatMulV2")(x=a, y=b)
    dims = [
        op("Shape")(input=product)[i] if product.shape[i] is None else int(product.shape[i]) for i in range(len(batch))
    ]
    dims += [first.dim(axis) for axis in left] + [second.dim(axis) for axis in right]
    axes = [*batch, *left, *right]
    # The node that ends a product has the name that TensorFlow's node has.
    return _Part(_reshaped(product, dims, "Einsum" if result is None or result == axes else None), axes)


def _matrices(part: _Part, batch, rows, columns):
    """A part as matrices [rows, columns], one for each index of the axes `batch`; several axes are merged into one."""
    arranged = _arranged(part, [*batch, *rows, *columns])
    dims = [arranged.dim(axis) for axis in arranged.axes]
    split, end = len(batch), len(batch) + len(rows)
    return _reshaped(arranged.tensor, [*dims[:split], _times(dims[split:end]), _times(dims[end:])])


def _times(dims):
    total = 1
    for dim in dims:
        total = total * dim
    return total


def _reshaped(tensor, dims, name: str | None = None):
    return op("Reshape")(tensor=tensor, shape=convert(dims, dtype="int32") if dims else ints([]), name=name)
