"""`tf.experimental.ExtensionTypeBatchEncoder`: how values of extension types are stacked and taken apart."""

from __future__ import annotations

from tracefn._extension.immutable_dict import ImmutableDict
from tracefn.tensor_shape import TensorShape


class ExtensionTypeBatchEncoder:
    """How values of a `tf.experimental.BatchableExtensionType` are stacked and taken apart, as in `tf.map_fn`.

    A value is encoded as tensors, so that stacking and indexing these, and decoding the result, does the same with the
    value. By default these are all tensors in it; a subclass, as the attribute `__batch_encoder__` of the type, may do
    otherwise.
    """

    def batch(self, spec, batch_size):
        """The spec of `batch_size` (None: any number of) values of type `spec`, stacked."""
        return _with_fields(spec, lambda part: part._batch(batch_size) if hasattr(part, "_batch") else
                            TensorShape([batch_size]).concatenate(part) if isinstance(part, TensorShape) else part)

    def unbatch(self, spec):
        """The spec of one of the values of a stack of type `spec`."""
        return _with_fields(spec, lambda part: part._unbatch() if hasattr(part, "_unbatch") else
                            part[1:] if isinstance(part, TensorShape) else part)

    def encode(self, spec, value, minimum_rank=0):
        """A value of type `spec` as a nest of tensors, all with the same first `minimum_rank` dimensions."""
        del minimum_rank
        return spec._to_components(value)

    def decode(self, spec, encoded_value):
        """The value of type `spec` that such tensors encode."""
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec):
        """The nest of specs of `encode`'s results for values of type `spec`."""
        return spec._component_specs


def _with_fields(spec, change):
    """A spec with each of the parts of its fields changed."""

    def changed(value):
        if isinstance(value, tuple):
            return tuple(changed(item) for item in value)
        if isinstance(value, ImmutableDict):
            return ImmutableDict((key, changed(item)) for key, item in value.items())
        return change(value)

    return type(spec)._tf_extension_type_create([(name, changed(value)) for name, value in spec._tf_extension_type_values()])
