"""The parts of `tf.Variable`: its creation, updates and operators."""
