"""`tf.tpu`: the names for TPUs, refused when used, except for configurations of embeddings and their lookups on the CPU."""

import enum as _enum
import sys as _sys
from typing import NamedTuple as _NamedTuple

from tracefn._missing.refused import fill as _fill
from tracefn._tpu_embedding import configs as _configs
from tracefn._tpu_embedding import optimizers as _optimizers
from tracefn._tpu_embedding.lookup import serving_embedding_lookup as _serving_embedding_lookup
from tracefn._tpu_embedding.serving import TPUEmbeddingForServing as _TPUEmbeddingForServing

_fill(_sys.modules[__name__], "there is only the CPU.")


class XLAOptions(_NamedTuple):
    """Options of the compiler for TPUs, of no effect here."""

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True
    use_shardy_partitioner: bool = False


class _EmbeddingFeature(_enum.Enum):
    """What a TPU has for embeddings."""

    UNSUPPORTED = "UNSUPPORTED"
    V1 = "V1"
    V2 = "V2"


_EmbeddingFeature.__name__ = _EmbeddingFeature.__qualname__ = "EmbeddingFeature"
experimental.HardwareFeature.EmbeddingFeature = _EmbeddingFeature  # type: ignore[name-defined]  # noqa: F821  # made by _fill
for _made in (
    _optimizers.SGD,
    _optimizers.Adagrad,
    _optimizers.AdagradMomentum,
    _optimizers.Adam,
    _optimizers.FTRL,
    _configs.QuantizationConfig,
    _configs.RowIdInitializer,
    _configs.TableConfig,
    _configs.FeatureConfig,
    _serving_embedding_lookup,
    _TPUEmbeddingForServing,
):
    setattr(experimental.embedding, _made.__name__, _made)  # type: ignore[name-defined]  # noqa: F821  # made by _fill
