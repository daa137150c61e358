"""Ops whose records allow a dtype that no kernel takes: what is raised eagerly and in functions."""

import pytest

pytestmark = pytest.mark.rule(191)

CASES = {
    "FloorDiv": lambda tf: tf.constant([1j]) // tf.constant([1j]),
    "TensorScatterAdd": lambda tf: tf.tensor_scatter_nd_add(tf.constant([True]), [[0]], tf.constant([True])),
    "TensorScatterMax": lambda tf: tf.tensor_scatter_nd_max(tf.constant(["a"]), [[0]], tf.constant(["b"])),
    "LowerBound": lambda tf: tf.searchsorted(tf.constant(["a"]), tf.constant(["a"])),
    "UpperBound": lambda tf: tf.searchsorted(tf.constant([True]), tf.constant([True]), side="right"),
    "Multinomial": lambda tf: tf.raw_ops.Multinomial(logits=[[1]], num_samples=2),
    "HashTableV2": lambda tf: tf.raw_ops.HashTableV2(key_dtype=tf.int8, value_dtype=tf.int8),
    "SparseDenseCwiseAdd": lambda tf: tf.raw_ops.SparseDenseCwiseAdd(
        sp_indices=tf.constant([[0]], tf.int64), sp_values=[1j], sp_shape=tf.constant([1], tf.int64), dense=[1j]
    ),
    "SparseTensorDenseMatMul": lambda tf: tf.raw_ops.SparseTensorDenseMatMul(
        a_indices=tf.constant([[0, 0]], tf.int64), a_values=tf.constant([1], tf.int8),
        a_shape=tf.constant([1, 1], tf.int64), b=tf.constant([[1]], tf.int8),
    ),
}  # fmt: skip


@pytest.mark.parametrize("op", CASES)
def test_eager_ops_find_no_device(tf, op):
    with pytest.raises(tf.errors.NotFoundError, match=r"Could not find device for node: \{\{node " + op) as caught:
        CASES[op](tf)
    assert f"[Op:{op}]" in str(caught.value)


@pytest.mark.parametrize("op", CASES)
def test_functions_find_no_kernel(tf, op):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"No OpKernel was registered to support Op '{op}' used by"):
        tf.function(lambda: CASES[op](tf))()


@pytest.mark.parametrize("value", ["a", True])
def test_a_resource_says_where_an_op_runs(tf, value):
    variable = tf.Variable(value)
    text = "No OpKernel was registered to support Op 'AssignAddVariableOp' used by {{node AssignAddVariableOp}} with these attrs: ["
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        variable.assign_add(value)
    assert text in str(caught.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.function(lambda: variable.assign_add(value))()
    assert text in str(caught.value)


def test_attributes_are_shown_in_order(tf):
    with pytest.raises(tf.errors.NotFoundError) as caught:
        CASES["TensorScatterMax"](tf)
    assert 'TensorScatterMax[T=DT_STRING, Tindices=DT_INT32, bad_indices_policy=""]' in str(caught.value)
