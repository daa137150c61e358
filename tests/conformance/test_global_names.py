"""Names declared global that a statement of the graph sets and that nothing in the function reads again: they stay as they were."""

import pytest

pytestmark = pytest.mark.rule(145)

number = None
text = None


@pytest.fixture(autouse=True)
def start():
    """What the names are before a function is traced."""
    globals().update(number=5.0, text="a")
    globals().pop("unset", None)
    globals().pop("item", None)


def branch(x):
    global number
    if x > 0:
        number = x * 2.0
    return x


def both_branches(x):
    global number, unset
    if x > 0:
        number = x
        unset = x
    else:
        number = 1.0
        unset = x
    return x


def nested_branches(x):
    global number
    if x > 0:
        if x > 1:
            number = x
    elif x < -1:
        number = 2.0
    return x


def other_types(x):
    global number, text
    if x > 0:
        number = [x, None]
        text = x
    return x


def never_set(x):
    global unset
    if x > 0:
        unset = x
    return x


def deleted(x):
    global text
    if x > 2:
        del text
    return x


def while_loop(x):
    global number, unset
    while x < 3.0:
        number = x
        unset = [x]
        x = x + 1.0
    return x


def loop_with_break(tf, x):
    global number
    for i in tf.range(3.0):
        if i > x:
            number = i
            break
    return x


def in_an_inner_function(x):
    def inner(y):
        global number, unset
        if y > 0:
            number = y
            unset = y
        return y

    return inner(x)


@pytest.mark.parametrize(
    "function",
    [
        branch,
        both_branches,
        nested_branches,
        other_types,
        never_set,
        deleted,
        while_loop,
        loop_with_break,
        in_an_inner_function,
    ],
)
def test_names_that_are_not_read_again(tf, function):
    f = tf.function((lambda x: loop_with_break(tf, x)) if function is loop_with_break else function)
    f(tf.constant(1.0))
    f(tf.constant(-1.0))
    assert number == 5.0 and text == "a" and "unset" not in globals()


def test_the_target_of_a_loop(tf):
    def f(x):
        global item
        for item in tf.range(3.0):
            x = x + item
        return x

    assert float(tf.function(f)(tf.constant(1.0))) == 4.0
    assert "item" not in globals()


def test_a_name_that_a_loop_carries(tf):
    def f(x):
        global number
        while x < 3.0:
            number = number + x
            x = x + 1.0
        return x

    assert float(tf.function(f)(tf.constant(1.0))) == 3.0


def test_a_name_that_is_read_again(tf):
    def f(x):
        global number
        if x > 0:
            number = x
        return x + number

    f = tf.function(f)
    assert float(f(tf.constant(1.0))) == 2.0
    globals()["number"] = 5.0
    assert float(f(tf.constant(-1.0))) == 4.0


def test_loops_of_python(tf):
    def f(x):
        global number
        for _ in range(3):
            number = number + 1.0
        return x

    tf.function(f)(tf.constant(1.0))
    assert number == 8.0
