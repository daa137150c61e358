"""`tf.feature_column`: how the features of an example become tensors."""

from tracefn._feature_columns import (  # noqa: F401 - they register the functions
    categories,
    dense,
    embeddings,
    numeric,
    sequences,
    specs,
    vocabularies,
)
from tracefn._namespaces import fill

fill(globals(), "feature_column")
