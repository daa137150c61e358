"""Elements of datasets: their specs, and the tensors that stand for them in dataset ops."""

from __future__ import annotations

from tracefn import _core
from tracefn._packer import leaves_of
from tracefn.composite import CompositeTensor
from tracefn.data import _nest as nest
from tracefn.tensor_spec import NoneTensorSpec, TensorSpec
from tracefn.type_spec import TypeSpec

_tensor = _core.convert_to_tensor
# The specs that stand for the classes of their values.
_WITHOUT_CLASS = ("DatasetSpec", "OptionalSpec", "RaggedTensorSpec")


def _leaf(value, spec=None):
    """One part of an element, as a tensor or composite value."""
    if value is None or isinstance(spec, NoneTensorSpec):
        return None
    if isinstance(value, (_core.Tensor, CompositeTensor)):
        return value
    if type(value).__name__ == "SparseTensorValue":
        from tracefn.ops.sparse.tensor import SparseTensor  # start-up time: few datasets are sparse

        return SparseTensor.from_value(value)
    if type(spec).__name__ == "RaggedTensorSpec":
        return _tensor(value)
    if type(spec).__name__ == "SparseTensorSpec":
        raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {value}.")
    if spec is not None and not isinstance(spec, TensorSpec):
        return value
    if spec is None and isinstance(value, list):
        batch = getattr(_first(value), "_batch_of", None)
        found = None if batch is None else batch(value)
        if found is not None:
            return found
    return _tensor(value, dtype=None if spec is None else spec.dtype)


def _first(value):
    """The first part of nested lists; None if there is none."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def normalized(element, signature=None):
    """An element with tensors in place of lists, arrays, numbers and Variables.

    Args:
      element: nest.
      signature: the nest of specs that it has to match, or None.

    Raises:
      TypeError, ValueError: a leaf does not convert, or `element` does not match `signature`.
    """
    if signature is None:
        return nest.map_structure(_leaf, element)
    leaves = zip(nest.flatten_up_to(signature, element), nest.flatten(signature), strict=True)
    return nest.pack_sequence_as(signature, [_leaf(value, spec) for value, spec in leaves])


def spec_of_leaf(value) -> TypeSpec:
    """The spec of one part of an element."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, CompositeTensor):
        return value._type_spec  # type: ignore[return-value]
    return TensorSpec(value.shape, value.dtype)


def spec_of(element):
    """The nest of specs of a normalized element."""
    return nest.map_structure(spec_of_leaf, element)


def flat_specs(element_spec) -> list:
    """The specs of all tensors that stand for an element."""
    return [tensor for spec in nest.flatten(element_spec) for tensor in spec._flat_tensor_specs]


def flat_types(element_spec) -> list:
    """Their dtypes."""
    return [spec.dtype for spec in flat_specs(element_spec)]


def flat_shapes(element_spec) -> list:
    """Their static shapes."""
    return [spec.shape for spec in flat_specs(element_spec)]


def _encoded(spec, value, batched: bool) -> list:
    if isinstance(spec, TensorSpec):
        return [_checked(spec, value)]
    encode = getattr(spec, "_to_batched_tensor_list", None) if batched else None
    return spec._to_tensor_list(value) if encode is None else encode(value)


def _checked(spec, value):
    try:
        tensor = _tensor(value, dtype=spec.dtype)
    except (TypeError, ValueError):
        tensor = None
    if tensor is None or not tensor.shape.is_compatible_with(spec.shape):
        raise ValueError(
            f"Value {value} is not convertible to a tensor with dtype {spec.dtype} and shape {spec.shape}."
        )
    return tensor


def to_tensors(element_spec, element, batched: bool = False) -> list:
    """The tensors of an element.

    Args:
      batched: whether the element is a batch, whose rows become elements.

    Raises:
      TypeError, ValueError: it does not match the specs.
    """
    nest.assert_same_structure(element_spec, element)
    pairs = zip(nest.flatten(element_spec), nest.flatten(element), strict=True)
    return [tensor for spec, value in pairs for tensor in _encoded(spec, value, batched)]


def from_tensors(element_spec, tensors):
    """The element of a list of tensors."""
    if isinstance(element_spec, TensorSpec):
        return tensors[0]
    return nest.pack_sequence_as(element_spec, leaves_of(nest.flatten(element_spec), tensors))


def are_compatible(one, other) -> bool:
    """Whether two nests of specs match, and each spec is compatible with its counterpart."""
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError):
        return False
    pairs = list(zip(nest.flatten(one), nest.flatten(other), strict=True))
    return all(a.is_compatible_with(b) and b.is_compatible_with(a) for a, b in pairs)


def common_spec(one, other):
    """The most specific nest of specs that covers two.

    Raises:
      TypeError, ValueError: there is none.
    """

    def common(a, b):
        found = a.most_specific_common_supertype([b])
        if found is None:
            raise TypeError(f"No common supertype of {a} and {b}.")
        return found

    return nest.map_structure(common, one, other)


def dtypes_of(element_spec):
    """The nest of dtypes; a spec of what is no tensor stands for itself."""
    return nest.map_structure(lambda spec: getattr(spec, "dtype", spec), element_spec)


def shapes_of(element_spec):
    """The nest of shapes; a spec of what has none stands for itself."""
    return nest.map_structure(lambda spec: getattr(spec, "shape", spec), element_spec)


def classes_of(element_spec):
    """The nest of the classes of the values."""
    return nest.map_structure(
        lambda spec: spec if type(spec).__name__ in _WITHOUT_CLASS else spec.value_type, element_spec
    )


def batched(element_spec, size):
    """The specs of batches of `size` (None: any number) elements."""
    return nest.map_structure(lambda spec: spec._batch(size), element_spec)


def unbatched(element_spec):
    """The specs of the rows of batches."""
    return nest.map_structure(lambda spec: spec._unbatch(), element_spec)
