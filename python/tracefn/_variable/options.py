"""The options of distributed Variables, which have no effect on one machine."""

from __future__ import annotations

import enum


class VariableSynchronization(enum.Enum):
    """When a distributed Variable is synchronized; stored, without effect on one machine."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of a distributed Variable are aggregated; stored, without effect on one machine."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self):
        return hash(self.value)


def checked(kind: type, value, name):
    """An option of a Variable as a member of its enumeration; None stands for the first one.

    Args:
      kind: VariableSynchronization or VariableAggregation.
      value: what was given: a member, its number, or None.
      name: the name given for the Variable, for the message.

    Raises:
      ValueError: there is no such member.
    """
    if isinstance(value, enum.Enum):
        return value
    try:
        return kind(value or 0)
    except ValueError:
        option = kind.__name__.removeprefix("Variable").lower()
        raise ValueError(f"Invalid variable {option} mode: {value} for variable: {name}") from None
