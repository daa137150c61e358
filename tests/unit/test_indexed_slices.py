"""tf.IndexedSlices: its parts, shape and spec, beyond the recorded answers."""

import pickle

import pytest
import tracefn as tf


def test_parts_are_kept_as_given():
    values, indices = tf.constant([[1.0, 2.0]]), tf.constant([1])
    slices = tf.IndexedSlices(values, indices)
    assert slices.values is values
    assert slices.indices is indices
    assert slices.dense_shape is None
    assert slices.shape == tf.TensorShape(None)


def test_spec_fits_the_value():
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    spec = tf.type_spec_from_value(slices)
    assert spec == tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [1])
    assert spec.is_compatible_with(slices)
    assert [s.shape.as_list() for s in spec.flatten()] == [[1, 2], [1], [2]]
    again = spec.from_tensors(iter(spec.to_tensors(slices)))
    assert again.values is slices.values
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_negation_keeps_the_indices():
    slices = -tf.IndexedSlices(tf.constant([1.0, -2.0]), tf.constant([0, 3]), tf.constant([5]))
    assert slices.values.numpy().tolist() == [-1.0, 2.0]
    assert slices.indices.numpy().tolist() == [0, 3]
    assert slices.shape == tf.TensorShape([5])


def test_loop_invariant():
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
    spec = slices._shape_invariant_to_type_spec(tf.TensorShape([None, 2]))
    assert spec == tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)


def test_indices_must_be_a_vector():
    with pytest.raises(ValueError, match="must have rank 1"):
        tf.IndexedSlicesSpec(indices_shape=[2, 2])
