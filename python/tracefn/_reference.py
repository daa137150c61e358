"""References to tensors and Variables, as returned by `tensor.ref()`. They can be keys of dicts and members of sets."""

from __future__ import annotations


class Reference:
    """A reference that compares and hashes by the identity of its object.

    Args:
      wrapped: a tensor or a Variable.

    >>> x = tf.constant([1, 2])
    >>> x.ref() == x.ref(), x.ref().deref() is x
    (True, True)
    """

    __slots__ = ("__weakref__", "_key", "_wrapped")

    def __init__(self, wrapped):
        self._wrapped = wrapped
        # Of its class: a Variable with copies passes other names on to its value.
        key = getattr(type(wrapped), "_key", None)
        self._key = id(wrapped) if key is None else key(wrapped)

    def deref(self):
        """The object itself."""
        return self._wrapped

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Reference) else NotImplemented

    def __lt__(self, other):
        return self._key < _key_of(other)

    def __gt__(self, other):
        return self._key > _key_of(other)

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        return f"<Reference wrapping {self._wrapped!r}>"


def _key_of(other):
    if not isinstance(other, Reference):
        raise TypeError("Cannot compare wrapped object with unwrapped object")
    return other._key
