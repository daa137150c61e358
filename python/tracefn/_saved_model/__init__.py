"""`tf.saved_model`: models in files, in TensorFlow's format."""
