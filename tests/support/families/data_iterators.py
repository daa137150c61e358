"""Samples of the ops on iterators of datasets."""

import numpy as np
import tracefn as tf

from support.dataset_programs import NUMBER, numbers, raw, read, traced


def _optional():
    iterator = raw.AnonymousIteratorV3(**NUMBER)
    raw.MakeIterator(dataset=numbers(1), iterator=iterator)
    first, second = (raw.IteratorGetNextAsOptional(iterator=iterator, **NUMBER) for _ in range(2))
    return [raw.OptionalHasValue(optional=first), raw.OptionalHasValue(optional=second)]


def _position():
    iterator, other = raw.AnonymousIteratorV3(**NUMBER), raw.AnonymousIteratorV3(**NUMBER)
    raw.MakeIterator(dataset=numbers(), iterator=iterator)
    raw.MakeIterator(dataset=numbers(), iterator=other)
    first = raw.IteratorGetNext(iterator=iterator, **NUMBER)
    raw.DeserializeIterator(resource_handle=other, serialized=raw.SerializeIterator(resource_handle=iterator))
    return [*first, *raw.IteratorGetNext(iterator=other, **NUMBER)]


def _deleted_iterator():
    iterator, deleter = raw.AnonymousIteratorV2(**NUMBER)
    raw.DeleteIterator(handle=iterator, deleter=deleter)
    return [tf.constant(1)]


def _device():
    iterator = raw.AnonymousIteratorV3(**NUMBER)
    return [raw.StringLength(input=raw.IteratorGetDevice(resource=iterator))]


def _kept(op):
    def make(**types):
        return getattr(raw, op)(shared_name="", container="", **types)

    return lambda: read(numbers(), 2, make=make)


def _one_shot():
    factory = traced(numbers)
    iterator = raw.OneShotIterator(dataset_factory=factory, **NUMBER)
    return [part for _ in range(2) for part in raw.IteratorGetNext(iterator=iterator, **NUMBER)]


def _named(op):
    """An element of an iterator that is found by its name."""

    def run():
        iterator = raw.IteratorV2(shared_name=f"named_{op}", container="", **NUMBER)
        raw.MakeIterator(dataset=numbers(), iterator=iterator)
        name = raw.IteratorToStringHandle(resource_handle=iterator)
        found = getattr(raw, op)(string_handle=name, **NUMBER)
        return list(raw.IteratorGetNext(iterator=found, **NUMBER))

    return run


def _at():
    return list(raw.GetElementAtIndex(dataset=numbers(9, 5), index=np.int64(2), **NUMBER))


PROGRAMS = {
    "AnonymousIterator": lambda: read(numbers(), 2, make=raw.AnonymousIterator),
    "AnonymousIteratorV2": lambda: read(numbers(), 2, make=raw.AnonymousIteratorV2),
    "AnonymousIteratorV3": lambda: read(numbers(), 2),
    "Iterator": _kept("Iterator"),
    "IteratorV2": _kept("IteratorV2"),
    "MakeIterator": lambda: read(numbers(), 2),
    "DeleteIterator": _deleted_iterator,
    "IteratorGetNext": lambda: read(numbers(), 2),
    "IteratorGetNextSync": lambda: read(numbers(), 2, get_next=raw.IteratorGetNextSync),
    "IteratorGetNextAsOptional": _optional,
    "IteratorGetDevice": _device,
    "SerializeIterator": _position,
    "DeserializeIterator": _position,
    "OneShotIterator": _one_shot,
    "IteratorToStringHandle": _named("IteratorFromStringHandleV2"),
    "IteratorFromStringHandle": _named("IteratorFromStringHandle"),
    "IteratorFromStringHandleV2": _named("IteratorFromStringHandleV2"),
    "GetElementAtIndex": _at,
}
