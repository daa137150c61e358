"""Section X of the tracing rules: how values are printed."""

import collections
import math
import sys

import numpy as np
import pytest

P = collections.namedtuple("P", "a b")

STR = [
    (2.2, None, "tf.Tensor(2.2, shape=(), dtype=float32)"),
    ([1.0, 4.0], None, "tf.Tensor([1. 4.], shape=(2,), dtype=float32)"),
    ([[1.0, 2.0], [3.0, 4.5]], None, "tf.Tensor(\n[[1.  2. ]\n [3.  4.5]], shape=(2, 2), dtype=float32)"),
    ("aa", None, "tf.Tensor(b'aa', shape=(), dtype=string)"),
    (["a", "b"], None, "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)"),
    ("é", None, "tf.Tensor(b'\\xc3\\xa9', shape=(), dtype=string)"),
    (True, None, "tf.Tensor(True, shape=(), dtype=bool)"),
    ([True, False], None, "tf.Tensor([ True False], shape=(2,), dtype=bool)"),
    ([], None, "tf.Tensor([], shape=(0,), dtype=float32)"),
    (1e10, None, "tf.Tensor(1e+10, shape=(), dtype=float32)"),
    ([1e10, 1.0], None, "tf.Tensor([1.e+10 1.e+00], shape=(2,), dtype=float32)"),
    (math.nan, None, "tf.Tensor(nan, shape=(), dtype=float32)"),
    ([math.inf, -math.inf], None, "tf.Tensor([ inf -inf], shape=(2,), dtype=float32)"),
    (1 + 2j, None, "tf.Tensor((1+2j), shape=(), dtype=complex128)"),
    (range(2000), None, "tf.Tensor([   0    1    2 ... 1997 1998 1999], shape=(2000,), dtype=int32)"),
    (3, "uint8", "tf.Tensor(3, shape=(), dtype=uint8)"),
    (1.5, "float16", "tf.Tensor(1.5, shape=(), dtype=float16)"),
    ([0.1, 1 / 3], None, "tf.Tensor([0.1        0.33333334], shape=(2,), dtype=float32)"),
    ([0.1, 1 / 3], "float64", "tf.Tensor([0.1        0.33333333], shape=(2,), dtype=float64)"),
    (
        [[[0, 1]], [[2, 3]]],
        "int64",
        "tf.Tensor(\n[[[0 1]]\n\n [[2 3]]], shape=(2, 1, 2), dtype=int64)",
    ),
    (np.zeros((0, 3)), None, "tf.Tensor([], shape=(0, 3), dtype=float64)"),
]


@pytest.mark.rule(222)
@pytest.mark.parametrize("value, dtype, text", STR)
def test_str_of_an_eager_tensor(tf, value, dtype, text):
    assert str(tf.constant(value, dtype and tf.as_dtype(dtype))) == text


@pytest.mark.rule(222)
def test_print_is_str(tf, capsys):
    print(tf.constant([1, 2]), tf.constant("a"))
    assert (
        capsys.readouterr().out == "tf.Tensor([1 2], shape=(2,), dtype=int32) tf.Tensor(b'a', shape=(), dtype=string)\n"
    )


@pytest.mark.rule(222)
def test_format_is_the_value(tf):
    assert f"{tf.constant(2.5):.3f} {tf.constant(3)} {tf.constant([1.0, 4.0])}" == "2.500 3 [1. 4.]"


