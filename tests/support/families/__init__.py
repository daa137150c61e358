"""Samples of ops, a family per file: CALLS, PROGRAMS, NOT_RUN and ONE_DTYPE as in support/op_samples.py."""
