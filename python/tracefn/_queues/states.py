"""The elements of a queue, and the threads that wait for room or for elements."""

from __future__ import annotations

import atexit
import collections
import heapq
import itertools
import threading
import time
import weakref
from typing import Any

from tracefn._default_session import deadline
from tracefn._queues.failures import Cancelled, Ended, Invalid, TooLate
from tracefn._queues.numbers import RandomNumbers

# Seconds after which a waiting thread looks again: a signal that comes just before it begins to wait does not wake it.
_LONGEST_WAIT = 1.0
_states: weakref.WeakSet = weakref.WeakSet()
_exiting = threading.Event()


@atexit.register
def end_waiting() -> None:
    """Lets threads that wait for queues end with Python: one that is stopped inside of the core would abort the process."""
    _exiting.set()
    for state in list(_states):
        state.wake()
    end = time.monotonic() + 5.0
    while any(state.waiting for state in list(_states)) and time.monotonic() < end:
        time.sleep(0.001)


class QueueState:
    """A first-in first-out queue of tuples of eager tensors.

    Args:
      kind: str, its class as messages name it.
      name: str, its name in messages.
      capacity: int, the most elements; negative: any number.
      shapes: list of TensorShapes of the components; empty if they are not known.
      least: int, how many elements stay in it while it is open.
    """

    def __init__(self, kind: str, name: str, capacity: int, shapes: list, least: int = 0) -> None:
        self.kind = kind
        self.name = name
        self.capacity = capacity
        self.shapes = shapes
        self._least = least
        self._elements: Any = collections.deque()
        self._changed = threading.Condition()
        # Each waits for its turn: a thread that needs many elements is not overtaken by others that need one.
        self._putting: collections.deque = collections.deque()
        self._taking: collections.deque = collections.deque()
        self._closed = False
        self._cancelled = False  # with its session
        self._enqueues_cancelled = False
        self.waiting = 0
        _states.add(self)

    # Whether `take` with `at_most` gives fewer elements of a closed queue.
    _gives_fewer = True

    # How elements are kept; subclasses differ.

    def _push(self, element: tuple) -> None:
        self._elements.append(element)

    def _pop(self) -> tuple:
        return self._elements.popleft()

    def _put_back(self, elements: list) -> None:
        self._elements.extendleft(reversed(elements))

    # Operations.

    def size(self) -> int:
        """The number of elements."""
        with self._changed:
            return len(self._elements)

    def is_closed(self) -> bool:
        """Whether `close` was called."""
        with self._changed:
            return self._closed

    def close(self, cancels: bool) -> None:
        """Refuses further elements; with `cancels`, those that wait for room, too.

        Raises:
          Cancelled: it is closed already.
        """
        with self._changed:
            if self._closed and (self._enqueues_cancelled or not cancels):
                raise Cancelled(f"Queue '{self.name}' is already closed.")
            self._closed = True
            self._enqueues_cancelled = self._enqueues_cancelled or cancels
            self._changed.notify_all()

    def cancel(self) -> None:
        """Ends all waiting: the session is closed."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def wake(self) -> None:
        """Makes all waiting threads look again what they wait for."""
        with self._changed:
            self._changed.notify_all()

    def put(self, elements: list[tuple]) -> None:
        """Adds elements one by one, and waits for room.

        Raises:
          Invalid: a component has another shape than is declared.
          Cancelled: the queue is closed, or gets closed so that what waits is cancelled.
          TooLate: the run's time is over.
        """
        for element in elements:
            self._check(element)
        with self._changed:
            if self._closed:
                raise Cancelled(f"{self.kind} '{self.name}' is closed.")
            turn = object()
            self._putting.append(turn)
            try:
                for element in elements:
                    while self._putting[0] is not turn or (0 <= self.capacity <= len(self._elements)):
                        self._wait("Enqueue", self._cancelled or self._enqueues_cancelled)
                    self._push(element)
                    self._changed.notify_all()
            finally:
                self._putting.remove(turn)
                self._changed.notify_all()

    def take(self, count: int, at_most: bool = False) -> list[tuple]:
        """Removes elements, and waits until there are so many.

        Args:
          count: int.
          at_most: whether fewer will do once the queue is closed.

        Raises:
          Ended: the queue is closed, and has too few.
          Cancelled: the session is closed.
          TooLate: the run's time is over.
        """
        found: list[tuple] = []
        with self._changed:
            turn = object()
            self._taking.append(turn)
            try:
                while len(found) < count:
                    left = count - len(found)
                    if self._taking[0] is turn and self._closed and not self._putting and len(self._elements) < left:
                        if not at_most or not (self._elements or (found and self._gives_fewer)):
                            raise Ended(
                                f"{self.kind} '{self.name}' is closed and has insufficient elements (requested {left}, current "
                                f"size {len(self._elements)})"
                            )
                        found += [self._pop() for _ in range(len(self._elements))]
                        if self._gives_fewer:
                            break
                        continue
                    ready = min(left, self._available()) if self._taking[0] is turn else 0
                    if ready > 0:
                        found += [self._pop() for _ in range(ready)]
                        self._changed.notify_all()
                    else:
                        self._wait("Dequeue", self._cancelled)
            except Ended:
                if not at_most:  # else they are lost, as in TensorFlow
                    self._put_back(found)
                raise
            except BaseException:
                self._put_back(found)
                raise
            finally:
                self._taking.remove(turn)
                self._changed.notify_all()
        return found

    def _available(self) -> int:
        return len(self._elements) - (0 if self._closed else self._least)

    def _wait(self, what: str, cancelled: bool) -> None:
        if _exiting.is_set():
            raise SystemExit  # ends the thread silently
        if cancelled:
            raise Cancelled(f"{what} operation was cancelled")
        end = deadline()
        left = _LONGEST_WAIT if end is None else end - time.monotonic()
        if left <= 0:
            raise TooLate("Timed out waiting for notification")
        self.waiting += 1
        try:
            self._changed.wait(min(left, _LONGEST_WAIT))
        finally:
            self.waiting -= 1

    def _check(self, element: tuple) -> None:
        for at, (component, shape) in enumerate(zip(element, self.shapes, strict=False)):
            if not shape.is_compatible_with(component.shape):
                raise Invalid(
                    f"Shape mismatch in tuple component {at}. Expected {_listed(shape)}, got {_listed(component.shape)}"
                )


def _listed(shape) -> str:
    sizes = ("?" if size is None else str(size) for size in shape.as_list())
    return f"[{','.join(sizes)}]"


class ShuffledState(QueueState):
    """A queue whose elements come in a random order, with TensorFlow's random bits.

    Args:
      seeds: pair of ints; both 0: the order differs from queue to queue.
    """

    def __init__(self, kind: str, name: str, capacity: int, shapes: list, least: int, seeds: tuple[int, int]) -> None:
        super().__init__(kind, name, capacity, shapes, least)
        self._elements = []
        self._numbers = RandomNumbers(*seeds)

    def _pop(self) -> tuple:
        at = self._numbers.next() % len(self._elements)
        found = self._elements[at]
        self._elements[at] = self._elements[-1]
        self._elements.pop()
        return found

    def _put_back(self, elements: list) -> None:
        self._elements.extend(elements)


class PriorityState(QueueState):
    """A queue whose elements come in the order of their first component, a number."""

    _gives_fewer = False  # as in TensorFlow

    def __init__(self, kind: str, name: str, capacity: int, shapes: list) -> None:
        super().__init__(kind, name, capacity, shapes)
        self._elements = []
        self._order = itertools.count()

    def _push(self, element: tuple) -> None:
        heapq.heappush(self._elements, (int(element[0]), next(self._order), element))

    def _pop(self) -> tuple:
        return heapq.heappop(self._elements)[2]

    def _put_back(self, elements: list) -> None:
        for element in elements:
            self._push(element)
