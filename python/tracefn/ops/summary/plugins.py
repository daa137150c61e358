"""`tf.summary.scalar`, `histogram`, `image`, `audio` and `text`: summaries with a tab in TensorBoard.

What they write are the tensors that TensorBoard's plugins of these names read: https://github.com/tensorflow/tensorboard.
"""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.dtypes import string
from tracefn.ops._build import constant, name_scope, op
from tracefn.ops.array_creation import fill, one_hot, zeros
from tracefn.ops.array_shape import concat, stack, transpose
from tracefn.ops.casting import cast
from tracefn.ops.debugging import check_non_negative as assert_non_negative
from tracefn.ops.debugging_static import assert_rank, assert_scalar, assert_type
from tracefn.ops.functional import map_fn
from tracefn.ops.image_color import convert_image_dtype
from tracefn.ops.ranges import linspace
from tracefn.ops.summary.messages import int_field, summary_metadata
from tracefn.ops.summary.write import summary_scope, write

_BUCKETS = 30
_WAV = int_field(2, 11)  # the encoding in AudioPluginData


@export("summary.scalar")
def scalar(name, data, step=None, description=None):
    """Writes a number to the default writer, for TensorBoard's tab of scalars.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      data: a real number: scalar tensor that can be cast to float32.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      description: str in Markdown, or None.

    Returns:
      Scalar bool tensor: whether it was written; False without a default writer.

    Raises:
      ValueError: `data` is no scalar; or there is a writer and no step.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
      ...     for step in range(2):
      ...         print(bool(tf.summary.scalar("loss", 0.5 / (step + 1), step=step)))
      True
      True
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        assert_scalar(data)
        metadata = summary_metadata("scalars", description=description)
        return write(tag, cast(data, "float32"), step, metadata)


@export("summary.histogram")
def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how many elements of a tensor lie in each of some intervals, for TensorBoard's tabs of histograms and
    distributions.

    The intervals have the same width. If all elements are equal, the last interval has them all.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      data: tensor of any shape, which can be cast to float64.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      buckets: the number of intervals, an int or a scalar int32 tensor; None: 30.
      description: str in Markdown, or None.

    Returns:
      Scalar bool tensor: whether it was written; False without a default writer.

    Raises:
      TypeError: `buckets` is no int32.
      ValueError: there is a writer and no step.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
      ...     print(bool(tf.summary.histogram("weights", tf.random.normal([100]))))
      True
    """
    data = op("StopGradient")(input=data)
    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = summary_metadata("histograms", description=description)
        return write(tag, lambda: _counts(data, buckets), step, metadata)


def _counts(data, buckets):
    """float64 [buckets, 3]: the left end, the right end, and the number of elements of each interval."""
    with name_scope("buckets"):
        count = _BUCKETS if buckets is None else buckets
        assert_scalar(count)
        assert_type(count, "int32")
        count = op("Maximum")(x=0, y=count)
        data = cast(op("Reshape")(tensor=data, shape=[-1]), "float64")
        size = op("Size")(input=data)
        nothing = op("LogicalOr")(x=op("Equal")(x=size, y=0), y=op("LessEqual")(x=count, y=0))
        return cond(nothing, lambda: zeros([count, 3], "float64"), lambda: _counts_of_some(data, count, size))


def _counts_of_some(data, count, size):
    low, high = op("Min")(input=data, reduction_indices=[0]), op("Max")(input=data, reduction_indices=[0])
    width = high - low

    def of_several():
        places = cast(op("Floor")(x=(data - low) / (width / cast(count, "float64"))), "int32")
        inside = op("Minimum")(x=places, y=count - 1)
        counts = op("Sum")(input=one_hot(inside, count, dtype="float64"), reduction_indices=[0])
        ends = linspace(low, high, count + 1)[:-1]
        # The last end is the maximum itself, whatever linspace rounds it to.
        return transpose(stack([ends, concat([ends[1:], [high]], 0), counts]))

    def of_one():
        end = fill([count], high)
        counts = concat([fill([count - 1], 0), [size]], 0)
        return transpose(stack([end, end, cast(counts, "float64")]))

    return cond(op("Equal")(x=width, y=constant(0.0, "float64")), of_one, of_several)


@export("summary.image")
def image(name, data, step=None, max_outputs=3, description=None):
    """Writes images to the default writer, as PNG files, for TensorBoard's tab of images.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      data: tensor [batch, height, width, channels] with 1 to 4 channels: floating-point numbers from 0 to 1, or integers,
        which `tf.image.convert_image_dtype` makes uint8. What lies outside is clipped.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      max_outputs: the most images that are written, an int or a scalar integer tensor.
      description: str in Markdown, or None.

    Returns:
      Scalar bool tensor: whether they were written; False without a default writer.

    Raises:
      ValueError: `data` has another rank; or there is a writer and no step.
      InvalidArgumentError: `max_outputs` is negative.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
      ...     print(bool(tf.summary.image("noise", tf.random.uniform([2, 8, 8, 1]))))
      True
    """

    def files():
        assert_rank(data, 4)
        assert_non_negative(max_outputs)
        images = convert_image_dtype(data, "uint8", saturate=True)
        encoded = op("EncodePng")(image=images[:max_outputs])
        shape = op("Shape")(input=images)
        width, height = op("AsString")(input=shape[2], name="width"), op("AsString")(input=shape[1], name="height")
        return concat([stack([width, height], name="dimensions"), encoded], 0)

    with summary_scope(name, "image_summary") as (tag, _):
        return write(tag, files, step, summary_metadata("images", description=description))


@export("summary.audio")
def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Writes sound to the default writer, as WAV files, for TensorBoard's tab of audio.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      data: float32 tensor [batch, frames, channels] of numbers from -1 to 1; what lies outside is clipped.
      sample_rate: frames per second, an int or a scalar int32 tensor.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      max_outputs: the most clips that are written, an int or a scalar integer tensor.
      encoding: "wav" or None.
      description: str in Markdown, or None.

    Returns:
      Scalar bool tensor: whether they were written; False without a default writer.

    Raises:
      ValueError: `data` has another rank, the encoding is unknown; or there is a writer and no step.
      InvalidArgumentError: `max_outputs` is negative.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> tone = tf.sin(tf.range(4000, dtype=tf.float32))[None, :, None]
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
      ...     print(bool(tf.summary.audio("tone", tone, 8000)))
      True
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def files():
        assert_rank(data, 3)
        assert_non_negative(max_outputs)
        clips = _core.convert_to_tensor(data)[:max_outputs]
        encoded = map_fn(
            lambda clip: op("EncodeWav")(audio=clip, sample_rate=sample_rate),
            clips,
            fn_output_signature=string,
            name="encode_each_audio",
        )
        labels = fill(op("Shape")(input=clips)[:1], "")
        return transpose(stack([encoded, labels]))

    with summary_scope(name, "audio_summary") as (tag, _):
        return write(tag, files, step, summary_metadata("audio", _WAV, description))


@export("summary.text")
def text(name, data, step=None, description=None):
    """Writes text to the default writer, for TensorBoard's tab of text, which shows it as Markdown.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      data: string tensor of any shape, in UTF-8; TensorBoard shows vectors and matrices as tables.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      description: str in Markdown, or None.

    Returns:
      Scalar bool tensor: whether it was written; False without a default writer.

    Raises:
      TypeError: `data` is no string.
      ValueError: there is a writer and no step.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
      ...     print(bool(tf.summary.text("note", "*Hello*")))
      True
    """
    with summary_scope(name, "text_summary") as (tag, _):
        assert_type(data, "string")
        return write(tag, data, step, summary_metadata("text", description=description))
