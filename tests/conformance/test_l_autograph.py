"""Section L of the tracing rules: what AutoGraph converts, and what it leaves alone."""

import collections
import functools
import re

import numpy as np
import pytest

pytestmark = pytest.mark.needs("autograph")


def sign(x):
    if x > 0:
        return 1
    return -1


class Doubler:
    """A callable object with a tensor-dependent branch."""

    def __call__(self, x):
        if x > 0:
            return x * 2
        return x

    def method(self, x):
        return self(x) + 1

    @staticmethod
    def static(x):
        return 5 if x > 0 else 6

    @classmethod
    def of_class(cls, x):
        return cls.static(x) + 10


def calls_a_function(x):
    return sign(x)


def calls_an_object(x):
    return Doubler()(x)


def calls_a_method(x):
    return Doubler().method(x)


def calls_a_static_method(x):
    return Doubler.static(x)


def calls_a_class_method(x):
    return Doubler.of_class(x)


def calls_a_partial(x):
    return functools.partial(sign, x)()


def calls_a_lambda(x):
    tripled = lambda y: y * 3 if y > 0 else y
    return tripled(x)


@pytest.mark.rule(125)
@pytest.mark.parametrize(
    "function, results",
    [
        (sign, (1, -1)),
        (Doubler(), (6, -3)),
        (Doubler().method, (7, -2)),
        (functools.partial(sign), (1, -1)),
        (calls_a_function, (1, -1)),
        (calls_an_object, (6, -3)),
        (calls_a_method, (7, -2)),
        (calls_a_static_method, (5, 6)),
        (calls_a_class_method, (15, 16)),
        (calls_a_partial, (1, -1)),
        (calls_a_lambda, (9, -3)),
    ],
)
def test_functions_called_are_converted(tf, function, results):
    f = tf.function(function)
    assert (int(f(tf.constant(3))), int(f(tf.constant(-3)))) == results
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(125)
def test_nested_functions_and_closures(tf):
    @tf.function
    def f(x, limit):
        count = tf.constant(0)

        def clip(v):
            if v > limit:
                return limit
            return v

        for i in tf.range(x):
            count += clip(i)
        return count

    assert f(tf.constant(5), tf.constant(2)).numpy() == 0 + 1 + 2 + 2 + 2


@pytest.mark.rule(125)
def test_recursion_over_python_values(tf):
    def power(x, n):
        if n == 0:
            return 1.0
        if x > 100.0:
            return x
        return x * power(x, n - 1)

    assert tf.function(power)(tf.constant(2.0), 5).numpy() == 32.0


@pytest.mark.rule(126)
def test_do_not_convert(tf):
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: plain(x))(tf.constant(1))


@pytest.mark.rule(126)
def test_constructors_are_not_converted(tf):
    class Holder:
        def __init__(self, x):
            self.sign = 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: Holder(x).sign)(tf.constant(1))


@pytest.mark.rule(126)
def test_generators_run_as_python(tf):
    def pairs(x):
        for i in range(3):
            yield x + i

    f = tf.function(lambda x: tf.add_n(list(pairs(x))))
    assert f(tf.constant(1)).numpy() == 6


@pytest.mark.rule(126)
def test_library_functions_work_unconverted(tf):
    @tf.function
    def f(x):
        counts = collections.Counter(["a", "b", "a"])
        table = np.cumsum([1, 2, 3])
        return x * counts["a"] + int(table[-1])

    assert f(tf.constant(10)).numpy() == 26


@pytest.mark.rule(127)
def test_each_kind_of_statement(tf):
    @tf.function
    def f(n):
        total = 0
        i = 0
        while i < n:
            i += 1
            if i == 2:
                continue
            if i > 6 and not i == 9:
                break
            total += i if i % 2 == 0 else -i
        return total

    def plain(n):
        total, i = 0, 0
        while i < n:
            i += 1
            if i == 2:
                continue
            if i > 6 and not i == 9:
                break
            total += i if i % 2 == 0 else -i
        return total

    assert [int(f(tf.constant(n))) for n in range(10)] == [plain(n) for n in range(10)]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(128)
