"""`tensorflow.python.data.kernel_tests.checkpoint_test_base`: tests of iterators whose positions are saved and restored."""

from __future__ import annotations

import functools
import os

import numpy as np

import tracefn.compat.v1 as v1
from tracefn import errors, nest
from tracefn._checkpoint.checkpoint import Checkpoint
from tracefn._checkpoint.state_file import latest_checkpoint
from tracefn._core import Tensor
from tracefn.compat.v1.ragged_arrays import RaggedTensorValue
from tracefn.data import Options
from tracefn.data.experimental import make_saveable_from_iterator
from tracefn.framework import Graph, executing_eagerly
from tracefn.ops.gfile import glob, remove
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue
from tracefn.python.framework.combinations import NamedObject, combine
from tracefn.test import TestCase

__all__ = ["CheckpointTestBase", "default_test_combinations", "remove_variants"]

_OPS = "iterator_ops"  # the collection of the initializer and the tensors of the next element


def remove_variants(get_next_op):
    """A nest of tensors with () in place of variants, which sessions cannot give."""
    return nest.map_structure(lambda x: () if isinstance(x, Tensor) and x.dtype == "variant" else x, get_next_op)


def _unoptimized(ds_fn):
    def dataset():
        options = Options()
        options.experimental_optimization.apply_default_optimizations = False
        return ds_fn().with_options(options)

    return dataset


def _verify(method: str, obj, ds_fn, num_outputs, sparse_tensors=False, assert_items_equal=False):
    getattr(obj, method)(
        ds_fn=_unoptimized(ds_fn),
        num_outputs=num_outputs,
        sparse_tensors=sparse_tensors,
        assert_items_equal=assert_items_equal,
    )


def default_test_combinations() -> list:
    """The argument `verify_fn` of a test: verify_fn(test, ds_fn, num_outputs) for each moment at which a position is saved."""
    methods = (
        "verify_unused_iterator",
        "verify_fully_used_iterator",
        "verify_exhausted_iterator",
        "verify_multiple_breaks",
        "verify_reset_restored_iterator",
    )
    found: list = []
    for method in methods:
        found += combine(verify_fn=NamedObject(method, functools.partial(_verify, method)))
    return found


