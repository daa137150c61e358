"""The kinds of containers: for each, `split` returns the children and the data that `join` needs to rebuild it.

A kind is looked up by the class of a value. Classes are held by weak references, so that they can be freed.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, MappingView, MutableMapping, Sequence

from tracefn._value_text import value_str


class Kind:
    """One kind of container. Kinds have no state; each has one instance."""

    is_mapping = False
    is_composite = False

    def split(self, value):
        """Returns (the children in order, the data for `join`)."""
        raise NotImplementedError

    def join(self, value, children: list, rest):
        """Returns a container like `value` with other `children`."""
        raise NotImplementedError

    def unwrapped(self, value):
        """The value that stands for `value` in comparisons of structures."""
        return value

    def spec(self, value):
        """The spec by which a composite value is compared with others."""
        raise NotImplementedError


class _List(Kind):
    def split(self, value):
        return value, None

    def join(self, value, children, rest):
        return children


class _Tuple(_List):
    def join(self, value, children, rest):
        return tuple(children)


class _AnySequence(_List):
    """Subclasses of list and tuple, and other sequences; they are rebuilt by calling the class with the list of children."""

    def join(self, value, children, rest):
        return type(value)(children)


class _NamedTuple(_List):
    def join(self, value, children, rest):
        return type(value)(*children)


class _Dict(Kind):
    """Children are in the order of the sorted keys; a rebuilt container keeps its own order."""

    is_mapping = True

    def split(self, value):
        keys = sorted(value)
        return [value[key] for key in keys], keys

    def join(self, value, children, rest):
        new = dict(zip(rest, children, strict=True))
        return {key: new[key] for key in value}


class _MutableMapping(_Dict):
    def empty(self, value):
        return type(value)()

    def join(self, value, children, rest):
        new = dict(zip(rest, children, strict=True))
        result = self.empty(value)
        for key in value:
            result[key] = new[key]
        return result


class _DefaultDict(_MutableMapping):
    def empty(self, value):
        return type(value)(value.default_factory)


class _FixedMapping(_Dict):
    def join(self, value, children, rest):
        new = dict(zip(rest, children, strict=True))
        try:
            return type(value)((key, new[key]) for key in value)
        except TypeError as error:
            raise TypeError(f"Error creating an object of type {type(value)} like {value_str(value)}. Note that it must "
                            "accept a single positional argument representing an iterable of key-value pairs, in addition to "
                            f"self. Cause: {error}") from None


class _Attrs(Kind):
    """Classes made with attrs; the children are the fields in their order."""

    def split(self, value):
        fields = type(value).__attrs_attrs__
        return [getattr(value, field.name) for field in fields], fields

    def join(self, value, children, rest):
        positional, named, later = [], {}, []
        for field, child in zip(rest, children, strict=True):
            if not field.init:
                later.append((field.name, child))
            elif field.kw_only:
                named[getattr(field, "alias", None) or field.name.lstrip("_")] = child
            else:
                positional.append(child)
        result = type(value)(*positional, **named)
        for name, child in later:
            object.__setattr__(result, name, child)
        return result


class _Custom(Kind):
    """Classes with `__tf_flatten__` and `__tf_unflatten__`."""

    def split(self, value):
        metadata, children = value.__tf_flatten__()
        return tuple(children), metadata

    def join(self, value, children, rest):
        return type(value).__tf_unflatten__(rest, tuple(children))


class _Proxy(Kind):
    """A `wrapt.ObjectProxy` around a container."""

    def __init__(self, inner: Kind):
        self.inner = inner
        self.is_mapping = inner.is_mapping

    def split(self, value):
        return self.inner.split(value.__wrapped__)

    def join(self, value, children, rest):
        joined = self.inner.join(value.__wrapped__, children, rest)
        # As in TensorFlow, what is made of a wrapped namedtuple is one without the proxy.
        return joined if isinstance(self.inner, _NamedTuple) else type(value)(joined)

    def unwrapped(self, value):
        return self.inner.unwrapped(value.__wrapped__)


class _Composite(Kind):
    """Composite values, which are containers only if composites are expanded."""

    is_composite = True

    def split(self, value):
        spec = value._type_spec
        return (spec._to_components(value),), spec

    def join(self, value, children, rest):
        return rest._from_components(children[0])

    def spec(self, value):
        return value._type_spec


class _CompositeSpec(Kind):
    """The specs of composite values; they are rebuilt as values."""

    is_composite = True

    def split(self, value):
        return (value._component_specs,), value

    join = _Composite.join

    def spec(self, value):
        return value


_LIST, _TUPLE, _DICT, _SEQUENCE, _NAMED_TUPLE = _List(), _Tuple(), _Dict(), _AnySequence(), _NamedTuple()
_MUTABLE_MAPPING, _DEFAULT_DICT, _FIXED_MAPPING = _MutableMapping(), _DefaultDict(), _FixedMapping()
_ATTRS, _CUSTOM, _COMPOSITE, _COMPOSITE_SPEC = _Attrs(), _Custom(), _Composite(), _CompositeSpec()

# id(class) -> its Kind, or None for a leaf. The second table has composites as containers; in the third, that of elements of
# datasets, lists are leaves, which become tensors.
PLAIN: dict[int, Kind | None] = {}
EXPANDED: dict[int, Kind | None] = {}
ELEMENTS: dict[int, Kind | None] = {}
_CLASSES: dict[int, weakref.ref] = {}
UNSEEN = object()  # a hot loop's lookup result for a new class: neither a Kind nor None


def table(expand_composites) -> dict[int, Kind | None]:
    """The table for one meaning of `expand_composites`."""
    return EXPANDED if expand_composites else PLAIN


def kind_of(value, kinds: dict) -> Kind | None:
    """The Kind of `value` in the table `kinds`, or None if it is a leaf there."""
    cls = type(value)
    kind = kinds.get(id(cls), UNSEEN)
    if kind is not UNSEEN:
        return kind
    if _is_proxy(cls):  # called for each value, for it depends on the content
        inner = kind_of(value.__wrapped__, kinds)
        return None if inner is None else _Proxy(inner)
    _learn(cls)
    return kinds[id(cls)]


def _learn(cls: type) -> None:
    plain = _classify(cls)
    expanded = plain or _classify_composite(cls)
    key = id(cls)

    def forget(_):
        # The address may be reused by another class later.
        _CLASSES.pop(key, None)
        PLAIN.pop(key, None)
        EXPANDED.pop(key, None)
        ELEMENTS.pop(key, None)

    _CLASSES[key] = weakref.ref(cls, forget)
    EXPANDED[key] = expanded
    ELEMENTS[key] = None if issubclass(cls, (list, range)) or cls.__name__ == "SparseTensorValue" else plain
    PLAIN[key] = plain


def _classify(cls: type) -> Kind | None:
    known = _BY_CLASS.get(cls)
    if known is not None:
        return known
    if issubclass(cls, Mapping):
        return _classify_mapping(cls)
    if hasattr(cls, "__attrs_attrs__"):
        return _ATTRS
    if issubclass(cls, tuple) and _has_field_names(cls):
        return _NAMED_TUPLE
    if issubclass(cls, MappingView) or cls is range:
        return _LIST
    if issubclass(cls, Sequence) and not issubclass(cls, (str, bytes)):
        return _SEQUENCE
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return _CUSTOM
    return None


_BY_CLASS: dict[type, Kind] = {list: _LIST, tuple: _TUPLE, dict: _DICT, OrderedDict: _MUTABLE_MAPPING, defaultdict: _DEFAULT_DICT}


def _classify_mapping(cls: type) -> Kind:
    if issubclass(cls, defaultdict):
        return _DEFAULT_DICT
    return _MUTABLE_MAPPING if issubclass(cls, MutableMapping) else _FIXED_MAPPING


def _classify_composite(cls: type) -> Kind | None:
    for base, kind in _composites.items():
        if issubclass(cls, base):
            return kind
    return None


# Base classes of what is a container only where composites are expanded, in the order in which they are asked; None: leaves.
_composites: dict[type, Kind | None] = {}


def composite_values(cls):
    """Decorator of the base class of values made of tensors, which have a `_type_spec`."""
    _composites[cls] = _COMPOSITE
    return cls


def composite_specs(cls):
    """Decorator of the base class of the specs of such values."""
    _composites[cls] = _COMPOSITE_SPEC
    return cls


def leaf_specs(cls):
    """Decorator of a class of specs that are leaves; it is checked before the registered classes."""
    known = dict(_composites)
    _composites.clear()
    _composites.update({cls: None, **known})
    return cls


def _has_field_names(cls: type) -> bool:
    fields = getattr(cls, "_fields", None)
    return isinstance(fields, tuple) and all(isinstance(field, str) for field in fields)


def _is_proxy(cls: type) -> bool:
    """Whether a class is wrapt's ObjectProxy or a subclass; does not import wrapt."""
    return any(base.__name__ == "ObjectProxy" and hasattr(base, "__wrapped__") for base in cls.__mro__)
