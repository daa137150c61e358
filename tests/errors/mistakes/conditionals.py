# === branches_of_different_dtypes: 12 lines
# says: Fix:
# says: 'rate' has dtype float32 in the main branch, but dtype int32 in the else branch
@tf.function
def f(c):
    if c:  # here
        rate = 0.15
    else:
        rate = 0
    return rate

f(tf.constant(True))

# === undefined_in_a_branch: 12 lines
# says: Fix:
# says: 'y'
# says: else branch
@tf.function
def f(x):
    if x > 0:  # here
        y = x
    return y

f(tf.constant(1))

# === return_in_one_branch: 12 lines
# says: Fix:
# says: return
@tf.function
def f(x):
    if x > 0:  # here
        return x * 2

f(tf.constant(1))

# === branches_of_different_structures: 12 lines
# says: structure
@tf.function
def f(x):
    if x > 0:  # here
        y = (x, x)
    else:
        y = x
    return y

f(tf.constant(1))

# === new_key_in_a_branch: 12 lines
# says: Fix:
# says: b
@tf.function
def f(x):
    out = {"a": x}
    if x > 0:  # here
        out["b"] = x
    return out

f(tf.constant(1))

# === if_without_autograph: 9 lines
# says: AutoGraph is off
# says: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed
@tf.function(autograph=False)
def f(x):
    if x > 0:  # here
        return x
    return -x

f(tf.constant(1))

# === condition_of_a_number: 10 lines
# says: Fix:
# says: tf.bool
@tf.function
def f(x):
    if x:  # here
        return 1
    return 2

f(tf.constant(1))

# === branches_of_cond_differ: 12 lines
# says: true_fn|true branch|branches|same
@tf.function
def f(x):
    return tf.cond(x > 0, lambda: x, lambda: (x, x))  # here

f(tf.constant(1))

# === bool_of_a_vector: 6 lines
# says: ambiguous
if tf.constant([True, False]):  # here
    print("yes")

# === in_operator: 10 lines
# says: Fix:
# says: tf.math|bool|in
@tf.function(autograph=False)
def f(x):
    return 3 in x  # here

f(tf.constant([1, 2, 3]))

# === function_chosen_in_a_branch: 11 lines
# says: call it where it is chosen
# says: 'g' must be a tensor
@tf.function
def f(x):
    if x > 0:  # here
        g = lambda a: a
    else:
        g = lambda a: -a
    return g(x)

f(tf.constant(2))
