"""Names that the conversion and the running of converted functions share."""

# The attribute that marks a function as not to be converted.
DO_NOT_CONVERT = "autograph_do_not_convert"
# The arguments of set_loop_options, in their order.
LOOP_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")
