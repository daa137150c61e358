"""Section M of the tracing rules: if statements and conditional expressions over tensors."""

import pytest

pytestmark = pytest.mark.needs("autograph")


def run(tf, fn, *values):
    """Results of one Function for several scalar arguments; it must have traced once."""
    f = tf.function(fn)
    results = [f(tf.constant(v)) for v in values]
    assert f.experimental_get_tracing_count() == 1
    return [r.numpy().tolist() for r in results]


@pytest.mark.rule(137)
def test_both_branches_traced_one_run(tf, traces, capfd):
    def f(x):
        if x > 0:
            traces.append("then")
            tf.print("positive")
            x = x + 1
        else:
            traces.append("else")
            tf.print("other")
        return x

    assert run(tf, f, 1, -1, 2) == [2, -1, 3]
    assert traces == ["then", "else"] and capfd.readouterr().err == "positive\nother\npositive\n"


@pytest.mark.rule(138)
def test_a_condition_that_is_no_boolean(tf):
    def f(x):
        if x:
            return x
        return -x

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.constant(1))
    assert (
        'condition of if statement expected to be `tf.bool` scalar, got Tensor("x:0", shape=(), dtype=int32);'
        " to use as boolean Tensor, use `tf.cast`; to check for None, use `is not None`" in str(error.value)
    )


@pytest.mark.rule(138)
def test_a_condition_of_several_elements(tf):
    def f(x):
        if x > 0:
            return 1
        return 2

    with pytest.raises(ValueError, match="condition of if statement expected to be `tf.bool` scalar, got") as error:
        tf.function(f)(tf.constant([1, 2]))
    assert "tf.cast" not in str(error.value)
    assert tf.function(f)(tf.constant([3])).numpy() == 1


@pytest.mark.rule(139)
@pytest.mark.parametrize("missing", ["else", "main"])
def test_a_name_missing_in_a_branch(tf, missing):
    def no_else(x):
        if x > 0:
            y = x
        return y

    def no_main(x):
        if x > 0:
            pass
        else:
            y = x
        return y

    with pytest.raises(ValueError, match=f"'y' must also be initialized in the {missing} branch"):
        tf.function(no_else if missing == "else" else no_main)(tf.constant(1))


@pytest.mark.rule(139)
def test_a_missing_name_that_is_not_used(tf):
    def f(x):
        if x > 0:
            unused = x * 2
            y = unused + 1
        else:
            y = x
        return y

    assert run(tf, f, 3, -3) == [7, -3]


@pytest.mark.rule(140)
def test_dtypes_must_agree(tf):
    def f(x):
        if x > 0:
            y = 1
        else:
            y = 1.5
        return y

    with pytest.raises(TypeError) as error:
        tf.function(f)(tf.constant(1))
    assert "'y' has dtype int32 in the main branch, but dtype float32 in the else branch" in str(error.value)


@pytest.mark.rule(140)
def test_python_values_are_converted(tf):
    def f(x):
        if x > 0:
            a, b, c = 1, "yes", True
        else:
            a, b, c = 2, "no", False
        return a, b, c

    a, b, c = tf.function(f)(tf.constant(-1))
    assert (a.numpy(), b.numpy(), c.numpy()) == (2, b"no", False)


@pytest.mark.rule(141)
def test_structures_must_agree(tf):
    def f(x):
        if x > 0:
            y = (x, x)
        else:
            y = [x]
        return y[0]

    with pytest.raises(TypeError, match="'y' must have the same nested structure in the main and else branches:"):
        tf.function(f)(tf.constant(1))


@pytest.mark.rule(141)
def test_structures_that_agree(tf):
    def f(x):
        if x > 0:
            y = {"a": (x, 1), "b": [x]}
        else:
            y = {"a": (-x, 2), "b": [x * 10]}
        return y

    result = tf.function(f)(tf.constant(-3))
    assert result["a"][0].numpy() == 3 and result["a"][1].numpy() == 2 and result["b"][0].numpy() == -30


@pytest.mark.rule(142)
@pytest.mark.parametrize("side", ["main", "else"])
def test_none_in_a_branch(tf, side):
    def in_else(x):
        y = None
        if x > 0:
            y = x
        return y

    def in_main(x):
        if x > 0:
            y = None
        else:
            y = x
        return y

    with pytest.raises(ValueError, match=f"'y' is None at the end of the {side} branch."):
        tf.function(in_else if side == "else" else in_main)(tf.constant(1))


