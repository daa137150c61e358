"""What to write instead of an attribute that datasets lack: those of TensorFlow 1's, of lists and of tensors."""

from __future__ import annotations

_ITERATOR = "iter(dataset), or `for element in dataset:`"
_SPEC = "dataset.element_spec"
INSTEAD = {
    "append": "dataset.concatenate(other)",
    "dtype": _SPEC,
    "extend": "dataset.concatenate(other)",
    "get_next": "next(iter(dataset))",
    "head": "dataset.take(count)",
    "items": _ITERATOR,
    "make_initializable_iterator": _ITERATOR,
    "make_one_shot_iterator": _ITERATOR,
    "next": "next(iter(dataset))",
    "numpy": "list(dataset.as_numpy_iterator())",
    "output_classes": _SPEC,
    "output_shapes": _SPEC,
    "output_types": _SPEC,
    "shape": _SPEC,
    "size": "dataset.cardinality()",
    "sort": "sorted(dataset.as_numpy_iterator())",
    "split": "dataset.take(count) and dataset.skip(count)",
    "to_list": "list(dataset.as_numpy_iterator())",
}
