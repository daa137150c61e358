"""What is known of an operator's matrix from what is known of the operators that it is made of."""

from __future__ import annotations

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def hints_of(operator) -> dict:
    """The hints of an operator as arguments of a constructor."""
    return {name: getattr(operator, name) for name in HINTS}


def implied(condition, hint, message: str):
    """True if the condition implies the hint; otherwise the hint as it was given.

    Raises:
      ValueError: the hint says the contrary.
    """
    if not condition:
        return hint
    if hint is False:
        raise ValueError(message)
    return True


def same_as(operator, name: str, hint, message: str):
    """The hint that an operator has in common with the one that it wraps.

    Raises:
      ValueError: they contradict each other.
    """
    inner = getattr(operator, name)
    if (inner is False and hint) or (inner and hint is False):
        raise ValueError(message)
    if inner or hint:
        return True
    return False if inner is False or hint is False else None


def is_square(a, b):
    """Whether the product of two operators is square."""
    if a.is_square and b.is_square:
        return True
    if a.is_square is False and b.is_square is False:
        rows, columns = a.range_dimension, b.domain_dimension
        return rows.value == columns.value if rows.value is not None and columns.value is not None else None
    if a.is_square is not None and b.is_square is not None and a.is_square != b.is_square:
        return False
    return None


def non_singular(a, b):
    """Whether the product of two square operators is non-singular."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return a.is_non_singular and b.is_non_singular


def self_adjoint_if_commuting(a, b):
    """Whether the product of two operators that commute is self-adjoint."""
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    if {a.is_self_adjoint, b.is_self_adjoint} == {True, False}:
        return False
    return None


def positive_definite_if_commuting(a, b):
    """Whether the product of two operators that commute is positive definite."""
    both = all(o.is_positive_definite and o.is_self_adjoint for o in (a, b))
    return True if both else None


def of_product(a, b) -> dict:
    """The hints of the product of two operators."""
    square = is_square(a, b)
    if square is False:
        return {"is_non_singular": False, "is_self_adjoint": False, "is_positive_definite": False, "is_square": False}
    return {"is_non_singular": non_singular(a, b) if square else None, "is_square": square}


def of_commuting(a, b) -> dict:
    """The hints of the product of two square operators that commute."""
    return {
        "is_non_singular": non_singular(a, b),
        "is_self_adjoint": self_adjoint_if_commuting(a, b),
        "is_positive_definite": positive_definite_if_commuting(a, b),
        "is_square": True,
    }


def is_adjoint_pair(a, b) -> bool:
    """Whether b is the adjoint of a, as far as objects tell."""
    if a is b:
        return bool(a.is_self_adjoint)
    return a.H is b or b.H is a


def is_symmetric_product(operators) -> bool:
    """Whether a product of operators has the form A @ A.H."""
    count = len(operators)
    return count % 2 == 0 and all(is_adjoint_pair(operators[i], operators[-1 - i]) for i in range(count // 2))
