"""Section K of the tracing rules: the order of effects, and what is pruned."""

import pytest


@pytest.mark.rule(120)
def test_effects_run_in_program_order(tf):
    log = []
    v = tf.Variable(0)

    def host(name):
        return lambda x: log.append((name, int(x)))

    @tf.function
    def f(x):
        tf.py_function(host("before"), [v], [])
        v.assign(x)
        tf.py_function(host("between"), [v], [])
        v.assign_add(1)
        tf.py_function(host("after"), [v], [])

    f(tf.constant(5)), f(tf.constant(7))
    assert log == [("before", 0), ("between", 5), ("after", 6), ("before", 6), ("between", 7), ("after", 8)]


@pytest.mark.rule(120)
def test_prints_run_in_program_order(tf, capfd):
    @tf.function
    def f(x):
        for i in range(5):
            tf.print("line", i, x)

    f(tf.constant(7))
    assert capfd.readouterr().err == "".join(f"line {i} 7\n" for i in range(5))


@pytest.mark.rule(120)
def test_two_variables_swap(tf):
    a, b = tf.Variable(1), tf.Variable(2)

    @tf.function
    def swap():
        old = a.read_value()
        a.assign(b)
        b.assign(old)

    swap()
    assert (a.numpy(), b.numpy()) == (2, 1)
    swap()
    assert (a.numpy(), b.numpy()) == (1, 2)


@pytest.mark.rule(121)
def test_unused_effects_run(tf):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        v.assign_add(x)
        return tf.constant(0)

    f(tf.constant(2)), f(tf.constant(3))
    assert v.numpy() == 5


@pytest.mark.rule(121)
def test_effects_in_nested_functions_run(tf):
    v = tf.Variable(0)
    inner = tf.function(lambda: v.assign_add(1))

    @tf.function
    def outer(x):
        inner()
        middle = v * 10
        inner()
        return middle

    assert outer(tf.constant(0)).numpy() == 10 and v.numpy() == 2


@pytest.mark.rule(37, 121)
def test_one_variable_as_two_arguments_of_a_nested_function(tf):
    @tf.function
    def twice(a, b):
        a.assign_add(1.0)
        x = b + 0.0
        b.assign(x * 2.0)
        return a + b

    v = tf.Variable(1.0)
    outer = tf.function(lambda v: twice(v, v))
    assert outer(v).numpy() == 8
    assert v.numpy() == 4
    assert tf.function(lambda: twice(v, v))().numpy() == 20


@pytest.mark.rule(121)
def test_effects_in_branches_run_only_when_taken(tf):
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(x):
        tf.cond(x > 0, lambda: v.assign_add(1), lambda: v.assign_sub(10))

    f(tf.constant(1)), f(tf.constant(1)), f(tf.constant(-1))
    assert v.numpy() == -8


@pytest.mark.rule(121)
def test_effects_in_loops_run_at_each_step(tf, capfd):
    v = tf.Variable(0)

    def body(i):
        v.assign_add(i)
        tf.print("step", i)
        return [i + 1]

    f = tf.function(lambda n: tf.while_loop(lambda i: i < n, body, [tf.constant(0)]), autograph=False)
    f(tf.constant(4))
    assert v.numpy() == 6 and capfd.readouterr().err == "step 0\nstep 1\nstep 2\nstep 3\n"


@pytest.mark.needs("autograph")
@pytest.mark.rule(121)
def test_effects_in_staged_statements_run(tf):
    v = tf.Variable(0)

    @tf.function
    def f(n):
        for i in tf.range(n):
            if i % 2 == 0:
                v.assign_add(i)
        return n

    f(tf.constant(7))
    assert v.numpy() == 12


@pytest.mark.rule(122)
def test_unneeded_stateless_ops_are_pruned_with_their_errors(tf):
    @tf.function
    def f(x):
        tf.gather(x, [5])
        tf.linalg.inv(tf.zeros([2, 2]))
        return x

    assert f(tf.constant([1, 2, 3])).numpy().tolist() == [1, 2, 3]


