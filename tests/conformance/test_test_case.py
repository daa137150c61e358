"""`tf.test`: the assertions of TestCase, gradients by differences, comparisons of graphs."""

import collections.abc
import contextlib
import dataclasses
import importlib
import os
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def case(tf):
    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    return Case()


def fails(assertion, *args, match=None, **kwargs):
    with pytest.raises(AssertionError, match=match):
        assertion(*args, **kwargs)


def test_errors_of_comparisons_tell_places_values_and_arrays(tf, case):
    def text(assertion, *args, **kwargs):
        with pytest.raises(AssertionError) as caught:
            assertion(*args, **kwargs)
        return str(caught.value)

    told = text(case.assertAllClose, tf.constant([1.0, 2.0, 3.0]), [1.0, 2.5, 3.0], msg="why")
    for line in ("Not equal to tolerance rtol=1e-06, atol=1e-06", "Mismatched value: a is different from b. why",
                 "not close where = (array([1]),)", "not close lhs = [2.]", "not close rhs = [2.5]", "not close dif = [0.5]",
                 "not close tol = [3.5e-06]", "dtype = float32, shape = (3,)", "Mismatched elements: 1 / 3 (33.3%)",
                 " ACTUAL: array([1., 2., 3.], dtype=float32)"):  # fmt: skip
        assert line in told.splitlines(), line
    told = text(case.assertAllEqual, tf.constant([[1, 2], [3, 4]]), [[1, 2], [3, 5]], msg="why")
    for line in ("Arrays are not equal", "why", "not equal where = (array([1]), array([1]))",
                 "not equal lhs = array([4], dtype=int32)", "not equal rhs = array([5])", "Mismatched elements: 1 / 4 (25%)"):  # fmt: skip
        assert line in told.splitlines(), line
    told = text(case.assertAllClose, tf.constant(1.0), 2.0)
    assert "where" not in told and "not close lhs = 1.0\nnot close rhs = 2.0\nnot close dif = 1.0" in told
    assert "not equal lhs = array(1, dtype=int32)" in text(case.assertAllEqual, tf.constant(1), 2)
    assert "Shape mismatch: expected (2,), got (3,) with contents [1 2 3]." in text(case.assertAllClose, [1, 2], [1, 2, 3])
    told = text(case.assertAllEqual, [1, 2], [1, 2, 3], msg="why")
    assert "Shape mismatch: expected (2,), got (3,). Contents: array([1, 2, 3]). \nwhy." in told
    assert "(array([1]),)" in text(case.assertAllEqual, tf.constant(["a", "b"]), [b"a", b"c"])


def test_all_equal(tf, case):
    case.assertAllEqual(tf.constant([1, 2]), [1, 2])
    case.assertAllEqual([[1.0, float("nan")]], tf.constant([[1.0, float("nan")]]))
    case.assertAllEqual(tf.constant(["a", "b"]), [b"a", b"b"])
    case.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
    case.assertAllEqual([], [])
    fails(case.assertAllEqual, [1, 2], [1, 3], match="not equal where")
    fails(case.assertAllEqual, [1, 2], [1, 2, 3], match="Shape mismatch: expected")
    fails(case.assertAllEqual, tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]])
    fails(case.assertAllEqual, 1, 2, msg="boo", match="boo")
    case.assertNotAllEqual([1, 2], [1, 3])
    case.assertNotAllEqual([1, 2], [1])
    fails(case.assertNotAllEqual, [1], [1], match="The two values are equal at all elements.")


Point = collections.namedtuple("Point", "x y")


