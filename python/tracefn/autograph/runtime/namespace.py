"""The object that converted code knows as `ag__`."""

from __future__ import annotations

from tracefn import _core
from tracefn.autograph.runtime import asserts, booleans, branches, conditions, iterables, lists, loops
from tracefn.autograph.runtime.calls import Caller
from tracefn.autograph.runtime.undefined import undefined, unset


def visible(found):
    """locals(), vars() or dir() without the names that conversion added."""
    if isinstance(found, dict):
        return {name: value for name, value in found.items() if not name.startswith("ag__")}
    return [name for name in found if not name.startswith("ag__")]


class Namespace:
    """Run-time functions of converted code, for one set of options."""

    undefined = undefined
    unset = unset
    visible = staticmethod(visible)
    unwind = staticmethod(_core.unwind)
    if_stmt = staticmethod(branches.if_stmt)
    returned = staticmethod(branches.returned)
    for_stmt = staticmethod(loops.for_stmt)
    while_stmt = staticmethod(loops.while_stmt)
    leaves = staticmethod(loops.leaves)
    python_condition = staticmethod(loops.python_condition)
    and_ = staticmethod(booleans.and_)
    or_ = staticmethod(booleans.or_)
    not_ = staticmethod(booleans.not_)
    if_exp = staticmethod(booleans.if_exp)
    assert_fails = staticmethod(asserts.assert_fails)
    append = staticmethod(lists.append)
    elements = staticmethod(iterables.unrolled)
    is_staged = conditions.is_staged

    def __init__(self, convert, features) -> None:
        self.features = features
        self.converted = Caller(convert, "BUILTIN_FUNCTIONS" in features or "ALL" in features)
