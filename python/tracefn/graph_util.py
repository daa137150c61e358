"""`tf.graph_util`: tools for GraphDefs."""

from tracefn._namespaces import fill

fill(globals(), "graph_util")
