"""Samples of the ops on optionals and mutexes: each runs in a small graph."""

import numpy as np
import tracefn as tf

from support.sample_values import grid

raw = tf.raw_ops


def _held():
    return raw.OptionalFromValue(components=[grid(2, 3), np.int32(7)])


def _present():
    optional = _held()
    parts = raw.OptionalGetValue(optional=optional, output_types=["float32", "int32"], output_shapes=[[2, None], []])
    return [raw.OptionalHasValue(optional=optional), *parts]


def _absent():
    return [raw.OptionalHasValue(optional=raw.OptionalNone())]


def _locked():
    mutex = raw.MutexV2(shared_name="")
    lock = raw.MutexLock(mutex=mutex)
    raw.ConsumeMutexLock(mutex_lock=lock)
    again = raw.MutexLock(mutex=mutex)
    raw.ConsumeMutexLock(mutex_lock=again)
    return [tf.constant(1)]


PROGRAMS = {
    "OptionalFromValue": _present,
    "OptionalGetValue": _present,
    "OptionalHasValue": _absent,
    "OptionalNone": _absent,
    "MutexV2": _locked,
    "MutexLock": _locked,
    "ConsumeMutexLock": _locked,
}
