"""tf.audio, and the ops that make features of sound: files and their errors, shapes, spectra."""

import struct

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(13)


def chunk(name, content=b"", size=None):
    return name + struct.pack("<I", len(content) if size is None else size) + content


def wav(data=b"\0\1\2\3", kind=1, channels=1, rate=8000, bits=16, before=b"", between=b"", after=b"", **changes):
    per_sample = changes.get("per_sample", channels * bits // 8)
    per_second = changes.get("per_second", rate * channels * bits // 8)
    form = struct.pack("<HHIIHH", kind, channels, rate, per_second, per_sample, bits) + changes.get("rest", b"")
    body = before + chunk(b"fmt ", form, changes.get("form_size")) + between
    body += chunk(changes.get("data_name", b"data"), data, changes.get("data_size")) + after
    return changes.get("riff", b"RIFF") + struct.pack("<I", len(body) + 4) + changes.get("wave", b"WAVE") + body


def samples(*numbers):
    return struct.pack(f"<{len(numbers)}h", *numbers)


def test_decode(tf):
    audio, rate = tf.audio.decode_wav(wav(samples(0, 16384, -32768, 32767, 1, -1), channels=2))
    np.testing.assert_array_equal(audio, np.array([[0, 16384], [-32768, 32767], [1, -1]], "float32") / 32768)
    assert audio.dtype == tf.float32
    assert rate.dtype == tf.int32
    assert int(rate) == 8000
    empty, _ = tf.audio.decode_wav(wav(b""))
    assert empty.shape == (0, 1)


@pytest.mark.parametrize(("channels", "count"), [(-1, -1), (1, -1), (4, -1), (-1, 2), (-1, 5), (0, -1), (-1, 0), (3, 5)])
def test_shapes_of_decoded_sound(tf, channels, count):
    numbers = np.array([[1, 2], [3, 4], [5, 6]])
    contents = wav(samples(*numbers.ravel()), channels=2)
    expected = numbers[:, [min(i, 1) for i in range(2 if channels < 0 else channels)]] / 32768
    if count >= 0:
        expected = np.concatenate([expected, np.zeros((5, expected.shape[1]))])[:count]

    def decode(contents):
        return tf.audio.decode_wav(contents, desired_channels=channels, desired_samples=count)

    for run in (decode, tf.function(decode)):
        np.testing.assert_array_equal(run(contents)[0], expected)
    traced = tf.function(decode).get_concrete_function(tf.TensorSpec([], tf.string)).structured_outputs
    assert traced[0].shape.as_list() == [None if n < 0 else n for n in (count, channels)]
    assert traced[1].shape == ()


def test_chunks(tf):
    expected = np.array([[0.0078125], [0.023498535]], "float32")
    for contents in (
        wav(before=chunk(b"JUNK", b"abc")),
        wav(before=chunk(b"JUNK", b"abcd") + chunk(b"bext", b"ab")),
        wav(between=chunk(b"LIST", b"abcd") + chunk(b"fact", b"")),
        wav(rest=b"\7\0"),
        wav(after=chunk(b"LIST", b"abc")),
        wav(after=b"trailing"),
    ):
        np.testing.assert_array_equal(tf.audio.decode_wav(contents)[0], expected)


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b"", "Data too short when trying to read string"),
        (wav()[:30], "Data too short when trying to read string"),
        (wav()[:46], "Data too short when trying to read string"),
        (wav(riff=b"RIFX"), "Header mismatch: Expected RIFF but found RIFX"),
        (wav(wave=b"WAVX"), "Header mismatch: Expected WAVE but found WAVX"),
        (wav(before=chunk(b"LIST", b"abcd")), "Unexpected field LIST"),
        (wav(rest=b"\0\0\0\0"), "Bad format chunk size for WAV: Expected 16 or 18, but got20"),
        (wav(kind=3), r"Bad audio format for WAV: Expected 1 \(PCM\), but got3"),
        (wav(channels=0), "Bad number of channels for WAV: Expected at least 1, but got 0"),
        (wav(bits=8), "Can only read 16-bit WAV files, but received 8"),
        (wav(per_sample=1), "Bad bytes per sample in WAV header: Expected 2 but got 1"),
        (wav(per_second=1), "Bad bytes per second in WAV header: Expected 16000 but got 1"),
        (wav(data_size=100), "Data too short when trying to read string"),
        (wav(b"\0\1\2"), "Data too short when trying to read string"),
        (wav(data_name=b"datx"), "No data chunk found in WAV"),
        (wav(after=chunk(b"data", b"ab")), "More than one data chunk found in WAV"),
        (wav(data_size=2**32 - 1), "WAV data chunk 'data' is too large: 4294967295 bytes, but the limit is 2147483647"),
        (wav(between=chunk(b"LIST", b"", 2**32 - 1)), "WAV data chunk 'LIST' is too large"),
    ],
)
def test_bad_files(tf, contents, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.audio.decode_wav(contents)


def test_bad_arguments_of_decode(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"contents must be scalar, got shape \[2\]"):
        tf.audio.decode_wav([wav(), wav()])
    with pytest.raises(tf.errors.InvalidArgumentError, match="desired_channels must be >= -1, got -2"):
        tf.audio.decode_wav(wav(), desired_channels=-2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="desired_samples must be >= -1, got -2"):
        tf.audio.decode_wav(wav(), desired_samples=-2)

    @tf.function
    def traced():
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            tf.audio.decode_wav(tf.constant(["a"]))
        with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
            tf.audio.encode_wav(tf.zeros([3]), 8000)
        return tf.constant(0)

    traced()


def test_encode(tf):
    audio = np.array([[0, 0.5], [-0.5, 1], [-1, 2], [2e-5, -3], [np.nan, 1.5 / 32768], [-1.5 / 32768, 0.3]], "float32")
    expected = wav(samples(0, 16384, -16384, 32767, -32768, 32767, 1, -32768, 0, 2, -2, 9830), channels=2)
    for encode in (tf.audio.encode_wav, tf.function(tf.audio.encode_wav)):
        assert encode(audio, 8000).numpy() == expected
    assert tf.audio.encode_wav(np.zeros((0, 2), "float32"), 44100).numpy() == wav(b"", channels=2, rate=44100)
    sound = RNG.uniform(-1, 1, (100, 3)).astype("float32")
    again, rate = tf.audio.decode_wav(tf.audio.encode_wav(sound, 22050))
    np.testing.assert_allclose(again, sound, atol=1 / 32768)
    assert int(rate) == 22050


def test_bad_arguments_of_encode(tf):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match=r"audio must be 2-dimensional\[3\]"):
        tf.audio.encode_wav(tf.zeros([3]), 8000)
    with pytest.raises(invalid, match=r"num_channels must be in \(0, 2\^16\), got: 0|audio is null"):
        tf.audio.encode_wav(tf.zeros([2, 0]), 8000)
    with pytest.raises(invalid, match=r"num_channels must be in \(0, 2\^16\), got: 70000"):
        tf.audio.encode_wav(tf.zeros([1, 70000]), 8000)
    with pytest.raises(invalid, match=r"sample_rate must be in \(0, 2\^32\), got: 0"):
        tf.audio.encode_wav(tf.zeros([2, 1]), 0)
    with pytest.raises(invalid, match=r"sample_rate must be in \(0, 2\^32\), got: 18446744073709551615"):
        tf.audio.encode_wav(tf.zeros([2, 1]), -1)
    with pytest.raises(invalid, match=r"Input sample_rate should be a scalar tensor, got \[1\] instead"):
        tf.audio.encode_wav(tf.zeros([2, 1]), [8000])


