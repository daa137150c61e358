"""Images: sizes and methods that are refused."""

import pytest

pytestmark = pytest.mark.rule(191)

_METHODS = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize("size", [[-1, 2], [0, 2]])
def test_sizes_that_are_not_positive(tf, method, size):
    image = tf.ones([5, 4, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="output dimensions must be positive"):
        tf.image.resize(image, size, method)
    f = tf.function(lambda x: tf.image.resize(x, size, method)).get_concrete_function(image)
    assert f.outputs[0].shape.as_list() == [None if size[0] < 0 else 0, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="output dimensions must be positive"):
        f(image)


def test_images_and_sizes_are_checked_before_the_method(tf):
    image = tf.ones([5, 4, 3])
    with pytest.raises(ValueError, match="^'size' must be a 1-D Tensor of 2 elements: new_height, new_width$"):
        tf.image.resize(image, [1, 2, 3], "x")
    with pytest.raises(ValueError, match="^'images' must have either 3 or 4 dimensions.$"):
        tf.image.resize(image[0], [1, 2], "x")
    with pytest.raises(ValueError, match="^Resize method is not implemented: x$"):
        tf.image.resize(image, [1, 2], "x")
