"""`tf.experimental`: extension types, optionals, dispatch, DLPack, NumPy's functions and types of few bits."""

from tracefn import dtypes as _dtypes
from tracefn._missing import namespace as _namespace
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import load as _load

_OF_EXTENSION_TYPES = ("BatchableExtensionType", "ExtensionType", "ExtensionTypeBatchEncoder", "ExtensionTypeSpec")

__all__ = ["BatchableExtensionType", "ExtensionType", "ExtensionTypeBatchEncoder", "ExtensionTypeSpec", "StructuredTensor",
           "dlpack", "extension_type", "numpy"]  # fmt: skip
__all__ += list(_dtypes._SMALL)
globals().update(_dtypes._SMALL)


def __getattr__(name: str):
    # On first use: few programs need these, and every program pays for an import.
    if name in _OF_EXTENSION_TYPES:
        import tracefn.extension_type as found  # start-up time: few programs need it

        globals()[name] = getattr(found, name)
    elif name == "StructuredTensor":
        from tracefn._structured.structured_tensor import StructuredTensor  # start-up time: few programs need it

        globals()[name] = StructuredTensor
    elif name == "extension_type":
        from tracefn.extension_type import as_dict  # start-up time: few programs need it

        text = "`tf.experimental.extension_type`: functions of extension types."
        globals()[name] = _namespace("experimental.extension_type", text, {"as_dict": as_dict})
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