REPR = [
    (1.0, None, "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    (2.2, None, "<tf.Tensor: shape=(), dtype=float32, numpy=2.200000047683716>"),
    ([1.0, 4.0], None, "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>"),
    (
        [[1.0, 2.0], [3.0, 4.0]],
        None,
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>",
    ),
    ("aa", None, "<tf.Tensor: shape=(), dtype=string, numpy=b'aa'>"),
    (["a", "b"], None, "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>"),
    (True, None, "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ([True, False], None, "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ([1.5], "float64", "<tf.Tensor: shape=(1,), dtype=float64, numpy=array([1.5])>"),
    ([1, 2], None, "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ([1, 2], "int64", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    ([], None, "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
]


@pytest.mark.rule(223)
@pytest.mark.parametrize("value, dtype, text", REPR)
def test_repr_of_an_eager_tensor(tf, value, dtype, text):
    tensor = tf.constant(value, dtype and tf.as_dtype(dtype))
    assert repr(tensor) == text and str([tensor]) == f"[{text}]" and str({"k": tensor}) == f"{{'k': {text}}}"


@pytest.fixture
def printed(tf, capfd):
    """What `tf.print` writes to stdout for these arguments, run eagerly and in a trace, which must agree."""

    def text(*values, **options):
        tf.print(*values, output_stream=sys.stdout, **options)
        sys.stdout.flush()
        eager = capfd.readouterr().out

        @tf.function(autograph=False)
        def f():
            tf.print(*values, output_stream=sys.stdout, **options)

        f()
        assert capfd.readouterr().out == eager
        return eager

    return text


@pytest.mark.rule(224)
def test_tf_print_goes_to_stderr(tf, capfd):
    tf.print("a", tf.constant(1))
    tf.function(lambda x: tf.group(tf.print("b", x)) and None, autograph=False)(tf.constant(2))
    assert capfd.readouterr() == ("", "a 1\nb 2\n")


@pytest.mark.rule(224)
def test_tf_print_options(tf, printed):
    one, long = tf.constant(1), tf.range(20)
    assert printed("a", one, "b") == "a 1 b\n"
    assert printed("a", one, sep="-") == "a-1\n"
    assert printed("a", one, sep=", ", end=".\n\n") == "a, 1.\n\n"
    assert printed(long, summarize=2) == "[0 1 ... 18 19]\n"
    assert printed(long, summarize=-1) == "[" + " ".join(map(str, range(20))) + "]\n"
    assert printed() == "\n"


@pytest.mark.rule(224)
def test_tf_print_to_a_file(tf, tmp_path):
    path = tmp_path / "log.txt"
    for n in (1, 2):
        tf.print("line", tf.constant(n), output_stream=f"file://{path}")
    assert path.read_text() == "line 1\nline 2\n"


@pytest.mark.rule(225)
@pytest.mark.parametrize(
    "value, dtype, text",
    [
        ([1.5, 2.0], "float32", "[1.5 2]"),
        (1, "int32", "1"),
        (1e10, "float32", "1e+10"),
        (1e-10, "float32", "1e-10"),
        (1 / 3, "float32", "0.333333343"),
        (1 / 3, "float64", "0.33333333333333331"),
        (0.1, "float32", "0.1"),
        (123456789.0, "float32", "123456792"),
        (1e6, "float32", "1e+06"),
        (100000.0, "float32", "100000"),
        ([-0.0], "float32", "[-0]"),
        (math.nan, "float32", "nan"),
        (math.inf, "float32", "inf"),
        (-math.inf, "float64", "-inf"),
        (True, "bool", "1"),
        ([True, False], "bool", "[1 0]"),
        (3, "uint8", "3"),
        (2.0, "float16", "2"),
        ("a", "string", "a"),
        (["a", "b"], "string", '["a" "b"]'),
        ([["a"]], "string", '[["a"]]'),
        ([[1, 2], [3, 4]], "int32", "[[1 2]\n [3 4]]"),
        ([], "float32", "[]"),
        (range(6), "int32", "[0 1 2 3 4 5]"),
        (range(7), "int32", "[0 1 2 ... 4 5 6]"),
        (range(10), "int32", "[0 1 2 ... 7 8 9]"),
        ([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], "int64", "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    ],
)
def test_tf_print_of_a_tensor(tf, printed, value, dtype, text):
    assert printed(tf.constant(value, tf.as_dtype(dtype))) == text + "\n"


@pytest.mark.rule(225)
def test_tf_print_of_a_long_matrix(tf, printed):
    rows = printed(tf.reshape(tf.range(100), [10, 10])).split("\n")
    assert rows[0] == "[[0 1 2 ... 7 8 9]" and rows[3] == " ..." and rows[6] == " [90 91 92 ... 97 98 99]]"


@pytest.mark.rule(225)
def test_tf_print_of_several_values(tf, printed):
    a, one = tf.constant("a"), tf.constant(1)
    assert printed("a", a) == 'a "a"\n' and printed(a, a) == '"a" "a"\n'
    assert printed(1.0, True, None, "s") == "1.0 True None s\n"
    assert printed("x is", tf.constant(1.5), "!") == "x is 1.5 !\n"
    assert printed(tf.constant([[1.5, 2], [3, 4]]), "z") == "[[1.5 2]\n [3 4]] z\n"
    assert printed(tf.Variable(3.0), one) == "3 1\n"


@pytest.mark.rule(225)
def test_tf_print_of_containers(tf, printed):
    one = tf.constant(1)
    assert printed({"k": one}) == "{'k': 1}\n" and printed({"b": one, "a": "x"}) == "{'a': 'x', 'b': 1}\n"
    assert printed([one, 1]) == "[1, 1]\n" and printed((one, "a", 2)) == "(1, 'a', 2)\n"
    assert printed(P(one, 2)) == "P(a=1, b=2)\n" and printed([[tf.constant([1, 2])], {}]) == "[[[1 2]], {}]\n"
    assert printed(["a", "b"]) == "['a', 'b']\n" and printed([tf.constant("a")]) == '["a"]\n'


@pytest.mark.rule(226)
@pytest.mark.parametrize(
    "shape, text, shown",
    [([1, None], "(1, None)", "TensorShape([1, None])"), (None, "<unknown>", "TensorShape(None)"),
     ([], "()", "TensorShape([])"), ([3], "(3,)", "TensorShape([3])"), ([2, 3], "(2, 3)", "TensorShape([2, 3])")],
)  # fmt: skip
def test_text_of_a_shape(tf, shape, text, shown):
    assert str(tf.TensorShape(shape)) == text and repr(tf.TensorShape(shape)) == shown


@pytest.mark.rule(226)
@pytest.mark.parametrize("name", ["float32", "bfloat16", "int64", "uint8", "bool", "string", "complex64", "resource"])
def test_text_of_a_dtype(tf, name):
    dtype = tf.as_dtype(name)
    assert str(dtype) == f"<dtype: '{name}'>" and repr(dtype) == f"tf.{name}" and str([dtype]) == f"[tf.{name}]"


@pytest.mark.rule(226)
def test_text_of_a_spec(tf):
    assert str(tf.TensorSpec([None, 2], tf.float32)) == "TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)"
    assert repr(tf.TensorSpec(None, tf.string, name="s")) == "TensorSpec(shape=<unknown>, dtype=tf.string, name='s')"


@pytest.mark.rule(226)
def test_specs_of_derived_classes_have_their_names(tf, internal):
    specs = [tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, internal("ops.resource_variable_ops").VariableSpec]
    for cls in specs:
        assert repr(type("Mine", (cls,), {})([2])) == repr(cls([2])).replace(cls.__name__, "Mine", 1)
