"""`tensorflow.python.platform.flags`: `tf.compat.v1.flags`."""

from __future__ import annotations

from tracefn.compat.v1.flags import __getattr__  # noqa: F401 - which finds the names of absl.flags