@pytest.mark.rule(143)
def test_static_shapes_are_merged(tf, traces):
    def f(x):
        if x > 0:
            same, size, rank = tf.zeros([2]), tf.zeros([2]), tf.zeros([2])
        else:
            same, size, rank = tf.ones([2]), tf.zeros([3]), tf.zeros([2, 2])
        traces.append((same.shape.as_list(), size.shape.as_list(), rank.shape.rank))
        return same, size, rank

    results = tf.function(f)(tf.constant(-1))
    assert traces == [([2], [None], None)] and [r.shape.as_list() for r in results] == [[2], [3], [2, 2]]


@pytest.mark.rule(144)
def test_what_is_assigned_is_a_tensor(tf, traces):
    def f(x):
        n = 1
        if x > 0:
            n = 2
        traces.append(str(n))
        return n

    assert run(tf, f, 1, -1) == [2, 1]
    assert traces == ['Tensor("cond/Identity:0", shape=(), dtype=int32)']


@pytest.mark.rule(145)
def test_attributes_and_subscripts(tf):
    class Box:
        value = 0

    def f(x):
        box, d = Box(), {"k": tf.constant(0), "other": 7}
        box.value = tf.constant(0)
        if x > 0:
            box.value = x
            d["k"] = x * 2
        else:
            box.value = -x
        return box.value, d["k"]

    f = tf.function(f)
    assert [[int(v) for v in f(tf.constant(n))] for n in (3, -4)] == [[3, 6], [4, 0]]


counter = 0


@pytest.mark.rule(145)
def test_global_names(tf):
    def f(x):
        global counter
        if x > 0:
            counter = x
        else:
            counter = -x
        return counter + 10

    try:
        assert run(tf, f, 1, -2) == [11, 12]
        assert tf.is_tensor(counter) and not hasattr(counter, "numpy")
    finally:
        globals()["counter"] = 0


@pytest.mark.rule(145)
def test_nonlocal_names(tf):
    total = 0

    def f(x):
        nonlocal total
        if x > 0:
            total = x
        else:
            total = -x
        return total + 10

    assert run(tf, f, 1, -2) == [11, 12]
    assert tf.is_tensor(total) and not hasattr(total, "numpy")


@pytest.mark.rule(146)
def test_other_objects_in_branches(tf):
    def unused(x):
        if x > 0:
            mode = object()
            y = x + len([mode]) - 1
        else:
            y = x
        return y

    assert run(tf, unused, 1, -1) == [1, -1]

    def used(x):
        if x > 0:
            mode = object()
        else:
            mode = object()
        return mode

    with pytest.raises(TypeError):
        tf.function(used)(tf.constant(1))


@pytest.mark.rule(147)
def test_elif_chains(tf):
    def f(x):
        if x > 10:
            y = 1
        elif x > 5:
            y = 2
        elif x == 0:
            y = 3
        else:
            y = 4
        return y

    assert run(tf, f, 11, 7, 0, -1, 5) == [1, 2, 3, 4, 4]


@pytest.mark.rule(148)
def test_returns_in_both_branches(tf):
    def f(x):
        if x > 0:
            return x, "positive"
        else:
            return -x, "other"

    f = tf.function(f)
    assert [f(tf.constant(n))[1].numpy() for n in (1, -1)] == [b"positive", b"other"]

    def mixed(x):
        if x > 0:
            return 1
        else:
            return 1.0

    with pytest.raises(TypeError, match="'retval_' has dtype int32 in the main branch, but dtype float32 in the else"):
        tf.function(mixed)(tf.constant(1))


@pytest.mark.rule(149)
def test_a_return_in_one_branch(tf):
    def f(x):
        if x > 0:
            return x * 2
        x = x - 1
        if x < -10:
            return x * 0
        return x

    assert run(tf, f, 4, -1, -20) == [8, -2, 0]


@pytest.mark.rule(149)
def test_a_return_missing(tf):
    def f(x):
        if x > 0:
            return x

    with pytest.raises(ValueError, match="the else branch must also have a return statement."):
        tf.function(f)(tf.constant(1))


