"""Batch rules of random draws: each row draws its own numbers, all by one op."""

from __future__ import annotations

from tracefn._vectorized import sizes
from tracefn._vectorized.rules import Node, rule


@rule("RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt", always=True, effect=True)
def _draw(node: Node) -> list:
    shape = sizes.prepended(node.rows.count, node.same(0))
    return node.emit(shape, *[node.same(i) for i in range(1, len(node.inputs))])


@rule("Multinomial", always=True, effect=True)
def _draw_classes(node: Node) -> list:
    logits = node.stack(0)
    (found,) = node.emit(sizes.merged(logits), node.same(1))
    return [sizes.parted(found, logits)]
