"""What checkpoints keep of an optimizer of TensorFlow 1: its own numbers, and the slots of Variables."""

from __future__ import annotations

from typing import Any

from tracefn._tracking.base import Trackable
from tracefn.framework import default_graph, executing_eagerly


def slot_key(variable):
    """What the slots of a Variable are found by."""
    return id(variable._nodes) if variable._nodes is not None else variable._unique_id


def graph_key():
    """What the numbers of a graph are found by; None eagerly, also while a function is traced."""
    graph = None if executing_eagerly() else default_graph()
    while graph is not None and graph.is_function:
        graph = graph._outer
    return None if graph is None else id(graph)


class OwnNumbers(Trackable):
    """The base of what keeps numbers of its own: Variables by their names, others in each graph."""

    _numbers: dict

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        key = graph_key()
        numbers = {name: number for (name, graph), number in sorted(self._numbers.items(), key=str) if graph == key}
        return {**numbers, **super()._trackable_children(save_type, **kwargs)}

    def _lookup_dependency(self, name, cached_dependencies=None):
        found = super()._lookup_dependency(name, cached_dependencies)
        return self._numbers.get((name, graph_key())) if found is None else found

    def _number_was_made(self, name: str, number) -> None:
        """Gives a new number the value that waits for it."""
        self._handle_deferred_dependencies(name, number)


class OptimizerState(OwnNumbers):
    """The base of optimizers. Slots that are restored before they are there wait for them."""

    _slots: dict[str, dict]
    _waiting_slots: dict[tuple, list]

    def _slot(self, variable, name: str, initial=None) -> Any:
        raise NotImplementedError

    def _slot_was_made(self, name: str, variable, slot) -> None:
        """Gives a new slot the values that wait for it, those of the latest restore first."""
        waiting = self._waiting_slots.pop((name, slot_key(variable)), [])
        for position in sorted(waiting, key=lambda position: position.restore_uid, reverse=True):
            position.restore(slot)

    def _create_or_restore_slot_variable(self, slot_variable_position, slot_name, variable):
        """Restores a slot of a Variable, now or when it is made."""
        key = slot_key(variable)
        slot = self._slots.get(slot_name, {}).get(key)
        if slot is None and executing_eagerly() and slot_variable_position.is_simple_variable():
            slot = self._slot(variable, slot_name)
        if slot is None:
            self._waiting_slots.setdefault((slot_name, key), []).append(slot_variable_position)
        else:
            slot_variable_position.restore(slot)
