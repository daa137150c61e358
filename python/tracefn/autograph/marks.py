"""The attribute by which a function says that it is not to be converted."""

DO_NOT_CONVERT = "autograph_do_not_convert"
