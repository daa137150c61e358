"""`tf.experimental.dispatch_for_*`: what public functions do with values of extension types."""

import traceback
import typing

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def masked(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    return Masked


@pytest.fixture
def registered(tf):
    """Collects dispatch targets, which are unregistered at the end."""
    targets = []

    def register(decorator):
        def keep(target):
            targets.append(decorator(target))
            return targets[-1]

        return keep

    yield register
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)


def test_target_by_annotations(tf, masked, registered):
    @registered(tf.experimental.dispatch_for_api(tf.abs))
    def target(x: masked):
        return "abs", x

    m = masked([1, -2], [True, False])
    assert tf.abs(m)[0] == "abs"
    assert tf.math.abs(x=m, name="of_m")[1] is m
    assert int(tf.abs(-3)) == 3


def test_target_by_signatures(tf, masked, registered):
    @registered(tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[masked]}))  # noqa: UP006
    def concat(values, axis, name="concat"):
        return masked(tf.concat([m.values for m in values], axis), tf.concat([m.mask for m in values], axis))

    m = masked([1, -2], [True, False])
    assert tf.concat([m, m], axis=0).values.numpy().tolist() == [1, -2, 1, -2]
    with pytest.raises((TypeError, ValueError)):
        tf.concat([m, 3], axis=0)


def test_target_in_a_function(tf, masked, registered):
    @registered(tf.experimental.dispatch_for_api(tf.reduce_sum, {0: masked}))
    def total(input_tensor, axis=None, keepdims=False, name=None):
        return tf.reduce_sum(input_tensor.values, axis, keepdims)

    function = tf.function(lambda m: tf.reduce_sum(m, axis=0))
    assert int(function(masked([1, 2], [True, False]))) == 3


def test_identity_is_dispatched(tf, masked, registered):
    m = masked([1], [True])
    assert type(tf.identity(m)) is masked

    @registered(tf.experimental.dispatch_for_api(tf.identity, {0: masked}))
    def target(input, name=None):
        return "identity"

    assert tf.identity(m) == "identity"


def test_subclasses_match(tf, masked, registered):
    class Sub(masked):
        pass

    @registered(tf.experimental.dispatch_for_api(tf.abs))
    def of_masked(x: masked):
        return "masked"

    assert tf.abs(Sub([1], [True])) == "masked"

    @registered(tf.experimental.dispatch_for_api(tf.abs))
    def of_sub(x: Sub):
        return "sub"

    with pytest.raises(ValueError, match="Multiple dispatch targets .* match the arguments to abs"):
        tf.abs(Sub([1], [True]))
    assert tf.abs(masked([1], [True])) == "masked"


def test_unary_elementwise(tf, masked, registered):
    @registered(tf.experimental.dispatch_for_unary_elementwise_apis(masked))
    def handler(api_func, x):
        return masked(api_func(x.values), x.mask)

    m = masked([1.5, -2.0], [True, False])
    assert tf.sign(m).values.numpy().tolist() == [1, -1]
    assert tf.nn.leaky_relu(m, alpha=0.5).values.numpy().tolist() == [1.5, -1]
    assert tf.cast(m, tf.int32, name="whole").values.dtype == tf.int32
    assert tf.ones_like(m, dtype=tf.float64).values.dtype == tf.float64
    assert tf.clip_by_value(m, 0, 1).values.numpy().tolist() == [1, 0]


def test_binary_elementwise(tf, masked, registered):
    either = typing.Union[masked, tf.Tensor]  # noqa: UP007

    @registered(tf.experimental.dispatch_for_binary_elementwise_apis(masked, either))
    def handler(api_func, x, y):
        return masked(api_func(x.values, y.values if isinstance(y, masked) else y), x.mask)

    m = masked([1, -2], [True, False])
    assert tf.add(m, m).values.numpy().tolist() == [2, -4]
    assert tf.maximum(m, tf.constant(0)).values.numpy().tolist() == [1, 0]
    assert tf.equal(m, y=m, name="same").values.numpy().tolist() == [True, True]
    with pytest.raises((TypeError, ValueError)):
        tf.add(m, 1)  # not of the type


