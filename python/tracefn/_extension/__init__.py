"""The parts of `tf.experimental.ExtensionType`: its fields, their conversion, and its mapping type."""
