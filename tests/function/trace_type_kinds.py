"""Classes and helpers that the tests of trace types share."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
from tracefn import _core

Point = collections.namedtuple("Point", ["u", "w"])


@dataclasses.dataclass
class Unhashable:
    a: object
    b: object = 2

    def __post_init__(self):
        self.checked = True


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object


@dataclasses.dataclass(eq=False)
class ByIdentity:
    a: object


class Thing:
    pass


class Nest:
    """A class with the protocol of custom nests."""

    def __init__(self, part, label):
        self.part, self.label = part, label

    def __tf_flatten__(self):
        return (self.label,), (self.part,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


def tensor(value, dtype=None):
    return _core.convert_to_tensor(value) if dtype is None else _core.convert_to_tensor(np.asarray(value, dtype))


def trace_type_of(value):
    """The trace type that an argument has in the key of a call."""
    ((_, _, trace_type),) = Calls(lambda x: x).key(value).parameters
    return trace_type


def text(value) -> str:
    return repr(trace_type_of(value))


class Calls:
    """What the binder of a Function makes of calls of `function`."""

    def __init__(self, function, input_signature=None, is_method=False):
        self._function = function
        self._binder = _core.Binder(function, input_signature, is_method)
        self.function_type = self._binder.function_type

    def key(self, *args, **kwargs):
        return self._binder.bind(args, kwargs).key

    def tensors(self, *args, **kwargs):
        return self._binder.bind(args, kwargs).leaves()

    def with_placeholders(self, key, leaves):
        """(args, kwargs) that the function is called with when it is traced."""
        seen = []
        _core.call_with_placeholders(lambda *args, **kwargs: seen.append((args, kwargs)), self._function, key, leaves)
        return seen[0]


def spec_text(shape: str, dtype: str, name=None) -> str:
    return f"TensorSpec(shape={shape}, dtype=tf.{dtype}, name={name!r})"