def test_all_close(tf, case):
    case.assertAllClose(tf.constant([1.0]), [1.0 + 1e-7])
    case.assertAllClose({"a": (1.0, [2.0, 3.0])}, {"a": (1.0, [2.0, 3.0 + 1e-7])})
    case.assertAllClose(Point(1, 2), Point(1, 2))
    case.assertAllClose([[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]])
    case.assertAllClose(1.0, 1.1, rtol=0.2)
    case.assertAllClose([float("nan")], [float("nan")])
    case.assertAllClose(tf.ragged.constant([[1.0], []]), [[1.0 + 1e-8], []])
    fails(case.assertAllClose, [1.0, 2.0], [1.0, 2.1], match="not close where")
    fails(case.assertAllClose, [1.0, 2.0], [1.0, 2.0, 3.0], match="Shape mismatch: expected")
    fails(case.assertAllClose, {"a": 1.0}, {"b": 1.0}, match="mismatched keys")
    fails(case.assertAllClose, {"a": 1.0}, {"a": 2.0}, match=r"Mismatched value: a\[a\] is different from b\[a\]")
    with pytest.raises(ValueError, match="Can't compare dict to non-dict, a vs b."):
        case.assertAllClose({"a": 1.0}, [1.0])
    fails(case.assertAllClose, [[1.0], [2.0, 3.0]], [[1.0]])
    fails(case.assertAllClose, [[1.0], [2.0, 3.0]], [[1.0], [2.0, 4.0]])
    case.assertNotAllClose([1.0], [1.1])
    fails(case.assertNotAllClose, [1.0], [1.0], match="The two values are close at all elements.")
    case.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.0005]))
    fails(case.assertAllCloseAccordingToType, np.float32([1.0]), np.float32([1.0005]))


def test_arrays_that_are_close_are_not_shown(tf, case):
    """Their text takes long, and tests compare large arrays many times."""

    def shown(element):
        raise AssertionError("the text of an array was made")

    with np.printoptions(formatter={"float": shown}):
        case.assertAllClose(np.ones((2, 3)), tf.ones((2, 3)))
        case.assertAllClose([np.ones((2, 3))], [tf.ones((2, 3))])


def test_near(case):
    case.assertNear(1.0, 1.05, 0.1)
    case.assertArrayNear([1.0, 2.0], [1.05, 2.0], 0.1)
    case.assertNDArrayNear(np.ones(2), np.ones(2) + 0.01, 0.1)
    fails(case.assertNear, 1.0, 1.5, 0.1, "boo", match=r"1.000000 != 1.500000 \+/- 0.100000 \(difference: 0.5\) \(boo\)")
    fails(case.assertArrayNear, [1.0], [1.5], 0.1)
    fails(case.assertNDArrayNear, np.ones(2), np.zeros(2), 0.1)


def test_ranges(tf, case):
    x = tf.constant([1, 2, 3])
    case.assertAllGreater(x, 0)
    case.assertAllGreaterEqual(x, 1)
    case.assertAllLess(x, 4)
    case.assertAllLessEqual(x, 3)
    case.assertAllInRange(x, 1, 3)
    case.assertAllInSet(x, [1, 2, 3, 4])
    fails(case.assertAllGreater, x, 1)
    fails(case.assertAllGreaterEqual, x, 2)
    fails(case.assertAllLess, x, 3)
    fails(case.assertAllLessEqual, x, 2)
    fails(case.assertAllInRange, x, 1, 3, open_upper_bound=True, match=r"1 of the 3 element\(s\) are outside the range \[1, 3\)")
    fails(case.assertAllInRange, x, 2, 3, open_lower_bound=True, match=r"2 of the 3 element\(s\) are outside the range \(2, 3\]")
    fails(case.assertAllInRange, [1.0, float("nan")], 0, 3, match=r"1 of the 2 element\(s\) are NaN")
    fails(case.assertAllInRange, ["a"], 0, 3, match="does not have an ordered numeric type")
    fails(case.assertAllInSet, x, [1, 2], match=r"1 unique element\(s\) are not in the set")


def test_types_and_shapes(tf, case):
    case.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3]))
    case.assertDTypeEqual(tf.zeros([2]), np.float32)
    case.assertDTypeEqual(np.zeros(2), np.float64)
    case.assertDeviceEqual("/cpu:0", "/device:CPU:0")
    fails(case.assertShapeEqual, np.zeros([2, 3]), tf.zeros([2]))
    fails(case.assertDTypeEqual, tf.zeros([2]), np.float64)
    fails(case.assertDeviceEqual, "/cpu:0", "/cpu:1", match="are not equal")
    with pytest.raises(TypeError, match="input_a must be a Numpy ndarray, Numpy scalar, or a Tensor."):
        case.assertShapeEqual([1], tf.zeros([1]))


