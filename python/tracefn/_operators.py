"""`tf.__operators__`: the functions of operators that have no other public name."""

from tracefn._namespaces import fill

fill(globals(), "__operators__")
