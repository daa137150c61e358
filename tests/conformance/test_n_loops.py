"""Section N of the tracing rules: for and while over tensors."""

import pytest

pytestmark = pytest.mark.needs("autograph")


@pytest.mark.rule(152)
def test_for_over_a_tensor(tf, traces):
    @tf.function
    def f(x):
        total = tf.zeros([2])
        for row in x:
            traces.append(row.shape.as_list())
            total += row
        return total

    assert f(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [4.0, 6.0] and traces == [[2]]
    assert f(tf.zeros([0, 2])).numpy().tolist() == [0.0, 0.0]


@pytest.mark.rule(152)
def test_for_over_a_scalar(tf):
    def f(x):
        for i in x:
            pass
        return x

    with pytest.raises(ValueError, match="len requires a non-scalar tensor, got one of shape"):
        tf.function(f)(tf.constant(1))


@pytest.mark.rule(152)
def test_for_over_unknown_rank(tf):
    def f(x):
        n = 0
        for _ in x:
            n += 1
        return n

    concrete = tf.function(f).get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert concrete(tf.zeros([3, 2])).numpy() == 3 and concrete(tf.zeros([5])).numpy() == 5


@pytest.mark.rule(153)
@pytest.mark.parametrize("args", [(5,), (2, 7), (2, 10, 3), (5, -1, -2), (0,), (3, 1)])
@pytest.mark.parametrize("spelling", ["tf.range", "range"])
def test_ranges(tf, args, spelling):
    tensors = [tf.constant(a) for a in args]

    @tf.function
    def f(*bounds):
        total, steps = 0, 0
        for i in tf.range(*bounds) if spelling == "tf.range" else range(*bounds):
            total += i
            steps += 1
        return total, steps

    total, steps = f(*tensors)
    assert (int(total), int(steps)) == (sum(range(*args)), len(range(*args)))


@pytest.mark.rule(153)
def test_float_ranges(tf):
    @tf.function
    def f(limit):
        total = 0.0
        for i in tf.range(0.0, limit, 0.5):
            total += i
        return total

    assert f(tf.constant(2.0)).numpy() == 3.0


@pytest.mark.rule(154)
def test_for_over_a_dataset(tf, traces):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for x in ds:
            traces.append(x.shape.as_list())
            total += x
        for i, x in ds.enumerate():
            total += i * x
        return total

    assert f(tf.data.Dataset.range(4)).numpy() == 6 + 14 and traces == [[]]


@pytest.mark.rule(154)
def test_for_over_a_dataset_iterator(tf):
    iterator = iter(tf.data.Dataset.range(5))

    @tf.function
    def f(it):
        total = tf.constant(0, tf.int64)
        for x in it:
            total += x
        return total

    assert f(iterator).numpy() == 10


@pytest.mark.rule(155)
def test_python_iterables_are_unrolled(tf, traces):
    @tf.function
    def f(x, d):
        for i, (a, b) in enumerate(zip([1, 2], [x, x * 10])):
            traces.append(i)
            x = x + a * b
        for key, value in d.items():
            traces.append(key)
            x = x + value
        for t in [tf.constant(5), 6]:
            x = x + t
        return x

    assert f(tf.constant(1), {"p": tf.constant(100), "q": 200}).numpy() == 1 + 1 + 20 + 300 + 11
    assert traces == [0, 1, "p", "q"]


@pytest.mark.rule(156)
def test_while_over_a_tensor(tf, traces):
    @tf.function
    def f(x):
        steps = 0
        while x > 1:
            traces.append("body")
            x = x // 2
            steps += 1
        return steps

    assert [int(f(tf.constant(n))) for n in (1, 2, 100)] == [0, 1, 6] and traces == ["body"]


@pytest.mark.rule(156)
def test_while_over_a_python_value(tf, traces):
    @tf.function
    def f(x):
        n = 3
        while n:
            traces.append(n)
            x, n = x + n, n - 1
        return x

    assert f(tf.constant(1)).numpy() == 7 and traces == [3, 2, 1]


@pytest.mark.rule(157)
def test_a_condition_that_becomes_a_tensor(tf):
    def changes(x):
        n = 3
        while n > 0:
            n = n - x
        return n

    def breaks(x):
        while True:
            x = x + 1
            if x > 5:
                break
        return x

    for f in (changes, breaks):
        with pytest.raises(NotImplementedError) as error:
            tf.function(f)(tf.constant(1))
        assert "The condition of while loop started as non-Tensor, then changed to Tensor." in str(error.value)


@pytest.mark.rule(158)
def test_body_and_condition_are_traced_once(tf, traces):
    def below(i, n):
        traces.append("condition")
        return i < n

    @tf.function
    def f(n):
        i = 0
        while below(i, n):
            traces.append("body")
            i += 1
        return i

    assert f(tf.constant(10)).numpy() == 10
    assert traces.count("body") == 1


@pytest.mark.rule(159)
def test_loop_variables_become_tensors(tf, traces):
    @tf.function
    def f(n):
        count, rate, name, flag, constant = 0, 1.0, "a", True, "kept"
        for _ in tf.range(n):
            count += 1
            rate *= 2.0
            name = name + "b"
            flag = tf.logical_not(flag)
        traces.append([v.dtype.name for v in (count, rate, name, flag)] + [constant])
        return count, rate, name, flag

    results = [r.numpy() for r in f(tf.constant(3))]
    assert traces == [["int32", "float32", "string", "bool", "kept"]] and results == [3, 8.0, b"abbb", False]


@pytest.mark.rule(160)
def test_dtypes_must_stay(tf):
    def f(n):
        s = 0
        for i in tf.range(n):
            s = s + 0.5 * tf.cast(i, tf.float32)
        return s

    def whole(n):
        s = 0
        for i in tf.range(n):
            s = tf.cast(i, tf.float32)
        return s

    for body in (f, whole):
        with pytest.raises(TypeError):
            tf.function(body)(tf.constant(3))
    with pytest.raises(TypeError) as error:
        tf.function(whole)(tf.constant(3))
    assert "'s' has dtype int32 before the loop, but dtype float32 after one iteration" in str(error.value)


@pytest.mark.rule(161)
def test_static_shapes_must_stay(tf):
    def f(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.constant(3))
    assert (
        "'x' has shape (1,) before the loop, but shape (2,) after one iteration. Use"
        " tf.autograph.experimental.set_loop_options to set shape invariants." in str(error.value)
    )


@pytest.mark.rule(162)
def test_maximum_iterations(tf):
    @tf.function
    def f(n):
        steps = tf.constant(0)
        while steps < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=4, swap_memory=False)
            steps += 1
        return steps

    assert [int(f(tf.constant(n))) for n in (3, 100)] == [3, 4]


