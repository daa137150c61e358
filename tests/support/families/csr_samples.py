"""Samples of the ops on matrices in compressed sparse rows, serialized sparse tensors and maps of tensors: each runs in a
small graph."""

import numpy as np
import tracefn as tf

from support.sample_values import f32, grid, i32, i64

raw = tf.raw_ops
_PLACES = i64([0, 0], [0, 2], [1, 1], [2, 0], [2, 2])
_VALUES = f32(4, 1, 3, 1, 5)
_PARTS = {"sparse_indices": _PLACES, "sparse_values": _VALUES, "sparse_shape": i64(3, 3)}
_FLOAT = {"type": "float32"}


def _matrix(values=_VALUES):
    return raw.SparseTensorToCSRSparseMatrix(indices=_PLACES, values=values, dense_shape=i64(3, 3))


def _batch():
    places = i64([0, 0, 0], [0, 1, 2], [1, 1, 0])
    return raw.SparseTensorToCSRSparseMatrix(indices=places, values=f32(1, 2, 3), dense_shape=i64(2, 2, 3))


def _dense(matrix):
    return raw.CSRSparseMatrixToDense(sparse_input=matrix, type="float32")


def _from_dense():
    return [_dense(raw.DenseToCSRSparseMatrix(dense_input=grid(2, 3), indices=i64([0, 1], [1, 2])))]


def _sparse():
    return [*raw.CSRSparseMatrixToSparseTensor(sparse_matrix=_batch(), **_FLOAT)]


def _components():
    return [*raw.CSRSparseMatrixComponents(csr_sparse_matrix=_batch(), index=1, **_FLOAT)]


def _transposed():
    return [_dense(raw.SparseMatrixTranspose(input=_batch(), **_FLOAT))]


def _product():
    b = grid(3, 2)
    return [
        raw.SparseMatrixMatMul(a=_matrix(), b=b),
        raw.SparseMatrixMatMul(a=_matrix(), b=b.T.copy(), transpose_a=True, adjoint_b=True, transpose_output=True),
        raw.SparseMatrixMatMul(a=_batch(), b=grid(2, 3, 2)),
    ]


def _sparse_product():
    other = _matrix(f32(1, 2, 3, 4, 5))
    return [
        _dense(raw.SparseMatrixSparseMatMul(a=_matrix(), b=other, **_FLOAT)),
        _dense(raw.SparseMatrixSparseMatMul(a=_matrix(), b=other, transpose_a=True, adjoint_b=True, **_FLOAT)),
    ]


def _cholesky():
    order = raw.SparseMatrixOrderingAMD(input=_matrix())
    found = [raw.SparseMatrixSparseCholesky(input=_matrix(), permutation=p, **_FLOAT) for p in (order, i32(0, 1, 2))]
    return [order, *map(_dense, found)]


def _map():
    empty = raw.EmptyTensorMap()
    one = raw.TensorMapInsert(input_handle=empty, key=np.int32(1), value=grid(2))
    two = raw.TensorMapInsert(input_handle=one, key=np.int32(2), value=grid(3))
    less = raw.TensorMapErase(input_handle=two, key=np.int32(1), value_dtype="float32")
    return [
        raw.TensorMapLookup(input_handle=two, key=np.int32(1), value_dtype="float32"),
        raw.TensorMapStackKeys(input_handle=less, key_dtype="int32"),
    ]


def _map_facts():
    one = raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key=np.int32(1), value=grid(2))
    has = [raw.TensorMapHasKey(input_handle=one, key=np.int32(key)) for key in (1, 2)]
    return [*has, raw.TensorMapSize(input_handle=one)]


def _added():
    return [tf.reshape(raw.AddSparseToTensorsMap(**_PARTS, shared_name="added"), [1]) * 0]


def _in_map():
    one = raw.AddSparseToTensorsMap(**_PARTS, shared_name="samples")
    many = raw.AddManySparseToTensorsMap(**_PARTS, shared_name="samples")
    first = raw.TakeManySparseFromTensorsMap(sparse_handles=tf.reshape(one, [1]), dtype="float32", shared_name="samples")
    rest = raw.TakeManySparseFromTensorsMap(sparse_handles=many, dtype="float32", shared_name="samples")
    return [*first, *rest]


def _composite():
    encoded = raw.CompositeTensorVariantFromComponents(components=[grid(2), np.int32(3)], metadata="")
    types = ["float32", "int32"]
    return [*raw.CompositeTensorVariantToComponents(encoded=encoded, metadata="", Tcomponents=types)]


def _serialized():
    with tf.init_scope():
        rows = raw.SerializeManySparse(**_PARTS).numpy()
    return rows


CALLS = {
    "SerializeSparse": [_PARTS],
    "SerializeManySparse": [_PARTS],
    "DeserializeManySparse": [{"serialized_sparse": _serialized(), "dtype": "float32"}],
    "DeserializeSparse": [{"serialized_sparse": _serialized()[1], "dtype": "float32"}],
}

PROGRAMS = {
    "SparseTensorToCSRSparseMatrix": lambda: [_dense(_matrix())],
    "DenseToCSRSparseMatrix": _from_dense,
    "CSRSparseMatrixToDense": lambda: [_dense(_batch())],
    "CSRSparseMatrixToSparseTensor": _sparse,
    "CSRSparseMatrixComponents": _components,
    "SparseMatrixNNZ": lambda: [raw.SparseMatrixNNZ(sparse_matrix=_batch())],
    "SparseMatrixTranspose": _transposed,
    "SparseMatrixMatMul": _product,
    "SparseMatrixSparseMatMul": _sparse_product,
    "SparseMatrixOrderingAMD": _cholesky,
    "SparseMatrixSparseCholesky": _cholesky,
    "CompositeTensorVariantFromComponents": _composite,
    "CompositeTensorVariantToComponents": _composite,
    **dict.fromkeys(
        "EmptyTensorMap TensorMapInsert TensorMapErase TensorMapLookup TensorMapStackKeys".split(),
        _map,
    ),
    "TensorMapHasKey": _map_facts,
    "TensorMapSize": _map_facts,
    "AddSparseToTensorsMap": _added,
    "AddManySparseToTensorsMap": _in_map,
    "TakeManySparseFromTensorsMap": _in_map,
}

# Their bytes end in zeros, which NumPy's strings lose.
NOT_RUN = {"SerializeSparse", "SerializeManySparse"}
