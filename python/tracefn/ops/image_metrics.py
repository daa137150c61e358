"""How images differ from each other and from pixel to pixel."""

from __future__ import annotations

import math

from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import stack, unstack
from tracefn.ops.casting import cast
from tracefn.ops.debugging import assert_
from tracefn.ops.depthwise import depthwise_conv2d
from tracefn.ops.image_color import convert_image_dtype
from tracefn.ops.image_shapes import checked, with_shape


def _sum(x, axes):
    return op("Sum")(input=x, reduction_indices=axes)


def _mean(x, axes):
    return op("Mean")(input=x, reduction_indices=axes)


def _differences(images, axis):
    """Each pixel minus the one before it along an axis, which is counted from the end."""
    first, last = [...] + [slice(None)] * -axis, [...] + [slice(None)] * -axis
    first[1], last[1] = slice(None, -1), slice(1, None)
    return images[tuple(last)] - images[tuple(first)]


@export("image.total_variation")
def total_variation(images, name=None):
    """The sum of the absolute differences of neighboring pixels.

    Args:
      images: tensor of numbers [height, width, channels], or [batch, height, width, channels].
      name: name of the ops.

    Returns:
      Scalar, or vector with a number for each image.

    Raises:
      ValueError: images have another rank.

    Example:
      >>> import tracefn as tf
      >>> float(tf.image.total_variation(tf.reshape([0.0, 1.0, 2.0, 4.0], [2, 2, 1])))
      8.0
    """
    with name_scope(name or "total_variation"):
        images = convert(images, name="images")
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        axes = list(range(rank - 3, rank))
        vertical, horizontal = (_sum(op("Abs")(x=_differences(images, axis)), axes) for axis in (-3, -2))
        return vertical + horizontal


@export("image.image_gradients")
def image_gradients(image):
    """The differences of each pixel to the next one below, and to the next one on the right; the last ones are 0.

    Args:
      image: tensor of numbers [batch, height, width, channels].

    Returns:
      (dy, dx), tensors of image's shape and dtype.

    Raises:
      ValueError: the image has another rank.

    Example:
      >>> import tracefn as tf
      >>> dy, dx = tf.image.image_gradients(tf.reshape([0, 1, 2, 4], [1, 2, 2, 1]))
      >>> dy[0, :, :, 0].numpy().tolist(), dx[0, :, :, 0].numpy().tolist()
      ([[2, 3], [0, 0]], [[1, 0], [2, 0]])
    """
    image = convert(image, name="image")
    if image.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    shape = op("Shape")(input=image)
    batch, height, width, depth = unstack(shape, 4)

    def extended(differences, size, axis):
        zeros = op("Fill")(dims=stack(size), value=convert(0, dtype=image.dtype))
        whole = op("ConcatV2")(values=[differences, zeros], axis=axis)
        return op("Reshape")(tensor=whole, shape=shape)

    dy = extended(_differences(image, -3), [batch, 1, width, depth], 1)
    dx = extended(_differences(image, -2), [batch, height, 1, depth], 2)
    return dy, dx


_SOBEL = [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]