class CheckpointTestBase(TestCase):
    """A test case that compares the elements of an iterator with those of one that is saved and restored meanwhile.

    In its methods `ds_fn` is a callable that makes a dataset, `num_outputs` the number of its elements, `sparse_tensors`
    whether an element of a graph is the parts of a SparseTensor, `verify_exhausted` whether there are no more elements, and
    `assert_items_equal` whether they may come in another order.
    """

    def tearDown(self):
        """Removes the files."""
        for path in glob(self._ckpt_path() + "*"):
            remove(path)
        super().tearDown()

    def verify_unused_iterator(
        self, ds_fn, num_outputs, sparse_tensors=False, verify_exhausted=True, assert_items_equal=False
    ):
        """Saves before the first element."""
        self.verify_run_with_breaks(ds_fn, [0], num_outputs, sparse_tensors, verify_exhausted, assert_items_equal)

    def verify_fully_used_iterator(self, ds_fn, num_outputs, sparse_tensors=False, assert_items_equal=False):
        """Saves after the last element."""
        self.verify_run_with_breaks(
            ds_fn, [num_outputs], num_outputs, sparse_tensors, assert_items_equal=assert_items_equal
        )

    def verify_exhausted_iterator(self, ds_fn, num_outputs, sparse_tensors=False, assert_items_equal=False):
        """Saves after the end was found."""
        del assert_items_equal
        self.gen_outputs(ds_fn, [], num_outputs, verify_exhausted=True, sparse_tensors=sparse_tensors)
        actual = self.gen_outputs(
            ds_fn, [], 0, ckpt_saved=True, verify_exhausted=True, sparse_tensors=sparse_tensors
        )
        self.assertLen(actual, 0)

    def verify_multiple_breaks(self, ds_fn, num_outputs, num_breaks=10, sparse_tensors=False, verify_exhausted=True,
                               assert_items_equal=False):  # fmt: skip
        """Saves at several places."""
        breaks = self.gen_break_points(num_outputs, num_breaks)
        self.verify_run_with_breaks(ds_fn, breaks, num_outputs, sparse_tensors, verify_exhausted, assert_items_equal)

    def verify_reset_restored_iterator(self, ds_fn, num_outputs, break_point=None, sparse_tensors=False,
                                       verify_exhausted=True, assert_items_equal=False):  # fmt: skip
        """Initializes the iterator of a graph once more after it was restored."""
        if executing_eagerly():
            self.skipTest("Eager mode iteration do not support re-initialization.")
        expected = self.gen_outputs(
            ds_fn, [], num_outputs, sparse_tensors=sparse_tensors, verify_exhausted=verify_exhausted
        )
        self.gen_outputs(
            ds_fn, [], break_point or num_outputs // 2, sparse_tensors=sparse_tensors, verify_exhausted=False
        )
        with Graph().as_default() as graph:
            saver = self._import_meta_graph()
            init_op, get_next_op = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
            get_next_op = remove_variants(get_next_op)
            with self.session(graph=graph) as session:
                self._initialize(init_op, session)
                self._restore(saver, session)
                self._initialize(init_op, session)
                actual = [session.run(get_next_op) for _ in range(num_outputs)]
                if verify_exhausted:
                    with self.assertRaises(errors.OutOfRangeError):
                        session.run(get_next_op)
        self.match(expected, actual, assert_items_equal)

    def verify_error_on_save(self, ds_fn, num_outputs, error, break_point=None, sparse_tensors=False,
                             assert_items_equal=False):  # fmt: skip
        """Checks that an iterator cannot be saved."""
        del assert_items_equal
        steps = break_point or num_outputs // 2
        if executing_eagerly():
            iterator = iter(ds_fn())
            checkpoint = Checkpoint(iterator=iterator)
            for _ in range(steps):
                next(iterator)
            with self.assertRaises(error):
                checkpoint.save(self._ckpt_path())
            return
        with Graph().as_default() as graph:
            init_op, get_next_op, saver = self._build_graph(ds_fn, sparse_tensors)
            get_next_op = remove_variants(get_next_op)
            with self.session(graph=graph) as session:
                self._initialize(init_op, session)
                for _ in range(steps):
                    session.run(get_next_op)
                with self.assertRaises(error):
                    self._save(session, saver)

    def verify_run_with_breaks(self, ds_fn, break_points, num_outputs, sparse_tensors=False, verify_exhausted=True,
                               assert_items_equal=False):  # fmt: skip
        """Saves and restores after the numbers of elements in `break_points`."""
        expected, actual = (
            self.gen_outputs(
                ds_fn, breaks, num_outputs, sparse_tensors=sparse_tensors, verify_exhausted=verify_exhausted
            )
            for breaks in ([], break_points)
        )
        self.match(expected, actual, assert_items_equal)

    def gen_outputs(self, ds_fn, break_points, num_outputs, ckpt_saved=False, sparse_tensors=False,
                    verify_exhausted=True, save_checkpoint_at_end=True) -> list:  # fmt: skip
        """The elements of an iterator that is saved and restored.

        Args:
          break_points: the numbers of elements after which it is saved, and a new one restored.
          ckpt_saved: whether there is a saved position to begin at.
          save_checkpoint_at_end: whether the last position is saved.
        """
        outputs: list = []
        ends = [*break_points, num_outputs]
        run = self._run_eagerly if executing_eagerly() else self._run_in_graph
        for i, (start, end) in enumerate(zip([0, *break_points], ends, strict=True)):
            is_last = i == len(break_points)
            ends_here = verify_exhausted and (is_last or end == num_outputs)
            saves = save_checkpoint_at_end or not is_last
            outputs += run(ds_fn, sparse_tensors, end - start, ends_here, ckpt_saved, saves)
            ckpt_saved = ckpt_saved or saves
        return outputs

    def _run_eagerly(self, ds_fn, sparse_tensors, steps, ends_here, restores, saves) -> list:
        del sparse_tensors
        iterator = iter(ds_fn())
        checkpoint = Checkpoint(iterator=iterator)
        if restores:
            checkpoint.restore(self._latest_ckpt())
        found = [self.evaluate(next(iterator)) for _ in range(steps)]
        if ends_here:
            with self.assertRaises(StopIteration):
                next(iterator)
        if saves:
            checkpoint.save(self._ckpt_path())
        return found

    def _run_in_graph(self, ds_fn, sparse_tensors, steps, ends_here, restores, saves) -> list:
        with Graph().as_default() as graph:
            if restores:
                saver = self._import_meta_graph()
                init_op, get_next_op = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
            else:
                init_op, get_next_op, saver = self._build_graph(ds_fn, sparse_tensors)
            get_next_op = remove_variants(get_next_op)
            with self.session(graph=graph) as session:
                self._initialize(init_op, session)
                if restores:
                    self._restore(saver, session)
                found = [session.run(get_next_op) for _ in range(steps)]
                if ends_here:
                    with self.assertRaises(errors.OutOfRangeError):
                        session.run(get_next_op)
                if saves:
                    self._save(session, saver)
                return found

    def match(self, expected, actual, assert_items_equal=False):
        """Checks that two nests of arrays and values are equal."""
        one, other = (value.tolist() if isinstance(value, np.ndarray) else value for value in (expected, actual))
        self.assertEqual(type(one), type(other))
        for cls, parts in ((SparseTensorValue, ("indices", "values", "dense_shape")),
                           (RaggedTensorValue, ("values", "row_splits"))):  # fmt: skip
            if isinstance(one, cls):
                self.match(*(tuple(getattr(value, part) for part in parts) for value in (one, other)))
                return
        if not nest.is_nested(one):
            self.assertEqual(one, other)
            return
        self.assertEqual(len(one), len(other))
        if isinstance(one, dict):
            self.assertEqual(sorted(one), sorted(other))
            pairs = [(one[key], other[key]) for key in sorted(one)]
        elif assert_items_equal:
            pairs = list(zip(sorted(one), sorted(other), strict=True))
        else:
            pairs = list(zip(one, other, strict=True))
        for a, b in pairs:
            self.match(a, b)

    def does_not_match(self, expected, actual):
        """Checks that two nests differ."""
        with self.assertRaises(AssertionError):
            self.match(expected, actual)

    def gen_break_points(self, num_outputs, num_samples=10):
        """Numbers of elements from 0 to `num_outputs`, evenly spread."""
        return np.unique(np.linspace(0, num_outputs, num_samples, dtype=int))

    def _build_graph(self, ds_fn, sparse_tensors=False):
        dataset = ds_fn()
        iterator = v1.data.make_initializable_iterator(dataset)
        policy = dataset.options().experimental_external_state_policy
        saveable = make_saveable_from_iterator(iterator, external_state_policy=policy)
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        element = iterator.get_next()
        if sparse_tensors:
            element = SparseTensor(*element)
        self._add_iterator_ops_to_collection(iterator.initializer, element, ds_fn, sparse_tensors)
        return iterator.initializer, element, v1.train.Saver(allow_empty=True)

    def _add_iterator_ops_to_collection(self, init_op, get_next, ds_fn, sparse_tensors=False):
        del ds_fn, sparse_tensors  # a SparseTensor tells itself
        v1.add_to_collection(_OPS, init_op)
        for leaf in nest.flatten(get_next):
            is_sparse = isinstance(leaf, SparseTensor)
            for tensor in (leaf.indices, leaf.values, leaf.dense_shape) if is_sparse else (leaf,):
                v1.add_to_collection(_OPS, tensor)

    def _get_iterator_ops_from_collection(self, ds_fn, sparse_tensors=False):
        init_op, *tensors = v1.get_collection(_OPS)
        if sparse_tensors:
            return init_op, SparseTensor(*tensors)
        source, leaves = iter(tensors), []
        for cls in nest.flatten(self._get_output_classes(ds_fn)):
            parts = [next(source) for _ in range(3 if cls is SparseTensor else 1)]
            leaves.append(SparseTensor(*parts) if cls is SparseTensor else parts[0])
        return init_op, nest.pack_sequence_as(self._get_output_types(ds_fn), leaves)

    def _get_output_types(self, ds_fn):
        with Graph().as_default():
            return v1.data.get_output_types(ds_fn())

    def _get_output_shapes(self, ds_fn):
        with Graph().as_default():
            return v1.data.get_output_shapes(ds_fn())

    def _get_output_classes(self, ds_fn):
        with Graph().as_default():
            return v1.data.get_output_classes(ds_fn())

    def _ckpt_path(self) -> str:
        return os.path.join(self.get_temp_dir(), "iterator")

    def _latest_ckpt(self) -> str:
        return latest_checkpoint(self.get_temp_dir())

    def _save(self, sess, saver):
        saver.save(sess, self._ckpt_path())

    def _restore(self, saver, sess):
        sess.run(v1.tables_initializer())
        saver.restore(sess, self._latest_ckpt())

    def _initialize(self, init_op, sess):
        sess.run(v1.global_variables_initializer())
        sess.run(v1.tables_initializer())
        sess.run(init_op)

    def _import_meta_graph(self):
        return v1.train.import_meta_graph(self._ckpt_path() + ".meta")