@pytest.mark.rule(163)
def test_a_wrong_invariant(tf):
    def f(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([2]))])
            x = tf.zeros([2])
        return x

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.constant(3))
    assert "'x' has shape (1,) before the loop, which does not conform with the shape invariant (2,)." in str(
        error.value
    )


@pytest.mark.rule(163)
def test_an_invariant_may_say_more_than_the_initial_shape(tf):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        invariants = (tf.TensorShape([]), tf.TensorShape([2]))
        return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + 1.0), (0, x), shape_invariants=invariants)[1]

    assert f.get_concrete_function().output_shapes.as_list() == [2]
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [4.0, 5.0]


@pytest.mark.rule(164)
def test_structures_must_stay(tf):
    def f(n):
        y = (n, n)
        for _ in tf.range(n):
            y = [y[0]]
        return y[0]

    with pytest.raises(TypeError, match="'y' does not have the same nested structure after one iteration."):
        tf.function(f)(tf.constant(3))


@pytest.mark.rule(165)
def test_none_after_an_iteration(tf):
    def f(n):
        y = tf.constant(1)
        for _ in tf.range(n):
            y = None
        return y

    with pytest.raises(ValueError, match="'y' is None at the end of the iteration."):
        tf.function(f)(tf.constant(3))


@pytest.mark.rule(166)
@pytest.mark.parametrize("before", ["undefined", "none"])
def test_a_name_first_set_in_the_body(tf, before):
    def undefined(n):
        for i in tf.range(n):
            y = i * 10
        return y

    def none(n):
        y = None
        for i in tf.range(n):
            y = i * 10
        return y

    assert tf.function(undefined if before == "undefined" else none)(tf.constant(3)).numpy() == 20


