"""`tf.experimental`: extension types and DLPack."""

__all__ = ["ExtensionType", "dlpack"]


def __getattr__(name: str):
    # On first use: few programs need these, and every program pays for an import.
    if name == "ExtensionType":
        from tracefn.extension_type import ExtensionType

        globals()[name] = ExtensionType
    elif name == "dlpack":
        import tracefn.experimental.dlpack  # noqa: F401 - becomes this module's attribute
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]
