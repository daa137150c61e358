"""Section Y of the tracing rules: where more works than in TensorFlow. (Y4 is in test_o_jumps, Y5 in test_c_structures.)"""

import pytest

pytestmark = pytest.mark.needs("autograph")


@pytest.mark.rule("Y1", 129)
@pytest.mark.superset("Y1")
def test_for_else_and_while_else(tf, log_lines):
    def first_factor(n):
        i = 2
        while i * i <= n:
            if n % i == 0:
                break
            i += 1
        else:
            i = n
        return i

    def has(n, wanted):
        found = 0
        for i in tf.range(n):
            if i == wanted:
                found = 1
                break
        else:
            found = -1
        return found

    f, g = tf.function(first_factor), tf.function(has)
    assert [int(f(tf.constant(n))) for n in (15, 7, 49)] == [3, 7, 7]
    assert [int(g(tf.constant(5), tf.constant(w))) for w in (3, 9)] == [1, -1]
    assert log_lines == []


@pytest.mark.rule("Y1", 129)
@pytest.mark.superset("Y1")
def test_an_else_that_returns_or_continues(tf, log_lines):
    @tf.function
    def last_or_none(n):
        for i in tf.range(n):
            if i == 3:
                break
        else:
            return -1
        return i

    @tf.function
    def short_rows(n):
        count = 0
        for i in tf.range(n):
            for j in tf.range(i):
                if j == 2:
                    break
            else:
                count += 1
                continue
            count += 100
        return count

    assert [int(last_or_none(tf.constant(n))) for n in (2, 5)] == [-1, 3]
    assert int(short_rows(tf.constant(5))) == 203 and log_lines == []


@pytest.mark.rule("Y1", 162)
@pytest.mark.superset("Y1")
def test_set_loop_options_anywhere_in_the_body(tf, log_lines):
    @tf.function
    def f(x):
        steps = 0
        while x < 100:
            steps += 1
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            x *= 2
        return x, steps

    assert [int(t) for t in f(tf.constant(1))] == [8, 3] and log_lines == []


@pytest.mark.rule("Y1", 129)
@pytest.mark.superset("Y1")
def test_a_jump_out_of_finally_in_a_staged_loop(tf):
    @tf.function
    def f(x):
        for i in tf.range(5):
            try:
                x += i
            finally:
                if x > 3:
                    break
        return x

    assert int(f(tf.constant(0))) == 6


@pytest.mark.rule("Y1", 129)
@pytest.mark.superset("Y1")
def test_assignment_expressions_and_match(tf, log_lines):
    def walrus(x):
        if (y := x * 2) > 4:
            return y
        return -y

    def matched(x, mode):
        match mode:
            case "double" if True:
                if x > 0:
                    x = x * 2
            case {"add": n}:
                if x > 0:
                    x = x + n
            case _:
                x = -x
        return x

    f, g = tf.function(walrus), tf.function(matched)
    assert [int(f(tf.constant(n))) for n in (3, 1)] == [6, -2]
    assert [int(g(tf.constant(3), mode)) for mode in ("double", {"add": 5}, None)] == [6, 8, -3]
    assert log_lines == []


@pytest.mark.rule("Y1", 130)
@pytest.mark.superset("Y1")
def test_several_lambdas_on_a_line(tf, log_lines):
    up, down = lambda x: 1 if x > 0 else 2, lambda x: 3 if x > 0 else 4
    f, g = tf.function(up), tf.function(down)
    assert [int(h(tf.constant(n))) for h in (f, g) for n in (1, -1)] == [1, 2, 3, 4] and log_lines == []


@pytest.mark.rule("Y1", 21)
@pytest.mark.superset("Y1")
def test_a_tensor_condition_without_source(tf):
    scope = {}
    exec("def f(x):\n    return 1 if x > 0 else 2", scope)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="source"):
        tf.function(scope["f"])(tf.constant(1))


