"""Feature columns: how the features of an example become tensors. A kind of column per file."""
