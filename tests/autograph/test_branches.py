"""if statements over tensors: nested, with attributes, inside other statements, errors with every variable."""

import pytest

import tracefn as tf


def values(function, *arguments):
    f = tf.function(function)
    results = [f(tf.constant(a)).numpy().item() for a in arguments]
    assert f.experimental_get_tracing_count() == 1
    return results


def test_long_elif_chains():
    lines = ["def f(x):", "    if x == 0:", "        y = 0"]
    for i in range(1, 30):
        lines += [f"    elif x == {i}:", f"        y = {i * i}"]
    lines += ["    else:", "        y = -1", "    return y", ""]
    import linecache

    text = "\n".join(lines)
    linecache.cache["<chain>"] = (len(text), None, text.splitlines(True), "<chain>")
    scope = {}
    exec(compile(text, "<chain>", "exec"), scope)
    assert values(scope["f"], 0, 7, 29, 50) == [0, 49, 841, -1]


def test_attributes_of_attributes():
    class Node:
        pass

    def f(x):
        a = Node()
        a.b = [Node()]
        a.b[0].c = tf.constant(1)
        if x > 0:
            a.b[0].c = x
        return a.b[0].c

    assert values(f, 5, -5) == [5, 1]


def test_every_variable_is_listed():
    def f(x):
        if x > 0:
            first = 1
            second = 1.0
        else:
            second = 2
        return first + second

    with pytest.raises(ValueError) as error:
        tf.function(f)(tf.constant(1))
    text = str(error.value)
    assert "'first' must also be initialized in the else branch" in text
    assert "'second' has dtype float32 in the main branch, but dtype int32 in the else branch" in text


def test_an_exception_in_a_branch_leaves_the_graph():
    def f(x):
        try:
            if x > 0:
                for _ in tf.range(x):
                    raise KeyError("in the body")
            y = x
        except KeyError:
            y = x + 1
        return y

    assert values(f, 1, 2) == [2, 3]


def test_a_suppressed_exception_leaves_the_graph():
    import contextlib

    def f(x):
        y = x
        with contextlib.suppress(KeyError):
            if x > 0:
                raise KeyError("in a branch")
        return y + 1

    assert values(f, 1) == [2]


def test_nested_conditional_expressions_and_operators():
    def f(x):
        return (1 if x > 10 else 2 if x > 5 else 3) if x > 0 and not x == 7 or x < -5 else 4

    assert values(f, 11, 6, 1, 7, -1, -6) == [1, 2, 3, 4, 4, 3]


def test_gradients_of_nothing_are_no_outputs():
    def f(x):
        if x > 0:
            temporary = x * 2
            x = temporary + 1
        return x

    concrete = tf.function(f).get_concrete_function(tf.constant(1))
    node = next(op for op in concrete.graph.get_operations() if op.type == "StatelessIf")
    assert len(node.outputs) == 1


def test_match_over_a_tensor():
    def f(x):
        match x:
            case 0 | 1:
                return x + 100
            case 2 if x > 5:
                return x
            case y if y > 10:
                return y * 2
            case _:
                return -x

    assert values(f, 0, 1, 2, 20, 5) == [100, 101, -2, 40, -5]


def test_match_of_structures_with_tensor_guards():
    def f(x):
        match {"k": [x, 3]}:
            case {"k": [a, b]} if a > b:
                return a
            case {"k": [_, b]}:
                return b + x

    assert values(f, 5, 1) == [5, 4]