def test_errors(tf, case):
    with case.assertRaisesOpError("must be|out of range|indices"):
        tf.gather([1], [3])
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "boo" in str(e)):
        raise ValueError("boo")
    with pytest.raises(AssertionError, match="ValueError not raised"), case.assertRaisesWithPredicateMatch(ValueError, "boo"):
        pass
    with pytest.raises(AssertionError, match="Exception of type"), case.assertRaisesWithPredicateMatch(ValueError, "boo"):
        raise TypeError("boo")
    with case.assertRaisesIncompatibleShapesError():
        tf.constant([1, 2]) + tf.constant([1, 2, 3])
    with case.assertRaisesWithLiteralMatch(ValueError, "a.b"):
        raise ValueError("a.b")


def test_values(case):
    case.assertStartsWith("abc", "ab")
    case.assertEndsWith("abc", "bc")
    case.assertEmpty([])
    case.assertNotEmpty("a")
    case.assertLen([1, 2], 2)
    case.assertBetween(2, 1, 3)
    case.assertItemsEqual([1, 2], [2, 1])
    case.assertSameElements([1, 1, 2], [2, 1])
    case.assertContainsSubset([1], [2, 1])
    case.assertNoCommonElements([1], [2])
    case.assertContainsSubsequence([0, 1, 5, 2], [1, 2])
    case.assertContainsExactSubsequence([0, 1, 2, 3], [1, 2])
    case.assertContainsInOrder(["a", "c"], "abc")
    case.assertSequenceStartsWith([1], [1, 2])
    case.assertSequenceAlmostEqual([1.0], [1.0 + 1e-9])
    case.assertDictAlmostEqual({"a": 1.0}, {"a": 1.0 + 1e-9})
    case.assertDictEqual({"a": np.float32([1.0, 2.0])}, {"a": np.float32([1.0, 2.0])})
    case.assertRegexMatch("abc", ["x", "b"])
    case.assertTotallyOrdered([1], [2, 2], [3])
    case.assertSameStructure({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})
    case.assertJsonEqual('{"a": 1}', '{ "a":1 }')
    case.assertIsSubclass(bool, int)
    fails(case.assertStartsWith, "abc", "b", match="'abc' does not start with 'b'")
    fails(case.assertEmpty, [1], match="has length of 1")
    fails(case.assertLen, [1], 2, match="has length of 1, expected 2")
    fails(case.assertBetween, 5, 1, 3, match="unexpectedly not between")
    fails(case.assertSameElements, [1], [2])
    fails(case.assertContainsSubset, [3], [1], match=r"Missing elements \{3\}")
    fails(case.assertNoCommonElements, [1], [1], match=r"Common elements \{1\}")
    fails(case.assertContainsSubsequence, [2, 1], [1, 2], match="First non-matching element: 2")
    fails(case.assertContainsExactSubsequence, [1, 5, 2], [1, 2], match="not an exact subsequence of")
    fails(case.assertContainsInOrder, ["c", "a"], "abc", match="Did not find 'a' after 'c' in 'abc'")
    fails(case.assertSequenceAlmostEqual, [1.0], [1.5], match="At index 0")
    fails(case.assertTotallyOrdered, [2], [1])
    fails(case.assertSameStructure, {"a": [1, 2]}, {"a": [1, 3]}, match=r"a\['a'\]\[1\] is 2 but b\['a'\]\[1\] is 3")
    fails(case.assertDictEqual, {"a": np.float32([1.0, 2.0])}, {"a": np.float32([1.0, 3.0])})


