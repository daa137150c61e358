# === gather_out_of_range: 10 lines
# says: indices[0] = 7 is not in [0, 2)
@tf.function
def f(x, i):
    return tf.gather(x, i)  # here

f(tf.constant([1, 2]), tf.constant([7]))

# === eager_gather_out_of_range: 6 lines
# says: indices[0] = 7 is not in [0, 2)
tf.gather(tf.constant([1, 2]), [7])  # here

# === index_out_of_range: 10 lines
# says: slice index 5 of dimension 0 out of bounds
@tf.function
def f(x, i):
    return x[i]  # here

f(tf.constant([1, 2]), tf.constant(5))

# === division_by_zero: 10 lines
# says: Integer division by zero
@tf.function
def f(x, y):
    return x // y  # here

f(tf.constant(1), tf.constant(0))

# === eager_division_by_zero: 6 lines
# says: Integer division by zero
print(tf.constant(1) // tf.constant(0))  # here

# === assert_statement: 12 lines
# says: not positive
@tf.function
def f(x):
    assert x > 0, "not positive"  # here
    return x

f(tf.constant(-1))

# === assert_equal: 12 lines
# says: not one
@tf.function
def f(x):
    tf.debugging.assert_equal(x, 1, message="not one")  # here
    return x

f(tf.constant(2))

# === eager_assert_equal: 12 lines
# says: not one
x = tf.constant([2, 1])
tf.debugging.assert_equal(x, 1, message="not one")  # here

# === reshape_at_run_time: 10 lines
# says: Input to reshape is a tensor with 3 values, but the requested shape has 8
@tf.function(input_signature=[tf.TensorSpec([None])])
def f(x):
    return tf.reshape(x, [4, 2])  # here

f(tf.zeros([3]))

# === add_at_run_time: 10 lines
# says: Incompatible shapes|required broadcastable shapes
@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
def f(x, y):
    return x + y  # here

f(tf.zeros([3]), tf.zeros([2]))

# === failing_py_function: 11 lines
# says: the user's text
def load(path):
    raise ValueError("the user's text")  # here

@tf.function
def f(path):
    return tf.py_function(load, [path], tf.string)

f(tf.constant("a.txt"))

# === eager_failing_py_function: 11 lines
# says: the user's text
def load(path):
    raise OSError("the user's text")  # here

tf.py_function(load, [tf.constant("a.txt")], tf.string)

# === failing_numpy_function: 11 lines
# says: a.txt
def load(path):
    return {}[path.decode()]  # here

@tf.function
def f(path):
    return tf.numpy_function(load, [path], tf.string)

f(tf.constant("a.txt"))

# === failure_in_a_loop_of_a_graph: 12 lines
# says: is not in [0, 3)
@tf.function
def f(x, n):
    total = 0.0
    for i in tf.range(n):
        total += tf.gather(x, i)  # here
    return total

f(tf.zeros([3]), tf.constant(5))

# === nan_checked: 12 lines
# says: Tensor had NaN
@tf.function
def f(x):
    return tf.debugging.check_numerics(tf.math.log(x), "the loss")  # here

f(tf.constant([-1.0]))

# === too_much_memory: 6 lines
# says: OOM|memory|large
tf.zeros([2**20, 2**20, 2**10])  # here

# === negative_dimension: 6 lines
# says: -3|negative
tf.zeros([-3])  # here

# === singular_matrix: 6 lines
# says: not invertible|singular
tf.linalg.inv(tf.zeros([2, 2]))  # here

# === number_that_cannot_be_parsed: 6 lines
# says: abc
tf.strings.to_number("abc")  # here

# === scatter_out_of_range: 8 lines
# says: [5]
tf.tensor_scatter_nd_update(tf.zeros([3]), [[5]], [1.0])  # here
