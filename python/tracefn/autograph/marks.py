"""The attribute that marks a function as not to be converted."""

DO_NOT_CONVERT = "autograph_do_not_convert"
