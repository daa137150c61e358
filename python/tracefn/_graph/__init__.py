"""The Python methods of `tf.Graph`, `tf.Operation` and symbolic tensors."""
