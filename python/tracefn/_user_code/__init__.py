"""Access to the user's program: its source, values at a place in it, edits of its lines, its frames in a traceback."""
