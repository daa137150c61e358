"""`tf.strings`: string tensors."""

from tracefn._export import fill

fill(globals(), "strings")
