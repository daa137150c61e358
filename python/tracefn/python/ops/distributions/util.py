"""`tensorflow.python.ops.distributions.util`: what is not public of the helpers for distributions."""

from __future__ import annotations

import hashlib

__all__ = ["gen_new_seed"]


def gen_new_seed(seed, salt: str):
    """Another seed, which a seed and a text decide on; None without a seed.

    Args:
      seed: int, or None.
      salt: the text.

    Returns:
      An int32 that is not negative, or None.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.distributions.util.gen_new_seed(1, "a")
      1873417531
    """
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF
