"""How `tf.nest` treats Python values: which are containers, and how to flatten, compare and rebuild one."""
