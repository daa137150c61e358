# === matmul_of_wrong_shapes: 11 lines
# says: Dimensions must be equal, but are 3 and 4
# says: [2,3], [4,5]
@tf.function
def project(x, w):
    return tf.matmul(x, w)  # here

project(tf.zeros([2, 3]), tf.zeros([4, 5]))

# === eager_matmul_of_wrong_shapes: 6 lines
# says: Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]
w = tf.zeros([4, 5])
print(tf.matmul(tf.zeros([2, 3]), w))  # here

# === add_of_wrong_shapes: 11 lines
# says: Dimensions must be equal, but are 2 and 3
@tf.function
def add(x, bias):
    return x + bias  # here

add(tf.zeros([4, 2]), tf.zeros([3]))

# === eager_add_of_wrong_shapes: 6 lines
# says: Incompatible shapes: [2] vs. [3]
a = tf.constant([1.0, 2.0])
b = tf.constant([1.0, 2.0, 3.0])
c = a + b  # here

# === reshape_to_another_size: 10 lines
# says: 6 elements
# says: 4
@tf.function
def flatten(x):
    return tf.reshape(x, [4])  # here

flatten(tf.zeros([2, 3]))

# === eager_reshape_to_another_size: 6 lines
# says: 6 values, but the requested shape has 8
image = tf.zeros([2, 3])
image = tf.reshape(image, [4, 2])  # here

# === bad_axis: 10 lines
# says: axis|dimension
# says: 5
@tf.function
def total(x):
    return tf.reduce_sum(x, axis=5)  # here

total(tf.zeros([2, 3]))

# === eager_bad_axis: 6 lines
# says: 5
tf.concat([tf.zeros([2]), tf.zeros([2])], axis=5)  # here

# === bad_slice: 10 lines
# says: slice index 7 of dimension 0 out of bounds
@tf.function
def pick(x):
    return x[7]  # here

pick(tf.zeros([3]))

# === too_many_indices: 6 lines
# says: Index out of range using input dim 1; input has only 1 dims
x = tf.zeros([3])
print(x[0, 1])  # here

# === stack_of_different_shapes: 11 lines
# says: shape|Shape
@tf.function
def stack(a, b):
    return tf.stack([a, b])  # here

stack(tf.zeros([2]), tf.zeros([3]))

# === ragged_list: 6 lines
# says: non-rectangular|ragged
rows = [[1, 2], [3]]
t = tf.constant(rows)  # here

# === ragged_list_in_trace: 10 lines
# says: non-rectangular|ragged
@tf.function
def f(x):
    return x + tf.constant([[1, 2], [3]])  # here

f(tf.constant(1))

# === string_in_numbers: 6 lines
# says: string|str
t = tf.constant([1, "two", 3])  # here

# === squeeze_of_a_larger_dimension: 10 lines
# says: 3
@tf.function
def squeeze(x):
    return tf.squeeze(x, axis=0)  # here

squeeze(tf.zeros([3, 1]))

# === unknown_rank_needed: 6 lines
# says: rank
spec = tf.TensorSpec(None, tf.float32)
len(spec.shape)  # here