@export("image.sobel_edges")
def sobel_edges(image):
    """The filters of Sobel for edges, across and along the rows.

    Args:
      image: floating tensor [batch, height, width, channels], with at least two rows and columns.

    Returns:
      Tensor [batch, height, width, channels, 2]: the changes along y and along x.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> tf.image.sobel_edges(x)[0, 1, 1, 0].numpy().tolist()
      [24.0, 8.0]
    """
    image = convert(image, name="image")
    shape = op("Shape")(input=image)
    kernels = op("Transpose")(x=constant(_SOBEL, image.dtype), perm=[1, 2, 0])
    kernels = op("ExpandDims")(input=kernels, axis=-2)
    kernels = op("Tile")(input=kernels, multiples=stack([1, 1, shape[-1], 1]), name="sobel_filters")
    padded = op("MirrorPad")(input=image, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
    result = op("Reshape")(tensor=edges, shape=op("ConcatV2")(values=[shape, [2]], axis=0))
    return result if image.shape.rank is None else with_shape(result, [*image.shape.as_list(), 2])


def _require_alike(first, second, result):
    """`result` after a check that the last three dimensions of both images are equal.

    Raises:
      ValueError: it is known that they are not, or that the others do not broadcast.
    """
    shapes = [x.shape.with_rank_at_least(3) if x.shape.rank is not None else x.shape for x in (first, second)]
    if None not in (shapes[0].rank, shapes[1].rank):
        shapes[0][-3:].assert_is_compatible_with(shapes[1][-3:])
        heads = zip(reversed(shapes[0].as_list()[:-3]), reversed(shapes[1].as_list()[:-3]), strict=False)
        if any(None not in (a, b) and 1 not in (a, b) and a != b for a, b in heads):
            raise ValueError(f"Two images are not compatible: {shapes[0]} and {shapes[1]}")
    sizes = [op("Shape")(input=x) for x in (first, second)]
    equal = op("All")(input=op("Equal")(x=sizes[0][-3:], y=sizes[1][-3:]), reduction_indices=[0])
    checks = [
        assert_(op("Size")(input=sizes[0]) >= 3, sizes, summarize=10),
        assert_(equal, sizes, summarize=10),
    ]
    return checked(result, checks)


def _floats(first, second, max_val):
    """Both images, and the range of their numbers, as float32."""
    most = convert_image_dtype(cast(max_val, first.dtype), "float32")
    return convert_image_dtype(first, "float32"), convert_image_dtype(second, "float32"), most


@export("image.psnr")
def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio of images, in decibels: 20 log10(max_val) - 10 log10(mean((a - b)^2)).

    Args:
      a, b: tensors of real numbers [..., height, width, channels].
      max_val: the difference of the greatest and the least number that a pixel can be.
      name: name of the ops.

    Returns:
      float32 tensor with a number for each pair of images.

    Raises:
      ValueError: shapes do not fit. If that is known only when a graph runs: InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> float(tf.image.psnr(tf.zeros([2, 2, 1]), tf.fill([2, 2, 1], 0.1), 1.0))
      20.0
    """
    with name_scope(name or "PSNR"):
        a, b = convert(a, name="a"), convert(b, name="b")
        x, y, most = _floats(a, b, max_val)
        error = _mean(op("SquaredDifference")(x=x, y=y), [-3, -2, -1])
        peak = 20.0 * op("Log")(x=most) / math.log(10.0)
        ratio = op("Sub")(x=peak, y=(10 / math.log(10)) * op("Log")(x=error), name="psnr")
        return _require_alike(x, y, ratio)


def _gaussian(size, sigma):
    """A kernel of `size` by `size` numbers that sum to 1."""
    places = cast(op("Range")(start=0, limit=size, delta=1), "float32") - cast(size - 1, "float32") / 2.0
    exponents = places * places * (-0.5 / op("Square")(x=sigma))
    sums = op("Reshape")(tensor=exponents, shape=[1, -1]) + op("Reshape")(tensor=exponents, shape=[-1, 1])
    weights = op("Softmax")(logits=op("Reshape")(tensor=sums, shape=[1, -1]))
    return op("Reshape")(tensor=weights, shape=stack([size, size, 1, 1]))


def _similarity(x, y, most, filter_size, filter_sigma, k1, k2, index_map=False):
    """(similarity, contrast) of each channel: averages over the image, or the map of similarities."""
    size = constant(filter_size, "int32")
    shape = op("Shape")(input=x)
    checks = []
    for dims in (shape, op("Shape")(input=y)):
        large = op("All")(input=dims[-3:-1] >= size, reduction_indices=[0])
        checks.append(assert_(large, [dims, size], summarize=8))
    x = checked(x, checks)
    kernel = _gaussian(size, constant(filter_sigma, "float32"))
    kernel = op("Tile")(input=kernel, multiples=stack([1, 1, shape[-1], 1]))

    def blurred(image):
        dims = op("Shape")(input=image)
        flat = op("Reshape")(tensor=image, shape=op("ConcatV2")(values=[[-1], dims[-3:]], axis=0))
        result = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        whole = op("ConcatV2")(values=[dims[:-3], op("Shape")(input=result)[1:]], axis=0)
        return op("Reshape")(tensor=result, shape=whole)

    c1, c2 = (k1 * most) ** 2.0, (k2 * most) ** 2.0
    means = [blurred(x), blurred(y)]
    product = means[0] * means[1] * 2.0
    squares = op("Square")(x=means[0]) + op("Square")(x=means[1])
    luminance = (product + c1) / (squares + c1)
    both = blurred(x * y) * 2.0
    each = blurred(op("Square")(x=x) + op("Square")(x=y))
    contrast = (both - product + c2) / (each - squares + c2)
    if index_map:
        return luminance * contrast, contrast
    return _mean(luminance * contrast, [-3, -2]), _mean(contrast, [-3, -2])


@export("image.ssim")
def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """The structural similarity of images.

    Args:
      img1, img2: tensors of real numbers [..., height, width, channels].
      max_val: the difference of the greatest and the least number that a pixel can be.
      filter_size, filter_sigma: of the Gaussian window; images are at least that large.
      k1, k2: constants that keep divisors from zero.
      return_index_map: whether the similarity of each window is returned, and not their mean.

    Returns:
      float32 tensor with a number, or a map of numbers, for each pair of images.

    Raises:
      ValueError: shapes do not fit. If that is known only when a graph runs, or if images are smaller than the window:
        InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(144.0), [12, 12, 1])
      >>> float(tf.image.ssim(x, x, 144.0))
      1.0

    Source: Wang et al., "Image quality assessment: from error visibility to structural similarity", 2004.
    """
    with name_scope("SSIM"):
        img1, img2 = convert(img1, name="img1"), convert(img2, name="img2")
        x, y, most = _floats(_require_alike(img1, img2, img1), img2, max_val)
        similarity, _ = _similarity(x, y, most, filter_size, filter_sigma, k1, k2, return_index_map)
        return _mean(similarity, [-1])


_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _halved(images, heads, tails):
    """(images of half the size, their last three dimensions): averages of four pixels, the last ones repeated."""
    flat = [
        op("Reshape")(tensor=x, shape=op("ConcatV2")(values=[[-1], t], axis=0)) for x, t in zip(images, tails, strict=True)
    ]
    rest = tails[0] % constant([2, 2, 1], "int32")
    uneven = op("Any")(input=op("NotEqual")(x=rest, y=0), reduction_indices=[0])

    def padded():
        pairs = op("Pad")(input=op("ExpandDims")(input=rest, axis=-1), paddings=[[1, 0], [1, 0]])
        return [op("MirrorPad")(input=x, paddings=pairs, mode="SYMMETRIC") for x in flat]

    window = [1, 2, 2, 1]
    small = [
        op("AvgPool")(value=x, ksize=window, strides=window, padding="VALID") for x in cond(uneven, padded, lambda: flat)
    ]
    tails = [op("Shape")(input=x)[1:] for x in small]
    images = [
        op("Reshape")(tensor=x, shape=op("ConcatV2")(values=[h, t], axis=0))
        for x, h, t in zip(small, heads, tails, strict=True)
    ]
    return images, tails


@export("image.ssim_multiscale")
def ssim_multiscale(img1, img2, max_val, power_factors=_WEIGHTS, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of images at several scales, each half of the one before.

    Args:
      img1, img2: tensors of real numbers [..., height, width, channels].
      max_val: the difference of the greatest and the least number that a pixel can be.
      power_factors: the weight of each scale, an exponent.
      filter_size, filter_sigma: of the Gaussian window; images are at least that large at the last scale.
      k1, k2: constants that keep divisors from zero.

    Returns:
      float32 tensor with a number in [0, 1] for each pair of images.

    Raises:
      ValueError: shapes do not fit. If that is known only when a graph runs, or if images are smaller than the window:
        InvalidArgumentError.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(576.0), [24, 24, 1])
      >>> float(tf.image.ssim_multiscale(x, x, 576.0, power_factors=(0.5, 0.5)))
      1.0

    Source: Wang et al., "Multiscale structural similarity for image quality assessment", 2003.
    """
    with name_scope("MS-SSIM"):
        img1, img2 = convert(img1, name="img1"), convert(img2, name="img2")
        shapes = [op("Shape")(input=x) for x in (img1, img2)]
        heads, tails = [s[:-3] for s in shapes], [s[-3:] for s in shapes]
        *images, most = _floats(_require_alike(img1, img2, img1), img2, max_val)
        factors = []
        for k in range(len(power_factors)):
            with name_scope(f"Scale{k}"):
                if k > 0:
                    images, tails = _halved(images, heads, tails)
                similarity, contrast = _similarity(*images, most, filter_size, filter_sigma, k1, k2)
                factors.append(op("Relu")(features=contrast))
        factors[-1] = op("Relu")(features=similarity)
        powers = op("Pow")(x=stack(factors, axis=-1), y=constant([float(p) for p in power_factors], "float32"))
        return _mean(op("Prod")(input=powers, reduction_indices=[-1]), [-1])


__all__ = ["image_gradients", "psnr", "sobel_edges", "ssim", "ssim_multiscale", "total_variation"]
