"""`tf.tpu`: the names for TPUs, refused when used."""

import enum as _enum
import sys as _sys

from tracefn._missing.refused import fill as _fill

_fill(_sys.modules[__name__], "there is only the CPU.")


class _EmbeddingFeature(_enum.Enum):
    """What a TPU has for embeddings."""

    UNSUPPORTED = "UNSUPPORTED"
    V1 = "V1"
    V2 = "V2"


_EmbeddingFeature.__name__ = _EmbeddingFeature.__qualname__ = "EmbeddingFeature"
experimental.HardwareFeature.EmbeddingFeature = _EmbeddingFeature  # type: ignore[name-defined]  # noqa: F821  # made by _fill
