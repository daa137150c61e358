"""What `tf.Variable` is made of: its creation, updates and operators."""