def test_evaluate(tf, case):
    assert case.evaluate({"a": tf.constant(1), "b": [tf.constant([2])]}) == {"a": 1, "b": [np.array([2])]}
    assert case.evaluate(lambda: tf.constant(3)) == 3
    assert case.evaluate(None) is None
    with pytest.raises(ValueError, match="Unsupported type 'int'"):
        case.evaluate(3)
    with case.cached_session() as session:
        assert session.run(tf.constant(2)) == 2
        with pytest.raises(RuntimeError, match="feed_dict is not supported when eager execution is enabled"):
            session.run(tf.constant(2), feed_dict={"a": 1})
    with case.session() as session:
        case.assertAllEqual(tf.constant(1), 1)
        with pytest.raises(AttributeError, match="Trying to access properties or call methods on the result of self.session()"):
            session.run(tf.constant(2))
    with case.test_session() as session:
        assert session is None


def test_evaluate_in_the_session_around(tf, case):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=2.0, use_resource=True)
        with v1.Session().as_default() as session:
            case.evaluate(v1.global_variables_initializer())
            session.run(v.assign(3.0))
            assert case.evaluate(v) == 3.0 and case.evaluate([v, {"x": 2.0 * v}]) == [3.0, {"x": 6.0}]
        with pytest.raises(tf.errors.FailedPreconditionError):
            case.evaluate(v)


def test_temp_dir_threads_and_streams(case):
    assert case.get_temp_dir() == case.get_temp_dir()
    thread = case.checkedThread(lambda: case.assertEqual(1, 2))
    thread.start()
    fails(thread.join)
    stdout = sys.__stdout__
    with case.captureWritesToStream(stdout) as captured:
        print("hello", file=stdout, flush=True)
    assert captured.contents() == "hello\n"
    case.doCleanups()


def test_compute_gradient(tf):
    exact, near = tf.test.compute_gradient(lambda x, y: x * x * y, [[1.0, 2.0], 3.0])
    np.testing.assert_allclose(exact[0], [[6, 0], [0, 12]])
    np.testing.assert_allclose(exact[1], [[1], [4]])
    np.testing.assert_allclose(near[0], exact[0], rtol=1e-3)
    np.testing.assert_allclose(near[1], exact[1], rtol=1e-3)
    exact, near = tf.test.compute_gradient(tf.math.real, [tf.constant([1 + 2j])])
    np.testing.assert_allclose(exact[0], [[1, 0]])
    np.testing.assert_allclose(near[0], [[1, 0]])
    exact, near = tf.test.compute_gradient(lambda x: tf.gather(x, [0]), [[1.0, 2.0]])
    np.testing.assert_allclose(exact[0], [[1, 0]])
    exact, near = tf.test.compute_gradient(lambda x: x * x, [tf.zeros([0], tf.float64)])
    assert exact[0].shape == near[0].shape == (0, 0)
    exact, near = tf.test.compute_gradient(lambda x: tf.stop_gradient(x), [1.0])
    assert exact[0].tolist() == [[0]] and abs(near[0][0, 0] - 1) < 1e-3
    with pytest.raises(ValueError, match="`x` must be a list or tuple of values convertible to a Tensor"):
        tf.test.compute_gradient(lambda x: x, 1.0)
    with pytest.raises(AssertionError, match="Cannot compute gradient for unsupported type int32 of argument 0"):
        tf.test.compute_gradient(lambda x: x, [3])


