"""What the samples of ops on datasets share: the raw ops, types, a dataset of numbers, and reading."""

import numpy as np
import tracefn as tf


class _RawOps:
    """The raw ops, of which one may go by its older name."""

    older = None

    def __getattr__(self, name):
        return getattr(tf.raw_ops, f"Experimental{name}" if name == self.older else name)


raw = _RawOps()
NUMBER = {"output_types": [tf.int64], "output_shapes": [[]]}
BATCH = {"output_types": [tf.int64], "output_shapes": [[None]]}
TEXT = {"output_types": [tf.string], "output_shapes": [[]]}
DATASET = {"output_types": [tf.variant], "output_shapes": [[]]}
SCALAR = tf.TensorSpec([], tf.int64)


def traced(function, *specs):
    return tf.function(function, autograph=False).get_concrete_function(*specs)


def numbers(stop=8, start=0):
    return raw.RangeDataset(start=np.int64(start), stop=np.int64(stop), step=np.int64(1), **NUMBER)


def read(dataset, count, types=NUMBER, make=raw.AnonymousIteratorV3, get_next=raw.IteratorGetNext):
    """The components of the first elements."""
    iterator = make(**types)
    if not isinstance(iterator, tf.Tensor):
        iterator = iterator[0]
    raw.MakeIterator(dataset=dataset, iterator=iterator)
    return [part for _ in range(count) for part in get_next(iterator=iterator, **types)]


def once_experimental(programs, ops):
    """The programs of some ops, with those of their older names."""

    def older(op):
        def run():
            raw.older = op
            try:
                return programs[op]()
            finally:
                raw.older = None

        return run

    return programs | {f"Experimental{op}": older(op) for op in ops}
