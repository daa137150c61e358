"""Failing programs: the exception's type, its words, at most 12 lines, and the user's line among them."""

import pytest

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


CASES = [
    (missing_else, ValueError, "'y' must also be initialized in the else branch"),
    (missing_main, ValueError, "'y' must also be initialized in the main branch"),
    (branch_dtypes, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
    (branch_structures, TypeError, "'y' must have the same nested structure in the main and else branches:"),
    (branch_none, ValueError, "'y' is None at the end of the else branch."),
    (branch_object, TypeError, "'y' must be a tensor"),
    (missing_return, ValueError, "the else branch must also have a return statement."),
    (condition_int, ValueError, "condition of if statement expected to be `tf.bool` scalar"),
    (while_condition_int, ValueError, "condition of while loop expected to be `tf.bool` scalar"),
    (loop_dtype, TypeError, "'s' has dtype int32 before the loop, but dtype float32 after one iteration"),
    (loop_shape, ValueError, "'s' has shape (1,) before the loop, but shape (2,) after one iteration."),
    (loop_structure, TypeError, "'s' does not have the same nested structure after one iteration."),
    (loop_none, ValueError, "'s' is None at the end of the iteration."),
    (loop_undefined, ValueError, "'y' must be defined before the loop"),
    (condition_changes, NotImplementedError, "The condition of while loop started as non-Tensor"),
    (python_loop_break, NotImplementedError, "break and return statements which depend on a TF condition"),
    (python_loop_return, ValueError, "the else branch must also have a return statement."),
    (expression_dtypes, TypeError, "'x > 0' has dtype int32 in the main branch, but dtype float32"),
    (scalar_iteration, ValueError, "len requires a non-scalar tensor"),
    (scalar_len, ValueError, "len requires a non-scalar tensor"),
    (item_assignment, TypeError, "'SymbolicTensor' object does not support item assignment"),
    (staged_list_returned_to_python, TypeError, "use tf.stack"),
    (unbound, UnboundLocalError, "'y' is used before assignment"),
    (unknown_name, NameError, "name 'nope' is not defined"),
    (wrong_invariant, ValueError, "which does not conform with the shape invariant (2,)."),
]


@pytest.mark.parametrize("program, kind, words", CASES, ids=[c[0].__name__ for c in CASES])
def test_the_users_line_is_named(program, kind, words):
    import inspect

    with pytest.raises(kind) as error:
        tf.function(program)(tf.constant(1))
    text = str(error.value)
    lines, first = inspect.getsourcelines(program)
    marked = first + next(i for i, line in enumerate(lines) if "# here" in line)
    assert text.startswith("in user code:\n") and words in text
    assert f'File "{__file__}", line {marked}, in {program.__name__}  *' in text
    assert len(text.rstrip().splitlines()) <= 12
