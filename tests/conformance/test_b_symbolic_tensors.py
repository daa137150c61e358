"""Section B of the tracing rules: symbolic tensors, their texts and what they refuse."""

import pytest


@pytest.mark.rule(14)
@pytest.mark.parametrize(
    "shape, text",
    [
        ((), 'Tensor("a:0", shape=(), dtype=float32)'),
        ((3,), 'Tensor("a:0", shape=(3,), dtype=float32)'),
        ((2, 2), 'Tensor("a:0", shape=(2, 2), dtype=float32)'),
        ((None, 2), 'Tensor("a:0", shape=(None, 2), dtype=float32)'),
        (None, 'Tensor("a:0", dtype=float32)'),
    ],
)
def test_str_of_a_symbolic_tensor(tf, traces, shape, text):
    def f(a):
        traces.append((str(a), f"{a}", f"{a!s}"))

    tf.function(f).get_concrete_function(tf.TensorSpec(shape, tf.float32))
    assert traces[0] == (text, text, text)


@pytest.mark.rule(15)
@pytest.mark.parametrize(
    "shape, text",
    [
        ((), "<tf.Tensor 'a:0' shape=() dtype=int64>"),
        ((None, 2), "<tf.Tensor 'a:0' shape=(None, 2) dtype=int64>"),
        (None, "<tf.Tensor 'a:0' shape=<unknown> dtype=int64>"),
    ],
)
def test_repr_of_a_symbolic_tensor(tf, traces, shape, text):
    def f(a):
        traces.append((repr(a), str([a]), str({"k": a})))

    tf.function(f).get_concrete_function(tf.TensorSpec(shape, tf.int64))
    assert traces[0] == (text, f"[{text}]", f"{{'k': {text}}}")


@pytest.mark.rule(20)
def test_attributes_of_a_symbolic_tensor(tf, traced_value):
    def body(x):
        y = x + 1.0
        return (
            y.name,
            y.shape.as_list(),
            y.dtype,
            y.op.name,
            y.op.type,
            y.graph is x.graph,
            isinstance(y, tf.Tensor),
            tf.is_tensor(y),
            hasattr(y, "numpy"),
            hasattr(y, "__float__"),
            y.shape.rank,
        )

    assert traced_value(body, tf.constant([1.0, 2.0])) == (
        "add:0", [2], tf.float32, "add", "AddV2", True, True, True, False, False, 1,
    )  # fmt: skip


@pytest.mark.rule(20)
@pytest.mark.parametrize("attribute", ["numpy", "nonsense"])
def test_missing_attribute_text(tf, traced_value, attribute):
    def body(x):
        with pytest.raises(AttributeError) as error:
            getattr(x, attribute)
        return str(error.value)

    assert traced_value(body, tf.constant(1)) == f"'SymbolicTensor' object has no attribute '{attribute}'"


@pytest.mark.rule(20)
@pytest.mark.parametrize("convert, words", [(float, "float()"), (int, "int()")])
def test_number_conversion_fails(tf, traced_value, convert, words):
    def body(x):
        with pytest.raises(TypeError) as error:
            convert(x)
        return str(error.value)

    assert words in traced_value(body, tf.constant(1.0))


USES_AS_BOOL = {
    "bool": lambda tf, x: bool(x > 0),
    "if": lambda tf, x: 1 if x > 0 else 2,
    "and": lambda tf, x: x > 0 and x < 3,
    "not": lambda tf, x: not (x > 0),
    "in": lambda tf, x: x in [x + 1],
    "chain": lambda tf, x: 0 < x < 3,
}


@pytest.mark.rule(21, 131)
@pytest.mark.parametrize("use", USES_AS_BOOL)
def test_truth_value_of_a_symbolic_tensor(tf, traced_value, use):
    def body(x):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
            USES_AS_BOOL[use](tf, x)
        return error.value

    error = traced_value(body, tf.constant(1))
    assert isinstance(error, TypeError)
    assert str(error).startswith(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the following resolutions"
    )


@pytest.mark.rule(21, 131)
@pytest.mark.parametrize("use", ["list", "for", "unpack", "star"])
def test_iterating_over_a_symbolic_tensor(tf, traced_value, use):
    def unpack(x):
        (_, _) = x

    def loop(x):
        for _ in x:
            pass

    def body(x):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
            {"list": list, "for": loop, "unpack": unpack, "star": lambda x: print(*x)}[use](x)
        return str(error.value)

    text = traced_value(body, tf.constant([1, 2]))
    assert text.startswith("Iterating over a symbolic `tf.Tensor` is not allowed. ")


@pytest.mark.rule(22)
def test_tensors_are_unhashable(tf, traced_value):
    text = "Tensor is unhashable. Instead, use tensor.ref() as the key."

    def hash_text(x):
        with pytest.raises(TypeError) as error:
            hash(x)
        with pytest.raises(TypeError):
            {x: 1}
        return str(error.value)

    assert hash_text(tf.constant(1)) == text
    assert traced_value(hash_text, tf.constant(1)) == text


@pytest.mark.rule(22)
def test_ref_is_a_key(tf, traced_value):
    def body(x):
        y = x + 1
        table = {x.ref(): "x", y.ref(): "y"}
        return table[x.ref()] + table[y.ref()], x.ref().deref() is x

    assert traced_value(body, tf.constant(1)) == ("xy", True)
    assert body(tf.constant(1)) == ("xy", True)


@pytest.mark.rule(22)
def test_experimental_ref_serves_other_classes(tf):
    class Own:
        experimental_ref = tf.Tensor.experimental_ref

        def ref(self):
            return "its own"

    x = tf.constant(1)
    assert Own().experimental_ref() == "its own" and x.experimental_ref() == x.ref()


@pytest.mark.rule(20)
def test_what_is_tensor_takes(tf):
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert [tf.is_tensor(x) for x in (tf.constant(1), tf.Variable(1), slices)] == [True] * 3
    assert [tf.is_tensor(x) for x in (1, [tf.constant(1)], tf.TensorSpec([]), tf.TensorArray(tf.int32, 1))] == [False] * 4
