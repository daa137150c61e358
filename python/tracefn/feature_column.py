"""`tf.feature_column`: the names of feature columns, refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill

_fill(_sys.modules[__name__], "feature columns are deprecated in TensorFlow. Use Keras preprocessing layers, or tf.one_hot, tf.strings.to_hash_bucket_fast and tf.lookup.")
