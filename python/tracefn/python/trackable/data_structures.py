"""`tensorflow.python.trackable.data_structures`: containers whose contents are children."""

from tracefn._tracking.data_structures import (
    List,
    ListWrapper,
    Mapping,
    NoDependency,
    TrackableDataStructure,
    _DictWrapper,
    _TupleWrapper,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)

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
