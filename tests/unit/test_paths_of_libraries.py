"""The paths below tensorflow.python and tensorflow.compiler from which Keras imports."""

import numpy as np
import pytest
import tracefn as tf
from tracefn.compiler.tf2xla.python.xla import dynamic_slice, dynamic_update_slice
from tracefn.python.eager import context
from tracefn.python.framework import config, tensor_util, type_spec_registry
from tracefn.python.ops.linalg.sparse import sparse_csr_matrix_ops


def test_eager_execution():
    context.context().clear_kernel_cache()
    context.async_wait()
    assert context.context().executing_eagerly()
    assert not tf.function(lambda: tf.constant(context.executing_eagerly()))().numpy()


def test_questions():
    assert tensor_util.is_tf_type(tf.constant(1)) and not tensor_util.is_tf_type(1)
    assert tensor_util.constant_value(tf.constant(2)) == 2
    assert isinstance(config.is_op_determinism_enabled(), bool)


def test_type_specs_by_name():
    for cls in (tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec):
        assert type_spec_registry.lookup(type_spec_registry.get_name(cls)) is cls
    with pytest.raises(ValueError, match="No TypeSpec has been registered"):
        type_spec_registry.lookup("tf.Nothing")
    with pytest.raises(TypeError):
        type_spec_registry.lookup(1)


def test_sparse_products_by_position():
    one = sparse_csr_matrix_ops.sparse_tensor_to_csr_sparse_matrix([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    product = sparse_csr_matrix_ops.sparse_matrix_sparse_mat_mul(one, one, type=tf.float32)
    found = sparse_csr_matrix_ops.csr_sparse_matrix_to_sparse_tensor(product, type=tf.float32)
    assert found.values.numpy().tolist() == [6, 6] and found.indices.numpy().tolist() == [[0, 0], [1, 1]]
    with pytest.raises(AttributeError):
        _ = sparse_csr_matrix_ops.nothing


@pytest.mark.parametrize("start, rows", [([0, 0], [0, 1]), ([1, 1], [1, 2]), ([9, -5], [2, 3])])
@pytest.mark.parametrize("traced", [False, True])
def test_updates_of_blocks(start, rows, traced):
    x, update = tf.zeros([4, 3], tf.int32), tf.ones([2, 2], tf.int32)
    run = tf.function(dynamic_update_slice) if traced else dynamic_update_slice
    found = run(x, update, tf.constant(start)).numpy()
    column = min(max(start[1], 0), 1)
    expected = np.zeros([4, 3], int)
    expected[rows[0] : rows[1] + 1, column : column + 2] = 1
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("start", "place"), [((1, 1), (1, 1)), ((2, 3), (1, 2)), ((-1, -5), (0, 0))])
@pytest.mark.parametrize("traced", [False, True])
def test_blocks(start, place, traced):
    x = tf.reshape(tf.range(12), [3, 4])
    run = tf.function(dynamic_slice) if traced else dynamic_slice
    found = run(x, tf.constant(start, tf.int64), (2, 2))
    np.testing.assert_array_equal(found, x.numpy()[place[0] : place[0] + 2, place[1] : place[1] + 2])
    assert found.shape == [2, 2]


def test_a_block_larger_than_the_tensor():
    with pytest.raises(tf.errors.InvalidArgumentError):
        dynamic_slice(tf.zeros([3, 4]), (0, 0), (4, 2))
    for run in (dynamic_slice, tf.function(dynamic_slice)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must not be negative, got \[-1, 2\]"):
            run(tf.zeros([3, 4]), (0, 0), (-1, 2))