def test_staged_or_python_is_decided_by_the_value(tf, traces):
    @tf.function
    def f(x, flag):
        if flag:
            traces.append("taken")
            x = x + 1
        for i in range(2):
            traces.append(i)
        return x

    f(tf.constant(1), True)
    assert traces == ["taken", 0, 1]
    f(tf.constant(1), False)
    assert traces == ["taken", 0, 1, 0, 1]
    assert [f(tf.constant(1), tf.constant(b)).numpy() for b in (True, False)] == [2, 1]
    assert traces[5:] == ["taken", 0, 1]


@pytest.mark.rule(129)
def test_comprehensions_run_as_python(tf):
    @tf.function
    def f(x):
        return tf.stack([x * i for i in range(3)]), sum(i for i in range(4)) + x

    stacked, total = f(tf.constant(2))
    assert stacked.numpy().tolist() == [0, 2, 4] and total.numpy() == 8


@pytest.mark.rule(129)
def test_statements_inside_try_and_with_are_converted(tf):
    @tf.function
    def f(x):
        try:
            with tf.name_scope("inside"):
                if x > 0:
                    y = x
                else:
                    y = -x
        finally:
            z = 1
        return y + z

    assert f(tf.constant(-4)).numpy() == 5


@pytest.mark.rule(129)
def test_an_exception_caught_while_tracing(tf):
    @tf.function
    def f(x):
        try:
            raise KeyError("k")
        except KeyError:
            return x + 1

    assert f(tf.constant(1)).numpy() == 2


@pytest.mark.rule(130)
def test_functions_without_source_run_as_they_are(tf):
    scope = {}
    exec("def f(x):\n    return x + 1 if x is not None else x", scope)
    assert tf.function(scope["f"])(tf.constant(1)).numpy() == 2


@pytest.mark.rule(131)
def test_without_autograph_python_conditions_still_work(tf):
    @tf.function(autograph=False)
    def f(x, flag):
        if flag:
            x = x * 2
        for i in range(2):
            x = x + i
        return x

    assert f(tf.constant(3), True).numpy() == 7 and f(tf.constant(3), False).numpy() == 4


@pytest.mark.rule(131, 21)
@pytest.mark.parametrize("statement", ["if", "while", "for"])
def test_without_autograph_tensors_are_refused(tf, statement):
    def with_if(x):
        if x > 0:
            return x
        return -x

    def with_while(x):
        while x > 0:
            x = x - 1
        return x

    def with_for(x):
        for i in tf.range(x):
            x = x + i
        return x

    body = {"if": with_if, "while": with_while, "for": with_for}[statement]
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Using a symbolic|Iterating over a symbolic"):
        tf.function(body, autograph=False)(tf.constant(3))


@pytest.mark.rule(132)
def test_features(tf):
    feature = tf.autograph.experimental.Feature
    assert {"ALL", "ASSERT_STATEMENTS", "AUTO_CONTROL_DEPS", "BUILTIN_FUNCTIONS", "EQUALITY_OPERATORS", "LISTS",
            "NAME_SCOPES"} <= {f.name for f in feature}  # fmt: skip
    for options in (None, feature.LISTS, (feature.EQUALITY_OPERATORS, feature.BUILTIN_FUNCTIONS), feature.ALL):
        f = tf.function(sign, experimental_autograph_options=options)
        assert f(tf.constant(-1)).numpy() == -1


