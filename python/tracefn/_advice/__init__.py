"""Advice in messages about the user's own program: its lines and names, and what to write instead.

Advice begins with `Fix:` and gives the code for a line; tests/errors/test_advice.py applies it literally. Without code
that is known to be right there is no advice.
"""
