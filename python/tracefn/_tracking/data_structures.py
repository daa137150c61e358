"""Lists, dicts and tuples whose contents are children: what a `tf.Module` makes of those that are set as its attributes."""

from tracefn._tracking.lists import List, ListWrapper
from tracefn._tracking.mappings import Mapping, _DictWrapper
from tracefn._tracking.structure import (
    NoDependency,
    TrackableDataStructure,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)
from tracefn._tracking.tuples import _TupleWrapper

__all__ = [
    "List",
    "ListWrapper",
    "Mapping",
    "NoDependency",
    "TrackableDataStructure",
    "_DictWrapper",
    "_TupleWrapper",
    "sticky_attribute_assignment",
    "wrap_or_unwrap",
]
