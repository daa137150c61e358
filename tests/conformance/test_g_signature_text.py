"""Section G of the tracing rules: the printed signatures, in the form of TensorFlow 2.12 and in today's."""

import collections
import re

import numpy as np
import pytest

P = collections.namedtuple("P", "u w")


@pytest.fixture
def spec(tf):
    """Short for `tf.TensorSpec`, float32 unless said otherwise."""
    return lambda shape, dtype="float32", **options: tf.TensorSpec(shape, tf.as_dtype(dtype), **options)


@pytest.fixture
def printed(tf):
    """The signature text of one trace of `fn`."""

    def text(fn, *args, **kwargs):
        return tf.function(fn, autograph=False).get_concrete_function(*args, **kwargs).pretty_printed_signature()

    return text


@pytest.fixture
def typed(tf):
    """Today's form of the signature text of one trace of `fn`: TensorFlow's only form, on request in tracefn."""

    def text(fn, *args, **kwargs):
        concrete = tf.function(fn, autograph=False).get_concrete_function(*args, **kwargs)
        style = {} if tf.__name__ == "tensorflow" else {"style": "types"}
        return concrete.pretty_printed_signature(**style)

    return text


def lines(*text):
    return "\n".join(text)


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_traces_oldest_first(tf):
    @tf.function
    def double(a):
        return a + a

    double(tf.constant("a")), double(tf.constant(1.0)), double(tf.zeros([2, 3], tf.int32))
    assert double.pretty_printed_concrete_signatures() == lines(
        "double(a)", "  Args:", "    a: string Tensor, shape=()", "  Returns:", "    string Tensor, shape=()", "",
        "double(a)", "  Args:", "    a: float32 Tensor, shape=()", "  Returns:", "    float32 Tensor, shape=()", "",
        "double(a)", "  Args:", "    a: int32 Tensor, shape=(2, 3)", "  Returns:", "    int32 Tensor, shape=(2, 3)",
    )  # fmt: skip


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_summaries_alone(tf):
    f = tf.function(lambda x, k="m": x)
    f(1), f(tf.constant(1)), f(tf.constant(1), "n")
    assert f.pretty_printed_concrete_signatures(verbose=False) == lines(
        "<lambda>(x=1, k=m)", "<lambda>(x, k=m)", "<lambda>(x, k=n)"
    )
    assert f.get_concrete_function(1).pretty_printed_signature(verbose=False) == "<lambda>(x=1, k=m)"


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_python_values_in_the_summary(spec, printed):
    def pow(a, b):
        return a**b

    assert printed(pow, spec([]), 2) == lines(
        "pow(a, b=2)", "  Args:", "    a: float32 Tensor, shape=()", "  Returns:", "    float32 Tensor, shape=()"
    )

    def kinds(n, f, s, b, t):
        return n

    assert printed(kinds, 1, 2.5, "hello", None, True) == lines(
        "kinds(n=1, f=2.5, s=hello, b=None, t=True)", "  Returns:", "    int32 Tensor, shape=()"
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
@pytest.mark.parametrize(
    "shape, text", [([], "()"), ([2], "(2,)"), ([None, 2], "(None, 2)"), (None, "<unknown>"), ([0], "(0,)")]
)
def test_shapes(spec, printed, shape, text):
    assert printed(lambda x: x, spec(shape, "int64")) == lines(
        "<lambda>(x)", "  Args:", f"    x: int64 Tensor, shape={text}", "  Returns:", f"    int64 Tensor, shape={text}"
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_nothing_given_and_nothing_returned(spec, printed):
    assert printed(lambda: None) == lines("<lambda>()", "  Returns:", "    NoneTensorSpec()")
    assert printed(lambda x: None, spec([])).endswith(lines("  Returns:", "    NoneTensorSpec()"))


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_structures_in_arguments(spec, printed):
    def f(p, q, d, l):
        return p.u

    text = printed(f, P(spec([None, 2]), "s"), P(1, "s"), {"b": spec([]), "a": True}, [1, 2])
    assert text == lines(
        "f(p, q=P(u=1, w='s'), d, l=[1, 2])",
        "  Args:",
        "    p: P(u=<1>, w=<2>)",
        "      <1>: float32 Tensor, shape=(None, 2)",
        "      <2>: 's'",
        "    d: {'a': <1>, 'b': <2>}",
        "      <1>: True",
        "      <2>: float32 Tensor, shape=()",
        "  Returns:",
        "    float32 Tensor, shape=(None, 2)",
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_nested_structures_in_arguments(spec, printed):
    text = printed(lambda l, t, e, f: l[0], [spec([]), [spec([]), 1]], (spec([]),), (), [])
    assert text == lines(
        "<lambda>(l, t, e=(), f=[])",
        "  Args:",
        "    l: [<1>, [<2>, <3>]]",
        "      <1>: float32 Tensor, shape=()",
        "      <2>: float32 Tensor, shape=()",
        "      <3>: 1",
        "    t: (<1>,)",
        "      <1>: float32 Tensor, shape=()",
        "  Returns:",
        "    float32 Tensor, shape=()",
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_structures_in_results(spec, printed):
    text = printed(lambda x: ({"k": (x, [x, None]), "a": 3}, 2.5), spec([2, 3]))
    assert text == lines(
        "<lambda>(x)",
        "  Args:",
        "    x: float32 Tensor, shape=(2, 3)",
        "  Returns:",
        "    ({'a': <1>, 'k': (<2>, [<3>, <4>])}, <5>)",
        "      <1>: int32 Tensor, shape=()",
        "      <2>: float32 Tensor, shape=(2, 3)",
        "      <3>: float32 Tensor, shape=(2, 3)",
        "      <4>: NoneTensorSpec()",
        "      <5>: float32 Tensor, shape=()",
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_a_named_tuple_and_empty_structures_in_results(spec, printed):
    assert printed(lambda x: P(x, [x]), spec([])).endswith(
        lines("    P(u=<1>, w=[<2>])", "      <1>: float32 Tensor, shape=()", "      <2>: float32 Tensor, shape=()")
    )
    assert printed(lambda: ()).endswith(lines("  Returns:", "    ()"))
    assert printed(lambda: []).endswith(lines("  Returns:", "    []"))


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_varargs_and_keywords(spec, printed):
    assert printed(lambda *a, **k: a[0], spec([]), 1, z=spec([]), y=2) == lines(
        "<lambda>(arg1, arg2=1, *, y=2, z)",
        "  Args:",
        "    arg1: float32 Tensor, shape=()",
        "    z: float32 Tensor, shape=()",
        "  Returns:",
        "    float32 Tensor, shape=()",
    )
    assert printed(lambda a, *, k: a, spec([]), k=3).startswith("<lambda>(a, *, k=3)\n  Args:\n    a: float32")


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_varargs_after_a_parameter(spec, printed):
    def f(x, *args, k=1, **kw):
        return x

    text = printed(f, spec([]), spec([]), 2, k=spec([]), b=spec([]), a=3)
    assert text == lines(
        "f(x, arg2, arg3=2, *, k, a=3, b)",
        "  Args:",
        "    x: float32 Tensor, shape=()",
        "    arg2: float32 Tensor, shape=()",
        "    b: float32 Tensor, shape=()",
        "    k: float32 Tensor, shape=()",
        "  Returns:",
        "    float32 Tensor, shape=()",
    )


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_variables(tf, printed):
    v, w = tf.Variable(1.0), tf.Variable([1.0, 2.0], trainable=False)
    assert printed(lambda v: v + 1.0, v) == lines(
        "<lambda>(v)",
        "  Args:",
        "    v: VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)",
        "  Returns:",
        "    float32 Tensor, shape=()",
    )
    assert lines(
        "    l: [<1>, <2>]",
        "      <1>: VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)",
        "      <2>: VariableSpec(shape=(2,), dtype=tf.float32, trainable=False, alias_id=1)",
    ) in printed(lambda l: l[0] + l[1][0], [v, w])


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_captures_are_not_listed(tf, printed):
    v = tf.Variable(1.0)
    assert printed(lambda: v + 1.0) == lines("<lambda>()", "  Returns:", "    float32 Tensor, shape=()")


@pytest.mark.rule(81)
@pytest.mark.signature_text
def test_str_of_a_concrete_function(tf, spec):
    concrete = tf.function(lambda x: x).get_concrete_function(spec([]))
    assert str(concrete) == "ConcreteFunction " + concrete.pretty_printed_signature()


@pytest.mark.rule(81, 92)
@pytest.mark.signature_text
def test_self_is_not_listed(tf):
    class Box:
        @tf.function
        def same(self, x):
            return x

    box = Box()
    box.same(1.5), box.same(tf.constant(1))
    assert box.same.pretty_printed_concrete_signatures() == lines(
        "same(x=1.5)", "  Returns:", "    float32 Tensor, shape=()", "",
        "same(x)", "  Args:", "    x: int32 Tensor, shape=()", "  Returns:", "    int32 Tensor, shape=()",
    )  # fmt: skip


@pytest.mark.rule(81)
@pytest.mark.superset("81")
def test_other_objects_by_their_own_repr(tf, spec, printed):
    class Mode:
        def __repr__(self):
            return "Mode!"

    assert printed(lambda m, x: x, Mode(), spec([])).startswith("<lambda>(m=Mode!, x)\n")
    assert printed(lambda b, c: 1, b"by", 1 + 2j).startswith("<lambda>(b=b'by', c=(1+2j))\n")
    assert "      <2>: Mode!" in printed(lambda s: s[0], [spec([]), Mode()])


@pytest.mark.rule(82, 83)
def test_todays_form(spec, typed):
    assert typed(lambda a, b: a, spec([2, 3]), 2) == lines(
        "Input Parameters:",
        "  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)",
        "  b (POSITIONAL_OR_KEYWORD): Literal[2]",
        "Output Type:",
        "  TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)",
        "Captures:",
        "  None",
    )


@pytest.mark.rule(82)
def test_todays_form_of_all_traces(tf):
    f = tf.function(lambda x: None)
    f(1), f("a")
    style = {} if tf.__name__ == "tensorflow" else {"style": "types"}
    one, two = f.pretty_printed_concrete_signatures(**style).split("\n\n")
    assert "x (POSITIONAL_OR_KEYWORD): Literal[1]" in one and "Literal['a']" in two


@pytest.mark.rule(83)
def test_kinds_of_parameters(spec, typed):
    def f(x, *args, k=1, **kw):
        return x

    text = typed(f, spec([]), spec([]), 2, k=spec([]), b=spec([]), a=3)
    tensor = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert text.split("\n")[1:7] == [
        f"  x (POSITIONAL_ONLY): {tensor}",
        f"  args_0 (POSITIONAL_ONLY): {tensor}",
        "  args_1 (POSITIONAL_ONLY): Literal[2]",
        f"  k (KEYWORD_ONLY): {tensor}",
        "  a (KEYWORD_ONLY): Literal[3]",
        f"  b (KEYWORD_ONLY): {tensor}",
    ]


@pytest.mark.rule(84)
@pytest.mark.parametrize("shape, text", [([], "()"), ([2, 3], "(2, 3)"), ([None, 2], "(None, 2)"), (None, "<unknown>")])
def test_types_of_tensors(spec, typed, shape, text):
    assert f"x (POSITIONAL_OR_KEYWORD): TensorSpec(shape={text}, dtype=tf.int32, name=None)\n" in typed(
        lambda x: 0, spec(shape, "int32")
    )


@pytest.mark.rule(84)
def test_types_of_named_specs(spec, typed):
    assert "TensorSpec(shape=(), dtype=tf.float32, name='rows')" in typed(lambda x: 0, spec([], name="rows"))


@pytest.mark.rule(85)
@pytest.mark.parametrize(
    "value, text",
    [(2, "2"), ("s", "'s'"), (None, "None"), (True, "True"), (2.5, "2.5"), (b"x", "b'x'"), (1 + 2j, "(1+2j)"),
     (range(3), "range(0, 3)"), (..., "Ellipsis")],
)  # fmt: skip
def test_types_of_python_values(typed, value, text):
    assert f"x (POSITIONAL_OR_KEYWORD): Literal[{text}]\n" in typed(lambda x: 0, value)


@pytest.mark.rule(86)
@pytest.mark.parametrize(
    "value, text",
    [
        ([1, [2]], "List[Literal[1], List[Literal[2]]]"),
        ((1,), "Tuple[Literal[1]]"),
        ((), "Tuple[]"),
        ([], "List[]"),
        ({"b": 1, "a": "s"}, "Dict[['b', Literal[1]], ['a', Literal['s']]]"),
        ({}, "Dict[]"),
        (P(1, (2,)), "P[['u', Literal[1]], ['w', Tuple[Literal[2]]]]"),
        (np.zeros(2, np.float32), "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"),
    ],
)
def test_types_of_structures(typed, value, text):
    assert f"x (POSITIONAL_OR_KEYWORD): {text}\n" in typed(lambda x: 0, value)


@pytest.mark.rule(87)
def test_types_of_variables_and_objects(tf, typed):
    class Thing:
        pass

    v, w = tf.Variable(1.0), tf.Variable([1], trainable=False)
    text = typed(lambda a, b, c: 0, v, [w, v], v)
    assert "a (POSITIONAL_OR_KEYWORD): VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)" in text
    assert (
        "b (POSITIONAL_OR_KEYWORD): List[VariableSpec(shape=(1,), dtype=tf.int32, trainable=False, alias_id=1),"
        " VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)]" in text
    )
    thing = Thing()
    assert re.search(
        r"x \(POSITIONAL_OR_KEYWORD\): Weakref\[<weakref at 0x[0-9a-f]+; to '.*Thing' at 0x[0-9a-f]+>\]\)\n",
        typed(lambda x: 0, thing),
    )


@pytest.mark.rule(88)
def test_captures_in_todays_form(tf, typed):
    v, w = tf.Variable(1.0), tf.constant([1.0, 2.0])
    captures = typed(lambda: v + w).split("Captures:\n")[1].split("\n")
    assert len(captures) == 2
    assert re.fullmatch(r"  \d+: TensorSpec\(shape=\(\), dtype=tf.resource, name=None\)", captures[0])
    assert re.fullmatch(r"  \d+: TensorSpec\(shape=\(2,\), dtype=tf.float32, name=None\)", captures[1])


@pytest.mark.rule(89)
def test_types_in_function_type_and_errors(tf):
    f = tf.function(lambda d: 0, input_signature=[{"a": tf.TensorSpec([None], tf.float32)}])
    kind = "Dict[['a', TensorSpec(shape=(None,), dtype=tf.float32, name=None)]]"
    shown = f"(d: {kind})"
    assert str(f.function_type) == shown
    assert f"d (POSITIONAL_OR_KEYWORD): {kind}" in repr(f.function_type)
    with pytest.raises(TypeError) as error:
        f([1])
    assert str(error.value).endswith(f"for signature: {shown}.")


@pytest.mark.rule(90)
def test_repr_of_a_concrete_function(tf, spec):
    concrete = tf.function(lambda a, b: a).get_concrete_function(spec([]), 2)
    assert re.fullmatch(
        r"<ConcreteFunction \(a: TensorSpec\(shape=\(\), dtype=tf.float32, name=None\), b: Literal\[2\]\) ->"
        r" TensorSpec\(shape=\(\), dtype=tf.float32, name=None\) at 0x[0-9A-F]+>",
        repr(concrete),
    )


@pytest.mark.rule(91)
def test_output_types(spec, typed):
    assert "Output Type:\n  Literal[None]\n" in typed(lambda x: None, spec([]))
    assert "Output Type:\n  Tuple[]\n" in typed(lambda: ())
    text = typed(lambda x: (x, {"k": [x, None]}, 3, "s"), spec([]))
    assert (
        "  Tuple[TensorSpec(shape=(), dtype=tf.float32, name=None), Dict[['k', List[TensorSpec(shape=(),"
        " dtype=tf.float32, name=None), Literal[None]]]], TensorSpec(shape=(), dtype=tf.int32, name=None),"
        " TensorSpec(shape=(), dtype=tf.string, name=None)]\n" in text
    )


@pytest.mark.rule(92)
def test_self_is_not_listed_in_todays_form(tf):
    class Box:
        @tf.function
        def same(self, x):
            return x

    concrete = Box().same.get_concrete_function(3)
    assert str(concrete.function_type).startswith("(x: Literal[3]) -> ")
