"""`tf.strings.ngrams`: runs of neighboring strings."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import name_scope, op
from tracefn.ops.ragged import RaggedTensor
from tracefn.ops.ragged.tensor import convert_values, is_ragged


@export("strings.ngrams")
def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False,
           name=None):
    """Joins the strings of each window of the last dimension.

    Args:
      data: string tensor or RaggedTensor of known rank, at least 1.
      ngram_width: int, the number of strings of a window, or a list of such; the n-grams of the first one come first.
      separator: str between the strings.
      pad_values: str added at both ends of each row, a pair of them for the left and the right end, or None.
      padding_width: int, how many of them; by default, and at most, the width - 1.
      preserve_short_sequences: whether a row too short for any window gives one n-gram, of the whole row.
      name: name of the ops.

    Returns:
      string RaggedTensor of data's rank; a tensor for a tensor.

    Raises:
      TypeError: the pad values are no strings.
      ValueError: a width is below 1, or `padding_width` is given without `pad_values`, or the rank is 0 or not known.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.ngrams(["a", "b", "c"], 2, separator="-", pad_values=("<", ">")).numpy().tolist()
      [b'<-a', b'a-b', b'b-c', b'c->']
    """
    with name_scope(name or "StringNGrams"):
        left, right = ("", "") if pad_values is None else _pad_values(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        data = convert_values(data, "data", dtype="string")
        options = {
            "separator": separator,
            "ngram_widths": list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width],
            "left_pad": left,
            "right_pad": right,
            "pad_width": 0 if pad_values is None else -1 if padding_width is None else padding_width,
            "preserve_short_sequences": preserve_short_sequences,
        }
        if is_ragged(data):
            return _of_rows(data, ngram_width, options)
        rank = data.shape.rank
        if rank is None:
            raise ValueError("Rank of data must be known.")
        if rank == 0:
            raise ValueError("Data must have rank>0")
        if rank == 1:
            return _of_rows(RaggedTensor.from_row_starts(data, [0], validate=False), ngram_width, options)[0]
        rows = RaggedTensor.from_tensor(data, ragged_rank=rank - 1)  # type: ignore[attr-defined]
        shape = op("ConcatV2")(values=[op("Shape")(input=data)[:-1], [-1]], axis=0)
        return op("Reshape")(tensor=_of_rows(rows, ngram_width, options).flat_values, shape=shape)


def _pad_values(given) -> tuple:
    """The strings for the left and the right end."""
    pair = tuple(given[:2]) if isinstance(given, (list, tuple)) else (given, given)
    if not all(isinstance(value, (str, bytes)) for value in pair):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pair


def _of_rows(data, ngram_width, options):
    if data.ragged_rank > 1:
        return data.with_values(_of_rows(data.values, ngram_width, options))
    if any(width < 1 for width in options["ngram_widths"]):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    made, splits = op("StringNGrams")(data=data.flat_values, data_splits=data.row_splits, **options)
    return RaggedTensor.from_row_splits(made, splits, validate=False)
