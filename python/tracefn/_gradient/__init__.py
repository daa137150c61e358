"""Shared by tapes, graph gradients and forward accumulators."""
