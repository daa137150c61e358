"""Parts of `tf.__internal__`, a subject per file."""
