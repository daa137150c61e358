"""`tf.compat.v1.ragged.RaggedTensorValue`: ragged arrays of NumPy."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._export import export


@export("compat.v1.ragged.RaggedTensorValue")
class RaggedTensorValue:
    """A ragged array: values, and where its rows begin and end.

    Args:
      values: array, or RaggedTensorValue for more ragged dimensions.
      row_splits: vector of int32 or int64: row i holds values[row_splits[i]:row_splits[i + 1]].

    Raises:
      TypeError: one is of another type, or row_splits is no vector.
      ValueError: the values' splits have another dtype.

    >>> import numpy as np
    >>> tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3])).to_list()
    [[1, 2], [3]]
    """

    def __init__(self, values, row_splits) -> None:
        is_array = isinstance(row_splits, (np.ndarray, np.generic))
        if not is_array or row_splits.dtype not in (np.int64, np.int32) or len(row_splits.shape) != 1:
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError(
                f"row_splits must have the same dtype as values.row_splits: {row_splits.dtype} and {values.row_splits.dtype}"
            )
        self._values, self._row_splits = values, row_splits

    values = property(lambda self: self._values, doc="The values of all rows.")
    row_splits = property(lambda self: self._row_splits, doc="Where rows begin and end.")
    dtype = property(lambda self: self._values.dtype, doc="The dtype of the values.")

    @property
    def flat_values(self):
        """The values of the innermost rows."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged dimensions."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple:
        """The number of rows, None for their lengths, and the sizes of the values."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def to_list(self) -> list:
        """The rows as nested lists."""
        values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        splits = self._row_splits.tolist()
        return [values[begin:end] for begin, end in zip(splits, splits[1:], strict=False)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
