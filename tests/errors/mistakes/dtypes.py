# === int_times_float: 11 lines
# says: Fix:
# says: float32
# says: int32
@tf.function
def scale(x, k):
    return x * k  # here

scale(tf.constant([1.0]), tf.constant(2))

# === eager_int_times_float: 6 lines
# says: Fix:
# says: cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a int32 tensor
x = tf.constant([1.0])
y = x * tf.constant(2)  # here

# === none_operand: 11 lines
# says: gave None
# says: None
def weight_of(name):
    return None

@tf.function
def f(x):
    return x * weight_of("kernel")  # here

f(tf.constant([1.0]))

# === eager_none_operand: 6 lines
# says: None
tf.add(tf.constant([1.0]), None)  # here

# === string_plus_number: 6 lines
# says: string
s = tf.constant("a")
print(s + 1)  # here

# === float_for_an_int_tensor: 11 lines
# says: Fix:
# says: 0.5
# says: int32
@tf.function
def halve(n):
    return n * 0.5  # here

halve(tf.constant(3))

# === int_overflow: 6 lines
# says: large|big|convert
big = tf.constant(2**70)  # here

# === cast_of_a_string: 6 lines
# says: tf.strings.to_number
tf.cast(tf.constant("1.5"), tf.float32)  # here

# === mean_of_bool: 11 lines
# says: Fix:
# says: bool
@tf.function
def accuracy(labels, predictions):
    return tf.reduce_mean(tf.equal(labels, predictions))  # here

accuracy(tf.constant([1, 2]), tf.constant([1, 3]))

# === sqrt_of_int: 6 lines
# says: Fix:
# says: int32
tf.sqrt(tf.constant(4))  # here

# === wrong_dtype_name: 6 lines
# says: float31
tf.zeros([2], dtype="float31")  # here
