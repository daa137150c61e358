"""Results of traced functions taken apart and built again (tracing rules 93-97, Y5)."""

from __future__ import annotations

import collections
import types

import numpy as np
import pytest
from trace_type_kinds import Frozen, Nest, Point, Unhashable, tensor
from tracefn import _core
from tracefn.tensor_spec import TensorSpec


def function():
    """Named in errors."""


def to_tensor(leaf):
    if isinstance(leaf, (set, frozenset, types.GeneratorType, types.FunctionType, type(...), TensorSpec)):
        return None
    return _core.convert_to_tensor(leaf)


def flatten(result):
    return _core.flatten_result(result, function, to_tensor)


def rebuild(result):
    tensors, made = flatten(result)
    return _core.build_value(made, [f"t{i}" for i in range(len(tensors))])


def test_rule_93_structures_are_rebuilt():
    t = tensor(1)
    assert rebuild([t, (t, None), {"k": Point(t, [])}]) == ["t0", ("t1", None), {"k": Point("t2", [])}]
    assert rebuild(None) is None and rebuild(t) == "t0" and rebuild(()) == ()
    ordered = rebuild(collections.OrderedDict(b=t, a=t))
    assert type(ordered) is collections.OrderedDict and list(ordered.items()) == [("b", "t1"), ("a", "t0")]
    assert rebuild(types.MappingProxyType({"a": t})) == types.MappingProxyType({"a": "t0"})
    assert rebuild(collections.UserDict(a=t)) == collections.UserDict(a="t0")
    assert rebuild({"a": t}.values()) == ["t0"] and rebuild(range(2)) == ["t0", "t1"]
    assert rebuild(Nest(t, "m")).part == "t0"


def test_rule_78_tensors_are_in_sorted_order():
    tensors, made = flatten({"z": 3, "a": [1, 2]})
    assert [t.numpy() for t in tensors] == [1, 2, 3]
    assert list(made.flatten()) == [TensorSpec([], "int32")] * 3


def test_rule_94_leaves_become_tensors():
    tensors, made = flatten([1, 2.5, "s", True, np.zeros([2])])
    assert [t.dtype.name for t in tensors] == ["int32", "float32", "string", "bool", "float64"]
    assert made.flatten()[4] == TensorSpec([2], "float64")


def test_rule_y5_dataclasses():
    made = rebuild(Unhashable(tensor(1), None))
    assert (made.a, made.b) == ("t0", None) and not hasattr(made, "checked")
    assert rebuild(Frozen(tensor(1))) == Frozen("t0")


@pytest.mark.parametrize(("result", "name"), [
    ({1}, "set"), (frozenset(), "frozenset"), (..., "ellipsis"), (function, "function"), (TensorSpec([]), "TensorSpec"),
    ((i for i in ()), "generator"),
])
def test_rule_97_other_values(result, name):
    with pytest.raises(TypeError) as error:
        flatten([result])
    assert str(error.value) == (
        "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
        f"values; in compilation of {function}, found return value of type {name}, which is not a Tensor or "
        "ExtensionType.")


def test_errors_of_conversion_pass_through():
    def fails(leaf):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        _core.flatten_result([1], function, fails)
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        flatten(loop)