def test_binary_elementwise_asserts(tf, masked):
    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(masked, masked)
    def handler(assert_func, x, y):
        return assert_func(x.values, y.values)

    m = masked([1, -2], [True, False])
    tf.debugging.assert_equal(m, m)
    with pytest.raises(tf.errors.InvalidArgumentError, match="boo"):
        tf.debugging.assert_less(m, m, message="boo")


def test_errors_of_targets_are_raised(tf, masked, registered):
    @registered(tf.experimental.dispatch_for_api(tf.math.erf, {0: masked}))
    def target(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        tf.math.erf(masked([1.0], [True]))


def test_tensors_are_not_dispatched(tf, registered):
    @registered(tf.experimental.dispatch_for_api(tf.exp, {0: tf.Tensor}))
    def target(x):
        return "target"

    assert float(tf.exp(tf.constant(0.0))) == 1


def test_unregister(tf, masked):
    @tf.experimental.dispatch_for_api(tf.abs)
    def target(x: masked):
        return "abs"

    m = masked([1], [True])
    assert tf.abs(m) == "abs"
    tf.experimental.unregister_dispatch_for(target)
    with pytest.raises((TypeError, ValueError)):
        tf.abs(m)
    with pytest.raises(ValueError, match="was not registered using a `@dispatch_for_"):
        tf.experimental.unregister_dispatch_for(target)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda e, tf, m: e(3), ValueError, "3 does not support dispatch"),
        (lambda e, tf, m: e(len), ValueError, "does not support dispatch"),
        (lambda e, tf, m: e(tf.einsum, {"x": m}), ValueError, "does not support dispatch"),
        (lambda e, tf, m: e(tf.add)(lambda x, y: 1), ValueError, "must be called with at least one signature"),
        (lambda e, tf, m: e(tf.add, {"x": m})(lambda x, z: 1), ValueError, "does not match API's signature"),
        (lambda e, tf, m: e(tf.add, {"q": m}), ValueError, "annotation for unknown parameter 'q'"),
        (lambda e, tf, m: e(tf.add, {"x": "M"}), ValueError, "Type annotation M is not currently supported"),
        (lambda e, tf, m: e(tf.add, {"x": typing.Dict[str, m]}), ValueError, "is not currently supported"),  # noqa: UP006
        (lambda e, tf, m: e(tf.add, 3), TypeError, "signatures must be dictionaries"),
        (lambda e, tf, m: e(tf.add, {0.5: m}), TypeError, "signatures must be dictionaries"),
        (lambda e, tf, m: e(tf.add, {"x": m})(3), TypeError, "Expected dispatch_target to be callable"),
    ],
)
def test_bad_registrations(tf, masked, make, error, match):
    with pytest.raises(error, match=match):
        make(tf.experimental.dispatch_for_api, tf, masked)


def test_a_type_has_one_elementwise_handler(tf, masked, registered):
    registered(tf.experimental.dispatch_for_unary_elementwise_apis(masked))(lambda f, x: x)
    with pytest.raises(ValueError, match="A unary elementwise dispatch handler .* has already been registered"):
        tf.experimental.dispatch_for_unary_elementwise_apis(masked)(lambda f, x: x)


@pytest.mark.parametrize(
    "call",
    [
        lambda tf, ragged: tf.stack([ragged, tf.zeros([2], tf.int32)]),
        lambda tf, ragged: tf.matmul(tf.cast(ragged, tf.float32), tf.zeros([2, 2])),
        lambda tf, ragged: tf.expand_dims(ragged, 7),
        lambda tf, ragged: ragged + tf.ragged.constant([[1], [2]]),
    ],
    ids=["stack", "matmul", "expand_dims", "add"],
)
def test_one_exception_is_shown_of_a_dispatched_call_that_fails(tf, call):
    with pytest.raises(Exception) as error:
        call(tf, tf.ragged.constant([[1, 2], [3]]))
    assert "".join(traceback.format_exception(error.value)).count("Traceback") == 1


def test_what_a_dispatched_call_was_handling_is_shown(tf):
    def looked_up(row):
        try:
            return {}["missing"]
        except KeyError:
            raise ValueError("no such row")  # noqa: B904 - the point of the test

    with pytest.raises(ValueError, match="no such row") as error:
        tf.autograph.experimental.do_not_convert(tf.map_fn)(looked_up, tf.ragged.constant([[1, 2], [3]]))
    assert "missing" in "".join(traceback.format_exception(error.value))
