"""Runs of sessions in steps: what is fed and computed in one step stays for the next ones."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.fetches import Element
from tracefn.errors import InvalidArgumentError

# Values that are not kept from step to step; the session itself keeps what they stand for.
_HANDLES = ("resource", "variant")


class PartialRun:
    """A run in steps.

    Args:
      fetches, feeds: lists of Elements, what the steps may ask for and give.
    """

    def __init__(self, fetches: list[Element], feeds: list[Element]) -> None:
        self._fetches, self._feeds = list(dict.fromkeys(fetches)), list(dict.fromkeys(feeds))
        self._known: dict[Element, object] = {}
        self._asked: set[Element] = set()
        self._done: set[str] = set()  # names of Operations

    def step(self, fetches: list[Element], feeds: dict[Element, object], compute) -> list:
        """The values of Elements.

        Args:
          compute: function from a list of Elements and a dict of feeds to values, as a session has it.

        Raises:
          InvalidArgumentError: something was not named when the run was set up, or was given before.
          NotImplementedError: an Operation without results would run again.
        """
        for element in feeds:
            if element not in self._feeds:
                raise _refused(f"The feed {element.name} was not specified in partial_run_setup.")
            if element in self._known:
                raise _refused(f"The feed {element.name} has already been fed.")
        for element in fetches:
            if element not in self._fetches:
                raise _refused(f"The fetch {element.name} was not specified in partial_run_setup.")
            if element in self._asked:
                raise _refused(f"The fetch {element.name} has already been fetched.")
        self._known.update(feeds)
        needed = self._operations()
        waiting = self._waiting(needed)
        ready = {name for name in needed if name not in waiting}
        for name in waiting:
            again = [one.name for one in needed[name].control_inputs if not one.outputs and one.name in {*ready, *self._done}]
            if again:
                raise NotImplementedError(f"partial_run: the Operation {again[0]} would run again in a later step, before {name}.")
        # As in TensorFlow, all runs that waits for no feed.
        kept = [Element(tensor) for name in waiting for tensor in needed[name].inputs if tensor.dtype.name not in _HANDLES]
        wanted = [*fetches, *(one for one in [*self._fetches, *kept] if _operation(one).name in ready)]
        wanted = [one for one in dict.fromkeys(wanted) if one not in self._known and one.name not in self._done]
        found = dict(zip(wanted, compute(wanted, dict(self._known)) if wanted else [], strict=True))
        self._asked.update(fetches)
        self._done.update(ready)
        self._known.update((one, value) for one, value in found.items() if isinstance(one.value, _core.Tensor))
        return [found.get(one, self._known.get(one)) for one in fetches]

    def is_over(self) -> bool:
        """Whether all was asked for and given."""
        return len(self._asked) == len(self._fetches) and all(feed in self._known for feed in self._feeds)

    def _operations(self) -> dict:
        """The Operations that the fetches need, by name; none that has run, or whose results are known."""
        pending, found = [element.value for element in self._fetches], {}
        while pending:
            one = pending.pop()
            if isinstance(one, _core.Tensor) and Element(one) in self._known:
                continue
            op = one.op if isinstance(one, _core.Tensor) else one
            if op.name not in found and op.name not in self._done:
                found[op.name] = op
                pending += [*op.inputs, *op.control_inputs]
        return found

    def _waiting(self, needed: dict) -> dict:
        """Those of the Operations that wait for feeds, in the order of the graph."""
        unfed = {element.name for element in self._feeds if element not in self._known}
        waiting: dict = {}
        for op in sorted(needed.values(), key=lambda one: one._id):
            tensors = [tensor for tensor in op.inputs if Element(tensor) not in self._known]
            before = [*(tensor.op for tensor in tensors), *op.control_inputs]
            if (
                any(tensor.name in unfed for tensor in (*tensors, *op.outputs))
                or op.type == "Placeholder"
                or any(one.name in waiting for one in before)
            ):
                waiting[op.name] = op
        return waiting


def _operation(element: Element):
    return element.value.op if isinstance(element.value, _core.Tensor) else element.value


def _refused(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)
