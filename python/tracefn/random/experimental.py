"""`tf.random.experimental`: earlier names of what is in `tf.random`."""

from tracefn._export import fill

fill(globals(), "random.experimental")
