# === variable_in_the_second_call: 11 lines
# says: move line
# says: tf.function only supports singleton tf.Variables
@tf.function
def f(x):
    v = tf.Variable(1.0)  # here
    return v + x

f(tf.constant(1.0))

# === shape_of_assign: 6 lines
# says: (2,)
# says: (3,)
v = tf.Variable([1.0, 2.0])
v.assign([1.0, 2.0, 3.0])  # here

# === shape_of_assign_in_a_trace: 10 lines
# says: shape
v = tf.Variable([1.0, 2.0])

@tf.function
def f(x):
    v.assign(x)  # here

f(tf.zeros([3]))

# === dtype_of_assign: 6 lines
# says: float32
v = tf.Variable([1, 2])
v.assign(tf.constant([1.5, 2.5]))  # here

# === assign_to_a_sum: 6 lines
# says: assign
v = tf.Variable(1.0)
w = v + 1
w.assign(2.0)  # here

# === variable_without_a_value: 6 lines
# says: initial_value
v = tf.Variable()  # here

# === deleted_variable: 12 lines
# says: deleted|garbage|gone
@tf.function
def f(x):
    return x + v

v = tf.Variable(1.0)
f(tf.constant(1.0))
del v
f(tf.constant([1.0]))  # here

# === unhashable_variable: 6 lines
# says: ref()
v = tf.Variable(1.0)
gradients = {v: 0.0}  # here
