"""Values of `tf.experimental.BatchableExtensionType` in functions of rows: they are encoded as tensors."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn.type_spec import TypeSpec


def _encoder(spec):
    return getattr(spec, "__batch_encoder__", None) if isinstance(spec, TypeSpec) else None


def _spec_of(value):
    return getattr(value, "_type_spec", None)


def holds_batchable(values, specs) -> bool:
    """Whether a nest of values has some with a batch encoder, or a nest of specs theirs."""
    return any(_encoder(_spec_of(value)) for value in nest.flatten(values)) or any(
        _encoder(spec) for spec in nest.flatten(specs)
    )


def _encoded(value, rank: int):
    """A value as a nest of tensors, if it has a batch encoder."""
    spec = _spec_of(value)
    encoder = _encoder(spec)
    if encoder is None:
        return value
    return nest.map_structure(lambda part: _encoded(part, rank), encoder.encode(spec, value, minimum_rank=rank))


def _encoding_specs(spec):
    encoder = _encoder(spec)
    return spec if encoder is None else nest.map_structure(_encoding_specs, encoder.encoding_specs(spec))


def _decoded(spec, encoding):
    """The value of type `spec` from its encoding."""
    encoder = _encoder(spec)
    if encoder is None:
        return encoding
    specs = encoder.encoding_specs(spec)
    parts = nest.flatten(specs)
    places = nest.flatten(nest.pack_sequence_as(specs, list(range(len(parts)))))
    if not any(_encoder(part) for part in parts):
        return encoder.decode(spec, encoding)
    children = _children(specs, encoding)
    return encoder.decode(spec, nest.pack_sequence_as(specs, [_decoded(parts[i], children[i]) for i in places]))


def _children(shallow, deep) -> list:
    """The parts of `deep` at the leaves of `shallow`."""
    if not nest.is_nested(shallow):
        return [deep]
    if isinstance(shallow, dict):
        return [part for key in sorted(shallow) for part in _children(shallow[key], deep[key])]
    return [part for one, other in zip(shallow, deep, strict=True) for part in _children(one, other)]


def map_values(map_fn, fn, elems, signature, **options):
    """`map_fn(fn, elems)` for values that have batch encoders among its rows, or results of the types in `signature`."""
    flat = nest.flatten(elems)
    row_specs = [spec._unbatch() if _encoder(spec := _spec_of(value)) else None for value in flat]
    of_results = elems if signature is None else signature
    result_specs = [spec if isinstance(spec, TypeSpec) else _spec_of(spec) for spec in nest.flatten(of_results)]
    if signature is None:
        result_specs = row_specs

    def on_encodings(rows):
        values = [row if spec is None else _decoded(spec, row) for spec, row in zip(row_specs, rows, strict=True)]
        result = fn(nest.pack_sequence_as(elems, values))
        nest.assert_same_structure(of_results, result)
        return [_encoded(value, 0) for value in nest.flatten(result)]

    wanted = [_encoding_specs(spec) if _encoder(spec) else given
              for spec, given in zip(result_specs, nest.flatten(of_results), strict=True)]  # fmt: skip
    if signature is None:
        wanted = [given if _encoder(spec) else given.dtype for spec, given in zip(result_specs, wanted, strict=True)]
    encoded = [_encoded(value, 1) for value in flat]
    found = map_fn(on_encodings, encoded, fn_output_signature=wanted, **options)
    size = next((x.shape[0] for x in nest.flatten(encoded) if isinstance(x, _core.Tensor)), None)
    results = [_decoded(spec._batch(size), part) if _encoder(spec) else part
               for spec, part in zip(result_specs, found, strict=True)]  # fmt: skip
    return nest.pack_sequence_as(of_results, results)
