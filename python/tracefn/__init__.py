"""`import tracefn as tf`: TensorFlow's `tf.function` as a small native library. This file only names what is public."""
# ruff: noqa: F401

import sys as _sys

from tracefn import _core, _own_frames  # isort: skip

_core.set_package_folder(__file__.rpartition("/")[0] + "/")
_own_frames.hide_from_now_on()

from tracefn import autograph, config, dtypes, errors, nest
from tracefn._core import ConcreteFunction, Tensor, convert_to_tensor
from tracefn._function.explain import RetracingError, no_retrace
from tracefn._keras_imports import find_keras as _find_keras
from tracefn._logging import get_logger
from tracefn._missing import word_imports as _word_imports
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import load as _load
from tracefn._native_methods import attach as _attach
from tracefn._old_names import names as _old_names
from tracefn._old_names import old_name as _old_name
from tracefn._variable.creators import variable_creator_scope
from tracefn.custom_gradient import custom_gradient, grad_pass_through, recompute_grad
from tracefn.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tracefn.framework import (
    Graph,
    Operation,
    control_dependencies,
    device,
    executing_eagerly,
    get_static_value,
    init_scope,
    inside_function,
    name_scope,
)
from tracefn.framework import is_tensor_like as is_tensor
from tracefn.function import function
from tracefn.gradient_tape import GradientTape, UnconnectedGradients
from tracefn.gradients import AggregationMethod, gradients, hessians
from tracefn.indexed_slices import IndexedSlices, IndexedSlicesSpec
from tracefn.module import Module
from tracefn.tensor_array import TensorArray, TensorArraySpec
from tracefn.tensor_conversion import register_tensor_conversion_function
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import NoneTensorSpec, TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value
from tracefn.variable import Variable, VariableAggregation, VariableSynchronization

_attach()
_fill(globals(), "")
_fill(vars(dtypes), "dtypes")

__version__ = "2.21.0"
newaxis = None
_OLD_NAMES = _old_names()


@_own_frames.hidden
def __getattr__(name: str):
    if name == "__internal__":
        from tracefn._internal import namespace  # start-up time: few programs need it

        globals()[name] = namespace()
        return globals()[name]
    if name == "__operators__":
        from tracefn import _operators  # start-up time: few programs need it

        globals()[name] = _operators
        return _operators
    if name == "install_as_tensorflow":
        from tracefn.as_tensorflow import install_as_tensorflow  # start-up time: few programs need it

        return install_as_tensorflow
    if name in ("__git_version__", "__compiler_version__"):
        return getattr(_load(globals(), "", "version"), name.strip("_").upper())
    if name in _OLD_NAMES:
        return _old_name(_sys.modules[__name__], name)
    return _load(globals(), "", name)


# The package's own modules are not public names: `tf.variable` is a misspelt tf.Variable.
_NAMESPACES = (autograph, config, dtypes, errors, nest)
for _name, _value in list(globals().items()):
    if isinstance(_value, type(_core)) and _value not in _NAMESPACES and not _name.startswith("_"):
        del globals()[_name]
del _name, _value
_find_keras()
_word_imports()
