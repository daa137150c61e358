"""`tf.compat`: old spellings."""

__all__ = ["v1"]


def __getattr__(name: str):
    # On first use: few programs need it, and every program pays for an import.
    if name != "v1":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import tracefn.compat.v1 as v1

    return v1
