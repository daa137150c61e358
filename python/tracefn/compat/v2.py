"""`tf.compat.v2`: the names of the package itself, and `enable_v2_behavior`, which only this namespace and that of v1 have."""

from __future__ import annotations

from tracefn._namespaces import root as _root


def __dir__() -> list[str]:
    return sorted({*dir(_root()), "enable_v2_behavior"})


def __getattr__(name: str):
    if name == "__path__":
        raise AttributeError(name)  # With the package's path its modules would be imported once more.
    if name == "enable_v2_behavior":
        from tracefn.compat.v1.switches import enable_v2_behavior  # start-up time: few programs need v1

        return enable_v2_behavior
    return getattr(_root(), name)
