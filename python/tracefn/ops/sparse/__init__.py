"""`tf.SparseTensor` and its functions, a subject per file."""
