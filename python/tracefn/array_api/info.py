"""What the namespace has: `__array_namespace_info__`."""

from __future__ import annotations

from tracefn.array_api.arguments import check_device, default_device
from tracefn.array_api.promotion import DEFAULTS, dtypes_of

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def check_version(api_version) -> None:
    """Refuses versions of the standard that the namespace does not follow; None is any.

    Raises:
      ValueError: it is such a version.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"Unrecognized array API version {api_version!r}. The versions are {_VERSIONS}.")


class _Info:
    """Answers questions about the namespace."""

    def capabilities(self) -> dict:
        """What array libraries may differ in: boolean masks and shapes that depend on data are there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> str:
        """The device of new arrays."""
        return default_device()

    def devices(self) -> list[str]:
        """All devices."""
        return [default_device()]

    def default_dtypes(self, *, device=None) -> dict:
        """The dtypes of Python's numbers, and of indices."""
        check_device(device)
        return dict(DEFAULTS)

    def dtypes(self, *, device=None, kind=None) -> dict:
        """Name -> dtype, of the dtypes of a kind (see `isdtype`), of several, or of all."""
        check_device(device)
        return dtypes_of(kind)


def __array_namespace_info__():
    """What the namespace has: an object with `capabilities`, `default_device`, `default_dtypes`, `devices`, `dtypes`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.__array_namespace_info__().dtypes(kind="bool")
      {'bool': tf.bool}
    """
    return _Info()
