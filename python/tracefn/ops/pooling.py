"""Max and average pooling of sequences, images and volumes."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.gaps import with_space_to_batch
from tracefn.ops.windows import CHANNELS_LAST, array_text, explicit, is_channels_second, require_nhwc, sequence
from tracefn.random_seed import get_seed, refuse_zero_seed


def _pooled(kind, n, input, ksize, strides, padding, data_format, name):
    """The node of "MaxPool" or "AvgPool" over `n` spatial dimensions; sequences are images of one line."""
    data_format = data_format or CHANNELS_LAST[n - 1]
    second = is_channels_second(data_format)
    ksize, strides = sequence(ksize, n, second, "ksize"), sequence(strides, n, second, "strides")
    attrs = {}
    if kind == "MaxPool" and n < 3:
        if isinstance(padding, (list, tuple)) and data_format == "NCHW_VECT_C":
            raise ValueError(
                "`data_format='NCHW_VECT_C'` is not supported with explicit padding. Received: "
                f"padding={padding}"
            )
        padding, paddings = explicit(padding, n + 2)
        attrs["explicit_paddings"] = [0, 0, *paddings] if paddings and n == 1 else paddings
    if n == 1:
        line, data_format = (1, "NHWC") if data_format == "NWC" else (2, "NCHW")
        input = op("ExpandDims")(input=convert(input), axis=line)
        ksize, strides = [1, *ksize], [1, *strides]
    attrs |= {"ksize": ksize, "strides": strides, "padding": padding, "data_format": data_format}
    images = {"value" if kind == "AvgPool" and n < 3 else "input": input}
    result = op(f"{kind}3D" if n == 3 else kind)(**images, **attrs, name=name)
    return op("Squeeze")(input=result, squeeze_dims=[line]) if n == 1 else result


@export("nn.max_pool2d")
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """The largest element of each window of images.

    Args:
      input: tensor [batch, height, width, channels], or [batch, channels, height, width].
      ksize: int or list of 1, 2 or 4 ints, the size of the window.
      strides: int or list of 1, 2 or 4 ints: by how much it moves.
      padding: "VALID", "SAME", or a list of 4 pairs: for each dimension, how far windows reach beyond it.
      data_format: "NHWC" or "NCHW".
      name: name of the node.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
      >>> tf.nn.max_pool2d(x, 2, 2, "VALID")[0, :, :, 0].numpy().tolist()
      [[5.0, 7.0], [13.0, 15.0]]
    """
    with name_scope(name or "MaxPool2d") as scope:
        return _pooled("MaxPool", 2, input, ksize, strides, padding, data_format, scope)


@export("nn.max_pool1d")
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """The largest element of each window of sequences.

    Args:
      input: tensor [batch, width, channels], or [batch, channels, width].
      ksize, strides: int or list of 1 or 3 ints.
      padding: "VALID", "SAME", or a list of 3 pairs.
      data_format: "NWC" or "NCW".
      name: name of the nodes.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.max_pool1d(tf.reshape([1.0, 3.0, 2.0], [1, 3, 1]), 2, 1, "VALID")[0, :, 0].numpy().tolist()
      [3.0, 3.0]
    """
    with name_scope(name or "MaxPool1d") as scope:
        return _pooled("MaxPool", 1, input, ksize, strides, padding, data_format, scope)


@export("nn.max_pool3d")
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """The largest element of each window of volumes.

    Args:
      input: tensor [batch, depth, height, width, channels], or [batch, channels, depth, height, width].
      ksize, strides: int or list of 1, 3 or 5 ints.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      name: name of the node.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().tolist()
      [[[[[7.0]]]]]
    """
    with name_scope(name or "MaxPool3D") as scope:
        return _pooled("MaxPool", 3, input, ksize, strides, padding, data_format, scope)


def _dims(input, data_format):
    """The number of spatial dimensions of pooling."""
    n = input.shape.rank - 2 if input.shape.rank is not None else len(data_format or "") - 2
    if input.shape.rank is None and data_format is None:
        raise ValueError(
            "`input` must have a static shape or a data format must be given. Received: "
            f"input.shape={input.shape} and data_format={data_format}"
        )
    if not 1 <= n <= 3:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {n + 2}.")
    return n


@export("nn.max_pool")
def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    """The largest element of each window, over one, two or three spatial dimensions, as the input has them.

    Args:
      input: tensor of rank 3, 4 or 5.
      ksize, strides, padding, data_format: as in `max_pool1d`, `max_pool2d` and `max_pool3d`; None is channels last.
      name: name of the nodes.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or the input another rank.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.max_pool(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 1, "VALID").numpy().tolist()
      [[[[3.0]]]]
    """
    input = convert(input, name="input")
    n = _dims(input, data_format)
    if isinstance(padding, (list, tuple)) and n == 3:
        raise ValueError(
            f"Explicit padding is not supported with an input tensor of rank 5. Received: padding={padding}"
        )
    if n == 3:
        return _pooled("MaxPool", 3, input, ksize, strides, padding, data_format, name)
    return (max_pool1d if n == 1 else max_pool2d)(input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool2d")
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """The average of each window of images; what windows have beyond them does not count.

    Args:
      input: floating tensor [batch, height, width, channels], or [batch, channels, height, width].
      ksize, strides: int or list of 1, 2 or 4 ints.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: name of the node.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.avg_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 2, "VALID").numpy().tolist()
      [[[[1.5]]]]
    """
    with name_scope(name or "AvgPool2D") as scope:
        return _pooled("AvgPool", 2, input, ksize, strides, padding, data_format, scope)


@export("nn.avg_pool1d")
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """The average of each window of sequences.

    Args:
      input: floating tensor [batch, width, channels], or [batch, channels, width].
      ksize, strides: int or list of 1 or 3 ints.
      padding: "VALID" or "SAME".
      data_format: "NWC" or "NCW".
      name: name of the nodes.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.avg_pool1d(tf.reshape([1.0, 3.0, 2.0], [1, 3, 1]), 2, 1, "VALID")[0, :, 0].numpy().tolist()
      [2.0, 2.5]
    """
    with name_scope(name or "AvgPool1D") as scope:
        return _pooled("AvgPool", 1, input, ksize, strides, padding, data_format, scope)


@export("nn.avg_pool3d")
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """The average of each window of volumes.

    Args:
      input: floating tensor [batch, depth, height, width, channels], or [batch, channels, depth, height, width].
      ksize, strides: int or list of 1, 3 or 5 ints.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      name: name of the node.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().tolist()
      [[[[[3.5]]]]]
    """
    with name_scope(name or "AvgPool3D") as scope:
        return _pooled("AvgPool", 3, input, ksize, strides, padding, data_format, scope)


@export("nn.avg_pool")
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    """The average of each window, over one, two or three spatial dimensions, as the input has them.

    Args:
      input: floating tensor of rank 3, 4 or 5.
      ksize, strides, padding, data_format: as in `avg_pool1d`, `avg_pool2d` and `avg_pool3d`; None is channels last.
      name: name of the nodes.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument has another length, or the input another rank.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.avg_pool(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 1, "VALID").numpy().tolist()
      [[[[1.5]]]]
    """
    input = convert(input, name="input")
    n = _dims(input, data_format)
    if n == 1:
        return avg_pool1d(input, ksize, strides, padding, data_format, name)
    return _pooled("AvgPool", n, input, ksize, strides, padding, data_format, name)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    output_dtype="int64",
    include_batch_in_index=False,
    name=None,
):
    """The largest element of each window of images, and where it is.

    Args:
      input: tensor [batch, height, width, channels].
      ksize, strides: int or list of 1, 2 or 4 ints.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      output_dtype: int32 or int64, of the indices.
      include_batch_in_index: whether an index counts from the first image: else from the element's own.
      name: name of the node.

    Returns:
      (output, argmax): the maxima, and their indices ((image * height + y) * width + x) * channels + channel.

    Raises:
      ValueError: `data_format` is something else, or an argument has another length.
      InvalidArgumentError: shapes do not fit, or input is empty.

    Example:
      >>> import tracefn as tf
      >>> y, at = tf.nn.max_pool_with_argmax(tf.reshape([1.0, 4.0, 3.0, 2.0], [1, 2, 2, 1]), 2, 1, "VALID")
      >>> float(y[0, 0, 0, 0]), int(at[0, 0, 0, 0])
      (4.0, 1)
    """
    require_nhwc(data_format)
    return op("MaxPoolWithArgmax")(
        input=input,
        ksize=sequence(ksize, 2, False, "ksize"),
        strides=sequence(strides, 2, False, "strides"),
        padding=padding,
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


_BY_TYPE = {
    ("MAX", 1): max_pool1d,
    ("MAX", 2): max_pool2d,
    ("MAX", 3): max_pool3d,
    ("AVG", 1): avg_pool1d,
    ("AVG", 2): avg_pool2d,
    ("AVG", 3): avg_pool3d,
}


@export("nn.pool")
def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """Pooling over one, two or three spatial dimensions, with gaps between the elements of a window.

    Args:
      input: tensor [batch, spatial dimensions, channels], or channels second if `data_format` starts with "NC".
      window_shape: list of n ints.
      pooling_type: "MAX" or "AVG".
      strides, dilations: lists of n ints, or None for ones; not both more than 1.
      padding: "VALID", or "SAME" without dilations.
      data_format: None for channels last.
      name: name of the nodes.

    Returns:
      Tensor of input's dtype.

    Raises:
      ValueError: an argument does not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 4.0, 3.0, 2.0], [1, 4, 1])
      >>> tf.nn.pool(x, [2], "MAX", dilations=[2])[0, :, 0].numpy().tolist()
      [3.0, 4.0]
    """
    with name_scope(name or f"{pooling_type.lower()}_pool") as scope:
        input = convert(input, name="input")
        n = len(window_shape)
        if not 1 <= n <= 3:
            raise ValueError(
                f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of length {n}"
            )
        input.shape.with_rank(n + 2)
        strides, rates = _steps(n, strides, dilations)
        if padding == "SAME" and any(r > 1 for r in rates):
            raise ValueError(
                "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
                f"padding={padding} and dilation_rate={array_text(rates)}"
            )
        if any(s > w for s, w in zip(strides, window_shape, strict=True)):
            raise ValueError(
                "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations. "
                f"Received: strides={array_text(strides)} and window_shape={window_shape}"
            )
        if (pooling_type, n) not in _BY_TYPE:
            raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
        if n == 1 and data_format not in (None, "NWC", "NCW"):
            raise ValueError(f"data_format must be either 'NWC' or 'NCW'. Received: data_format={data_format}")
        second = data_format is not None and is_channels_second(data_format)

        def apply(x, _, padding):
            layout = data_format or CHANNELS_LAST[n - 1]
            return _BY_TYPE[pooling_type, n](x, list(window_shape), strides, padding, layout, scope)

        dims = range(2, n + 2) if second else range(1, n + 1)
        return with_space_to_batch(input, rates, padding, apply, filter_shape=window_shape, spatial_dims=dims)


def _steps(n, strides, rates):
    """(strides, dilation rates) of pooling as lists."""
    rates = [1] * n if rates is None else list(rates)
    if len(rates) != n:
        raise ValueError(f"`len(dilation_rate)` should be {n}. Received: dilation_rate={rates} of length {len(rates)}")
    if any(r < 1 for r in rates):
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={array_text(rates)}")
    strides = [1] * n if strides is None else list(strides)
    if len(strides) != n:
        raise ValueError(f"`len(strides)` should be {n}. Received: strides={strides} of length {len(strides)}")
    if any(s < 1 for s in strides):
        raise ValueError(f"all values of `strides` must be positive. Received: strides={array_text(strides)}")
    if any(s > 1 for s in strides) and any(r > 1 for r in rates):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={array_text(strides)} and dilation_rate={array_text(rates)}"
        )
    return strides, rates


@export("nn.fractional_max_pool")
def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """Max pooling with windows of two sizes in random order, so that images shrink by a ratio that is no whole number.

    Args:
      value: tensor [batch, height, width, channels].
      pooling_ratio: number, or list of 1, 2 or 4 numbers, at least 1: by how much the images shrink.
      pseudo_random: whether the windows' order follows from one random number.
      overlapping: whether neighboring windows share their edges.
      seed: int; 0 draws other windows at every run.
      name: name of the node.

    Returns:
      (output, rows, columns): the maxima, and where the windows start, as int64 vectors that end with the sizes.

    Raises:
      ValueError: a ratio is less than 1, or not 1 for batch and channels; or the seed is 0 and determinism is on.
      InvalidArgumentError: a ratio is larger than the images.

    Example:
      >>> import tracefn as tf
      >>> output, rows, _ = tf.nn.fractional_max_pool(tf.ones([1, 10, 10, 1]), 1.44, seed=1)
      >>> output.shape, int(rows[-1])
      (TensorShape([1, 6, 6, 1]), 10)
    """
    if isinstance(pooling_ratio, (list, tuple)):
        if pooling_ratio[0] != 1.0 or pooling_ratio[-1] != 1.0:
            raise ValueError(
                "`pooling_ratio` should have first and last elements with value 1.0. Received: "
                f"pooling_ratio={pooling_ratio}"
            )
        if any(r < 1.0 for r in pooling_ratio):
            raise ValueError(f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={pooling_ratio}")
    elif isinstance(pooling_ratio, (int, float)):
        if pooling_ratio < 1.0:
            raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={pooling_ratio}")
    else:
        raise ValueError(f"`pooling_ratio` should be an int or a list of ints. Received: pooling_ratio={pooling_ratio}")
    ratio = [float(r) for r in sequence(pooling_ratio, 2, False, "pooling_ratio")]
    if seed == 0:
        refuse_zero_seed("tf.nn.fractional_max_pool", seed)
    return _fractional("FractionalMaxPool", value, ratio, pseudo_random, overlapping, seed, name)


@export("nn.fractional_avg_pool")
def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, seed=0, name=None):
    """Average pooling with windows of two sizes in random order; see `fractional_max_pool`.

    Args:
      value: tensor [batch, height, width, channels].
      pooling_ratio: list of 4 numbers, at least 1: by how much the images shrink; 1 for batch and channels.
      pseudo_random, overlapping, seed: as in `fractional_max_pool`.
      name: name of the node.

    Returns:
      (output, rows, columns): the averages, and where the windows start, as int64 vectors that end with the sizes.

    Raises:
      InvalidArgumentError: a ratio is less than 1, or larger than the images.

    Example:
      >>> import tracefn as tf
      >>> output, _, _ = tf.nn.fractional_avg_pool(tf.ones([1, 10, 10, 1]), [1.0, 1.44, 1.44, 1.0], seed=1)
      >>> float(output[0, 5, 5, 0])
      1.0
    """
    return _fractional("FractionalAvgPool", value, pooling_ratio, pseudo_random, overlapping, seed, name)


def _fractional(kind, value, ratio, pseudo_random, overlapping, seed, name):
    seeds = (0, 0) if seed == 0 else get_seed(seed)
    return op(kind)(
        value=value,
        pooling_ratio=ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=seed != 0,
        seed=seeds[0],
        seed2=seeds[1],
        name=name,
    )
