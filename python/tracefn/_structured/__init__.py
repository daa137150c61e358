"""`tf.experimental.StructuredTensor`: tensors of structures; a subject per file."""
