"""`tf.compat.v1.feature_column`: the columns of `tf.feature_column`, and the layers of TensorFlow 1 that take them."""

import tracefn.feature_column as _feature_column
from tracefn._feature_columns import inputs_of_v1 as _inputs_of_v1  # noqa: F401 - it registers its names
from tracefn._feature_columns import shared_of_v1 as _shared_of_v1  # noqa: F401 - as above
from tracefn._namespaces import fill as _fill

# Names that only TensorFlow 2 has.
_NEW = frozenset({"shared_embeddings"})

_fill(globals(), "compat.v1.feature_column")
for _name in _feature_column.__all__:
    if _name not in __all__ and _name not in _NEW:  # noqa: F821 - the namespace has it
        globals()[_name] = getattr(_feature_column, _name)
        __all__.append(_name)  # noqa: F821 - the namespace has it
