"""`tf.experimental`: extension types and DLPack."""

from tracefn._missing import missing as _missing

__all__ = ["ExtensionType", "dlpack"]


def __getattr__(name: str):
    # On first use: few programs need these, and every program pays for an import.
    if name == "ExtensionType":
        from tracefn.extension_type import ExtensionType  # start-up time: few programs need it

        globals()[name] = ExtensionType
    elif name == "dlpack":
        # start-up time: few programs need it; it becomes this module's attribute
        import tracefn.experimental.dlpack  # noqa: F401
    else:
        raise _missing("experimental", name)
    return globals()[name]
