"""One module per construct: how its statements are rewritten."""
