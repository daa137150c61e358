# === in_the_function: 10 lines
# says: ValueError: the user's text
@tf.function
def f(x):
    raise ValueError("the user's text")  # here

f(tf.constant(1))

# === in_a_helper: 12 lines
# says: KeyError: 'rate'
options = {}

def rate():
    return options["rate"]  # here

@tf.function
def f(x):
    return x * rate()

f(tf.constant(1.0))

# === in_a_method: 12 lines
# says: AttributeError: 'Model' object has no attribute 'wieght'
class Model:
    weight = 1.0

    @tf.function
    def __call__(self, x):
        return x * self.wieght  # here

Model()(tf.constant(1.0))

# === in_a_comprehension: 12 lines
# says: ZeroDivisionError: division by zero
@tf.function
def f(x):
    return [x / k + 1 / k for k in (1, 0)]  # here

f(tf.constant(1.0))

# === in_a_lambda: 12 lines
# says: TypeError
g = tf.function(lambda x: x + len(3))  # here
g(tf.constant(1))

# === in_a_mapped_function: 12 lines
# says: the user's text
def parse(x):
    raise ValueError("the user's text")  # here

@tf.function
def f(xs):
    return tf.map_fn(parse, xs)

f(tf.constant([1, 2]))

# === in_an_eagerly_mapped_function: 9 lines
# says: the user's text
def parse(x):
    raise ValueError("the user's text")  # here

tf.map_fn(parse, tf.constant([1, 2]))

# === in_a_branch_of_cond: 12 lines
# says: the user's text
def fail():
    raise ValueError("the user's text")  # here

@tf.function
def f(x):
    return tf.cond(x > 0, fail, lambda: x)

f(tf.constant(1))

# === in_a_converted_branch: 12 lines
# says: name 'scale' is not defined
@tf.function
def f(x):
    if x > 0:
        x = scale * x  # here
    return x

f(tf.constant(1))

# === in_nest_map_structure: 9 lines
# says: the user's text
def fail(x):
    raise ValueError("the user's text")  # here

tf.nest.map_structure(fail, [1, 2])

# === in_a_nested_function: 12 lines
# says: the user's text
@tf.function
def inner(x):
    raise ValueError("the user's text")  # here

@tf.function
def outer(x):
    return inner(x)

outer(tf.constant(1))

# === of_a_kind_of_the_users: 10 lines
# says: ConfigError: no rate
class ConfigError(Exception):
    def __init__(self, key, code):
        super().__init__(f"no {key}")
        self.code = code

@tf.function
def f(x):
    raise ConfigError("rate", 3)  # here

f(tf.constant(1))

# === unbound_local: 10 lines
# says: 'y' is used before assignment
@tf.function
def f(x):
    z = y + x  # here
    y = x
    return z

f(tf.constant(1))

# === stop_of_an_iterator: 10 lines
# says: StopIteration
@tf.function
def f(x):
    return x + next(iter([]))  # here

f(tf.constant(1))

# === in_a_structure_that_differs: 11 lines
# says: structure
tf.nest.assert_same_structure([1, 2], [1, [2]])  # here

# === in_a_thread: 12 lines
# says: the user's text
import threading

@tf.function
def f(x):
    raise ValueError("the user's text")  # here

thread = threading.Thread(target=f, args=[tf.constant(1)])
thread.start()
thread.join()

# === in_while_without_frames: 12 lines
# says: the user's text
import contextlib

@contextlib.contextmanager
def scope():
    yield

@tf.function
def f(x):
    with scope(), tf.name_scope("inner"):
        raise ValueError("the user's text")  # here

f(tf.constant(1))
