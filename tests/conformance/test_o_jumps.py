"""Section O of the tracing rules: break, continue and return in loops."""

import pytest

pytestmark = pytest.mark.needs("autograph")


def same(tf, fn, *values):
    """The Function gives for tensors what the Python function gives for numbers."""
    f = tf.function(fn)
    assert [f(tf.constant(v)).numpy() for v in values] == [fn(v) for v in values]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(176)
def test_break(tf):
    def f(n):
        total = 0
        for i in tf.range(n) if tf.is_tensor(n) else range(n):
            if i == 5:
                break
            total += i
        return total

    same(tf, f, 3, 5, 6, 100)


@pytest.mark.rule(176)
def test_continue(tf):
    def f(n):
        total, i = 0, 0
        while i < n:
            i += 1
            if i % 3 == 0:
                continue
            total += i
        return total

    same(tf, f, 0, 3, 10)


@pytest.mark.rule(176)
def test_break_and_continue_nested(tf):
    def f(n):
        total, i = 0, 0
        while i < n:
            i += 1
            j = 0
            while j < i:
                j += 1
                if j == 2:
                    continue
                if j > 4:
                    break
                total += i * j
            if i > 7:
                break
        return total

    same(tf, f, 1, 4, 20)


@pytest.mark.rule(177)
def test_jumps_in_an_unrolled_loop(tf):
    def breaks(x):
        for i in range(3):
            if x > i:
                break
            x = x + 1
        return x

    def continues(x):
        for i in range(3):
            if x > i:
                continue
            x = x + 1
        return x

    def returns(x):
        for i in range(3):
            if x > i:
                return x
        return -x

    with pytest.raises(NotImplementedError) as error:
        tf.function(breaks)(tf.constant(0))
    assert (
        "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend"
        " to make it a TF loop?" in str(error.value)
    )
    same(tf, continues, 0, 1, 5)
    with pytest.raises(ValueError, match="the else branch must also have a return statement."):
        tf.function(returns)(tf.constant(0))


@pytest.mark.rule(178)
def test_return_on_all_ways_of_the_body(tf):
    def f(n):
        i = 0
        while i < n:
            i += 1
            if i > 3:
                return i * 10
            else:
                return i
        return -1

    concrete = tf.function(f)
    assert [int(concrete(tf.constant(n))) for n in (1, 5)] == [1, 1]


@pytest.mark.rule(179, "Y4")
@pytest.mark.superset("Y4")
def test_a_conditional_return_ends_the_loop(tf):
    def first_square_above(n):
        i, limit = 0, n * 0 + 100
        while i < limit:
            if i * i > n:
                return i
            i += 1
        return -1

    same(tf, first_square_above, 0, 10, 50, 20000)


@pytest.mark.rule(179, "Y4")
@pytest.mark.superset("Y4")
def test_a_conditional_return_needs_one_after_the_loop(tf):
    def f(n):
        for i in tf.range(n):
            if i > 3:
                return i

    with pytest.raises(ValueError, match="must also have a return statement"):
        tf.function(f)(tf.constant(3))


@pytest.mark.rule(180)
def test_jumps_of_python(tf):
    def f(x, mode):
        for i in range(10):
            if i == 1:
                continue
            if i == mode:
                break
            x = x + i
            if i == 7:
                return x * 100
        return x

    g = tf.function(f)
    assert [int(g(tf.constant(1), mode)) for mode in (0, 3, 100)] == [f(1, 0), f(1, 3), f(1, 100)]


@pytest.mark.rule(149)
def test_a_return_in_a_with_or_try_that_others_go_past(tf):
    def past_with(x):
        with tf.name_scope("scope"):
            if x > 0:
                return x
        return -x

    def past_try(x):
        try:
            if x > 0:
                return x
        finally:
            pass
        return -x

    for f in (past_with, past_try):
        with pytest.raises(ValueError, match="the else branch must also have a return statement"):
            tf.function(f)(tf.constant(1))


@pytest.mark.rule(148, 176)
def test_jumps_in_a_with_or_try_that_all_ways_take(tf):
    def f(x):
        for i in tf.range(5) if tf.is_tensor(x) else range(5):
            try:
                if i > x:
                    break
                if i == 1:
                    continue
                x = x + 10
            finally:
                x = x - 1
        if x > 20:
            with tf.name_scope("scope"):
                return x
        try:
            if x > 0:
                return x * 2
            return x * 3
        except KeyError:
            return x

    same(tf, f, -4, 0, 3, 30)


@pytest.mark.rule(149)
def test_a_return_without_value_in_one_branch(tf):
    def f(x):
        if x > 0:
            return
        x = x + 1

    with pytest.raises(ValueError, match="the else branch must also have a return statement"):
        tf.function(f)(tf.constant(1))
