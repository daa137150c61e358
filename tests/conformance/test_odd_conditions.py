"""Conditions, branches and loops given something else than TensorFlow's functions take: the type and key words of the errors."""

import pytest

pytestmark = pytest.mark.rule(191)


def test_cond_without_a_function(tf):
    for traced in (False, True):
        run = tf.function if traced else lambda f: f
        with pytest.raises(TypeError, match=r"cond\(\): 'false_fn' argument required"):
            run(lambda p: tf.cond(p, lambda: 1))(tf.constant(True))
        with pytest.raises(TypeError, match=r"cond\(\): 'true_fn' argument required"):
            run(lambda p: tf.cond(p, false_fn=lambda: 1))(tf.constant(True))
        with pytest.raises(TypeError, match="'true_fn' must be callable"):
            run(lambda p: tf.cond(p, 1, lambda: 1))(tf.constant(True))


@pytest.mark.parametrize(
    ("predicate", "refused"),
    [
        (None, r"Attempt to convert a value \(None\)"),
        ([True, False], "truth value of an array with more than one element is ambiguous"),
        ({}, r"Attempt to convert a value \(\{\}\)"),
        (lambda: True, "Attempt to convert a value"),
    ],
)
def test_eager_predicates(tf, predicate, refused):
    with pytest.raises(ValueError, match=refused):
        tf.cond(predicate, lambda: 1, lambda: 2)
    assert tf.cond([True], lambda: 1, lambda: 2) == 1
    assert tf.cond(0.0, lambda: 1, lambda: 2) == 2


@pytest.mark.parametrize(("value", "name"), [(1, "int32"), (1.5, "float"), ("a", "string"), ([1], "int32")])
def test_predicates_of_a_graph_are_bools(tf, value, name):
    choose = tf.function(lambda p: tf.cond(p, lambda: 1, lambda: 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Input 'pred' passed {name} expected bool"):
        choose(tf.constant(value))
    expression = tf.function(lambda p: 1 if p else 2)
    if value != [1]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Input 'pred' passed {name} expected bool"):
            expression(tf.constant(value))


def test_branches_with_more_or_fewer_values(tf):
    choose = tf.function(lambda p, f, g: tf.cond(p, f, g), autograph=False)
    p = tf.constant(True)
    for first, second, counts in (
        (lambda: (1, 2), lambda: 1, r"\[2, 1\]"),
        (lambda: 1, lambda: (1, 2), r"\[1, 2\]"),
        (lambda: {"a": 1}, lambda: {"a": 1, "b": 2}, r"\[1, 2\]"),
        (lambda: (), lambda: 1, r"\[0, 1\]"),
    ):
        with pytest.raises(AssertionError, match=counts):
            choose(p, first, second)
    with pytest.raises(TypeError, match="same number, type, and overall structure"):
        choose(p, lambda: [1], lambda: (1,))
    select = tf.function(lambda i: tf.switch_case(i, [lambda: 1, lambda: (1, 2)]))
    with pytest.raises(AssertionError, match=r"\[1, 2\]"):
        select(tf.constant(0))


def test_cases(tf):
    with pytest.raises(TypeError, match="pred must be a Tensor, got: True"):
        tf.case([(True, lambda: 1)])
    with pytest.raises(TypeError, match="'branch_index' must be a Tensor, got <class 'int'>"):
        tf.switch_case(1, [])
    with pytest.raises(TypeError, match="'branch_fns' must be a list, tuple, or dict"):
        tf.switch_case(tf.constant(1), 5)
    with pytest.raises(TypeError, match="key must be a Python `int`, got <class 'str'>"):
        tf.switch_case(tf.constant(1), {"a": lambda: 1})


def test_loop_variables(tf):
    def count(start):
        return tf.while_loop(lambda i: i < 3, lambda i: [i + 1], start)

    for nothing in ([], (), None, {}, 0, tf.constant(0)):
        with pytest.raises(ValueError, match="'loop_vars' must be provided"):
            count(nothing)
    with pytest.raises(TypeError, match=r"Scalar tensor has no `len\(\)`"):
        count(tf.constant(1))
    with pytest.raises(TypeError, match="len is not well defined for a symbolic Tensor"):
        tf.function(count)(tf.constant(1))
    with pytest.raises(TypeError, match="object of type 'NoneType' has no len"):
        tf.function(lambda: count(None))()
    assert int(count([tf.constant(1)])[0]) == 3


def test_conditions_of_loops(tf):
    def loop(condition):
        return tf.function(lambda i: tf.while_loop(condition, lambda i: i + 1, [i]), autograph=False)(tf.constant(0))

    for condition, name in ((lambda i: i, "int32"), (lambda i: 3.5, "float"), (lambda i: "a", "string")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Input 'input' passed {name} expected bool"):
            loop(condition)
    for condition, count in ((lambda i: None, 0), (lambda i: (i < 3, i < 3), 2), (lambda i: [True, False], 2)):
        with pytest.raises(AssertionError, match=f"cond_graph has {count} outputs; Expected: 1"):
            loop(condition)
    assert int(loop(lambda i: [i < 3])[0]) == 3


def test_bodies_that_return_none(tf):
    one = tf.function(lambda i: tf.while_loop(lambda i: i < 3, lambda i: None, [i]))
    with pytest.raises(AssertionError, match="body_graph has 2 outputs; Expected: 3"):
        one(tf.constant(0))
    two = tf.function(lambda i: tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, None), [i, i]))
    with pytest.raises(AssertionError, match="body_graph has 3 outputs; Expected: 4"):
        two(tf.constant(0))


def test_loop_variables_made_eagerly(tf):
    start = [tf.constant(0), tf.ones([2, 2])]
    for step, error, refused in (
        (lambda m: tf.concat([m, m], 0), ValueError, r"enters the loop with shape \(2, 2\), but has shape \(4, 2\)"),
        (lambda m: tf.cast(m, tf.int32), TypeError, r"enters the loop with type .*float32.* but has type .*int32"),
    ):
        loop = tf.function(lambda step=step: tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, step(m)], start))
        with pytest.raises(error, match=refused):
            loop()


