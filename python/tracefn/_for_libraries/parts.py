"""All files about parts of `tf.__internal__`."""

from tracefn._for_libraries import conversion, delegation, dispatching, lacking, loading, training
from tracefn._saved_model import revived_types

__all__ = ["conversion", "delegation", "dispatching", "lacking", "loading", "revived_types", "training"]
