"""`tf.experimental`: extension types and DLPack."""

__all__ = ["ExtensionType", "dlpack"]


def __getattr__(name: str):
    # On first use: few programs need these, and every program pays for an import.
    if name == "ExtensionType":
        from tracefn.extension_type import ExtensionType as found
    elif name == "dlpack":
        import tracefn.experimental.dlpack as found
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
