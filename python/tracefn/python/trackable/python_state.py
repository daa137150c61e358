"""`tensorflow.python.trackable.python_state`: values of Python in checkpoints."""

from tracefn._checkpoint.python_state import PythonState

__all__ = ["PythonState"]
