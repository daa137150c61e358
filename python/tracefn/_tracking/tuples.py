"""Tuples whose contents are children."""

from __future__ import annotations

import copy

from tracefn._known_variables import variable_class
from tracefn._tracking.proxy import proxy_class, reduce_wrapped
from tracefn._tracking.structure import (
    NoDependency,
    TrackableDataStructure,
    sticky_attribute_assignment,
    wrap_or_unwrap,
    wraps,
)

_Proxy = proxy_class()


@wraps(tuple)
class _TupleWrapper(TrackableDataStructure, _Proxy):  # type: ignore[misc, valid-type]
    """A tuple set as an attribute: what is in it are children, by index, and in a namedtuple also by name.

    Args:
      original_wrapped_tuple: tuple; a list of elements stands for one.
    """

    def __init__(self, original_wrapped_tuple=()) -> None:
        original = original_wrapped_tuple
        stored = [wrap_or_unwrap(element) for element in original]
        fields = getattr(original, "_fields", None)
        is_constructable = True
        kind = type(original) if isinstance(original, tuple) else tuple
        if fields is None:
            wrapped = kind(stored)
        else:
            try:
                wrapped = kind(**dict(zip(fields, stored, strict=True)))
            except TypeError:
                wrapped, is_constructable = original, False
        _Proxy.__init__(self, wrapped)
        TrackableDataStructure.__init__(self)
        self._self_tuple_is_constructable = is_constructable
        if not is_constructable:
            return
        names = [str(index) for index in range(len(stored))]
        for given, element, *named in zip(original, wrapped, names, *([fields] if fields else []), strict=True):
            if isinstance(given, NoDependency):
                continue
            for name in reversed(named):
                sticky_attribute_assignment(self, name, element)
            if isinstance(element, variable_class()):
                self._self_extra_variables.append(element)

    @property
    def _values(self):
        return self.__wrapped__

    def _as_function_result(self):
        return self.__wrapped__

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        if not self._self_tuple_is_constructable:
            raise ValueError(
                f"Unable to save because the namedtuple {self.__wrapped__} is not constructable from its _fields (i.e. "
                f"__new__ is overridden). Expected keyword arguments {self.__wrapped__._fields}. If you do not need to save "
                "this object, consider wrapping it in a custom object that does not inherit from tuple."
            )
        return super()._trackable_children(save_type, **kwargs)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"

    def __hash__(self):
        return hash(self.__wrapped__)

    def __eq__(self, other):
        return self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __ne__(self, other):
        return not self == other

    def __copy__(self):
        return _TupleWrapper(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo):
        return _TupleWrapper(copy.deepcopy(self.__wrapped__, memo))

    __reduce_ex__ = reduce_wrapped

    def __imul__(self, count):
        return self.__wrapped__ * count

    def __iadd__(self, other):
        return self.__wrapped__ + other
