"""`tf.RaggedTensor` and its functions, a subject per file. Importing this package gives the class its methods, and lets
public functions take ragged tensors."""

from tracefn._decorators import show_methods_of
from tracefn._export import export, let_dispatch
from tracefn.ops.ragged import conversion, elementwise, getitem, nested, operators, spec, table
from tracefn.ops.ragged.spec import RaggedTensorSpec
from tracefn.ops.ragged.tensor import RaggedTensor

_ALL = (conversion.METHODS, conversion.CLASS_METHODS, getitem.METHODS, nested.CLASS_METHODS, operators.METHODS, spec.METHODS)
for _methods in _ALL:
    for _name, _method in _methods.items():  # type: ignore[attr-defined]
        setattr(RaggedTensor, _name, _method)
show_methods_of("RaggedTensor", [RaggedTensor])
for _name, _method in vars(RaggedTensor).items():
    if _name.startswith("from_"):
        let_dispatch(_method.__func__, f"RaggedTensor.{_name}")
export("RaggedTensor")(RaggedTensor)
export("RaggedTensorSpec")(RaggedTensorSpec)
elementwise.register()
table.register()
