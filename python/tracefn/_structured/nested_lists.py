"""Nested Python lists of dicts, and the lists of their values field by field."""

from __future__ import annotations


def keys_and_depth(value, keys: dict) -> int | None:
    """How deep the dicts in nested lists are, None if there are none; adds their keys to those of `keys`, in their order.

    Raises:
      ValueError: they are not all equally deep.
    """
    if isinstance(value, dict):
        keys.update(dict.fromkeys(value))
        return 0
    if not isinstance(value, (list, tuple)):
        return None
    depths = {depth for depth in (keys_and_depth(item, keys) for item in value) if depth is not None}
    if len(depths) > 1:
        raise ValueError("Inconsistent depth of dictionaries")
    return depths.pop() + 1 if depths else None


def values_by_field(items, keys) -> dict:
    """The nested lists with the value of a field in place of each dict, for each field.

    Raises:
      ValueError: something else than dicts, lists and tuples.
      KeyError: a dict lacks a field.
    """
    columns: dict = {key: [] for key in keys}
    for item in items:
        if not isinstance(item, (dict, list, tuple)):
            raise ValueError("Expected dict or nested list/tuple of dict")
        row = item if isinstance(item, dict) else values_by_field(item, keys)
        for key, column in columns.items():
            column.append(row[key])
    return columns


def dicts_of_fields(fields: dict, depth: int):
    """The inverse: nested lists of dicts, `depth` lists deep, from the nested lists of the fields' values."""
    if depth == 0:
        return fields
    rows = zip(*fields.values(), strict=True)
    return [dicts_of_fields(dict(zip(fields, row, strict=True)), depth - 1) for row in rows]


def empty_depth(value) -> int | None:
    """How many lists are nested, None if there is anything else in them."""
    if not isinstance(value, list):
        return None
    depths = [empty_depth(item) for item in value]
    if None in depths:
        return None
    return max((depth for depth in depths if depth is not None), default=0) + 1


def zeros_for_dicts(value):
    """The nested lists with 0 in place of each dict."""
    return 0 if isinstance(value, dict) else [zeros_for_dicts(item) for item in value]


def empty_dicts(row_partitions, nrows: int) -> list:
    """Nested lists of empty dicts, in the rows of the partitions, the outermost first."""
    if not row_partitions:
        return [{} for _ in range(nrows)]
    splits = row_partitions[0].row_splits().numpy().tolist()
    inside = empty_dicts(row_partitions[1:], splits[-1])
    return [inside[start:stop] for start, stop in zip(splits[:-1], splits[1:], strict=True)]
