"""Input pipelines: what an element costs, from its source to the program that reads it."""

from __future__ import annotations

from rows import Code, Goal, Row, same

TF = ("tracefn", "tf.function")
TORCH = "torch"
COUNT = 1 << 16
IMAGES = 60_000
RECORDS = 20_000


def times_faster(factor: float) -> Goal:
    return Goal(
        f"{factor:g} times TensorFlow's speed", lambda figures: figures["tracefn"] * factor < figures["tf.function"]
    )


# The pass that a training loop makes: eager, an element at a time.
LAST = """
def run():
    for x in dataset:
        pass
    return x
"""
NUMBERS = f"numbers = tf.data.Dataset.range({COUNT})\n"

IMAGE_ROWS = f"images = np.arange({IMAGES} * 784, dtype=np.uint32).astype(np.uint8).reshape({IMAGES}, 784)\n"

# The same pass over torch's loader, in this process.
TORCH_LAST = """
def run():
    for x in loader:
        pass
    return x
"""


def with_torch(code: Code, loader: str) -> dict[str, Code]:
    """A pipeline, and statements that make torch's `loader` of the same batches."""
    imports = "import torch.utils.data as data\n"
    return {**same(code, *TF), TORCH: Code(imports + loader + TORCH_LAST)}

ROWS = [
    Row(
        "range, map x * 2, batch 32",
        with_torch(
            Code(NUMBERS + "dataset = numbers.map(lambda x: x * 2).batch(32)\n" + LAST),
            "class Doubled(data.Dataset):\n"
            f"    def __len__(self): return {COUNT}\n"
            "    def __getitem__(self, i): return i * 2\n"
            "loader = data.DataLoader(Doubled(), batch_size=32)\n",
        ),
        scale=COUNT,
        goal=times_faster(20),
    ),
    Row(
        "range, filter, map, prefetch",
        same(
            Code(
                NUMBERS
                + "dataset = numbers.filter(lambda x: x % 3 == 0).map(lambda x: x * x).batch(64).prefetch(2)\n"
                + LAST
            ),
            *TF,
        ),
        scale=COUNT,
    ),
    Row(
        "slices of 60,000 x 784, shuffle, batch 32",
        same(
            Code(
                IMAGE_ROWS
                + f"dataset = tf.data.Dataset.from_tensor_slices(images)\n"
                f"dataset = dataset.shuffle({IMAGES}, seed=1, reshuffle_each_iteration=False).batch(32)\n" + LAST
            ),
            *TF,
        ),
        scale=IMAGES,
        goal=times_faster(5),
    ),
    Row(
        # Another order than torch's, so batches in order are compared.
        "slices of 60,000 x 784, batch 32",
        with_torch(
            Code(IMAGE_ROWS + "dataset = tf.data.Dataset.from_tensor_slices(images).batch(32)\n" + LAST),
            IMAGE_ROWS + "loader = data.DataLoader(data.TensorDataset(torch.from_numpy(images)), batch_size=32,\n"
            "                         collate_fn=lambda rows: torch.stack([row for row, in rows]))\n",
        ),
        scale=IMAGES,
    ),
    Row(
        "interleave of 8 ranges, batch 64",
        same(
            Code(
                "dataset = tf.data.Dataset.range(8).interleave(\n"
                f"    lambda x: tf.data.Dataset.range({COUNT} // 8), cycle_length=8, block_length=4).batch(64)\n" + LAST
            ),
            *TF,
        ),
        scale=COUNT,
    ),
    Row(
        "parallel map of a slow function",
        same(
            Code(
                "dataset = tf.data.Dataset.range(64).map(\n"
                "    lambda x: tf.reduce_sum(tf.sort(tf.random.stateless_uniform([20_000], [1, x]))), 2)\n" + LAST
            ),
            *TF,
        ),
        scale=64,
        tolerance=1e-3,
    ),
    Row(
        # Input and step take about the same time: hidden, the input costs nothing.
        "training steps with prefetched input",
        same(
            Code(
                """
w = tf.Variable(tf.zeros([256, 64]))
dataset = tf.data.Dataset.range(64).map(
    lambda x: tf.random.stateless_normal([256, 256], tf.stack([x, x]))).prefetch(2)

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(tf.sort(x), w) - 1.0) ** 2)
    w.assign_sub(1e-3 * tape.gradient(loss, w))
    return loss

def run():
    w.assign(tf.zeros([256, 64]))
    for x in dataset:
        loss = step(x)
    return loss
"""
            ),
            *TF,
        ),
        scale=64,
        tolerance=1e-3,
    ),
    Row(
        "staged loop over scalars",
        same(
            Code(
                NUMBERS
                + """
@tf.function
def run():
    total = tf.constant(0, tf.int64)
    for x in numbers:
        total += x
    return total
"""
            ),
            *TF,
        ),
        scale=COUNT,
        goal=times_faster(50),
    ),
    Row(
        "reduce of scalars",
        same(Code(NUMBERS + "def run():\n    return numbers.reduce(np.int64(0), lambda total, x: total + x)\n"), *TF),
        scale=COUNT,
    ),
    Row(
        "TFRecord files, interleaved, batch 64",
        same(
            Code(
                "import tempfile\n"
                "folder = tempfile.mkdtemp()\n"
                "files = [f'{folder}/{i}.tfrecord' for i in range(4)]\n"
                "for file in files:\n"
                "    with tf.io.TFRecordWriter(file) as writer:\n"
                f"        for i in range({RECORDS} // 4): writer.write(bytes(1000))\n"
                "dataset = tf.data.Dataset.from_tensor_slices(files).interleave(\n"
                "    tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=2).map(tf.strings.length).batch(64)\n"
                + LAST
            ),
            *TF,
        ),
        scale=RECORDS,
    ),
]
