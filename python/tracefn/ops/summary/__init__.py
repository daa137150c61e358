"""The functions of `tf.summary`, a subject per file."""
