# === tape_used_twice: 8 lines
# says: tf.GradientTape(persistent=True)
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)  # here

# === none_gradient_applied: 8 lines
# says: None
w = tf.Variable(1.0)
b = tf.Variable(0.0)
with tf.GradientTape() as tape:
    loss = w * w
for v, g in zip([w, b], tape.gradient(loss, [w, b])):
    v.assign_sub(0.1 * g)  # here

# === jacobian_of_an_unknown_shape: 12 lines
# says: shape|rank
@tf.function(input_signature=[tf.TensorSpec(None)])
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)  # here

f(tf.zeros([2]))

# === batch_jacobian_of_a_vector: 8 lines
# says: batch|dimension|shape
x = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    y = x[:2]
tape.batch_jacobian(y, x)  # here

# === gradient_of_a_number: 8 lines
# says: float(), int() and .numpy() give Python values
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = float(x * x)
tape.gradient(y, x)  # here

# === custom_gradient_of_too_few: 8 lines
# says: gradient
@tf.custom_gradient
def multiply(a, b):
    def grad(dy):
        return dy * b
    return a * b, grad

a, b = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([a, b])
    y = multiply(a, b)
tape.gradient(y, [a, b])  # here

# === custom_gradient_fails: 12 lines
# says: the user's text
@tf.custom_gradient
def square(x):
    def grad(dy):
        raise ValueError("the user's text")  # here
    return x * x, grad

x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
tape.gradient(y, x)

# === gradient_in_a_trace_fails: 12 lines
# says: the user's text
@tf.custom_gradient
def square(x):
    def grad(dy):
        raise ValueError("the user's text")  # here
    return x * x, grad

@tf.function
def step(x):
    return tf.gradients(square(x), x)

step(tf.constant(2.0))

# === watch_of_a_list_of_numbers: 6 lines
# says: float
with tf.GradientTape() as tape:
    tape.watch(1.0)  # here

# === tf_gradients_outside: 6 lines
# says: GradientTape
x = tf.constant(1.0)
tf.gradients(x * x, x)  # here

# === gradient_of_a_tape_without_records: 8 lines
# says: recorded nothing
x = tf.Variable(1.0)
tape = tf.GradientTape()
tape.gradient(x, x)  # here