@pytest.mark.rule(122)
def test_needed_stateless_ops_raise(tf):
    f = tf.function(lambda x, i: tf.gather(x, i))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
        f(tf.constant([1, 2, 3]), tf.constant([5]))


@pytest.mark.rule(123)
@pytest.mark.superset("123")
def test_a_failed_assertion_stops_what_follows(tf):
    """TensorFlow may have run the assignment when the assertion fails; here the program order holds."""
    v = tf.Variable(0)

    @tf.function
    def f(x):
        tf.debugging.assert_less(x, 10, message="too big")
        v.assign(x)
        return x

    f(tf.constant(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="too big"):
        f(tf.constant(30))
    assert v.numpy() == 3


@pytest.mark.rule(123)
@pytest.mark.parametrize(
    "name, good, bad",
    [("assert_equal", (1, 1), (1, 2)), ("assert_none_equal", (1, 2), (1, 1)), ("assert_greater", (2, 1), (1, 1)),
     ("assert_less_equal", (1, 1), (2, 1)), ("assert_positive", (1,), (0,)), ("assert_non_negative", (0,), (-1,))],
)  # fmt: skip
def test_assertions(tf, name, good, bad):
    @tf.function
    def f(*values):
        getattr(tf.debugging, name)(*values, message="the message")
        return values[0]

    assert f(*map(tf.constant, good)).numpy() == good[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the message"):
        f(*map(tf.constant, bad))


@pytest.mark.rule(123)
def test_a_static_assertion_raises_while_tracing(tf):
    f = tf.function(lambda x: tf.debugging.assert_rank(x, 2))
    with pytest.raises(ValueError, match="must have rank 2"):
        f(tf.constant([1]))


@pytest.mark.rule(124)
def test_control_dependencies(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        update = v.assign_add(x)
        with tf.control_dependencies([update]):
            return tf.identity(x) + v.read_value()

    assert f(tf.constant(2.0)).numpy() == 5.0


@pytest.mark.rule(124)
def test_control_dependencies_on_an_assertion(tf):
    @tf.function
    def f(x):
        check = tf.debugging.assert_less(x, 10, message="too big")
        with tf.control_dependencies([check]):
            return tf.identity(x)

    assert f(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="too big"):
        f(tf.constant(10))


@pytest.mark.rule(124)
def test_no_control_dependencies(tf):
    @tf.function
    def f(x):
        with tf.control_dependencies(None), tf.control_dependencies([]):
            return x + 1

    assert f(tf.constant(1)).numpy() == 2


@pytest.mark.rule(120)
def test_what_an_assignment_gives_is_used_inside_bodies(tf):
    v = tf.Variable(1.0)

    def in_a_loop(n):
        u, total = v.assign_add(1.0), 0.0
        for _ in tf.range(n):
            total += u
        return total

    def in_a_branch(n):
        u = v.assign_add(1.0)
        return tf.cond(n > 0, lambda: u * 10.0, lambda: u + 0.0)

    def in_a_map(n):
        u = v.assign_add(1.0)
        return tf.reduce_sum(tf.map_fn(lambda a: a * u, tf.fill([n], 4.0)))

    def in_a_function(n):
        u = v.assign_add(1.0)
        return tf.function(lambda: u * 2.0)() + tf.cast(n, tf.float32)

    def in_a_branch_of_a_loop(n):
        i = 0
        while i < n:
            u = v.assign_add(1.0)
            if u > 3.0:
                v.assign(u * 2.0)
            i += 1
        return v.read_value()

    def ordered_after_it(n):
        assignment = v.assign_add(1.0).op

        def body():
            with tf.control_dependencies([assignment]):
                return tf.identity(v)

        return tf.cond(n > 0, body, lambda: tf.constant(0.0))

    results = []
    for f in (in_a_loop, in_a_branch, in_a_map, in_a_function, in_a_branch_of_a_loop, ordered_after_it):
        v.assign(1.0)
        results.append((tf.function(f)(tf.constant(3)).numpy(), v.numpy()))
    assert results == [(6, 2), (20, 2), (24, 2), (7, 2), (8, 8), (2, 2)]
