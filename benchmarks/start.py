"""What a process costs: the import above numpy's, and import, trace and first result together."""

from __future__ import annotations

from rows import Code, Goal, Row, under

NUMPY = "import numpy"
IMPORTS = {
    "tracefn": "import tracefn",
    "tf.function": "import tensorflow",
    "jax.jit": "import jax.numpy",
    "torch": "import torch",
    "mlx.compile": "import mlx.core",
    "numexpr": "import numexpr",
    "numba": "import numba",
}
# Each library reads the result by its own means.
TF = "import {} as tf; f = tf.function(lambda x: tf.sin(x) * 2.0 + 1.0); assert f(tf.constant([0.0, 1.0]))[0] == 1"
RESULTS = {
    "tracefn": TF.format("tracefn"),
    "tf.function": TF.format("tensorflow"),
    "jax.jit": "import jax, jax.numpy as jnp; assert jax.jit(lambda x: jnp.sin(x) * 2.0 + 1.0)(jnp.array([0.0, 1.0]))[0] == 1",
    "torch": "import torch; assert (torch.sin(torch.tensor([0.0, 1.0])) * 2.0 + 1.0)[0] == 1",
    "mlx.compile": "import mlx.core as mx; assert mx.compile(lambda x: mx.sin(x) * 2.0 + 1.0)(mx.array([0.0, 1.0]))[0].item() == 1",
    "numba": "import numpy as np, numba; assert numba.njit(lambda x: np.sin(x) * 2.0 + 1.0)(np.array([0.0, 1.0]))[0] == 1",
    "numexpr": 'import numpy as np, numexpr; x = np.array([0.0, 1.0]); assert numexpr.evaluate("sin(x) * 2.0 + 1.0")[0] == 1',
    "numpy": "import numpy as np; assert (np.sin(np.array([0.0, 1.0])) * 2.0 + 1.0)[0] == 1",
}

ROWS = [
    # What a row of this kind has as its setup goes before, untimed.
    Row(
        "import, above numpy",
        {name: Code(NUMPY, program) for name, program in IMPORTS.items()},
        kind="process",
        goal=under(30e-3, "30 ms"),
    ),
    Row(
        "import, trace, first result: the process",
        {name: Code("", program) for name, program in RESULTS.items()},
        kind="process",
        goal=Goal("a twentieth of TensorFlow", lambda t: t["tracefn"] < t.get("tf.function", float("inf")) / 20),
    ),
]
