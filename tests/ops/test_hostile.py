"""Wrong, empty and huge arguments of every op: an answer or an error of the documented kinds, and never a crash."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf
from tracefn import _core

TESTS = pathlib.Path(__file__).parents[1]
CHUNK = 60


@pytest.mark.parametrize("first", range(0, len(_core.op_names()), CHUNK))
def test_calls_of_every_op(first):
    package = str(pathlib.Path(tf.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([package, str(TESTS)])}
    command = [sys.executable, "-m", "support.hostile", str(first), str(first + CHUNK)]
    done = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=300, check=False)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, f"exit {done.returncode} in {last}\n{done.stderr[-2000:]}"
    assert last.startswith("done")


raw = tf.raw_ops
ERRORS = (tf.errors.OpError, ValueError, TypeError)
ROW = np.int32([3])
START = np.zeros((2, 3), np.float32)
NUMBERS = [-1, 2, 2**31 - 1, -(2**31)]


def tensors():
    return raw.TensorListFromTensor(tensor=START, element_shape=ROW)


def variable():
    return tf.Variable(START).handle


LIST_CALLS = {
    "get": lambda n: raw.TensorListGetItem(
        input_handle=tensors(), index=np.int32(n), element_shape=ROW, element_dtype="float32"
    ),
    "set": lambda n: raw.TensorListSetItem(input_handle=tensors(), index=np.int32(n), item=START[0]),
    "gather": lambda n: raw.TensorListGather(
        input_handle=tensors(), indices=np.int32([0, n]), element_shape=ROW, element_dtype="float32"
    ),
    "stack another number": lambda n: raw.TensorListStack(
        input_handle=tensors(), element_shape=ROW, element_dtype="float32", num_elements=n if n not in (-1, 2) else 3
    ),
    "scatter": lambda n: raw.TensorListScatterV2(
        tensor=START, indices=np.int32([0, -2 if n == -1 else n]), element_shape=ROW, num_elements=np.int32(2)
    ),
    "split": lambda n: raw.TensorListSplit(tensor=START, element_shape=ROW, lengths=np.int64([1, n])),
    "gather rows": lambda n: raw.ResourceGather(resource=variable(), indices=np.int32([n]), dtype="float32"),
    "gather elements": lambda n: raw.ResourceGatherNd(resource=variable(), indices=np.int32([[n, 0]]), dtype="float32"),
    "scatter rows": lambda n: raw.ResourceScatterAdd(resource=variable(), indices=np.int32([n]), updates=START[:1]),
    "scatter elements": lambda n: raw.ResourceScatterNdAdd(
        ref=variable(), indices=np.int32([[n, 0]]), updates=np.float32([1])
    ),
}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", LIST_CALLS)
def test_positions_outside_of_lists_and_variables(name, number):
    with pytest.raises(ERRORS):
        LIST_CALLS[name](number)


@pytest.mark.parametrize("number", [-(2**31), -2])
def test_lists_of_a_negative_size(number):
    with pytest.raises(ERRORS):
        raw.TensorListReserve(element_shape=ROW, num_elements=np.int32(number), element_dtype="float32")
    with pytest.raises(ERRORS):
        raw.TensorListResize(input_handle=tensors(), size=np.int32(number))


LARGEST_LISTS = {
    "reserve": lambda n: raw.TensorListReserve(element_shape=ROW, num_elements=n, element_dtype="float32"),
    "resize": lambda n: raw.TensorListResize(input_handle=tensors(), size=n),
    "set": lambda n: raw.TensorListSetItem(
        input_handle=tensors(), index=n - np.int32(1), item=START[0], resize_if_index_out_of_bounds=True
    ),
    "scatter": lambda n: raw.TensorListScatterV2(
        tensor=START, indices=np.int32([0, 1]), element_shape=ROW, num_elements=n
    ),
    "scatter into": lambda n: raw.TensorListScatterIntoExistingList(
        input_handle=tensors(), tensor=START[:1], indices=[n - np.int32(1)]
    ),
}


MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(MEMORY > 100e9, reason="the machine may hold such a list")
@pytest.mark.parametrize("name", LARGEST_LISTS)
def test_lists_larger_than_memory(name):
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating a list of 2147483647 tensors"):
        LARGEST_LISTS[name](np.int32(2**31 - 1))


@pytest.mark.parametrize("number", [np.zeros(0, np.int32), np.int32([2])])
def test_a_number_of_elements_is_a_scalar(number):
    def scatter(number):
        return raw.TensorListScatterV2(tensor=START, indices=np.int32([0, 1]), element_shape=ROW, num_elements=number)

    unknown = tf.function(
        lambda n: raw.TensorListLength(input_handle=scatter(n)), input_signature=[tf.TensorSpec(None, "int32")]
    )
    for run in (scatter, unknown):
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_elements must be a scalar"):
            run(number)


WRONG_HANDLES = [np.float32(1), np.int32([1, 2]), b"text", None, object()]


@pytest.mark.parametrize("handle", [*WRONG_HANDLES, "a variable's"], ids=lambda h: type(h).__name__)
def test_what_is_no_list(handle):
    handle = variable() if isinstance(handle, str) else handle
    with pytest.raises(ERRORS):
        raw.TensorListLength(input_handle=handle)
    with pytest.raises(ERRORS):
        raw.TensorListStack(input_handle=handle, element_shape=ROW, element_dtype="float32")
    with pytest.raises(ERRORS):
        raw.TensorListPushBack(input_handle=handle, tensor=START[0])


@pytest.mark.parametrize("handle", [*WRONG_HANDLES, "a list"], ids=lambda h: type(h).__name__)
def test_what_is_no_variable(handle):
    handle = tensors() if isinstance(handle, str) else handle
    with pytest.raises(ERRORS):
        raw.ReadVariableOp(resource=handle, dtype="float32")
    with pytest.raises(ERRORS):
        raw.AssignVariableOp(resource=handle, value=START)


def test_variables_of_another_type_or_shape():
    with pytest.raises(ERRORS):
        raw.ReadVariableOp(resource=variable(), dtype="int32")
    with pytest.raises(ERRORS):
        raw.AssignAddVariableOp(resource=variable(), value=np.float32([1, 2]))
    with pytest.raises(ERRORS):
        raw.ResourceScatterUpdate(resource=variable(), indices=np.int32([0, 1]), updates=START[0])
    with pytest.raises(ERRORS):
        raw.ReadVariableOp(resource=raw.VarHandleOp(dtype="float32", shape=[2]), dtype="float32")


def test_lists_of_another_type_or_shape():
    with pytest.raises(ERRORS):
        raw.TensorListStack(input_handle=tensors(), element_shape=ROW, element_dtype="int32")
    with pytest.raises(ERRORS):
        raw.TensorListStack(input_handle=tensors(), element_shape=np.int32([4]), element_dtype="float32")
    with pytest.raises(ERRORS):
        raw.TensorListPushBack(input_handle=tensors(), tensor=np.int32([1, 2, 3]))
    with pytest.raises(ERRORS):
        raw.TensorListConcatLists(
            input_a=tensors(), input_b=raw.TensorListFromTensor(tensor=[1, 2], element_shape=np.int32([])),
            element_dtype="float32",
        )  # fmt: skip
    empty = raw.EmptyTensorList(element_shape=ROW, max_num_elements=np.int32(1), element_dtype="float32")
    with pytest.raises(ERRORS):
        raw.TensorListPopBack(input_handle=empty, element_shape=ROW, element_dtype="float32")
    full = raw.TensorListPushBack(input_handle=empty, tensor=START[0])
    with pytest.raises(ERRORS):
        raw.TensorListPushBack(input_handle=full, tensor=START[0])
