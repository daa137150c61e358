"""`tensorflow.python.framework.traceable_stack`: stacks that know at which lines their objects were pushed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["TraceableObject", "TraceableStack"]


class TraceableObject:
    """An object with the place in a program where it was noted.

    Example:
      >>> import tracefn as tf
      >>> noted = tf.python.framework.traceable_stack.TraceableObject("x")
      >>> noted.set_filename_and_line_from_caller() == noted.SUCCESS, noted.obj
      (True, 'x')
    """

    # What `set_filename_and_line_from_caller` answers.
    SUCCESS, HEURISTIC_USED, FAILURE = 0, 1, 2

    def __init__(self, obj, filename=None, lineno=None) -> None:
        self.obj = obj
        self.filename = filename
        self.lineno = lineno

    def set_filename_and_line_from_caller(self, offset: int = 0) -> int:
        """Notes the line that calls.

        Args:
          offset: how many callers further out the line is.

        Returns:
          SUCCESS; HEURISTIC_USED if there are not so many callers: the outermost one is taken.
        """
        frame = sys._getframe(1)
        for _ in range(offset):
            if frame.f_back is None:
                self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
                return self.HEURISTIC_USED
            frame = frame.f_back
        self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
        return self.SUCCESS

    def copy_metadata(self):
        """A TraceableObject without an object, of the same place."""
        return type(self)(None, self.filename, self.lineno)


class TraceableStack:
    """A stack of objects with the places where they were pushed.

    Args:
      existing_stack: list of TraceableObjects to begin with, or None.

    Example:
      >>> import tracefn as tf
      >>> stack = tf.python.framework.traceable_stack.TraceableStack()
      >>> _ = stack.push_obj(1), stack.push_obj(2)
      >>> list(stack.peek_objs()), stack.pop_obj(), len(stack)
      ([2, 1], 2, 1)
    """

    def __init__(self, existing_stack: list | None = None) -> None:
        self._stack: list[TraceableObject] = [] if existing_stack is None else list(existing_stack)

    def push_obj(self, obj, offset: int = 0) -> int:
        """Pushes an object; `offset` as in `set_filename_and_line_from_caller`, whose answer is returned."""
        noted = TraceableObject(obj)
        self._stack.append(noted)
        return noted.set_filename_and_line_from_caller(offset + 1)  # one more: this function

    def pop_obj(self) -> Any:
        """Takes the innermost object away, and returns it.

        Raises:
          IndexError: the stack is empty.
        """
        return self._stack.pop().obj

    def peek_top_obj(self) -> Any:
        """The innermost object.

        Raises:
          IndexError: the stack is empty.
        """
        return self._stack[-1].obj

    def peek_objs(self) -> Iterator:
        """Iterates over the objects, the innermost first."""
        return (noted.obj for noted in reversed(self._stack))

    def peek_traceable_objs(self) -> Iterator[TraceableObject]:
        """Iterates over the objects with their places, the innermost first."""
        return reversed(self._stack)

    def copy(self):
        """A stack of the same objects, which changes on its own."""
        return TraceableStack(self._stack)

    def __len__(self) -> int:
        return len(self._stack)
