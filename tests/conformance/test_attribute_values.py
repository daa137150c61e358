"""What the attributes of ops take, and the errors for what they refuse, eagerly and while tracing."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.mark.parametrize("traced", [False, True])
def test_conversion_of_attributes(tf, traced):
    """Ints take what int() takes, floats real numbers, bools only bools, and words only those allowed."""
    run = (lambda f: tf.function(f, autograph=False)()) if traced else (lambda f: f())
    pool = lambda ksize, padding="VALID": tf.raw_ops.MaxPool(
        input=tf.ones([1, 2, 2, 1]), ksize=ksize, strides=[1, 1, 1, 1.5], padding=padding
    )
    assert run(lambda: pool([1, 2.7, np.float32(2), 1])).shape == (1, 1, 1, 1)
    assert run(lambda: tf.raw_ops.Squeeze(input=[[1]], axis=[0.0])).shape == (1,)
    assert run(lambda: tf.raw_ops.StringToHashBucketStrong(input="a", num_buckets=2.5, key=[1.5, 2])).numpy() in (0, 1)
    assert float(run(lambda: tf.raw_ops.LeakyRelu(features=-2.0, alpha=True))) == -2
    for k in ("1", None, [1]):
        with pytest.raises(TypeError, match="Expected int for argument 'ksize'"):
            run(lambda k=k: pool([k, 1, 1, 1]))
    for alpha in ("1", tf.constant(0.5), 1j):
        with pytest.raises(TypeError, match="Expected float for argument 'alpha'"):
            run(lambda a=alpha: tf.raw_ops.LeakyRelu(features=[-1.0], alpha=a))
    for flag in (1, np.bool_(True), tf.constant(True), "a"):
        with pytest.raises(TypeError, match="Expected bool for argument 'exclusive'"):
            run(lambda f=flag: tf.raw_ops.Cumsum(x=[1.0], axis=0, exclusive=f))
    error, text = (
        (ValueError, "Attr 'padding' of 'MaxPool' Op passed string 'valid' not in")
        if traced
        else (
            tf.errors.InvalidArgumentError,
            "Value for attr 'padding' of \"valid\" is not in the list of allowed values",
        )
    )
    with pytest.raises(error, match=text):
        run(lambda: pool([1, 1, 1, 1], "valid"))


@pytest.mark.parametrize(
    "op, argument", [("ConcatV2", "values"), ("Pack", "values"), ("AddN", "inputs"), ("ShapeN", "input")]
)
def test_lists_without_elements(tf, op, argument):
    more = {"axis": 0} if op == "ConcatV2" else {}
    call = lambda: getattr(tf.raw_ops, op)(**{argument: []}, **more)
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