def test_compute_gradient_in_a_graph(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session():
        exact, near = tf.test.compute_gradient(lambda x, y: x * x * y, [[1.0, 2.0], tf.constant(3.0)])
        np.testing.assert_allclose(exact[0], [[6, 0], [0, 12]])
        np.testing.assert_allclose(near[1], exact[1], rtol=1e-3)
        exact, near = tf.test.compute_gradient(lambda x: tf.gather(x, [0]), [np.float64([1, 2])], delta=0.5)
        assert exact[0].tolist() == near[0].tolist() == [[1, 0]]


def graph_def(tf, value=2, name="a"):
    with tf.Graph().as_default() as graph:
        tf.constant(value, name=name)
        tf.constant(3, name="z")
    return graph.as_graph_def()


def test_equal_graphs(tf):
    tf.test.assert_equal_graph_def(graph_def(tf), graph_def(tf))
    fails(tf.test.assert_equal_graph_def, graph_def(tf), graph_def(tf, 3), match="Node named 'a' has attr 'value' with value")
    fails(tf.test.assert_equal_graph_def, graph_def(tf), graph_def(tf, 2, "b"), match="Did not find expected node")
    with pytest.raises(TypeError, match="Expected tf.GraphDef for expected, got int"):
        tf.test.assert_equal_graph_def(3, graph_def(tf))


def test_what_there_is(tf):
    assert tf.test.gpu_device_name() == ""
    assert tf.test.is_cpu_target_available("x86_64") is True
    assert tf.test.is_gpu_available() is False
    assert tf.test.is_built_with_cuda() is False
    assert tf.test.with_eager_op_as_function(tf.test.TestCase) is tf.test.TestCase
    assert tf.test.experimental.sync_devices() is None


def test_disable_with_predicate(tf):
    class Case(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not today")
        def test_skipped(self):
            self.fail()

        @tf.test.disable_with_predicate(lambda: False, "not today")
        def test_run(self):
            self.assertAllEqual(tf.constant(1), 1)

    assert len(Case("test_skipped").run().skipped) == 1
    assert Case("test_run").run().wasSuccessful()


def test_benchmarks(tf):
    class Mine(tf.test.Benchmark):
        def benchmark_nothing(self):
            with tf.Graph().as_default() as graph:
                y = tf.constant(1) + 1
            with tf.compat.v1.Session(graph=graph) as session:
                return self.run_op_benchmark(session, y, min_iters=3, name="nothing")

    found = Mine().benchmark_nothing()
    assert found["iters"] == 3 and found["wall_time"] > 0
    assert not Mine.is_abstract()


def test_a_test_set_up_in_a_graph(tf):
    class Case(tf.test.TestCase):
        def test_both(self):
            self.tearDown()
            with tf.Graph().as_default():
                self.setUp()
                with self.cached_session() as session:
                    x = tf.constant(2.0) * 3.0
                    self.assertFalse(tf.executing_eagerly())
                    self.assertEqual(session.run(x), 6.0)
            self.assertTrue(tf.executing_eagerly())

    result = Case("test_both").run()
    assert result.wasSuccessful(), result.errors + result.failures
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="nested graphs"):
        tf.compat.v1.reset_default_graph()


def test_names_of_v1(tf, monkeypatch):
    v1 = tf.compat.v1.test
    assert v1.get_temp_dir() == v1.get_temp_dir()
    assert tf.io.gfile.isdir(v1.get_temp_dir())
    assert not hasattr(tf.test, "get_temp_dir")
    monkeypatch.setenv("TEST_SRCDIR", "/sources")
    monkeypatch.setenv("TEST_WORKSPACE", "mine")
    assert v1.test_src_dir_path("core/file") == "/sources/mine/tensorflow/core/file"


def test_stubs(tf):
    class Base:
        place = 1

        @staticmethod
        def kept():
            return "kept"

    class Derived(Base):
        pass

    one, other = Derived(), Derived()
    stubs = tf.compat.v1.test.StubOutForTesting()
    stubs.Set(one, "place", 2)
    assert (one.place, other.place) == (2, 1)
    stubs.SmartSet(other, "place", 3)
    assert (one.place, other.place, Derived.place, Base.place) == (2, 3, 3, 1)
    stubs.Set(Base, "kept", lambda: "replaced")
    assert Derived.kept() == "replaced"
    for wrong in ("Set", "SmartSet"):
        with pytest.raises(AttributeError):
            getattr(stubs, wrong)(one, "nowhere", 1)
    stubs.CleanUp()
    assert (one.place, other.place, one.kept(), Base.kept()) == (1, 1, "kept", "kept")
    with tf.compat.v1.test.StubOutForTesting() as stubs:
        stubs.SmartSet(np, "pi", 3)
        assert np.pi == 3
    assert np.pi != 3


def test_ragged_tensors_of_graphs(tf, case):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.ragged.constant([[1, 2], [], [3]])
        case.assertAllEqual(x, [[1, 2], [], [3]])
        case.assertAllEqual(session.run(x), x)
        case.assertAllClose(x, session.run(x))
        fails(case.assertAllEqual, x, [[1, 2], [], [4]])
        assert case.evaluate(x).to_list() == [[1, 2], [], [3]]


def test_graphs_with_random_names(tf):
    v1 = tf.compat.v1

    def with_text(text):
        with tf.Graph().as_default() as graph:
            tf.constant(text, name="part")
        return graph.as_graph_def()

    folders = [f"_temp_{letter * 32}/part" for letter in "ab"]
    v1.test.assert_equal_graph_def(*map(with_text, folders), checkpoint_v2=True)
    v1.test.assert_equal_graph_def(with_text("a"), with_text("a"))
    for texts, options in ((folders, {}), ([folders[0], "a"], {"checkpoint_v2": True})):
        with pytest.raises(AssertionError):
            v1.test.assert_equal_graph_def(*map(with_text, texts), **options)


def test_shared_names_of_tables(tf):
    v1 = tf.compat.v1

    def with_table(name):
        with tf.Graph().as_default() as graph:
            tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name=name)
        return graph.as_graph_def()

    names = ["hash_table_1", "hash_table_2"]
    v1.test.assert_equal_graph_def(*map(with_table, names), hash_table_shared_name=True)
    with pytest.raises(AssertionError):
        v1.test.assert_equal_graph_def(*map(with_table, names))


