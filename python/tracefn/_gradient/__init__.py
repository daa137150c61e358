"""What tapes, graph gradients and forward accumulators have in common."""
