# === shape_against_the_signature: 8 lines
# says: TensorSpec(shape=(2,), dtype=tf.float32, name=None)
# says: (3,)
@tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
def f(x):
    return x

f(tf.zeros([3]))  # here

# === dtype_against_the_signature: 8 lines
# says: int32
# says: float32
@tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
def f(x):
    return x

f(tf.constant([1, 2]))  # here

# === signature_of_the_wrong_length: 8 lines
# says: input_signature|signature
@tf.function(input_signature=[tf.TensorSpec([2])])  # here
def f(x, y):
    return x + y

f(tf.zeros([2]), tf.zeros([2]))

# === missing_argument: 7 lines
# says: missing a required argument: 'y'
@tf.function
def f(x, y):
    return x + y

f(tf.constant(1))  # here

# === too_many_arguments: 7 lines
# says: too many positional arguments
@tf.function
def f(x):
    return x

f(1, 2)  # here

# === unknown_keyword: 7 lines
# says: got an unexpected keyword argument 'traning'
@tf.function
def f(x, training=False):
    return x

f(tf.constant(1), traning=True)  # here

# === unknown_keyword_of_an_op: 6 lines
# says: dim
tf.reduce_sum(tf.zeros([2]), dim=0)  # here

# === missing_argument_of_an_op: 6 lines
# says: shape
tf.reshape(tf.zeros([2]))  # here

# === unhashable_argument: 9 lines
# says: hash
class Settings:
    __hash__ = None

@tf.function
def f(x, settings):
    return x

f(tf.constant(1), Settings())  # here

# === result_that_is_no_tensor: 10 lines
# says: return|Tensor
@tf.function
def f(x):
    return object()

f(tf.constant(1))  # here

# === concrete_function_of_another_dtype: 9 lines
# says: expected to be a float tensor but is a int32 tensor
@tf.function
def f(x):
    return x * 2

g = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
g(tf.constant([1, 2]))  # here

# === leaked_tensor: 9 lines
# says: Return it from the function
# says: scope
leaked = []

@tf.function
def f(x):
    leaked.append(x + 1)
    return x

f(tf.constant(1))
tf.add(leaked[0], 1)  # here

# === tensor_leaked_into_another_function: 12 lines
# says: scope
@tf.function
def f(x):
    f.kept = x + 1
    return x

@tf.function
def g(x):
    return x + f.kept  # here

f(tf.constant(1))
g(tf.constant(1))

# === numpy_in_a_graph: 11 lines
# says: tf.py_function
# says: numpy
@tf.function
def f(x):
    return x.numpy() + 1  # here

f(tf.constant(1))

# === float_of_a_symbolic_tensor: 10 lines
# says: Fix:
# says: float
@tf.function(autograph=False)
def f(x):
    return float(x) + 1  # here

f(tf.constant(1.0))

# === numpy_function_on_a_symbolic_tensor: 12 lines
# says: Fix:
# says: Tensor|NumPy
import numpy as np

@tf.function
def f(x):
    return np.sum(x)  # here

f(tf.constant([1.0]))

# === hash_of_a_tensor: 6 lines
# says: unhashable|ref()
table = {tf.constant(1): "one"}  # here

# === item_assignment: 11 lines
# says: Fix:
# says: does not support item assignment
@tf.function
def f(x):
    x[0] = 1.0  # here
    return x

f(tf.zeros([2]))

# === missing_attribute_of_a_tensor: 10 lines
# says: reshpe
@tf.function
def f(x):
    return x.reshpe(2)  # here

f(tf.zeros([2]))

# === missing_name_of_the_package: 6 lines
# says: reduce_summ
tf.reduce_summ(tf.zeros([2]))  # here

# === closure_changed_to_another_shape: 12 lines
# says: Dimensions must be equal, but are 2 and 3
config = {"bias": tf.zeros([2])}

@tf.function
def f(x):
    return x + config["bias"]  # here

f(tf.zeros([2]))
config["bias"] = tf.zeros([3])
f(tf.zeros([1, 2]))

# === recursion_without_base: 12 lines
# says: recursion
@tf.function
def countdown(n):
    return countdown(n - 1)  # here

countdown(tf.constant(3))

# === recursion_of_a_helper: 12 lines
# says: Use a loop
# says: recursion
def countdown(n):
    if n > 0:
        return countdown(n - 1) + 1  # here
    return n

@tf.function
def f(n):
    return countdown(n)

f(tf.constant(3))

# === async_function: 8 lines
# says: async def
@tf.function
async def f(x):
    return x

f(tf.constant(1))  # here
