"""`tf.graph_util`: tools for GraphDefs."""

from tracefn._export import fill

fill(globals(), "graph_util")
