"""`tf.strings`: strings from and to the code points of their characters, as rows of ragged tensors."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import name_scope, op
from tracefn.ops.array_shape import expand_dims
from tracefn.ops.ragged import RaggedTensor
from tracefn.ops.ragged.arrays import expand_dims as expand_ragged
from tracefn.ops.ragged.tensor import convert_values, is_ragged


@export("strings.unicode_encode")
def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    """Makes a string of each row of code points.

    Args:
      input: int32 tensor or RaggedTensor of known rank, at least 1; its last dimension holds the code points.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what is done with a number that is no code point: "replace" it, "ignore" it, or raise an error ("strict").
      replacement_char: int, the code point that replaces it.
      name: name of the ops.

    Returns:
      string tensor or RaggedTensor without the last dimension.

    Raises:
      ValueError: the rank is not known, or 0.
      InvalidArgumentError: there is a number that is no code point, and `errors` is "strict".

    Example:
      >>> import tracefn as tf
      >>> tf.strings.unicode_encode([[72, 105], [8364, 49]], "UTF-8").numpy().tolist()
      [b'Hi', b'\\xe2\\x82\\xac1']
    """
    with name_scope(name or "UnicodeEncode"):
        input = convert_values(input, "input")
        rank = input.shape.rank
        if rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        options = {"output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char}
        return _encoded(input, rank, options)


def _encoded(input, rank: int, options):
    if is_ragged(input):
        inner = input.flat_values.shape.rank
        if inner > 1:
            return input.with_flat_values(_encoded(input.flat_values, inner, options))
        if input.ragged_rank > 1:
            return input.with_values(_encoded(input.values, rank - 1, options))
        return op("UnicodeEncode")(input_values=input.values, input_splits=input.row_splits, **options)
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if rank == 1:
        splits = op("Pack")(values=[0, op("Shape")(input=input)[0]])
        row = RaggedTensor.from_row_splits(input, splits, validate=False)
        return op("Reshape")(tensor=_encoded(row, 2, options), shape=[])
    if rank == 2:
        return _encoded(RaggedTensor.from_tensor(input), 2, options)  # type: ignore[attr-defined]
    sizes = op("Shape")(input=input)
    flat = op("Reshape")(tensor=input, shape=op("Pack")(values=[-1, sizes[-1]]))
    made = op("Reshape")(tensor=_encoded(flat, 2, options), shape=sizes[:-1])
    made.set_shape(input.shape[:-1])
    return made


def _decoded(input, input_encoding, errors, replacement_char, replace_control_characters=False, offsets=False) -> list:
    """[code points], and the offsets of their bytes if they are asked for."""
    input = convert_values(input, "input")
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        if not is_ragged(input):
            input = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)  # type: ignore[attr-defined]
        elif input.ragged_rank < rank - 1:
            inner = rank - input.ragged_rank - 1
            flat = RaggedTensor.from_tensor(input.flat_values, ragged_rank=inner)  # type: ignore[attr-defined]
            input = input.with_flat_values(flat)
    strings = op("Reshape")(tensor=input.flat_values if is_ragged(input) else input, shape=[-1])
    splits, *parts = op("UnicodeDecodeWithOffsets" if offsets else "UnicodeDecode")(
        input=strings, input_encoding=input_encoding, errors=errors, replacement_char=replacement_char,
        replace_control_characters=replace_control_characters)
    if rank > 0:
        parts = [RaggedTensor.from_row_splits(part, splits, validate=False) for part in parts]
    if rank > 1:
        parts = [input.with_flat_values(part) for part in parts]
    return parts


@export("strings.unicode_decode")
def unicode_decode(input, input_encoding, errors="replace", replacement_char=0xFFFD, replace_control_characters=False,
                   name=None):
    """Decodes strings into the code points of their characters.

    Args:
      input: string tensor or RaggedTensor of known rank.
      input_encoding: str, "UTF-8" or the name of another encoding.
      errors: what is done with invalid bytes: "replace" them, "ignore" them, or raise an error ("strict").
      replacement_char: int, the code point that replaces them.
      replace_control_characters: whether control characters (below 32) are replaced, too.
      name: name of the ops.

    Returns:
      int32 RaggedTensor with one dimension more; a vector for a scalar.

    Raises:
      ValueError: the rank is not known.
      InvalidArgumentError: there are invalid bytes, and `errors` is "strict"; or the encoding is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.unicode_decode(["Hi", "€"], "UTF-8")
      <tf.RaggedTensor [[72, 105], [8364]]>
    """
    with name_scope(name or "UnicodeDecode"):
        return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters)[0]


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(input, input_encoding, errors="replace", replacement_char=0xFFFD,
                                replace_control_characters=False, name=None):
    """Decodes strings into code points, with the place of each in the bytes.

    Args:
      input, input_encoding, errors, replacement_char, replace_control_characters, name: see `tf.strings.unicode_decode`.

    Returns:
      (code points, offsets): int32 and int64 RaggedTensors with one dimension more; vectors for a scalar.

    Raises:
      ValueError, InvalidArgumentError: as by `tf.strings.unicode_decode`.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.unicode_decode_with_offsets(["€5"], "UTF-8")[1]
      <tf.RaggedTensor [[0, 3]]>
    """
    with name_scope(name or "UnicodeDecodeWithOffsets"):
        points, offsets = _decoded(input, input_encoding, errors, replacement_char, replace_control_characters, True)
        return points, offsets


def _characters(points, encoding, errors, replacement_char):
    """A string of each code point."""
    single = expand_ragged(points, -1) if is_ragged(points) else expand_dims(points, -1)
    return unicode_encode(single, encoding, errors, replacement_char)


@export("strings.unicode_split")
def unicode_split(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None):
    """Splits strings into their characters.

    Args:
      input, errors, replacement_char, name: see `tf.strings.unicode_decode`.
      input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    Returns:
      string RaggedTensor with one dimension more; a vector for a scalar.

    Raises:
      ValueError, InvalidArgumentError: as by `tf.strings.unicode_decode`.

    Example:
      >>> import tracefn as tf
      >>> tf.strings.unicode_split("G€", "UTF-8").numpy().tolist()
      [b'G', b'\\xe2\\x82\\xac']
    """
    with name_scope(name or "UnicodeSplit"):
        (points,) = _decoded(input, input_encoding, errors, replacement_char)
        return _characters(points, input_encoding, errors, replacement_char)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None):
    """Splits strings into their characters, with the place of each in the bytes.

    Args:
      input, input_encoding, errors, replacement_char, name: see `tf.strings.unicode_split`.

    Returns:
      (characters, offsets): string and int64 RaggedTensors with one dimension more; vectors for a scalar.

    Raises:
      ValueError, InvalidArgumentError: as by `tf.strings.unicode_decode`.

    Example:
      >>> import tracefn as tf
      >>> characters, offsets = tf.strings.unicode_split_with_offsets(["a€b"], "UTF-8")
      >>> offsets
      <tf.RaggedTensor [[0, 1, 4]]>
    """
    with name_scope(name or "UnicodeSplitWithOffsets"):
        points, offsets = _decoded(input, input_encoding, errors, replacement_char, offsets=True)
        return _characters(points, input_encoding, errors, replacement_char), offsets
