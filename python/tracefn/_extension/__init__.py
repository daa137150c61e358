"""What `tf.experimental.ExtensionType` is made of: its fields, their conversion, and the mapping it keeps."""
