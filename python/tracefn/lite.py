"""`tf.lite`: the names of the converter for small devices, refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill

_fill(_sys.modules[__name__], "there is no converter to LiteRT, nor an interpreter of its models. Convert the saved model with TensorFlow itself.")
