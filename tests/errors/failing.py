"""Programs that fail while they are traced with tf.constant(1); the line that the message must name ends in `# here`."""

import tracefn as tf


def missing_else(x):
    if x > 0:  # here
        y = x
    return y


def missing_main(x):
    if x > 0:  # here
        pass
    else:
        y = x
    return y


def branch_dtypes(x):
    if x > 0:  # here
        y = 1
    else:
        y = 1.0
    return y


def branch_structures(x):
    if x > 0:  # here
        y = (x, x)
    else:
        y = [x]
    return y


def branch_none(x):
    if x > 0:  # here
        y = x
    else:
        y = None
    return y


def branch_object(x):
    if x > 0:  # here
        y = object()
    else:
        y = object()
    return y


def missing_return(x):
    if x > 0:  # here
        return x


def condition_int(x):
    if x:  # here
        return 1
    return 2


def while_condition_int(x):
    while x:  # here
        x = x - 1
    return x


def loop_dtype(x):
    s = 0
    while x > 0:  # here
        x = x - 1
        s = 1.0
    return s


def loop_shape(x):
    s = tf.zeros([1])
    while x > 0:  # here
        x = x - 1
        s = tf.concat([s, s], 0)
    return s


def loop_structure(x):
    s = (x, x)
    for _ in tf.range(x):  # here
        s = (x,)
    return s


def loop_none(x):
    s = x
    for _ in tf.range(x):  # here
        s = None
    return s


def loop_undefined(x):
    for i in tf.range(x):
        if i > 1:  # here
            y = i
    return y


def condition_changes(x):
    go = True
    while go:  # here
        x = x + 1
        go = x < 5
    return x


def python_loop_break(x):
    for i in range(3):  # here
        if x > i:
            break
    return x


def python_loop_return(x):
    for i in range(3):
        if x > i:  # here
            return x
    return -x


def expression_dtypes(x):
    return 1 if x > 0 else 1.0  # here


def scalar_iteration(x):
    for _ in x:  # here
        pass
    return x


def scalar_len(x):
    return len(x)  # here


def item_assignment(x):
    x[0] = 1  # here
    return x


def staged_list_returned_to_python(x):
    items = []
    for i in tf.range(x):
        items.append(i)
    return sum(v for v in items)  # here


def unbound(x):
    if x is None:
        y = 1
    return x + y  # here


def unknown_name(x):
    if x > 0:
        return nope  # here
    return x


def wrong_invariant(x):
    s = tf.zeros([1])
    for _ in tf.range(x):  # here
        tf.autograph.experimental.set_loop_options(shape_invariants=[(s, tf.TensorShape([2]))])
        s = tf.zeros([2])
    return s


class Thing:
    value = 1


def three_loop_variables(x):
    total = 0
    rows = tf.ones([1, 2])
    pair = (1, 2)
    for _ in tf.range(x):  # here
        total = 1.5
        rows = tf.concat([rows, rows], 0)
        pair = [1, 2]
    return total, rows, pair


def two_branch_variables(x):
    if x > 0:  # here
        a = 1
        b = x
    else:
        a = 2.0
    return a, b


def attribute_in_loop(x):
    thing = Thing()
    while x > 0:  # here
        x -= 1
        thing.value = 0.5
    return thing.value


def loop_unknown_shape(x):
    s = tf.zeros([2])
    for _ in tf.range(x):  # here
        s = tf.reshape(s, [1, 2])
    return s


def none_before_loop(x):
    last = None
    for i in tf.range(x):
        last = tf.concat(last, i)  # here
    return last


def returned_dtypes(x):
    if x > 0:  # here
        return 1
    return 2.0


def returned_structures(x):
    if x > 0:  # here
        return x, x
    return x


def shape_of_operands(x):
    row = tf.ones([2])
    return row + tf.ones([3]) * tf.cast(x, tf.float32)  # here


def dtype_of_operands(x):
    return x + tf.constant(1.5)  # here


def called(x):
    return tf.matmul(x, x)  # here


def calls(x):
    return called(tf.reshape(x, [1]))


def raised(x):
    raise KeyError("no such thing")  # here


def raised_in_branch(x):
    if x > 0:
        raise ValueError("never positive")  # here
    return x


def numpy_value(x):
    return x.numpy()  # here


def truth_in_library(x):
    return sorted([x, x + 1])  # here


def symbolic_constant(x):
    return tf.constant([x, 1])  # here


def array_without_name(x):
    array = tf.TensorArray(tf.int32, 3)
    array = array.write(0, tf.cast(x, tf.float32))  # here
    return array.stack()


def range_without_number(x):
    for i in range("a"):  # here
        x += i
    return x


def key_of_dict(x):
    options = {"a": x}
    return options["b"]  # here
