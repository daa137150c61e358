"""Programs with one mistake each, whose message says in code what to write instead; for test_advice.py.

Each has a function `f`, the arguments of calls of it, and words of the message. Followed to the letter, the advice gives
what the program gives eagerly; where that is None or an error, the last column has what it gives.
"""

from typing import NamedTuple


class Case(NamedTuple):
    source: str
    calls: tuple  # of texts of arguments
    words: str = ""  # in the first line of the message
    results: tuple | None = None  # where it is not what the program gives eagerly
    rounds: int = 1  # how many pieces of advice follow on each other
    options: str = ""  # of tf.function
    eager: bool = False  # whether the mistake is one of eager programs too


V = "tf.constant([1.0, 2.0, 3.0])"
