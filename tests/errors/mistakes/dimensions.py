# === batch_size_in_a_shape: 12 lines
# says: `x.shape[0]` is None: x has shape (None, 4) while it is traced. Fix: write `return tf.reshape(x, [tf.shape(x)[0], 2, 2])` on line 4.
@tf.function(input_signature=[tf.TensorSpec([None, 4])])
def f(x):
    return tf.reshape(x, [x.shape[0], 2, 2])  # here

f(tf.ones([2, 4]))

# === shape_known_in_part: 12 lines
# says: Fix: write `return tf.zeros(tf.shape(x))` on line 4.
@tf.function(input_signature=[tf.TensorSpec([None, 4])])
def f(x):
    return tf.zeros(x.shape)  # here

f(tf.ones([2, 4]))

# === loop_over_the_batch: 12 lines
# says: Fix: write `for i in range(tf.shape(x)[0]):` on line 5.
@tf.function(input_signature=[tf.TensorSpec([None])])
def f(x):
    total = 0.0
    for i in range(x.shape[0]):  # here
        total += x[i]
    return total

f(tf.ones([2]))

# === batch_size_in_a_map: 12 lines
# says: Fix: add `rows = tf.shape(x)[0]` after line 3.
def f(x):
    rows, columns = x.shape
    return tf.reshape(x, [columns, rows])  # here

tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]]).batch(2).map(f)

# === batch_size_of_a_py_function: 12 lines
# says: Cannot take the length of shape with unknown rank.
def f(x):
    y = tf.py_function(lambda v: v + 1, [x], tf.int64)
    return len(y.shape) * y  # here

tf.data.Dataset.range(3).map(f)
