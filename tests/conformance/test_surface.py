"""Parts of the public surface that are no ops: tf.test, conversions of a program's classes, scopes, generators in functions."""

import unittest

import numpy as np
import pytest


@pytest.mark.rule("surface")
def test_assertions_of_test_cases(tf):
    class Case(tf.test.TestCase):
        def test_what_holds(self):
            self.assertAllEqual(tf.constant([1, 2]), [1, 2])
            self.assertAllEqual(tf.constant(["a", "b"]), ["a", "b"])
            self.assertAllEqual(tf.constant([np.nan]), [np.nan])
            self.assertAllClose({"a": [1.0, 2.0]}, {"a": tf.constant([1.0, 2.0000001])})
            self.assertAllCloseAccordingToType(tf.constant(1.0, tf.float16), 1.0005)
            self.assertAllInRange([1, 2], 1, 2)
            self.assertDTypeEqual(tf.constant(1), tf.int32)
            self.assertShapeEqual(np.ones([2]), tf.ones([2]))
            self.assertNotAllClose([1.0], [2.0])
            self.assertEqual(self.evaluate([tf.constant(1), {"a": tf.constant(2)}]), [1, {"a": 2}])
            with self.assertRaisesOpError("Input to reshape"):
                tf.reshape([1, 2], [3])

        def test_unequal_element(self):
            self.assertAllEqual([1, 2], [1, 3])

        def test_unequal_shape(self):
            self.assertAllEqual([1], [1, 2])

        def test_not_close(self):
            self.assertAllClose([1.0], [1.1])

        def test_dtype(self):
            self.assertDTypeEqual(tf.constant(1.0), tf.int32)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    failed = sorted(case.id().rpartition(".")[2] for case, _ in result.failures)
    assert result.errors == []
    assert failed == ["test_dtype", "test_not_close", "test_unequal_element", "test_unequal_shape"]


@pytest.mark.rule("surface")
def test_a_conversion_of_a_class(tf):
    class Meters:
        def __init__(self, value):
            self.value = value

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.value, dtype=dtype)

    tf.register_tensor_conversion_function(Meters, convert)
    assert tf.add(Meters(2.0), 1.0).numpy() == 3.0
    assert tf.function(lambda: tf.convert_to_tensor(Meters(2)) + 1)().numpy() == 3
    for wrong in ((3, convert), (Meters, 3)):
        with pytest.raises(TypeError, match=r"Argument `(base_type|conversion_func)` must be"):
            tf.register_tensor_conversion_function(*wrong)


def _conversion(log, name, result):
    def convert(value, dtype=None, as_ref=False, **kwargs):
        log.append(name)
        return result() if callable(result) else result

    return convert


@pytest.mark.rule("surface")
def test_several_conversions_of_a_class(tf):
    class Base:
        pass

    class Derived(Base):
        pass

    log = []
    register = tf.register_tensor_conversion_function
    register(Base, _conversion(log, "base", lambda: tf.constant(1)))
    register(Derived, _conversion(log, "late", lambda: tf.constant(2)))
    register(Derived, _conversion(log, "first", lambda: tf.constant(3)), priority=50)
    assert [int(tf.convert_to_tensor(x)) for x in (Base(), Derived())] == [1, 3]
    register(Base, _conversion(log, "none", NotImplemented), priority=10)
    log.clear()
    assert [int(tf.convert_to_tensor(x)) for x in (Base(), Derived())] == [1, 3]
    assert log == ["none", "base", "none", "first"]
    with pytest.raises(RuntimeError, match="returned incompatible dtype: requested = float32, actual = int32"):
        tf.convert_to_tensor(Base(), tf.float32)


@pytest.mark.rule("surface")
def test_conversions_that_fail(tf):
    class Nothing:
        pass

    class Text:
        pass

    tf.register_tensor_conversion_function(Nothing, _conversion([], "none", NotImplemented))
    with pytest.raises(ValueError, match="Attempt to convert a value .* with an unsupported type"):
        tf.convert_to_tensor(Nothing())
    tf.register_tensor_conversion_function(Text, _conversion([], "text", "x"))
    with pytest.raises(RuntimeError, match="Conversion function .* for type .*Text'> returned non-Tensor: 'x'"):
        tf.convert_to_tensor(Text())
    for cls in (int, bool, float, np.int32, np.ndarray, (Text, float)):
        with pytest.raises(TypeError, match="Cannot register conversions for Python numeric types and NumPy scalars and arrays"):
            tf.register_tensor_conversion_function(cls, _conversion([], "number", NotImplemented))


