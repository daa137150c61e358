"""All files about parts of `tf.__internal__`."""

from tracefn._for_libraries import (
    combinations,
    conversion,
    delegation,
    dispatching,
    functions,
    lacking,
    loading,
    models,
    training,
)
from tracefn._saved_model import revived_types

__all__ = [
    "combinations",
    "conversion",
    "delegation",
    "dispatching",
    "functions",
    "lacking",
    "loading",
    "models",
    "revived_types",
    "training",
]
