"""Objects whose checkpoints TensorFlow has written (tests/oracle/record_checkpoints.py), with their values."""

from __future__ import annotations

import pathlib

FOLDER = pathlib.Path(__file__).with_name("checkpoints")
DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "complex64", "complex128", "bool"]  # fmt: skip


def objects(tf, by: int):
    """A checkpoint with Variables of all dtypes, containers, a random generator and a table.

    Args:
      tf: the module.
      by: int; values depend on it, but for those of the table, which is empty if it is 0.
    """
    root = tf.Module("root")
    for dtype in DTYPES:
        setattr(root, dtype, tf.Variable(tf.cast([[by, 0, 2 * by]], dtype)))
    root.words = tf.Variable([b"x" * by, b"", b"\0\xff"])
    root.scalar, root.empty = tf.Variable(float(by)), tf.Variable(tf.zeros([0, 3]))
    root.parts = [tf.Variable(by), {"a.b/c": tf.Variable(by * 2)}, (tf.Variable(by * 3), tf.Module("last"))]
    root.generator = tf.random.Generator.from_seed(by)
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.0)
    if by:
        root.table.insert(["key"], [float(by)])
    return tf.train.Checkpoint(root=root, step=tf.Variable(by, dtype=tf.int64))


def slots(tf, steps: int):
    """A checkpoint with an optimizer of TensorFlow 1 that has made steps."""
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    for _ in range(steps):
        optimizer.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])
    return tf.train.Checkpoint(w=w, optimizer=optimizer)


def named(tf, by: int):
    """Variables for tf.compat.v1.train.Saver."""
    return [tf.Variable([float(by), 2.0], name="layer/w"), tf.Variable(by, name="n")]


def write_parts(tf, prefix: str) -> None:
    """A checkpoint of two files with the slices of one tensor."""
    for i, slices in enumerate((["5 2 0,3:-"], ["5 2 3,2:-"])):
        rows = tf.reshape(tf.range(10), [5, 2])[3 * i : 3 + 2 * i]
        tf.raw_ops.SaveV2(prefix=f"{prefix}_{i}", tensor_names=["x"], shape_and_slices=slices, tensors=[rows])
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[f"{prefix}_0", f"{prefix}_1"], destination_prefix=prefix, delete_old_dirs=False
    )


OLDER = {
    "words": [b"one", b"", b"\0\xff"],
    "numbers": [[float(i % 7) for i in range(64)] for _ in range(16)],
    "scope/whole": [-3, 2**40],
    "flag": True,
    "half": [1.0, -2.0],
    "nothing": [[], []],
}


def write_older(tf, prefix: str) -> None:
    """A checkpoint in the format before V2, with OLDER and a Variable in two pieces; TensorFlow alone writes it."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        for name, value in OLDER.items():
            dtype = {"half": tf.float16, "scope/whole": tf.int64}.get(name)
            v1.get_variable(name, initializer=tf.constant(value, dtype))
        with v1.variable_scope("pieces", partitioner=v1.fixed_size_partitioner(2)):
            v1.get_variable("x", [3, 2], initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        v1.train.Saver(write_version=v1.train.SaverDef.V1).save(session, prefix, write_meta_graph=False, write_state=False)


def keras_model(tf, steps: int):
    """A checkpoint with a Keras model and its optimizer, as TensorFlow's guide to checkpoints has them.

    Args:
      tf: the module.
      steps: int, of training; without any, the optimizer has no Variables for the model's yet.
    """
    keras = tf.keras
    keras.utils.set_random_seed(1)

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.first = keras.layers.Dense(3, activation="relu")
            self.norm, self.last = keras.layers.BatchNormalization(), keras.layers.Dense(1)

        def call(self, x):
            return self.last(self.norm(self.first(x)))

    model, optimizer = Net(), keras.optimizers.Adam(0.1)
    x = tf.reshape(tf.range(8.0), [4, 2])
    model(x)
    optimizer.build(model.trainable_variables)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - 1.0))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return tf.train.Checkpoint(step=tf.Variable(steps), model=model, optimizer=optimizer)
