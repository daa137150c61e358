"""Matrix products that are shared out in pieces, by rows and by columns, equal NumPy's."""

import numpy as np
import pytest
import tracefn as tf


@pytest.mark.parametrize("sizes", [(64, 784, 256), (700, 65, 33), (33, 65, 700), (1, 3000, 900), (900, 3000, 1)], ids=str)
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)], ids=str)
def test_large_products(sizes, transposed):
    m, k, n = sizes
    random = np.random.default_rng(0)
    a, b = random.normal(size=(m, k)), random.normal(size=(k, n))
    given = [x.T if t else x for x, t in zip((a, b), transposed, strict=True)]
    result = tf.matmul(*map(tf.constant, given), transpose_a=transposed[0], transpose_b=transposed[1])
    np.testing.assert_allclose(result.numpy(), a @ b, rtol=1e-9, atol=1e-9)
