"""`tf.quantization`: numbers rounded as integers of few bits would be, in floating-point tensors."""

from tracefn._namespaces import fill

fill(globals(), "quantization")
