"""`tf.lookup.experimental`: tables that change."""

from tracefn._namespaces import fill

fill(globals(), "lookup.experimental")
