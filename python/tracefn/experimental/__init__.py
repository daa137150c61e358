"""`tf.experimental`: extension types, DLPack and NumPy's functions."""

from tracefn._namespaces import fill as _fill
from tracefn._namespaces import load as _load

__all__ = ["ExtensionType", "dlpack", "numpy"]


def __getattr__(name: str):
    # On first use: few programs need these, and every program pays for an import.
    if name == "ExtensionType":
        from tracefn.extension_type import ExtensionType  # start-up time: few programs need it

        globals()[name] = ExtensionType
    elif name == "dlpack":
        # start-up time: few programs need it; it becomes this module's attribute
        import tracefn.experimental.dlpack
    elif name == "numpy":
        # start-up time: few programs need it; it becomes this module's attribute
        import tracefn.experimental.numpy  # noqa: F401
    else:
        return _load(globals(), "experimental", name)
    return globals()[name]


_fill(globals(), "experimental")
