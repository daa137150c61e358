"""The containers of `tf.nest`: which values are containers, and how they are flattened, compared and rebuilt."""