@pytest.mark.rule(133)
def test_assert_statements(tf):
    def f(x):
        assert x > 0, "must be positive"
        return x

    checked = tf.function(f, experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
    assert checked(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        checked(tf.constant(-1))


@pytest.mark.rule(133)
def test_assert_of_a_python_value(tf):
    @tf.function
    def f(x, n):
        assert n > 0, "python"
        return x

    assert f(tf.constant(1), 1).numpy() == 1
    with pytest.raises(AssertionError, match="python"):
        f(tf.constant(1), 0)


@pytest.mark.rule(134)
def test_print(tf, capfd):
    def f(x):
        print("x is", x)

    tf.function(f)(tf.constant(1))
    assert capfd.readouterr().out == 'x is Tensor("x:0", shape=(), dtype=int32)\n'
    staged = tf.function(f, experimental_autograph_options=tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS)
    staged(tf.constant(2)), staged(tf.constant(3))
    captured = capfd.readouterr()
    assert captured.out + captured.err == "x is 2\nx is 3\n"


@pytest.mark.rule(135)
def test_to_graph_and_to_code(tf):
    converted = tf.autograph.to_graph(sign)
    assert tf.function(converted, autograph=False)(tf.constant(-2)).numpy() == -1 and converted(3) == 1
    code = tf.autograph.to_code(sign)
    assert "def tf__sign(x):" in code and "ag__.if_stmt(" in code


class Called:
    def __call__(self, x):
        return x


@pytest.mark.rule(135)
def test_what_has_no_code_is_not_converted(tf):
    text = "Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a @tf.function, try passing"
    for entity in (3, None, "a", [sign], len, int, Called, Called(), tf.function(sign), functools.partial(sign, 1)):
        for convert in (tf.autograph.to_graph, tf.autograph.to_code):
            with pytest.raises(Exception, match=re.escape(f"converting {entity}: ValueError: {text}")) as caught:
                convert(entity)
            assert type(caught.value).__name__ == "ConversionError" and not isinstance(caught.value, ValueError)


@pytest.mark.rule(136)
def test_undefined_names(tf):
    def local(x):
        if x is None:
            y = 1
        return x + y

    def unknown(x):
        return x + nope  # noqa: F821

    with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
        tf.function(local)(tf.constant(1))
    with pytest.raises(NameError, match="name 'nope' is not defined"):
        tf.function(unknown)(tf.constant(1))


def factorial(n):
    if n > 1:
        return n * factorial(n - 1)
    return 1


class Sum:
    """Methods that name their class."""

    def __init__(self, terms):
        self.terms = terms

    def of(self, x):
        return Sum.added(self, x) if self.terms else x

    def added(self, x):
        if x > 0:
            return Sum(self.terms - 1).of(x + self.terms)
        return Sum.lifted(x)

    @staticmethod
    def lifted(x):
        return x - x if x < 0 else x


@pytest.mark.rule(125)
def test_a_function_that_names_itself(tf):
    assert tf.function(factorial)(5).numpy() == 120

    @tf.function
    def below(n):
        return 0 if n == 0 else n + below(n - 1)

    assert below(6).numpy() == 21 and below.experimental_get_tracing_count() == 7


@pytest.mark.rule(125)
def test_a_method_that_names_its_class(tf):
    f = tf.function(lambda x: Sum(3).of(x))
    assert f(tf.constant(1)).numpy() == 7 and f(tf.constant(-1)).numpy() == 0

    class Local:
        @staticmethod
        def of(x):
            return Local.other(x) if x > 0 else x

        @staticmethod
        def other(x):
            return x * 2 if x < 5 else -x

    g = tf.function(Local.of)
    assert [g(tf.constant(n)).numpy() for n in (-1, 2, 9)] == [-1, 4, -9]


@pytest.mark.rule(126)
def test_errors_of_unconverted_functions_are_as_they_are(tf):
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        raise ValueError(f"not {x.dtype.name}")

    with pytest.raises(ValueError) as caught:
        tf.function(plain)(tf.constant(1))
    assert str(caught.value) == "not int32"


@pytest.mark.rule(126)
def test_ragged_stack_is_not_stack(tf):
    @tf.function
    def rows(x):
        return tf.ragged.stack([x, x[:1]]), tf.ragged.stack([[x[0]]])

    two, one = rows(tf.constant([1, 2]))
    assert two.to_list() == [[1, 2], [1]]
    assert isinstance(one, tf.RaggedTensor) and one.to_list() == [[1]]