def test_several_bools_in_an_expression(tf):
    x = tf.constant([1, 2])
    for expression in (
        lambda x: x > 0 and x < 10,
        lambda x: x > 0 or x < 10,
        lambda x: 1 if x > 0 else 2,
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be a scalar, but it has shape \[2\]"):
            tf.function(expression)(x)
    one = tf.constant([1])
    assert tf.function(lambda x: x > 0 and x < 10)(one).shape == [1]


def test_several_bools_in_a_statement(tf):
    def both(x):
        if x > 0 and x < 10:
            x = x + 1
        return x

    def either(x):
        if x > 0 or x < -3:
            x = x + 1
        return x

    def neither(x):
        if not x > 0:
            x = x + 1
        return x

    def repeat(x):
        while x > 0 and x < 10:
            x = x + 1
        return x

    for function, statement in ((both, "if statement"), (either, "if statement"), (neither, "if statement"), (repeat, "while loop")):
        refused = rf"condition of {statement} expected to be `tf.bool` scalar, got Tensor\(.*, shape=\(2,\), dtype=bool\)"
        with pytest.raises(ValueError, match=refused):
            tf.function(function)(tf.constant([1, 2]))
        assert int(tf.function(function)(tf.constant(1))) in (1, 2, 10)


def test_texts_of_refused_branches(tf):
    pred = tf.constant(True)
    with pytest.raises(ValueError, match="Unordered dictionaries are not supported for the 'pred_fn_pairs' argument"):
        tf.case({"a": lambda: 1})
    with pytest.raises(ValueError, match="Must provide at least one item in 'branch_fns'"):
        tf.switch_case(tf.constant(0), None)
    for wrong, shown in (([1, 2], "1"), ([(0,)], r"\(0,\)")):
        with pytest.raises(TypeError, match=rf"Each entry in 'branch_fns' must be a 2-tuple\. Received {shown}\.$"):
            tf.switch_case(tf.constant(0), wrong)
    with pytest.raises(TypeError, match=r"Each entry in 'pred_fn_pairs' must be a 2-tuple\. Received True\.$"):
        tf.case([pred])

    @tf.function
    def uncalled(x):
        return tf.case([(x, 1)])

    with pytest.raises(TypeError, match="fn for pred x:0 must be callable"):
        uncalled(pred)

    @tf.function
    def mixed(x):
        return tf.cond(x, lambda: 1, lambda: 2.0)

    with pytest.raises(
        TypeError,
        match=r'Tensor\("cond/Identity:0", shape=\(\), dtype=int32\) and Tensor\("cond/Identity:0", shape=\(\), dtype=float32\) '
        "have different types",
    ):
        mixed(pred)


@pytest.mark.parametrize("order", [1, -1])
def test_branches_that_return_nothing(tf, order):
    lengths = [1, 0][::order]

    @tf.function
    def either(x):
        return tf.cond(x, *[lambda: 1, lambda: None][::order])

    @tf.function
    def chosen(x):
        return tf.switch_case(x, [lambda: 1, lambda: None][::order])

    for function, value, op in ((either, True, "cond"), (chosen, 1, "case")):
        with pytest.raises(ValueError, match=f"Lengths of branch outputs of {op} must match") as error:
            function(tf.constant(value))
        assert all(f"len(graphs[{at}].outputs): {length}" in str(error.value) for at, length in enumerate(lengths))
