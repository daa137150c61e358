"""Programs with one mistake each, whose message says in words what to do, and the programs after it; for test_advice.py."""

from typing import NamedTuple


class Pair(NamedTuple):
    mistake: str
    call: str  # the arguments
    words: tuple  # of the message
    fixed: str
    result: str
    options: str = ""  # of tf.function, for the mistake


V = "tf.constant([1.0, 2.0, 3.0])"
