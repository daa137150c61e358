"""Code that tapes, graph gradients and forward accumulators share."""
