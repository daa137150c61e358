"""The user's program: its source, the values at a place in it, edited lines of it, its frames in a traceback."""