def test_names_of_testing_in_tensorflow_1(tf):
    v1 = tf.compat.v1
    assert v1.test.mock.Mock(return_value=1)() == 1
    with tf.Graph().as_default(), v1.Session():
        x = tf.constant([1.0, 2.0])
        exact, near = v1.test.compute_gradient(x, [2], x * x, [2], np.float32([1, 2]))
        assert exact.tolist() == [[2, 0], [0, 4]] and np.allclose(exact, near, atol=1e-2)
        assert v1.test.compute_gradient_error(x, [2], x * x, [2]) < 1e-2


@pytest.fixture
def files(tf):
    """A test case that may make files; absl's asks a flag where."""
    if tf.__name__ == "tensorflow":
        importlib.import_module("absl.flags").FLAGS(["test"])

    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    made = Case()
    yield made
    made.doCleanups()


def test_files_and_folders(files):
    folder = files.create_tempdir()
    assert os.path.isdir(folder) and os.fspath(folder) == folder.full_path
    assert os.path.basename(files.create_tempdir("sub").full_path) == "sub"
    file = files.create_tempfile(content="hello")
    assert file.read_text() == "hello" and file.read_bytes() == b"hello" and os.path.isfile(file)
    file.write_text("x")
    with file.open_text() as opened:
        assert opened.read() == "x"
    assert files.create_tempfile("a/b.txt", content=b"zz", mode="wb").read_bytes() == b"zz"
    inner = folder.create_file("q.txt", "qq")
    assert inner.read_text() == "qq" and os.path.dirname(inner.full_path) == folder.full_path
    assert os.path.isdir(folder.mkdir("m")) and files.enter_context(contextlib.nullcontext(5)) == 5


def test_urls_mappings_and_commands(files):
    files.assertUrlEqual("http://a/?x=1&y=2", "http://a/?y=2&x=1")
    files.assertMappingEqual({"a": 1}, {"a": 1})
    files.assertCommandSucceeds(["echo", "hi"], regexes=["hi"])
    files.assertCommandFails(["sh", "-c", "echo bad >&2; exit 3"], ["bad"])
    for wrong in (
        lambda: files.assertUrlEqual("http://a/", "http://b/"),
        lambda: files.assertMappingEqual({"a": 1}, {"a": 2, "b": 3}),
        lambda: files.assertCommandSucceeds(["false"]),
        lambda: files.assertCommandSucceeds(["echo", "hi"], regexes=["ho"]),
        lambda: files.assertCommandFails(["true"], [".*"]),
    ):
        with pytest.raises(AssertionError):
            wrong()
    files.record_property("k", 1)
    assert files.get_recorded_properties() == {"k": 1}