@pytest.mark.rule(150)
def test_a_nested_return_that_falls_through(tf):
    def f(x):
        if x > 0:
            if x > 5:
                return x
            x = x + 1
        else:
            return -x
        return x * 100

    with pytest.raises(ValueError, match="must also have a return statement."):
        tf.function(f)(tf.constant(1))


@pytest.mark.rule(151)
def test_conditional_expressions(tf, traces, capfd):
    def taken(name, x):
        traces.append(name)
        tf.print(name)
        return x

    def f(x):
        return taken("then", x) if x > 0 else taken("else", -x)

    assert run(tf, f, 1, -2) == [1, 2]
    assert traces == ["then", "else"] and capfd.readouterr().err == "then\nelse\n"

    with pytest.raises(TypeError) as error:
        tf.function(lambda x: 1 if x > 0 else 1.0)(tf.constant(1))
    assert "'x > 0' has dtype int32 in the main branch, but dtype float32 in the else branch" in str(error.value)


@pytest.mark.rule(175, 137)
def test_node_types(tf):
    v = tf.Variable(0)

    def pure(x):
        return x if x > 0 else -x

    def stateful(x):
        if x > 0:
            v.assign(x)
        return x

    one = tf.constant(1)
    types = lambda f: [op.type for op in tf.function(f).get_concrete_function(one).graph.get_operations()]
    assert "StatelessIf" in types(pure) and "Neg" not in types(pure)
    assert "If" in types(stateful) and "AssignVariableOp" not in types(stateful)


@pytest.mark.rule(139)
def test_what_has_no_value_is_told_before_what_differs(tf):
    def f(x):
        if x > 0:
            a = 1
            b = x
        else:
            a = 1.0
        return a, b

    with pytest.raises(ValueError, match="'b' must also be initialized in the else branch"):
        tf.function(f)(tf.constant(1))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.rule(137)
def test_case_asserts_about_its_predicates(tf, traced):
    def choose(*holds, **options):
        return tf.case([(p, lambda i=i: tf.constant(i)) for i, p in enumerate(holds)], **options)

    call = tf.function(choose) if traced else choose
    yes, no = tf.constant(True), tf.constant(False)

    def default():
        return tf.constant(9)

    assert call(no, yes, yes).numpy() == 1
    assert call(no, yes, exclusive=True, default=default).numpy() == 1
    assert call(no, no, exclusive=True, default=default).numpy() == 9
    assert call(yes, no, yes, exclusive=True).numpy() == 0  # the last one is looked at when no other holds
    with pytest.raises(tf.errors.InvalidArgumentError, match="exclusive=True: more than 1 conditions"):
        call(yes, yes, exclusive=True, default=default)
    held = tf.function(lambda: choose(yes, no, exclusive=True, default=default))  # tensors made outside have no names
    assert held().numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input error: None of conditions evaluated as True:"):
        call(no, no)


@pytest.mark.parametrize(
    "branches, words",
    [([], "Must provide at least one item in 'branch_fns'"), ({0: 0, 5: 0}, r"contiguous range of \[0 to 2\) but found {0,5}")],
)
@pytest.mark.rule(137)
def test_branches_of_switch_case(tf, branches, words):
    if isinstance(branches, dict):
        branches = {key: lambda: tf.constant(1) for key in branches}
    with pytest.raises(ValueError, match=words):
        tf.switch_case(tf.constant(0), branches)


@pytest.mark.rule(139)
def test_variables_after_a_refused_if(tf):
    """Branches that do not fit leave the variables that they set as they were before, where there is no else."""
    kept = []

    def size_of(x):
        try:
            if tf.size(x) > 2:
                return tf.size(x)
        except ValueError as error:
            kept.append(str(error).splitlines()[0])
        return None

    @tf.function
    def returns(x):
        kept.append(size_of(x))
        return x

    @tf.function
    def assigns(x):
        y = 1
        try:
            if tf.size(x) > 2:
                y = 2
                z = x
        except ValueError as error:
            kept.append(str(error).splitlines()[0])
            z = y
        kept.append(y)
        return y, z

    x = tf.constant([1.0, 2.0, 3.0])
    assert returns(x).numpy().tolist() == [1.0, 2.0, 3.0]
    assert [int(v) for v in assigns(x)] == [1, 1]
    assert kept == [
        "the else branch must also have a return statement.", None, "'z' must also be initialized in the else branch", 1
    ]
