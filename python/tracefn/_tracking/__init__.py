"""Objects that know which objects they hold by which names, as checkpoints need it."""