class Named(collections.abc.Mapping):
    """A mapping that is no dict and equals no other."""

    def __init__(self, **values):
        self.values_by_name = values

    def __getitem__(self, name):
        return self.values_by_name[name]

    def __iter__(self):
        return iter(self.values_by_name)

    def __len__(self):
        return len(self.values_by_name)

    def __eq__(self, other):
        return self is other


def message_of(assertion, *args, **kwargs) -> str:
    with pytest.raises(AssertionError) as raised:
        assertion(*args, **kwargs)
    return str(raised.value)


def test_mappings_of_given_types_and_comparisons(files):
    files.assertMappingEqual(Named(a=1, b=2), Named(b=2, a=1))
    near = lambda x, y: (abs(x - y) < 0.1, None)
    files.assertMappingEqual({"a": 1.0}, {"a": 1.05}, check_values_equality=near)
    assert "a should be a dict, found type: Named" in message_of(files.assertMappingEqual, Named(a=1), {"a": 1}, mapping_type=dict)
    assert "b should be a dict, found type: list" in message_of(files.assertMappingEqual, {}, [], mapping_type=dict)
    told = message_of(files.assertMappingEqual, {"c": 1, "b": 2, "x": 0}, {"c": 3, "b": 4, "y": 5}, "why")
    assert told.splitlines()[0].endswith("(why)")
    assert told.splitlines()[1:] == [
        "Unexpected, but present entries:", "'y': 5", "",
        "repr() of differing entries:", "'b': 2 != 4", "'c': 1 != 3", "",
        "Missing entries:", "'x': 0",
    ]  # fmt: skip
    far = lambda x, y: (False, ArithmeticError(f"{x} is far from {y}"))
    assert "'a': 1 is far from 2" in message_of(files.assertMappingEqual, {"a": 1}, {"a": 2}, check_values_equality=far)


def test_dataclasses(files):
    @dataclasses.dataclass
    class Pair:
        x: int
        y: object = dataclasses.field(default=0, compare=False)

    files.assertDataclassEqual(Pair(1, 2), Pair(1, 3))
    told = message_of(files.assertDataclassEqual, Pair(1), Pair(2))
    assert "Fields that differ:\nx: 1 != 2" in told
    assert "First argument 1 is not a dataclass instance." in message_of(files.assertDataclassEqual, 1, Pair(1))
    assert "is not a dataclass instance" in message_of(files.assertDataclassEqual, Pair(1), Pair)
    other = dataclasses.make_dataclass("Other", ["x"])
    assert "Found different dataclass types" in message_of(files.assertDataclassEqual, Pair(1), other(1))


def test_texts_of_several_lines(files):
    files.assertMultiLineEqual("a\nb", "a\nb")
    assert message_of(files.assertMultiLineEqual, "a\nb\n", "a\nc\n") == "\n  a\n- b\n+ c\n"
    assert message_of(files.assertMultiLineEqual, "a", "b", "why") == "why:\n- a\n+ b\n"
    assert message_of(files.assertEqual, "a\nb", "a\nc").startswith("\n  a\n- b")
    told = message_of(files.assertMultiLineEqual, "a\nb\nc\n", "d\ne\nf\n", line_limit=2)
    assert told.splitlines()[-1] == "(... and 4 more delta lines omitted for brevity.)" and len(told.splitlines()) == 4
    assert "First argument is not a string: 1" in message_of(files.assertMultiLineEqual, 1, "a")
    with pytest.raises(TypeError):
        files.assertMultiLineEqual("a", "a", other=1)


def test_a_folder_that_was_taken_away_is_made_again(files):
    first = files.get_temp_dir()
    assert files.get_temp_dir() == first
    files._tempdir = None  # as what runs a test in two modes does between them
    second = files.get_temp_dir()
    assert os.path.isdir(second) and second != first
