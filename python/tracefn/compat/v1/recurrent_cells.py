"""What the functions of recurrent networks need of a cell: its states, and checks of what they are given."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn.compat.v1.arguments import today


def check_cell(name: str, cell) -> None:
    """Checks that an argument is a cell.

    Raises:
      TypeError: it lacks what cells have.
    """
    missing = [f"'{prop}' property is missing" for prop in ("output_size", "state_size") if not _has(cell, prop)]
    if not (_has(cell, "zero_state") or _has(cell, "get_initial_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def _has(value, name: str) -> bool:
    return hasattr(type(value), name) or hasattr(value, name)


def first_state(cell, initial_state, batch_size, dtype):
    """The given state, or the cell's zero state.

    Raises:
      ValueError: there is neither a state nor a dtype.
    """
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def wraps_state(cell) -> bool:
    """Whether the cell is a layer of Keras, which has its state in a list."""
    if getattr(cell, "_is_tf_rnn_cell", None) is not None:
        return False
    return type(cell).__module__.partition(".")[0] in ("keras", "tf_keras")


def called(cell, x, state):
    """The output and the new state of a step, as a structure like `state`."""
    if not wraps_state(cell):
        return cell(x, state)
    output, new = cell(x, list(state) if nest.is_nested(state) else [state])
    return output, new if nest.is_nested(state) else nest.flatten(new)[0]


def batch_size_of(inputs: list):
    """The number of sequences: an int, or a tensor if it is not known."""
    for x in inputs:
        if x.shape.rank is not None and x.shape.rank < 2:
            raise ValueError(f"Input tensor should have rank >= 2. Received input={x} of rank {x.shape.rank}")
        if x.shape.rank is not None and x.shape.dims[1].value is not None:
            return x.shape.dims[1].value
    return today("shape")(inputs[0])[1]


def lengths(sequence_length):
    """The lengths of sequences as an int32 vector.

    Raises:
      ValueError: they are no vector.
    """
    found = today("cast")(_core.convert_to_tensor(sequence_length), "int32")
    if found.shape.rank not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received sequence_length="
            f"{found} of shape: {found.shape}"
        )
    return found


def swapped(x):
    """A tensor with dimensions 0 and 1 exchanged; as it is, if it has fewer."""
    x = _core.convert_to_tensor(x)
    rank = x.shape.rank
    if rank is not None and rank < 2:
        return x
    rest = today("range")(2, today("rank")(x)) if rank is None else list(range(2, rank))
    return today("transpose")(x, today("concat")([[1, 0], rest], 0) if rank is None else [1, 0, *rest])


def where_rows(condition, new, old):
    """`new` in the rows where `condition` is true, `old` in the others; what has no rows is new."""
    if isinstance(old, _core.Tensor) and (old.shape.rank == 0 or old.dtype == "variant"):
        return new
    rows = today("reshape")(condition, [-1] + [1] * (new.shape.rank - 1)) if new.shape.rank is not None else condition
    result = today("where")(rows, new, old)
    result.set_shape(new.shape)
    return result
