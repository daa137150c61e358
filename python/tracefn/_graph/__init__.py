"""What graphs and their parts get from Python: the methods of `tf.Graph`, `tf.Operation` and symbolic tensors."""
