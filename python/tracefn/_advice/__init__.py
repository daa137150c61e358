"""Advice in error messages, in terms of the user's program: its lines, its names, and what to write instead.

Advice begins with `Fix:` and gives the code for a line; tests/errors/test_advice.py applies it literally. There is no
advice where the right code is not known.
"""
