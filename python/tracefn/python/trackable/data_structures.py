"""`tensorflow.python.trackable.data_structures`: containers whose contents are children."""

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
