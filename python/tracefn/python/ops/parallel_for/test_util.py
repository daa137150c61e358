"""`tensorflow.python.ops.parallel_for.test_util`: the base class of tests of `pfor`."""

from __future__ import annotations

from tracefn import nest
from tracefn.python.ops.parallel_for.control_flow_ops import for_loop, pfor
from tracefn.test import TestCase

__all__ = ["PForTestCase"]


class PForTestCase(TestCase):
    """Tests that a function gives the same for all numbers at once and one after the other."""

    def run_and_assert_equal(self, targets1, targets2, rtol=1e-4, atol=1e-5) -> None:
        """Checks that two nests of tensors have the same values, up to the tolerances."""
        first, second = (nest.flatten(self.evaluate(targets), expand_composites=True) for targets in (targets1, targets2))
        self.assertEqual(len(first), len(second))
        for one, other in zip(first, second, strict=True):
            self.assertAllClose(one, other, rtol=rtol, atol=atol)

    def _test_loop_fn(
        self, loop_fn, iters, parallel_iterations=None, fallback_to_while_loop=False, rtol=1e-4, atol=1e-5
    ) -> None:
        at_once = pfor(loop_fn, iters=iters, fallback_to_while_loop=fallback_to_while_loop, parallel_iterations=parallel_iterations)
        dtypes = nest.map_structure(lambda tensor: tensor.dtype, at_once)
        in_turn = for_loop(loop_fn, dtypes, iters=iters, parallel_iterations=parallel_iterations)
        self.run_and_assert_equal(at_once, in_turn, rtol=rtol, atol=atol)
