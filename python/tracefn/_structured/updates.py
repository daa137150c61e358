"""`StructuredTensor.with_updates`: fields set, changed by functions, and removed, by their paths."""

from __future__ import annotations

_WHO = "`StructuredTensor.with_updates`"


def with_updates(structured, updates: dict, validate: bool):
    """The StructuredTensor with updated fields.

    Args:
      structured: StructuredTensor.
      updates: dict from names or paths of fields to values, functions of values, or None, which removes a field.
      validate: see `from_fields`.

    Raises:
      ValueError: a path leads nowhere, two paths overlap, or a value has another shape.
    """
    items = sorted(((_path(name), value) for name, value in updates.items()), key=lambda item: item[0])
    for (before, _), (path, _) in zip(items, items[1:], strict=False):
        if path[: len(before)] == before:
            raise ValueError(f"{_WHO} does not allow both parent and child nodes to be updated: parent={before}, child={path}. "
                             "If needed you can update child nodes in the parent update value.")
    return _updated(structured, items, (), validate)


def _path(name) -> tuple:
    return (name,) if isinstance(name, str) else tuple(name)


def _updated(structured, items: list, above: tuple, validate: bool):
    fields = dict(structured._fields)
    for path, value in items:
        if not path or not path[0]:
            raise ValueError(f"{_WHO} does not allow empty names {(*above, path)}.")
        name, *below = path
        here = (*above, name)
        if below:
            held = fields.get(name)
            if name not in fields:
                raise ValueError(f"{_WHO} cannot create new sub-field {(*above, *path)} if parent field {here} is not set.")
            if not isinstance(held, type(structured)):
                raise ValueError(f"{_WHO} cannot create new sub-field {(*above, *path)} if parent structure {here} is not a "
                                 "`StructuredTensor` that can contain sub-structures -- it is a "
                                 f"`{type(held)}`.")
            fields[name] = _updated(held, [(tuple(below), value)], here, validate)
        elif value is None:
            if name not in fields:
                raise ValueError(f"{_WHO} cannot delete field {here} because it is not present.")
            del fields[name]
        elif callable(value):
            if name not in fields:
                raise ValueError(f"{_WHO} cannot update the field {here} because a transforming function was given, but that "
                                 "field does not already exist.")
            fields[name] = value(fields[name])
        else:
            fields[name] = value
    try:
        return type(structured).from_fields(fields, structured.shape, structured.nrows(), structured.row_partitions, validate)
    except ValueError as error:
        raise ValueError(f"{_WHO} failed" + (f" for field {above}" if above else "")) from error
