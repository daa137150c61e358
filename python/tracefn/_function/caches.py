"""The caches of a Function by TensorFlow's private names, under which libraries clear them."""

from __future__ import annotations

from tracefn._core import Function


class BoundFunctions:
    """`_descriptor_cache`: the Functions of the instances that a method was taken from. A cleared one has no traces."""

    def __init__(self, impl) -> None:
        self._impl = impl

    def __len__(self) -> int:
        return len(self._impl.bound)

    def clear(self) -> None:
        """Forgets them."""
        for _, bound in list(self._impl.bound.values()):
            bound.cache_clear()  # some may still be held
        self._impl.bound.clear()


class Traces:
    """The `function_cache` of `_variable_creation_config`: the traces of a Function."""

    def __init__(self, impl) -> None:
        self._impl = impl

    def __len__(self) -> int:
        return len(self._impl.records)

    def clear(self) -> None:
        """Forgets them: the next call traces."""
        self._impl.cache_clear()


class TracingConfig:
    """`_variable_creation_config`: how a Function is traced, as far as libraries ask."""

    def __init__(self, impl) -> None:
        self.function_cache = Traces(impl)


def descriptor_cache(self: Function) -> BoundFunctions:
    """The Functions of the instances that this one, a method, was taken from."""
    return BoundFunctions(self._impl)


def tracing_config(self: Function) -> TracingConfig | None:
    """How it is traced; None before it is."""
    return TracingConfig(self._impl) if self._impl.tracing_count else None
