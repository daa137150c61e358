"""Variables as tensors: the inputs and outputs of the graphs of a staged statement."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._control_flow.bodies import continue_arrays, pack
from tracefn._value_text import value_text
from tracefn.autograph.runtime.lists import StagedList
from tracefn.autograph.runtime.undefined import undefined


class Flat:
    """A flattened value: its tensors, and its structure with the tensors as leaves."""

    __slots__ = ("structure", "tensors")

    def __init__(self, structure, tensors) -> None:
        self.structure = structure
        self.tensors = tensors

    def rebuild(self, tensors):
        """The same structure with other tensors."""
        if isinstance(self.structure, StagedList):
            return self.structure.with_handle(tensors[0])
        return pack(self.structure, tensors)


def _convert_leaf(name: str):
    def convert(leaf):
        if leaf is None or type(leaf) is _core.SymbolicTensor:
            return leaf
        try:
            return _core.convert_to_tensor(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                f"'{name}' must be a tensor or a value that a tensor can be made of, because it is set in code that "
                f"depends on a tensor and is used afterwards; found {_shown(leaf)}"
            ) from None

    return convert


def _shown(leaf) -> str:
    """A message about a non-tensor, with advice for its kind."""
    text = f"{value_text(leaf)} of type {type(leaf).__name__}."
    if callable(leaf):
        return f"{text}\n    Which function is called cannot depend on a tensor: call it where it is chosen, and keep the result."
    return f"{text}\n    Make the object before the code that depends on a tensor, and set tensors there."


def flatten(name: str, value) -> Flat:
    """Flattens the value of a variable; numbers, strings and arrays become constants of the current graph.

    Raises:
      TypeError: a leaf does not convert to a tensor.
    """
    if type(value) is _core.SymbolicTensor:
        return Flat(value, [value])
    if isinstance(value, StagedList):
        return Flat(value, [value.handle])
    structure = nest.map_structure(_convert_leaf(name), value, expand_composites=True)
    tensors = [leaf for leaf in nest.flatten(structure, expand_composites=True) if leaf is not None]
    if any(tensor.dtype.name == "variant" for tensor in tensors):
        continue_arrays(value, structure)
    return Flat(structure, tensors)


def same_structure(first, second) -> str | None:
    """The difference between two structures; None if they match."""
    if isinstance(first, StagedList) or isinstance(second, StagedList):
        return None if type(first) is type(second) else f"{type(first).__name__} and {type(second).__name__}"
    try:
        nest.assert_same_structure(first, second, expand_composites=True)
    except (TypeError, ValueError) as error:
        return str(error).partition("\n")[0]
    none_first = [leaf is None for leaf in nest.flatten(first, expand_composites=True)]
    none_second = [leaf is None for leaf in nest.flatten(second, expand_composites=True)]
    return None if none_first == none_second else "None stands where the other has a tensor"


class Places:
    """The attributes and items that a statement assigns to; they are read and set through their base."""

    def __init__(self, descriptions) -> None:
        self._items = []
        for text, base, attribute, index in descriptions:
            try:
                self._items.append((text, base(), attribute, index and index()))
            except (NameError, AttributeError, LookupError, TypeError):
                continue
        self.names = [item[0] for item in self._items]

    def get(self) -> list:
        values = []
        for _, base, attribute, index in self._items:
            try:
                values.append(getattr(base, attribute) if attribute is not None else base[index])
            except (AttributeError, LookupError, TypeError, ValueError):
                values.append(undefined)
        return values

    def set(self, values) -> None:
        for (_, base, attribute, index), value, now in zip(self._items, values, self.get(), strict=True):
            if value is now:
                continue
            if value is undefined:
                if attribute is not None:
                    delattr(base, attribute)
                else:
                    del base[index]
            elif attribute is not None:
                setattr(base, attribute, value)
            else:
                base[index] = value
