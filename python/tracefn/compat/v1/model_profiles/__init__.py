"""`tf.compat.v1.profiler`: what the nodes of a graph cost: parameters, floating point operations, times and memory of runs."""

from tracefn.compat.v1.model_profiles import logs, option_builder, profiles  # noqa: F401 - they register their names
