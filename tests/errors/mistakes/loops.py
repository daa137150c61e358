# === loop_that_grows: 12 lines
# says: Fix:
# says: 's' has shape (1,) before the loop, but shape (2,) after one iteration
@tf.function
def f(n):
    s = tf.zeros([1])
    for i in tf.range(n):  # here
        s = tf.concat([s, [1.0]], 0)
    return s

f(tf.constant(3))

# === loop_that_changes_dtype: 12 lines
# says: Fix:
# says: 'total' has dtype int32 before the loop, but dtype float32 after one iteration
@tf.function
def f(xs):
    total = 0
    for x in xs:  # here
        total = tf.cast(x, tf.float32)
    return total

f(tf.constant([1.0, 2.0]))

# === none_before_a_loop: 12 lines
# says: Fix:
# says: 'found'
@tf.function
def f(xs):
    found = None
    for x in xs:
        if x > 1:  # here
            found = x
    return found

f(tf.constant([1, 2]))

# === leaked_from_a_loop: 12 lines
# says: leave it by variables
# says: out of scope|TensorArray
# says: seen
seen = []

@tf.function
def f(n):
    for i in tf.range(n):
        seen.append(i)
    return tf.constant(0)

f(tf.constant(3))
print(seen[0] + 1)  # here

# === while_without_autograph: 9 lines
# says: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed
@tf.function(autograph=False)
def f(x):
    while x > 0:  # here
        x = x - 1
    return x

f(tf.constant(3))

# === list_of_an_unknown_length: 11 lines
# says: write a `for` statement
# says: unknown|not allowed
@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
def f(x):
    return [v for v in x]  # here

f(tf.constant([1, 2]))

# === len_of_an_unknown_length: 10 lines
# says: x.shape
@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)], autograph=False)
def f(x):
    return len(x)  # here

f(tf.constant([1, 2]))

# === range_of_a_tensor: 10 lines
# says: tf.range|integer
@tf.function(autograph=False)
def f(n):
    return sum(i for i in range(n))  # here

f(tf.constant(3))

# === while_loop_structure: 12 lines
# says: structure
@tf.function
def f(n):
    return tf.while_loop(lambda i: i < n, lambda i: (i + 1, i), [0])  # here

f(tf.constant(3))

# === while_loop_body_fails: 12 lines
# says: Dimensions must be equal
@tf.function
def f(x):
    def body(i, total):
        return i + 1, total + tf.zeros([3])  # here
    return tf.while_loop(lambda i, total: i < 3, body, [0, x])

f(tf.zeros([2]))

# === yield_in_a_trace: 10 lines
# says: return a list of the tensors
# says: generator
@tf.function
def f(x):
    yield x

f(tf.constant(1))  # here

# === tensor_array_of_another_dtype: 12 lines
# says: Fix:
# says: float32
# says: int32
@tf.function
def f(n):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        ta = ta.write(i, i)  # here
    return ta.stack()

f(tf.constant(3))

# === tensor_array_past_its_end: 8 lines
# says: size is: 2
# says: dynamic_size=True
ta = tf.TensorArray(tf.float32, size=2)
ta = ta.write(3, 1.0)  # here
