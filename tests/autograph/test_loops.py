"""for and while over tensors: what they run over, options, variables first set in the body, lists."""

import pytest

import tracefn as tf


def test_nested_unpacking_targets():
    @tf.function
    def f(x, y):
        total = 0
        for i, (a, b) in enumerate(zip(x, y)):
            total += i * a + b
        return total

    assert int(f(tf.constant([1, 2, 3]), tf.constant([10, 20, 30]))) == 0 + 2 + 6 + 60


def test_while_with_an_assignment_expression():
    @tf.function
    def f(n):
        total = 0
        while (half := n // 2) > 0:
            total += half
            n = half
        return total

    def plain(n):
        total = 0
        while (half := n // 2) > 0:
            total += half
            n = half
        return total

    assert [int(f(tf.constant(n))) for n in (0, 1, 9, 100)] == [plain(n) for n in (0, 1, 9, 100)]


def test_attributes_as_loop_variables():
    class Counter:
        def __init__(self):
            self.count = tf.constant(0)

        def run(self, n):
            for i in tf.range(n):
                if i % 2 == 0:
                    self.count += i
            return self.count

    counter = Counter()
    assert int(tf.function(counter.run)(tf.constant(7))) == 12


def test_a_list_under_a_condition():
    @tf.function
    def f(x):
        kept = [tf.constant(-1)]
        for v in x:
            if v > 1:
                kept.append(v * 10)
        return tf.stack(kept), len(kept)

    stacked, size = f(tf.constant([1, 2, 3]))
    assert stacked.numpy().tolist() == [-1, 20, 30] and int(size) == 3


def test_lists_from_outside_stay_pythons():
    seen = []

    @tf.function
    def f(x):
        for v in x:
            seen.append("traced")
        return x

    f(tf.constant([1, 2, 3]))
    assert seen == ["traced"]


def test_a_variable_read_before_it_is_set():
    def f(n):
        for i in tf.range(n):
            y = y + i  # noqa: F821
        return y

    with pytest.raises(ValueError, match="'y' must be defined before the loop"):
        tf.function(f)(tf.constant(3))


def test_while_with_a_numpy_condition_stays_python():
    import numpy as np

    @tf.function
    def f(x):
        k = np.int64(0)
        while k < np.int64(3):
            x = x + 1
            k += 1
        return x

    assert int(f(tf.constant(0))) == 3


def test_loops_in_branches_in_loops():
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                for j in tf.range(i):
                    if j > 2:
                        break
                    total += j
            else:
                k = i
                while k > 0:
                    k -= 2
                    total += 1
        return total

    def plain(n):
        total = 0
        for i in range(n):
            if i % 2 == 0:
                total += sum(j for j in range(i) if j <= 2)
            else:
                total += (i + 1) // 2
        return total

    assert [int(f(tf.constant(n))) for n in (0, 3, 8)] == [plain(n) for n in (0, 3, 8)]


def test_continue_costs_no_variable_where_branches_do():
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            if i == 5:
                continue
            else:
                total += i
        return total

    assert int(f(tf.constant(10))) == 1 + 3 + 7 + 9
    assert "ag__continue" not in tf.autograph.to_code(f.python_function)


def test_a_return_that_no_trace_of_the_loop_reaches():
    @tf.function
    def f(limit, n):
        for i in tf.range(n):
            if limit > 3:  # a Python number
                return i

    @tf.function
    def g(limit, n):
        while n > 0:
            n -= 1
            for _ in tf.range(2):
                if limit > 3:
                    return n

    for function in (f, g):
        assert function(1, tf.constant(3)) is None
    assert int(f(5, tf.constant(3))) == 0
