"""What messages say about the user's own program: its lines and names, and what to write instead.

A piece of advice begins with `Fix:` and says in code what to write on which line; tests/errors/test_advice.py follows it
to the letter. Where no code is known to be right there is none.
"""
