"""Section H of the tracing rules: what a traced function may return, and what comes back."""

import collections
import dataclasses

import attrs
import numpy as np
import pytest

Point = collections.namedtuple("Point", "x y")


@attrs.define
class Pair:
    left: object
    right: object


def values(tf, structure):
    return tf.nest.map_structure(lambda leaf: None if leaf is None else leaf.numpy(), structure)


@pytest.mark.rule(93)
@pytest.mark.parametrize(
    "structure",
    [
        (1, 2),
        [1, [2, (3,)]],
        {"b": 1, "a": {"c": [2]}},
        Point(1, [2]),
        (None, {"k": None}),
        (),
        [],
        {},
        collections.OrderedDict([("b", 1), ("a", 2)]),
    ],
    ids=str,
)
def test_structures_are_rebuilt(tf, structure):
    result = tf.function(lambda: structure)()
    assert type(result) is type(structure) and values(tf, result) == structure
    assert list(result) == list(structure) or not isinstance(structure, dict)


@pytest.mark.rule(93)
def test_dicts_keep_their_order(tf):
    result = tf.function(lambda x: {"z": x, "a": x + 1, "m": x + 2})(tf.constant(0))
    assert list(result) == ["z", "a", "m"] and values(tf, result) == {"z": 0, "a": 1, "m": 2}


@pytest.mark.rule(93)
def test_an_attrs_class_is_rebuilt(tf):
    result = tf.function(lambda x: Pair(x, (x * 2, None)))(tf.constant(3))
    assert (
        type(result) is Pair and result.left.numpy() == 3 and result.right[0].numpy() == 6 and result.right[1] is None
    )


@pytest.mark.rule(93, "Y5")
def test_a_mapping_class_is_rebuilt(tf):
    result = tf.function(lambda x: collections.UserDict(b=x, a=x + 1))(tf.constant(1))
    assert type(result) is collections.UserDict and int(result["b"]) == 1 and int(result["a"]) == 2


@pytest.mark.rule(94)
@pytest.mark.parametrize(
    "value, dtype",
    [(3, "int32"), (2.5, "float32"), ("s", "string"), (b"by", "string"), (True, "bool"), (1 + 2j, "complex128"),
     (np.float64(2), "float64"), (np.arange(3), "int64"), (np.array([b"a"], object), "string"), (2**40, "int64")],
)  # fmt: skip
def test_python_values_become_tensors(tf, value, dtype):
    result = tf.function(lambda: value)()
    assert isinstance(result, tf.Tensor) and result.dtype.name == dtype
    expected = value.encode() if isinstance(value, str) else value
    assert np.all(result.numpy() == expected)


@pytest.mark.rule(94)
def test_a_shape_becomes_a_tensor(tf):
    result = tf.function(lambda x: x.shape)(tf.zeros([2, 3]))
    assert result.dtype == tf.int32 and result.numpy().tolist() == [2, 3]


@pytest.mark.rule(94, 93)
def test_a_range_becomes_a_list(tf):
    assert values(tf, tf.function(lambda: range(2, 4))()) == [2, 3]


@pytest.mark.rule(94)
def test_an_argument_returned_is_a_new_tensor(tf):
    x = tf.constant([1.0])
    result = tf.function(lambda x: x)(x)
    assert result is not x and result.numpy().tolist() == [1.0]


@pytest.mark.rule(95)
def test_a_variable_comes_back_as_its_value_at_the_end(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        result = v
        v.assign(x)
        return result, [v]

    result, (again,) = f(tf.constant(7.0))
    assert not isinstance(result, tf.Variable) and result.numpy() == 7.0 and again.numpy() == 7.0
    v.assign(0.0)
    assert result.numpy() == 7.0


@pytest.mark.rule(95)
def test_an_assignment_returned_gives_the_value(tf):
    v = tf.Variable(1.0)
    assert tf.function(lambda x: v.assign(x))(tf.constant(4.0)).numpy() == 4.0
    assert tf.function(lambda x: v.assign_add(x))(tf.constant(2.0)).numpy() == 6.0
    assert tf.function(lambda x: v.assign_sub(x))(tf.constant(1.0)).numpy() == 5.0


@pytest.mark.rule(96)
def test_no_return_gives_none(tf):
    def f(x):
        x + 1

    assert tf.function(f)(tf.constant(1)) is None
    assert tf.function(lambda: None)() is None


class Thing:
    """No tensor."""


def generator():
    yield 1


WRONG = {
    "Thing": lambda tf: Thing(),
    "set": lambda tf: {1, 2},
    "frozenset": lambda tf: frozenset([1]),
    "DType": lambda tf: tf.float32,
    "generator": lambda tf: generator(),
    "builtin_function_or_method": lambda tf: len,
    "TensorShape": lambda tf: tf.TensorShape([None]),
    "TensorSpec": lambda tf: tf.TensorSpec([]),
    "ellipsis": lambda tf: ...,
    "list_iterator": lambda tf: iter([1]),
}


@pytest.mark.rule(97)
@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("nested", [False, True])
def test_anything_else_is_an_error(tf, kind, nested):
    def give():
        return {"k": [WRONG[kind](tf)]} if nested else WRONG[kind](tf)

    with pytest.raises(TypeError) as error:
        tf.function(give, autograph=False)()
    text = str(error.value)
    assert text.startswith(
        "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None"
        " values; in compilation of <function "
    )
    assert "give at 0x" in text
    first = text.partition("\n")[0]
    assert first.endswith(f">, found return value of type {kind}, which is not a Tensor or ExtensionType.")


@pytest.mark.rule(97)
@pytest.mark.parametrize("op", [lambda tf: tf.print("x"), lambda tf: tf.no_op(), lambda tf: tf.group()])
def test_operations_are_not_returned(tf, op):
    with pytest.raises(TypeError, match="found return value of type Operation, which is not a Tensor"):
        tf.function(lambda: op(tf), autograph=False)()


@pytest.mark.rule(97)
def test_a_failed_trace_is_not_kept(tf):
    f = tf.function(lambda x: object(), autograph=False)
    for _ in range(2):
        with pytest.raises(TypeError, match="found return value of type object"):
            f(1)
    assert f.pretty_printed_concrete_signatures() == ""


@pytest.mark.rule("Y5")
@pytest.mark.superset("Y5")
def test_a_dataclass_is_rebuilt_without_init(tf, traces):
    @dataclasses.dataclass
    class State:
        position: object
        label: object = None

        def __post_init__(self):
            traces.append("init")

    result = tf.function(lambda x: State(x + 1, [x]))(tf.constant(1))
    assert type(result) is State and int(result.position) == 2 and int(result.label[0]) == 1
    assert traces == ["init"]
