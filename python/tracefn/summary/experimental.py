"""`tf.summary.experimental`: the default step, scopes, raw messages."""

from tracefn._namespaces import fill

fill(globals(), "summary.experimental")
