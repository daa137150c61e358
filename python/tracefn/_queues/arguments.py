"""The arguments of queues and of their operations."""

from __future__ import annotations

from tracefn import _core
from tracefn._queues.failures import EagerCall
from tracefn.dtypes import as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.framework import executing_eagerly
from tracefn.tensor_shape import TensorShape


def int_of(value, argument: str) -> int:
    """A number, as an op takes it.

    Raises:
      TypeError: it is none.
    """
    try:
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{argument}' not {value!r}.") from None


def capacity_of(given) -> int:
    """The most elements of a queue; negative: any number."""
    return -1 if given is None else int_of(given, "capacity")


def dtypes_of(given) -> list:
    """The dtypes of the components, which are given as a list or as the only one."""
    return [as_dtype(dtype) for dtype in given] if isinstance(given, (list, tuple)) else [as_dtype(given)]


def shapes_of(shapes, dtypes: list, partial: bool) -> list | None:
    """The shapes of the components; None if they are not given.

    Raises:
      ValueError: there are more or fewer than dtypes, or one is not fully known.
    """
    if shapes is None:
        return None
    one = isinstance(shapes, TensorShape) or not isinstance(shapes, (list, tuple)) or not shapes
    if one or not isinstance(shapes[0], (list, tuple, TensorShape)):
        shapes = [shapes]
    found = [TensorShape(shape) for shape in shapes]
    if len(found) != len(dtypes):
        raise ValueError(
            f"Queue shapes must have the same length as dtypes, received len(shapes)={len(found)}, len(dtypes)={len(dtypes)}"
        )
    if not partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def names_of(names, dtypes: list) -> list | None:
    """The names of the components; None if they are not given.

    Raises:
      ValueError: there are more or fewer than dtypes.
    """
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(dtypes):
        raise ValueError(
            f"List of names must have the same length as the list of dtypes, received len(names)={len(names)},"
            f"len(dtypes)={len(dtypes)}"
        )
    return names


def component(at: int, value, dtype):
    """A component of an element as a tensor.

    Raises:
      ValueError: it is a tensor of another dtype.
    """
    name = f"component_{at}"
    if isinstance(value, _core.Tensor) and value.dtype != dtype:
        raise ValueError(f"{name}: Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: {value!r}")
    return _core.convert_to_tensor(value, dtype=dtype, name=name)


def without_components() -> Exception:
    """The error for an element of no components."""
    if executing_eagerly():
        return InvalidArgumentError(
            None, None, "Length for attr 'Tcomponents' of 0 must be at least minimum 1\n\t; NodeDef: {{node QueueEnqueueV2}}; "
            "Op<name=QueueEnqueueV2; signature=handle:resource, components: -> ; attr=Tcomponents:list(type),min=1; "
            "attr=timeout_ms:int,default=-1; is_stateful=true> [Op:QueueEnqueueV2] name: ",
        )  # fmt: skip
    return ValueError("Attr 'Tcomponents' of 'QueueEnqueueV2' Op passed list of length 0 less than minimum 1.")


def count_of(n, call: EagerCall):
    """The number of elements that an operation removes, as a tensor.

    Args:
      n: the argument.
      call: the operation.

    Raises:
      InvalidArgumentError (eager), TypeError: it is a tensor of another dtype than int32.
      TypeError, ValueError: it does not convert.
    """
    eager = executing_eagerly()
    if isinstance(n, _core.Tensor) and n.dtype.name != "int32":
        if eager:
            raise InvalidArgumentError(
                None, None, f"cannot compute {call.op} as input #1(zero-based) was expected to be a int32 tensor but is a "
                f"{n.dtype.name} tensor [Op:{call.op}] name: {call.name}",
            )  # fmt: skip
        raise TypeError(f"Input 'n' of '{call.op}' Op has type {n.dtype.name} that does not match expected type of int32.")
    try:
        return _core.convert_to_tensor(n, dtype="int32", name="n")
    except TypeError as error:
        if eager:
            raise
        raise TypeError(
            f"Expected int32 passed to parameter 'n' of op '{call.op}', got {n!r} of type '{type(n).__name__}' instead. "
            f"Error: {error}"
        ) from None
    except ValueError as error:
        if eager:
            raise
        raise ValueError(f"Tried to convert 'n' to a tensor and failed. Error: {error}") from None