@pytest.mark.parametrize(("size", "stride"), [(8, 4), (5, 3), (2, 1), (16, 16), (100, 7), (400, 10)])
@pytest.mark.parametrize("squared", [False, True])
def test_spectrogram(tf, size, stride, squared):
    sound = RNG.normal(size=(300, 2)).astype("float32")
    padded = 1 << (size - 1).bit_length()
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    count = max(0, 1 + (300 - size) // stride)
    frames = np.array([sound[i * stride : i * stride + size].T * window for i in range(count)]).reshape(count, 2, size)
    power = np.abs(np.fft.rfft(frames, padded)) ** (2 if squared else 1)

    def spectrogram(x):
        return tf.raw_ops.AudioSpectrogram(input=x, window_size=size, stride=stride, magnitude_squared=squared)

    for run in (spectrogram, tf.function(spectrogram)):
        np.testing.assert_allclose(run(tf.constant(sound)), power.transpose(1, 0, 2), rtol=1e-4, atol=1e-4)
    traced = tf.function(spectrogram).get_concrete_function(tf.TensorSpec([None, 2])).structured_outputs
    assert traced.shape.as_list() == [2, None, padded // 2 + 1]


def test_errors_of_spectrogram(tf):
    def spectrogram(shape, size, stride):
        return tf.raw_ops.AudioSpectrogram(input=tf.zeros(shape), window_size=size, stride=stride)

    for size, stride in ((1, 3), (0, 3), (4, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"initialization failed for window size {size} and stride {stride}"):
            spectrogram([10, 1], size, stride)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be 2-dimensional\[10\]"):
        spectrogram([10], 4, 2)
    assert spectrogram([3, 1], 4, 1).shape == (1, 0, 3)
    assert spectrogram([10, 0], 4, 1).shape == (0, 7, 3)


def cepstrum(spectrum, rate, low=20.0, high=4000.0, bands=40, count=13):
    """By the formulas of the HTK book."""
    mel = lambda f: 1127 * np.log1p(f / 700)
    n = spectrum.shape[-1]
    step = rate / 2 / (n - 1)
    k = np.arange(int(1.5 + low / step), int(high / step) + 1)
    edges = np.linspace(mel(low), mel(high), bands + 2)
    m = mel(k * step)[:, None]
    triangles = np.maximum(0, np.minimum((m - edges[:-2]) / np.diff(edges)[:-1], (edges[2:] - m) / np.diff(edges)[1:]))
    energies = np.log(np.maximum(1e-12, np.sqrt(spectrum[..., k]) @ triangles))
    j = np.arange(bands)[:, None] + 0.5
    return energies @ (np.sqrt(2 / bands) * np.cos(np.pi * j * np.arange(count) / bands))


@pytest.mark.parametrize(
    "options", [{}, {"high": 3000.0, "low": 100.0, "bands": 12, "count": 5}, {"bands": 1, "count": 1, "low": 0.0}]
)
@pytest.mark.parametrize("n", [65, 129, 513])
def test_cepstral_coefficients(tf, options, n):
    spectrum = RNG.uniform(0, 9, (2, 3, n)).astype("float32")
    names = {"high": "upper_frequency_limit", "low": "lower_frequency_limit", "bands": "filterbank_channel_count", "count": "dct_coefficient_count"}

    def mfcc(x):
        return tf.raw_ops.Mfcc(spectrogram=x, sample_rate=16000, **{names[k]: v for k, v in options.items()})

    for run in (mfcc, tf.function(mfcc)):
        np.testing.assert_allclose(run(tf.constant(spectrum)), cepstrum(spectrum.astype("float64"), 16000, **options), rtol=1e-4, atol=1e-4)


def test_errors_of_cepstral_coefficients(tf):
    def mfcc(shape=(1, 2, 65), rate=16000, **options):
        return tf.raw_ops.Mfcc(spectrogram=tf.ones(shape), sample_rate=rate, **options)

    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match=r"spectrogram must be 3-dimensional\[2,9\]"):
        mfcc((2, 9))
    with pytest.raises(invalid, match=r"Input sample_rate should be a scalar tensor, got \[1\] instead"):
        mfcc(rate=[16000])
    for options in (
        {"rate": 0},
        {"shape": (1, 2, 1)},
        {"filterbank_channel_count": 0},
        {"dct_coefficient_count": 0},
        {"dct_coefficient_count": 50},
        {"lower_frequency_limit": -1.0},
        {"upper_frequency_limit": 10.0},
    ):
        with pytest.raises(invalid, match="Mfcc initialization failed for channel count"):
            mfcc(**options)
    # A spectrum that ends below the highest frequency.
    np.testing.assert_array_equal(mfcc(upper_frequency_limit=9000.0), np.zeros((1, 2, 13)))
    assert mfcc((1, 0, 65)).shape == (1, 0, 13)


def test_sound_has_no_gradient(tf):
    x = tf.constant(RNG.normal(size=(20, 1)).astype("float32"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.AudioSpectrogram(input=x, window_size=4, stride=2)
    with pytest.raises(LookupError, match="AudioSpectrogram"):
        tape.gradient(y, x)