@pytest.mark.rule("surface")
def test_scopes_and_symbols(tf, traces):
    @tf.function
    def f(x):
        with tf.name_scope("a"), tf.name_scope("b"):
            traces.append(tf.get_current_name_scope())
        traces.append(tf.is_symbolic_tensor(x))
        traces.append(tf.timestamp().shape.as_list())
        return tf.tuple([x, None, x * 2])

    assert [None if t is None else t.numpy() for t in f(tf.constant(2))] == [2, None, 4]
    assert traces == ["a/b", True, []]
    assert not tf.is_symbolic_tensor(tf.constant(1)) and tf.tuple([1, 2]) == [1, 2]


@pytest.mark.rule("surface", 114)
def test_a_generator_made_in_a_function(tf):
    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.random.Generator.from_seed(1))
        return made[0].normal([])

    first, second = f().numpy(), f().numpy()
    again = tf.random.Generator.from_seed(1)
    assert [again.normal([]).numpy() for _ in range(2)] == [first, second] and first != second


@pytest.mark.rule("surface")
def test_text_of_either_kind(tf):
    assert tf.compat.as_bytes("é") == "é".encode() and tf.compat.as_text(b"a") == tf.compat.as_str("a") == "a"
    assert tf.compat.as_str_any(1) == "1"
    for function in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 1"):
            function(1)


@pytest.mark.rule("surface")
def test_text_of_the_messages_of_specs_and_dtypes(tf):
    proto = tf.TensorSpec([2, None], tf.float16, name='a"b\né\x7f').experimental_as_proto()
    assert str(proto) == (
        'name: "a\\"b\\né\\177"\nshape {\n  dim {\n    size: 2\n  }\n  dim {\n    size: -1\n  }\n}\ndtype: DT_HALF\n'
    )
    assert proto.SerializeToString() == (
        b'\n\x07a"b\n\xc3\xa9\x7f\x12\x11\x12\x02\x08\x02\x12\x0b\x08' + b"\xff" * 9 + b"\x01\x18\x13"
    )
    again = tf.TensorSpec.experimental_from_proto(proto)
    assert again == tf.TensorSpec([2, None], tf.float16, name='a"b\né\x7f')
    assert str(tf.TensorSpec(None, tf.string).experimental_as_proto()) == (
        "shape {\n  unknown_rank: true\n}\ndtype: DT_STRING\n"
    )
    for dtype, label, number in ((tf.float32, "FLOAT", 1), (tf.bool, "BOOL", 10), (tf.complex128, "COMPLEX128", 18)):
        proto = dtype.experimental_as_proto()
        assert str(proto) == f"datatype: DT_{label}\n" and proto.SerializeToString() == bytes([8, number])
        assert proto.datatype == number and tf.dtypes.DType.experimental_from_proto(proto) == dtype


@pytest.mark.rule("surface")
def test_versions_of_graphs_with_and_without_functions(tf):
    plain = tf.function(lambda x: 2.0 * x).get_concrete_function(tf.TensorSpec([]))
    calling = tf.function(lambda x: plain(x)).get_concrete_function(tf.TensorSpec([]))
    for graph, text, oldest in (
        (plain.graph, "producer: 2474\n", 0),
        (calling.graph, "producer: 2474\nmin_consumer: 12\n", 12),
    ):
        graph_def = graph.as_graph_def()
        for versions in (graph_def.versions, graph.graph_def_versions):
            assert (str(versions), versions.producer, versions.min_consumer) == (text, 2474, oldest)
            assert versions.SerializeToString() == b"\x08\xaa\x13" + (b"\x10\x0c" if oldest else b"")
        inside = "".join(f"  {line}\n" for line in text.splitlines())
        assert str(graph_def).endswith("versions {\n" + inside + "}\n")


@pytest.mark.rule("surface")
def test_summaries_of_signatures_with_defaults(tf):
    def f(a, b=2, *, c="x", d=None):
        return a

    spec = tf.function(f).function_spec
    summary = (
        "Input Parameters:\n  a (POSITIONAL_OR_KEYWORD): None\n  b (POSITIONAL_OR_KEYWORD): None\n"
        "  c (KEYWORD_ONLY): None\n  d (KEYWORD_ONLY): None\nOutput Type:\n  None\nCaptures:\n  None"
    )
    assert spec.signature_summary() == spec.signature_summary(False) == summary
    assert spec.signature_summary(default_values=True) == summary + "\nDefaults:\n  b: 2\n  c: 'x'\n  d: None"
    assert tf.function(lambda x: x).function_spec.signature_summary(True).endswith("\nDefaults:\n  None")
