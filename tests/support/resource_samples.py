"""Samples of the ops on variables and on lists of tensors: each runs in a small graph that makes its handle."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import tracefn as tf

raw = tf.raw_ops
START = np.array([[1.5, -2, 3], [4, 5, -6]], np.float32)
ROW = np.int32([3])


def _handle(value: np.ndarray = START):
    handle = raw.VarHandleOp(dtype="float32", shape=value.shape, shared_name="v")
    raw.AssignVariableOp(resource=handle, value=value)
    return handle


def _read(handle):
    return raw.ReadVariableOp(resource=handle, dtype="float32")


def _changed(change: Callable) -> Callable[[], list]:
    """A program that changes a variable and reads it."""

    def run():
        handle = _handle()
        change(handle)
        return [_read(handle)]

    return run


def _asked(question: Callable) -> Callable[[], list]:
    """A program that asks a variable something."""
    return lambda: [question(_handle())]


def _rows(op: str) -> Callable[[], list]:
    updates = np.float32([[2, 3, 4]])
    return _changed(lambda h: getattr(raw, op)(resource=h, indices=np.int32([1]), updates=updates))


def _elements(op: str) -> Callable[[], list]:
    indices, updates = np.int32([[1, 2], [0, 0]]), np.float32([7, -8])
    return _changed(lambda h: getattr(raw, op)(ref=h, indices=indices, updates=updates))


def _destroyed():
    handle = _handle()
    before = raw.VarIsInitializedOp(resource=handle)
    raw.DestroyResourceOp(resource=handle)
    return [before, raw.VarIsInitializedOp(resource=handle)]


def _counted():
    handle = raw.VarHandleOp(dtype="int64", shape=[])
    raw.AssignVariableOp(resource=handle, value=np.int64(3))
    before = raw.ResourceCountUpTo(resource=handle, limit=5, T="int64")
    return [before, raw.ReadVariableOp(resource=handle, dtype="int64")]


STATES = {"accum", "accum_update", "m", "v", "vhat", "ms", "mg", "mom", "linear", "gradient_accumulator", "gradient_squared_accumulator"}
NUMBERS = {"lr": 0.1, "l1": 0.3, "l2": 0.2, "l2_shrinkage": 0.1, "lr_power": -0.5, "epsilon": 0.01, "alpha": 0.25}
ATTRIBUTES = {"T", "Tindices", "name", "use_locking", "use_nesterov", "update_slots", "multiply_linear_by_lr"}
GRADIENT = np.array([[0.5, -1, 0.25], [-2, 0, 3]], np.float32)


def _step(op: str) -> Callable[[], list]:
    """A step of an optimizer, on variables of its own, which are read afterwards."""

    def run():
        handles, inputs = [], {}
        for name in inspect.signature(getattr(raw, op)).parameters:
            if name == "var" or name in STATES:
                handle = raw.VarHandleOp(dtype="float32", shape=START.shape, shared_name=name)
                raw.AssignVariableOp(resource=handle, value=START if name == "var" else np.abs(START) + len(handles))
                handles.append(handle)
                inputs[name] = handle
            elif name in ("grad", "delta"):
                inputs[name] = GRADIENT
            elif name == "global_step":
                inputs[name] = np.int64(2)
            elif name == "indices":
                inputs[name] = np.int32([1, 0])
            elif name not in ATTRIBUTES:
                inputs[name] = np.float32(NUMBERS.get(name, 0.7))
        getattr(raw, op)(**inputs)
        return [_read(handle) for handle in handles]

    return run


RULES = (
    "Momentum KerasMomentum Adagrad AdagradV2 Adadelta RMSProp CenteredRMSProp Ftrl FtrlV2 ProximalGradientDescent "
    "ProximalAdagrad AdagradDA"
).split()
DENSE_RULES = ["Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign"]

VARIABLE_PROGRAMS: dict[str, Callable[[], list]] = {
    "VarHandleOp": _asked(_read),
    "ReadVariableOp": _asked(_read),
    "VarIsInitializedOp": _asked(lambda h: raw.VarIsInitializedOp(resource=h)),
    "VariableShape": _asked(lambda h: raw.VariableShape(input=h)),
    "AssignVariableOp": _changed(lambda h: raw.AssignVariableOp(resource=h, value=START * 2)),
    "AssignAddVariableOp": _changed(lambda h: raw.AssignAddVariableOp(resource=h, value=START)),
    "AssignSubVariableOp": _changed(lambda h: raw.AssignSubVariableOp(resource=h, value=START * 3)),
    "ResourceApplyGradientDescent": _changed(
        lambda h: raw.ResourceApplyGradientDescent(var=h, alpha=np.float32(0.1), delta=START)
    ),
    **{f"ResourceApply{rule}": _step(f"ResourceApply{rule}") for rule in RULES + DENSE_RULES},
    **{f"ResourceSparseApply{rule}": _step(f"ResourceSparseApply{rule}") for rule in RULES},
    "DestroyResourceOp": _destroyed,
    "ResourceCountUpTo": _counted,
    "ResourceGather": _asked(lambda h: raw.ResourceGather(resource=h, indices=np.int32([1, 1, 0]), dtype="float32")),
    "ResourceGatherNd": _asked(
        lambda h: raw.ResourceGatherNd(resource=h, indices=np.int32([[1, 2], [0, 0]]), dtype="float32")
    ),
    **{
        op: _rows(op)
        for op in (
            "ResourceScatterUpdate",
            "ResourceScatterAdd",
            "ResourceScatterSub",
            "ResourceScatterMul",
            "ResourceScatterDiv",
            "ResourceScatterMin",
            "ResourceScatterMax",
        )
    },
    **{
        op: _elements(op)
        for op in (
            "ResourceScatterNdUpdate",
            "ResourceScatterNdAdd",
            "ResourceScatterNdSub",
            "ResourceScatterNdMin",
            "ResourceScatterNdMax",
        )
    },
    "ResourceStridedSliceAssign": _changed(
        lambda h: raw.ResourceStridedSliceAssign(
            ref=h, begin=np.int32([0, 2]), end=np.int32([2, 0]), strides=np.int32([1, -1]), value=-START[:, :2]
        )
    ),
}


def _drawn(draw: Callable) -> Callable[[], list]:
    """A program that draws from the state of a generator, and reads it."""

    def run():
        handle = raw.VarHandleOp(dtype="int64", shape=[3], shared_name="v")
        raw.AssignVariableOp(resource=handle, value=np.int64([-1, 2, 3]))
        drawn = draw(handle)
        return [*([] if drawn is None else [drawn]), raw.ReadVariableOp(resource=handle, dtype="int64")]

    return run


PHILOX, SHAPE = np.int64(1), np.int32([2, 3])
GENERATOR_PROGRAMS: dict[str, Callable[[], list]] = {
    **{
        op: _drawn(lambda h, op=op: getattr(raw, op)(resource=h, algorithm=PHILOX, shape=SHAPE, dtype="float32"))
        for op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal")
    },
    "StatefulUniformInt": _drawn(
        lambda h: raw.StatefulUniformInt(
            resource=h, algorithm=PHILOX, shape=SHAPE, minval=np.int64(-5), maxval=np.int64(100)
        )
    ),
    "StatefulUniformFullInt": _drawn(
        lambda h: raw.StatefulUniformFullInt(resource=h, algorithm=PHILOX, shape=SHAPE, dtype="int32")
    ),
    "StatefulRandomBinomial": _drawn(
        lambda h: raw.StatefulRandomBinomial(
            resource=h, algorithm=PHILOX, shape=SHAPE, counts=np.float32([10, 20, 100]), probs=np.float32(0.75), dtype="int32"
        )
    ),
    "RngSkip": _drawn(lambda h: raw.RngSkip(resource=h, algorithm=PHILOX, delta=np.int64(5)) and None),
    "RngReadAndSkip": _drawn(lambda h: raw.RngReadAndSkip(resource=h, alg=np.int32(1), delta=np.uint64(5))),
}


def _list():
    return raw.TensorListFromTensor(tensor=START, element_shape=ROW)


def _stack(handle):
    return raw.TensorListStack(input_handle=handle, element_shape=ROW, element_dtype="float32")


def _reserved():
    handle = raw.TensorListReserve(element_shape=ROW, num_elements=np.int32(2), element_dtype="float32")
    for i in range(2):
        handle = raw.TensorListSetItem(input_handle=handle, index=np.int32(i), item=START[i])
    return [_stack(handle)]


def _pushed():
    handle = raw.EmptyTensorList(element_shape=ROW, max_num_elements=np.int32(-1), element_dtype="float32")
    for row in START:
        handle = raw.TensorListPushBack(input_handle=handle, tensor=row)
    return [_stack(handle)]


def _popped():
    rest, last = raw.TensorListPopBack(input_handle=_list(), element_shape=ROW, element_dtype="float32")
    return [last, _stack(rest)]


def _resized():
    handle = raw.TensorListResize(input_handle=_list(), size=np.int32(3))
    return [raw.TensorListLength(input_handle=handle), _stack(handle)]


def _pushed_batch():
    pair = raw.Pack(values=[_list(), _list()])
    both = raw.TensorListPushBackBatch(input_handles=pair, tensor=START)
    first, second = raw.Unpack(value=both, num=2)
    return [_stack(first), _stack(second)]


def _joined():
    joined = raw.TensorListConcatLists(input_a=_list(), input_b=_list(), element_dtype="float32")
    return [_stack(joined)]


def _blocks():
    handle = raw.TensorListFromTensor(tensor=START.reshape(2, 3, 1), element_shape=np.int32([3, 1]))
    return handle


def _concat(op: str, **more):
    def run():
        return list(getattr(raw, op)(input_handle=_blocks(), element_dtype="float32", **more))

    return run


def _scattered(op: str, **more):
    def run():
        indices = np.int32([1, 0])
        return [_stack(getattr(raw, op)(tensor=START, indices=indices, element_shape=ROW, **more))]

    return run


def _scattered_into():
    handle = raw.TensorListScatterIntoExistingList(input_handle=_list(), tensor=START * 2, indices=np.int32([1, 0]))
    return [_stack(handle)]


def _split():
    handle = raw.TensorListSplit(tensor=START.reshape(6), element_shape=np.int32([-1]), lengths=np.int64([2, 4]))
    get = [
        raw.TensorListGetItem(
            input_handle=handle, index=np.int32(i), element_shape=np.int32([-1]), element_dtype="float32"
        )
        for i in range(2)
    ]
    return get


LIST_PROGRAMS: dict[str, Callable[[], list]] = {
    "EmptyTensorList": _pushed,
    "TensorListPushBack": _pushed,
    "TensorListReserve": _reserved,
    "TensorListSetItem": _reserved,
    "TensorListLength": lambda: [raw.TensorListLength(input_handle=_list())],
    "TensorListResize": _resized,
    "TensorListElementShape": lambda: [raw.TensorListElementShape(input_handle=_list(), shape_type="int32")],
    "TensorListPopBack": _popped,
    "TensorListGetItem": _split,
    "TensorListPushBackBatch": _pushed_batch,
    "TensorListConcatLists": _joined,
    "TensorListStack": lambda: [_stack(_list())],
    "TensorListGather": lambda: [
        raw.TensorListGather(
            input_handle=_list(), indices=np.int32([1, 1, 0]), element_shape=ROW, element_dtype="float32"
        )
    ],
    "TensorListConcat": _concat("TensorListConcat", element_shape=[3, 1]),
    "TensorListConcatV2": _concat("TensorListConcatV2", element_shape=np.int32([3, 1]), leading_dims=np.int64([])),
    "TensorListFromTensor": lambda: [_stack(_list())],
    "TensorListScatter": _scattered("TensorListScatter"),
    "TensorListScatterV2": _scattered("TensorListScatterV2", num_elements=np.int32(3)),
    "TensorListScatterIntoExistingList": _scattered_into,
    "TensorListSplit": _split,
}
