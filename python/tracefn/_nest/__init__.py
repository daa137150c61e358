"""How `tf.nest` sees Python values: which are containers, how one is taken apart, compared and rebuilt."""
