"""Python attributes that a program sets on Operations. An Operation's object is made anew each time, so that its graph keeps them."""

from __future__ import annotations

_KEY = "_attributes_of_operations"


def set_attribute(self, name: str, value) -> None:
    """Sets an attribute of an Operation.

    Raises:
      AttributeError: it is one of its own, which cannot be changed.
    """
    if hasattr(type(self), name):
        object.__setattr__(self, name, value)
    else:
        vars(self.graph).setdefault(_KEY, {}).setdefault(self.name, {})[name] = value


def get_attribute(self, name: str):
    """An attribute that the program has set on an Operation.

    Raises:
      AttributeError: it has not.
    """
    try:
        return vars(self.graph)[_KEY][self.name][name]
    except KeyError:
        raise AttributeError(f"'Operation' object has no attribute {name!r}", name=name, obj=self) from None


def delete_attribute(self, name: str) -> None:
    """Deletes an attribute that the program has set on an Operation.

    Raises:
      AttributeError: it has not.
    """
    get_attribute(self, name)
    del vars(self.graph)[_KEY][self.name][name]