@pytest.mark.rule("Y2", 188)
@pytest.mark.superset("Y2")
def test_a_list_appended_to_in_a_staged_loop(tf):
    @tf.function
    def f(n):
        squares = []
        for i in tf.range(n):
            squares.append(i * i)
        return tf.stack(squares), len(squares), squares[1]

    stacked, count, second = f(tf.constant(4))
    assert stacked.numpy().tolist() == [0, 1, 4, 9] and int(count) == 4 and int(second) == 1


@pytest.mark.rule("Y2")
@pytest.mark.superset("Y2")
def test_such_a_list_is_not_returned(tf):
    @tf.function
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(i)
        return items

    with pytest.raises(ValueError, match="tf.stack") as caught:
        f(tf.constant(3))
    assert type(caught.value).__name__ == "InaccessibleTensorError"
    assert "is out of scope and cannot be used here. Use return values" in str(caught.value)


@pytest.mark.rule("Y3", 186, 187)
@pytest.mark.superset("Y3")
def test_enumerate_zip_and_reversed(tf):
    @tf.function
    def f(x, y):
        total = 0
        for i, v in enumerate(x, start=1):
            total += i * v
        for a, b, c in zip(x, y, [10, 20, 30]):
            total += a * b + c
        for i, v in enumerate(reversed(x)):
            total += i * v * 1000
        return total

    x, y = tf.constant([1, 2, 3]), tf.constant([4, 5])
    assert int(f(x, y)) == 14 + (4 + 10 + 10 + 20) + 1000 * (2 + 2)


@pytest.mark.rule("Y3")
@pytest.mark.superset("Y3")
def test_strict_zip_is_a_run_time_assertion(tf):
    @tf.function
    def f(x, y):
        total = 0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32))
    assert int(concrete(tf.constant([1, 2]), tf.constant([3, 4]))) == 11
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant([1, 2]), tf.constant([3]))


@pytest.mark.rule("Y6", 133)
@pytest.mark.superset("Y6")
def test_assert_is_a_run_time_assertion(tf):
    @tf.function
    def f(x):
        assert x > 0, "must be positive"
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant(-1))


@pytest.mark.rule("Y7", 187)
@pytest.mark.superset("Y7")
def test_unpacking_and_comprehensions_over_a_known_dimension(tf):
    @tf.function
    def f(x):
        a, b, c = x
        first, *rest = list(x)
        return a + b * c, tf.stack([v * 2 for v in x]), first + len(rest), tuple(x)[2]

    results = f(tf.constant([2, 3, 4]))
    assert [r.numpy().tolist() for r in results] == [14, [4, 6, 8], 4, 4]


@pytest.mark.rule("Y7", 187)
@pytest.mark.superset("Y7")
def test_sum_min_and_max(tf):
    @tf.function
    def f(x, y):
        return sum(x), min(x), max(x), min(y, 3), max(y, x[0], 1)

    assert [int(r) for r in f(tf.constant([4, 2, 9]), tf.constant(5))] == [15, 2, 9, 3, 5]


@pytest.mark.rule("Y7", 21)
@pytest.mark.superset("Y7")
@pytest.mark.parametrize("use", ["key", "in", "bool"])
def test_what_stays_an_error(tf, use):
    def f(x):
        if use == "key":
            return max(x, key=lambda v: -v)
        if use == "in":
            return 3 in x
        return bool(x[0])

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(f)(tf.constant([1, 2]))


@pytest.mark.rule(27)
def test_vectorized_map_creates_the_variables_of_its_function(tf):
    made = []

    def per_example(x):
        if not made:
            made.append(tf.Variable([2.0, 3.0]))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(made[0] * x)
        return tape.gradient(y, made[0])

    found = tf.vectorized_map(per_example, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert found.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]] and len(made) == 1


@pytest.mark.rule(27)
def test_approximate_extremes_have_named_parts(tf):
    found = tf.math.approx_max_k(tf.constant([1.0, 5.0, 3.0]), 2)
    assert found.values.numpy().tolist() == [5.0, 3.0] and found.indices.numpy().tolist() == [1, 2]
    assert type(found).__name__ == "ApproxTopK"
