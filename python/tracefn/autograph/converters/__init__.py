"""One construct each: how its statements are rewritten."""