@pytest.mark.rule(167)
def test_then_a_loop_without_iterations(tf):
    def f(n):
        for i in tf.range(n):
            y = i * 10
        return y

    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize y"):
        tf.function(f)(tf.constant(0))


@pytest.mark.rule(168)
def test_a_name_set_on_some_ways_or_read_first(tf):
    def some(n):
        for i in tf.range(n):
            if i > 1:
                y = i
        return y

    def first(n):
        for i in tf.range(n):
            if i > 0:
                i += y  # noqa: F821
            y = i
        return y

    for f in (some, first):
        with pytest.raises(ValueError, match="'y' must (be defined before the loop|also be initialized)"):
            tf.function(f)(tf.constant(3))


@pytest.mark.rule(169)
def test_the_loop_target_afterwards(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            pass
        return i

    assert f(tf.constant(5)).numpy() == 4 and f(tf.constant(0)).numpy() == 0


@pytest.mark.rule(170)
def test_structures_attributes_and_subscripts(tf):
    class Box:
        pass

    @tf.function
    def f(n):
        pair, box, d = (0, [1.0]), Box(), {"k": 0}
        box.total = tf.constant(0)
        for i in tf.range(n):
            pair = (pair[0] + i, [pair[1][0] * 2.0])
            box.total = box.total + i * i
            d["k"] = d["k"] - i
        return pair, box.total, d["k"]

    (count, (power,)), squares, negative = f(tf.constant(4))
    assert [t.numpy() for t in (count, power, squares, negative)] == [6, 16.0, 14, -6]


@pytest.mark.rule(171)
def test_nested_loops_with_ifs(tf):
    @tf.function
    def primes_below(n):
        count = 0
        for i in tf.range(2, n):
            prime = True
            j = 2
            while j * j <= i:
                if i % j == 0:
                    prime = False
                j += 1
            if prime:
                count += 1
        return count

    assert [int(primes_below(tf.constant(n))) for n in (3, 10, 60)] == [1, 4, 17]


@pytest.mark.rule(172)
def test_names_in_a_loop(tf, traces):
    @tf.function
    def f(x):
        s = 0
        for v in x:
            traces.extend([s.name, v.name])
            s = s + v
            traces.append(s.name)
        traces.append(s.name)
        return s

    f(tf.constant([1, 2]))
    assert traces == [
        "while/Placeholder:0",
        "while/TensorArrayV2Read/TensorListGetItem:0",
        "while/add:0",
        "while:3",
    ] or (
        traces[1:3] == ["while/TensorArrayV2Read/TensorListGetItem:0", "while/add:0"]
        and traces[0].startswith("while/Placeholder")
        and traces[3].startswith("while:")
    )


@pytest.mark.rule(173)
def test_graph_sizes(tf):
    def staged(x):
        for i in tf.range(50):
            x = x + i
        return x

    def unrolled(x):
        for i in range(50):
            x = x + i
        return x

    one = tf.constant(1)
    size = lambda f: len(tf.function(f).get_concrete_function(one).graph.get_operations())
    assert size(staged) < 20 and size(unrolled) >= 100


@pytest.mark.rule(174)
def test_values_are_collected_by_a_tensor_array(tf):
    @tf.function
    def squares(n):
        out = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            out = out.write(i, i * i)
        return out.stack(), out.size(), out.read(2)

    stacked, size, third = squares(tf.constant(5))
    assert stacked.numpy().tolist() == [0, 1, 4, 9, 16] and size.numpy() == 5 and third.numpy() == 4


@pytest.mark.rule(175)
def test_node_types(tf):
    v = tf.Variable(0)

    def pure(x):
        while x > 1:
            x = x - 2
        return x

    def stateful(x):
        for i in tf.range(x):
            v.assign_add(i)
        return x

    one = tf.constant(1)
    types = lambda f: [op.type for op in tf.function(f).get_concrete_function(one).graph.get_operations()]
    assert types(pure).count("StatelessWhile") == 1 and "Sub" not in types(pure)
    assert types(stateful).count("While") == 1


@pytest.mark.rule(174)
def test_what_staged_statements_write_tells_the_shape_of_elements(tf):
    def loop(n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, tf.ones([2]))
        total = tf.zeros([2])
        rows = array.stack()
        for i in tf.range(n):  # needs the static shape of an element
            total += rows[i] + array.read(i)
        return total, rows.shape.as_list(), array.element_shape.as_list()

    total, *shapes = tf.function(loop)(tf.constant(3))
    assert total.numpy().tolist() == [6, 6]
    assert [[None if d is None else int(d) for d in s] for s in shapes] == [[None, 2], [2]]

    shapes = []

    def nested(x):
        state = {"rows": tf.TensorArray(tf.float32, size=2), "x": x}
        for i in tf.range(2):
            if i > 0:
                state["rows"] = state["rows"].write(i, tf.ones([3]))
            else:
                state["rows"] = state["rows"].write(i, tf.zeros([3]))
        stacked = state["rows"].stack()
        shapes.append(stacked.shape.as_list())
        return stacked

    assert tf.function(nested)(tf.constant(1)).numpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert shapes == [[2, 3]]


@pytest.mark.rule(174)
def test_elements_of_an_array_have_one_shape_in_both_branches(tf):
    def f(x):
        array = tf.TensorArray(tf.float32, size=2)
        if x > 0:
            array = array.write(0, [1.0])
        else:
            array = array.write(1, [2.0, 3.0])
        return array.stack()

    with pytest.raises(ValueError, match="Inconsistent shapes"):
        tf.function(f)(tf.constant(1))


@pytest.mark.rule(160)
def test_the_text_of_a_type_that_changes_in_while_loop(tf):
    f = tf.function(lambda: tf.while_loop(lambda x: x < 10, lambda x: (tf.cast(x, tf.float16),), [tf.constant(1.0)]))
    with pytest.raises(TypeError) as error:
        f()
    assert "enters the loop with type <dtype: 'float32'> but has type <dtype: 'float16'> after 1 iteration." in str(error.value)
    assert "type should remain constant." in str(error.value)


@pytest.mark.rule(160)
def test_eager_loop_starts_with_the_values_of_variables(tf):
    v = tf.Variable(1.0)

    def body(i, x):
        v.assign_add(10.0)
        return i + 1, x + 1.0

    assert [float(x) for x in tf.while_loop(lambda i, x: i < 2, body, [0, v])] == [2, 3]
    kinds = []
    tf.while_loop(lambda x: tf.constant(False), lambda x: (x,), [v])
    tf.while_loop(lambda x: kinds.append(isinstance(x, tf.Variable)) or x < 0.0, lambda x: (x,), (v,))
    assert kinds == [False]


@pytest.mark.rule(160)
def test_eager_loop_returns_tensors(tf):
    kinds = []
    results = tf.while_loop(lambda i, pair: i < 2, lambda i, pair: kinds.append(type(i)) or (i + 1, pair), (0, [1.5, 2]))
    assert kinds == [int, int] and type(results) is tuple
    assert all(tf.is_tensor(x) for x in tf.nest.flatten(results))
    assert tf.is_tensor(tf.while_loop(lambda i: False, lambda i: (i,), [3])[0])


@pytest.mark.rule(160)
def test_eager_loop_takes_a_value_of_another_kind_in_the_place_of_a_leaf(tf):
    sparse = tf.sparse.from_dense([1.0, 2.0])
    x = tf.while_loop(lambda i, x: i < 1, lambda i, x: (i + 1, tf.sparse.to_dense(x)), [0, sparse])[1]
    assert x.numpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="same nested structure|same sequence type"):
        tf.while_loop(lambda i, x: i < 1, lambda i, x: (i + 1, (x[0],)), [0, [1.0]])


@pytest.mark.rule(160)
def test_an_eager_loop_without_iterations_keeps_the_shape_of_a_tensor_array(tf):
    array = tf.TensorArray(tf.float32, 0, element_shape=[2])
    i, kept = tf.while_loop(lambda i, a: i < 0, lambda i, a: (i + 1, a), [tf.constant(0), array])
    assert int(i) == 0
    assert kept.stack().shape == [0, 2]
