"""Samples of the summary ops. Those that write run in a small graph that makes their writer."""

import pathlib
import tempfile

import numpy as np
import tracefn as tf

from support.sample_values import f32, grid

raw = tf.raw_ops

# TensorFlow writes there, too.
_FOLDER = str(pathlib.Path(tempfile.gettempdir()) / "tracefn_sample_events")
_STEP = np.int64(3)
_RED = np.uint8([255, 0, 0, 255])
_SOUND = grid(2, 5, 1) / 16
_VALUE = b"\n\x08\n\x01a\x15\x00\x00\x80?"  # a Summary with the number 1 under the tag "a"


def _written(write=None):
    """A program that opens a writer, writes to it, and closes it."""

    def run():
        writer = raw.SummaryWriter()
        raw.CreateSummaryFileWriter(
            writer=writer,
            logdir=_FOLDER,
            max_queue=np.int32(10),
            flush_millis=np.int32(1000),
            filename_suffix=".sample",
        )
        if write is not None:
            write(writer)
        raw.FlushSummaryWriter(writer=writer)
        raw.CloseSummaryWriter(writer=writer)
        return [tf.constant(1)]

    return run


def _values(name: str, **arguments):
    return _written(lambda writer: getattr(raw, name)(writer=writer, step=_STEP, **arguments))


PROGRAMS = {
    "SummaryWriter": _written(),
    "CreateSummaryFileWriter": _written(),
    "FlushSummaryWriter": _written(),
    "CloseSummaryWriter": _written(),
    "WriteSummary": _values("WriteSummary", tensor=grid(2, 3), tag="a", summary_metadata=b""),
    "WriteRawProtoSummary": _values("WriteRawProtoSummary", tensor=np.array([_VALUE, b""], object)),
    "WriteScalarSummary": _values("WriteScalarSummary", tag="a", value=np.float32(1.5)),
    "WriteHistogramSummary": _values("WriteHistogramSummary", tag="a", values=grid(4)),
    "WriteImageSummary": _values("WriteImageSummary", tag="a", tensor=grid(1, 4, 4, 3), bad_color=_RED),
    "WriteAudioSummary": _values("WriteAudioSummary", tag="a", tensor=_SOUND, sample_rate=np.float32(8000)),
    "WriteGraphSummary": _values("WriteGraphSummary", tensor=b""),
    "ImportEvent": _written(lambda writer: raw.ImportEvent(writer=writer, event=b"\x10\x03")),
}

NOT_RUN = {"ImageSummary"}  # the same pixels in another PNG file

CALLS = {
    "ScalarSummary": [
        {"tags": np.array([b"a", b"b"], object), "values": f32(1, -2)},
        {"tags": np.array(b"a", object), "values": np.int8(7)},
    ],
    "HistogramSummary": [
        {"tag": np.array(b"a", object), "values": f32(1, 2.5, -3, 0, 100)},
        {"tag": np.array(b"a", object), "values": np.float64([])},
    ],
    "ImageSummary": [
        {"tag": np.array(b"a", object), "tensor": np.uint8(grid(1, 4, 4, 3) * 5 + 100)},
        {"tag": np.array(b"a", object), "tensor": grid(2, 4, 4, 1), "max_images": 1},
    ],
    "AudioSummaryV2": [
        {"tag": np.array(b"a", object), "tensor": _SOUND, "sample_rate": np.float32(44100.5), "max_outputs": 1}
    ],
    "TensorSummaryV2": [
        {"tag": np.array(b"a", object), "tensor": grid(2, 3), "serialized_summary_metadata": np.array(b"", object)}
    ],
    "MergeSummary": [{"inputs": [np.array(_VALUE, object), np.array([_VALUE.replace(b"a", b"b")], object)]}],
}
