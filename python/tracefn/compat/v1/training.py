"""`tf.compat.v1.train`: threads that work until they are stopped."""

from tracefn._training import coordinator  # noqa: F401 - it registers its names
