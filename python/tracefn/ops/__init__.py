"""Functions composed of ops, one family per file, which registers their public names.

A file is imported when one of its functions is first asked for: tracefn/_later.py says which file that is.
"""
