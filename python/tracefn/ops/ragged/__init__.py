"""`tf.RaggedTensor` and its functions, a subject per file. Importing this package gives the class its methods, and lets
public functions take ragged tensors."""

from tracefn._export import export
from tracefn.ops.ragged import conversion, elementwise, getitem, operators, table
from tracefn.ops.ragged.tensor import RaggedTensor, RaggedTensorSpec

for _methods in (conversion.METHODS, conversion.CLASS_METHODS, getitem.METHODS, operators.METHODS):
    for _name, _method in _methods.items():  # type: ignore[attr-defined]
        setattr(RaggedTensor, _name, _method)
export("RaggedTensor")(RaggedTensor)
export("RaggedTensorSpec")(RaggedTensorSpec)
elementwise.register()
table.register()
