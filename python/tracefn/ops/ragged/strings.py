"""Functions of `tf.strings` of ragged tensors, besides the elementwise ones."""

from __future__ import annotations

from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.elementwise import map_flat_values
from tracefn.ops.ragged.reduction import reduce_aggregate
from tracefn.ops.ragged.tensor import is_ragged, number_of_rows
from tracefn.ops.strings import join as join_tensors
from tracefn.ops.strings import reduce_join as join_tensor
from tracefn.tensor_spec import TensorSpec


def join(inputs, separator="", name=None):
    """Tensors with equal row partitions, joined elementwise."""
    with name_scope(name or "RaggedStringJoin"):
        return map_flat_values(join_tensors, inputs, separator)


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """The strings joined along axes."""
    segments = public_function("strings.unsorted_segment_join")
    return reduce_aggregate(join_tensor, segments, inputs, axis, keepdims, name or "RaggedSegmentJoin",
                            separator=separator)


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """A template with the texts of tensors, and of ragged ones as nested lists."""
    inputs = [inputs] if is_ragged(inputs) else list(inputs)
    pieces = template.split(placeholder)
    if len(pieces) - 1 != len(inputs):
        raise ValueError(f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs {len(inputs)}")
    with name_scope(name or "StringFormat"):
        parts = [convert(pieces[0], dtype="string")]
        for value, piece in zip(inputs, pieces[1:], strict=True):
            if is_ragged(value):
                parts.append(text_of(value, summarize))
            else:
                parts.append(op("StringFormat")(inputs=[value], template="{}", placeholder="{}", summarize=summarize))
            parts.append(convert(piece, dtype="string"))
        return join_tensor(parts)


def text_of(rt, summarize=None):
    """A ragged tensor as the text of nested lists.

    Args:
      rt: RaggedTensor of known rank.
      summarize: how many items of each list are shown at each end; -1 or None for all.

    Returns:
      string scalar.

    Raises:
      ValueError: `summarize` is another value, or the rank is not known.
    """
    if summarize not in (None, -1) and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(f"Expected summarize to be -1 or a positive int, got {summarize!r}")
    with name_scope("AsString"):
        if rt.shape.rank is None:
            raise ValueError("RaggedTensor to_string requires that rt.shape.rank is not None.")
        if rt.dtype.name == "string":
            escaped = op("StaticRegexReplace")(input=rt.flat_values, pattern=r"(['\\])", rewrite=r"\\\1")
            texts = rt.with_flat_values(join_tensors(["'", escaped, "'"]))
        else:
            texts = rt.with_flat_values(public_function("strings.as_string")(rt.flat_values))
        return _joined(texts, summarize)


def _joined(texts, summarize):
    from tracefn.ops.functional import map_fn  # start-up time: few programs need it

    pieces = texts
    if texts.shape.rank != 1:
        pieces = map_fn(lambda row: _joined(row, summarize), texts, fn_output_signature=TensorSpec(None, "string"))
    if summarize not in (None, -1):
        ends = op("ConcatV2")(values=[pieces[:summarize], convert(["..."], dtype="string"), pieces[-summarize:]], axis=0)
        few = op("LessEqual")(x=number_of_rows(texts), y=2 * summarize)
        pieces = public_function("cond")(few, lambda: pieces, lambda: ends)
    return join_tensors(["[", join_tensor(pieces, separator=", "), "]"])
