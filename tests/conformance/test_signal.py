"""tf.signal: Fourier and cosine transforms, frames, windows, mel spectra; eagerly, traced, with unknown sizes, with errors
and gradients."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(11)
TOLERANCE = {"float32": 3e-5, "complex64": 3e-5, "float64": 1e-12, "complex128": 1e-12}


def real(dtype, *shape):
    return RNG.normal(size=shape).astype(dtype)


def complexes(dtype, *shape):
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


def near(a, b, dtype):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(1.0, np.abs(b).max(initial=0)))


def ways(tf, function, *arguments):
    """The results eagerly, traced, and traced with sizes unknown."""
    arguments = [tf.constant(a) for a in arguments]
    specs = [tf.TensorSpec([None] * a.shape.rank, a.dtype) for a in arguments]
    yield function(*arguments)
    yield tf.function(function)(*arguments)
    yield tf.function(function, input_signature=specs)(*arguments)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (5, 7, 11), (3, 1, 64), (2, 2, 97), (1, 20, 100), (40, 2, 15)])
def test_complex_transforms(tf, dtype, shape):
    x = complexes(dtype, *shape)
    wide = x.astype("complex128")
    for axes, suffix in ((1, ""), (2, "2d"), (3, "3d")):
        last = tuple(range(-axes, 0))
        for y in ways(tf, getattr(tf.signal, "fft" + suffix), x):
            assert y.dtype.name == dtype
            near(y, np.fft.fftn(wide, axes=last), dtype)
        for y in ways(tf, getattr(tf.signal, "ifft" + suffix), x):
            near(y, np.fft.ifftn(wide, axes=last), dtype)


@pytest.mark.parametrize("n", [2, 16, 30, 49, 64, 101, 360, 1000, 1009, 2048, 4093, 5000, 20011, 44100])
def test_long_transforms(tf, n):
    for dtype in ("complex64", "complex128"):
        x = complexes(dtype, n)
        near(tf.signal.fft(tf.constant(x)), np.fft.fft(x.astype("complex128")), dtype)
        near(tf.signal.ifft(tf.constant(x)), np.fft.ifft(x.astype("complex128")), dtype)
        r = x.real.copy()
        near(tf.signal.rfft(tf.constant(r)), np.fft.rfft(r.astype("float64")), dtype)
        half = complexes(dtype, n // 2 + 1)
        near(tf.signal.irfft(tf.constant(half), [n]), np.fft.irfft(half.astype("complex128"), n), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (5, 7, 11), (3, 2, 64), (40, 2, 15), (1, 3, 1)])
def test_real_transforms(tf, dtype, shape):
    x = real(dtype, *shape)
    for axes, suffix in ((1, ""), (2, "2d"), (3, "3d")):
        last, sizes = tuple(range(-axes, 0)), shape[-axes:]
        rfft, irfft = getattr(tf.signal, "rfft" + suffix), getattr(tf.signal, "irfft" + suffix)
        half = np.fft.rfftn(x.astype("float64"), axes=last)
        for y in ways(tf, rfft, x):
            assert y.dtype.name == {"float32": "complex64", "float64": "complex128"}[dtype]
            near(y, half, dtype)
        spectrum = half.astype("complex64" if dtype == "float32" else "complex128")
        for y in ways(tf, lambda z, irfft=irfft, sizes=sizes: irfft(z, sizes), spectrum):
            near(y, x, dtype)
        if shape[-1] % 2 == 0:
            for y in ways(tf, irfft, spectrum):
                near(y, x, dtype)
        for lengths in ([n + 1 for n in sizes], [max(n - 1, 1) for n in sizes]):
            for y in ways(tf, lambda x, rfft=rfft, lengths=lengths: rfft(x, lengths), x):
                near(y, np.fft.rfftn(x.astype("float64"), s=lengths, axes=last), dtype)
            for y in ways(tf, lambda z, irfft=irfft, lengths=lengths: irfft(z, lengths), spectrum):
                near(y, np.fft.irfftn(half, s=lengths, axes=last), dtype)


def test_lengths_that_are_tensors(tf):
    x = tf.constant(real("float32", 3, 8))
    run = tf.function(tf.signal.rfft, input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([1], tf.int32)])
    near(run(x, [6]), np.fft.rfft(x.numpy(), 6), "float32")
    near(run(x, [11]), np.fft.rfft(x.numpy(), 11), "float32")
    assert tf.function(tf.signal.rfft).get_concrete_function(tf.TensorSpec([None, 8])).structured_outputs.shape.as_list() == [None, 5]
    # The imaginary parts of the first and last number are not used.
    near(tf.signal.irfft(tf.constant([1 + 5j, 2 + 3j, 4 + 7j], tf.complex64)), [2.25, -2.25, 0.25, 0.75], "float32")


def test_empty_transforms(tf):
    assert tf.signal.fft(tf.zeros([0, 4], tf.complex64)).shape == (0, 4)
    assert tf.signal.fft(tf.zeros([4, 0], tf.complex64)).shape == (4, 0)
    assert tf.signal.rfft(tf.zeros([0, 4])).shape == (0, 3)
    assert tf.signal.rfft(tf.zeros([4, 0])).shape == (4, 0)
    assert tf.signal.irfft(tf.zeros([0, 4], tf.complex64)).shape == (0, 6)


def test_errors_of_transforms(tf):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match=r"Input must have rank of at least 1 but got: \[\]"):
        tf.signal.fft(tf.zeros([], tf.complex64))
    with pytest.raises(invalid, match=r"Input must have rank of at least 3 but got: \[2,3\]"):
        tf.signal.ifft3d(tf.zeros([2, 3], tf.complex64))
    with pytest.raises(ValueError, match=r"Shape \(3,\) must have rank at least 2"):
        tf.signal.rfft2d(tf.zeros([3]))
    with pytest.raises(ValueError, match="RFFT requires tf.float32 or tf.float64 inputs"):
        tf.signal.rfft(tf.zeros([3], tf.int64))
    with pytest.raises(ValueError, match="IRFFT requires tf.complex64 or tf.complex128 inputs"):
        tf.signal.irfft(tf.zeros([3]))
    with pytest.raises(invalid, match=r"fft_length must have shape \[1\]"):
        tf.signal.rfft(tf.zeros([2, 3]), [2, 3])
    with pytest.raises(invalid, match="Input dimension 1 must have length of at least 4 but got: 3"):
        tf.raw_ops.RFFT(input=tf.zeros([2, 3]), fft_length=[4])
    with pytest.raises(invalid, match="Input dimension 1 must have length of at least 4 but got: 3"):
        tf.raw_ops.IRFFT(input=tf.zeros([2, 3], tf.complex64), fft_length=[6])
    with pytest.raises(invalid, match=r"fft_length\[0\] must >= 0, but got: -1"):
        tf.raw_ops.RFFT(input=tf.zeros([2, 3]), fft_length=[-1])
    with pytest.raises(invalid, match="Wrong types for forward real FFT: in=1 out=18"):
        tf.raw_ops.RFFT(input=tf.zeros([2, 3]), fft_length=[3], Tcomplex=tf.complex128)
    with pytest.raises(invalid, match="Wrong types for backward real FFT: in=8 out=2"):
        tf.raw_ops.IRFFT(input=tf.zeros([2, 3], tf.complex64), fft_length=[3], Treal=tf.float64)

    @tf.function
    def traced(x):
        with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
            tf.signal.fft2d(tf.zeros([3], tf.complex64))
        with pytest.raises(ValueError, match="Dimension must be 1 but is 2"):
            tf.raw_ops.RFFT(input=x, fft_length=[3, 3])
        return x

    traced(tf.zeros([3]))


def numeric_gradient(function, x, weights):
    """d sum(real(conj(weights) * function(x))) / dx, as TensorFlow's gradients of complex numbers are."""
    step = 1e-6
    gradient = np.zeros(x.shape, x.dtype)
    for i in np.ndindex(*x.shape):
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            move = np.zeros(x.shape, x.dtype)
            move[i] = step * unit
            change = (function(x + move) - function(x - move)) / (2 * step)
            gradient[i] += unit * np.sum((np.conj(weights) * change).real)
    return gradient


@pytest.mark.parametrize("kind", ["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"])
def test_gradients_of_complex_transforms(tf, kind):
    x, function = complexes("complex128", 2, 3, 2), getattr(tf.signal, kind)
    weights = complexes("complex128", 2, 3, 2)
    for _ in ways(tf, function, x):
        t = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = function(t)
        near(tape.gradient(y, t, weights), numeric_gradient(lambda x: function(tf.constant(x)).numpy(), x, weights), "complex64")


@pytest.mark.parametrize(("kind", "lengths"), [("rfft", [6]), ("rfft", [5]), ("rfft2d", [3, 6]), ("rfft2d", [3, 5]), ("rfft2d", [4, 4])])
def test_gradients_of_real_transforms(tf, kind, lengths):
    forward, back = getattr(tf.signal, kind), getattr(tf.signal, "i" + kind)
    x = real("float64", 2, *lengths)
    weights = complexes("complex128", *forward(x).shape)

    def gradient(x, weights):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = forward(x)
        return tape.gradient(y, x, weights)

    for got in ways(tf, gradient, x, weights):
        near(got, numeric_gradient(lambda x: forward(tf.constant(x)).numpy(), x, weights), "float32")
    half = complexes("complex128", *weights.shape)
    weights = real("float64", 2, *lengths)

    def gradient_back(z, weights):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = back(z, lengths)
        return tape.gradient(y, z, weights)

    # The rule takes the half for one of a Hermitian spectrum: its last axis counts conjugates, too.
    for got in ways(tf, gradient_back, half, weights):
        expected = np.fft.rfftn(weights, axes=tuple(range(-len(lengths), 0))) / np.prod(lengths)
        twice = np.full(half.shape[-1], 2.0)
        twice[0] = 1
        if lengths[-1] % 2 == 0:
            twice[-1] = 1
        near(got, expected * twice, "float32")


def test_second_derivatives(tf):
    x = tf.constant(real("float64", 8))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.abs(tf.signal.rfft(x)) ** 4)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)

    def slope(x):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.abs(tf.signal.rfft(x)) ** 4)
        return tape.gradient(y, x).numpy()

    near(second, numeric_gradient(slope, x.numpy(), np.ones(8)), "float32")


def test_no_gradient_of_three_real_axes(tf):
    x = tf.constant(real("float32", 2, 3, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.signal.rfft3d(x)
    with pytest.raises(LookupError, match="RFFT3D"):
        tape.gradient(y, x)


@pytest.mark.parametrize("axes", [None, 0, -1, [0, 1], [-1]])
@pytest.mark.parametrize("shape", [(4, 5), (3, 2)])
def test_shifts(tf, axes, shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    for y in ways(tf, lambda x: tf.signal.fftshift(x, axes), x):
        np.testing.assert_array_equal(y, np.fft.fftshift(x, axes))
    for y in ways(tf, lambda x: tf.signal.ifftshift(x, axes), x):
        np.testing.assert_array_equal(y, np.fft.ifftshift(x, axes))


def cosine_transform(x, kind, norm=None):
    """The sums of the definitions."""
    n = x.shape[-1]
    j, k = np.arange(n)[:, None], np.arange(n)
    if kind == 1:
        return x @ (np.where((j == 0) | (j == n - 1), 1.0, 2.0) * np.cos(np.pi * j * k / (n - 1)))
    if kind == 2:
        y = 2 * x @ np.cos(np.pi * (j + 0.5) * k / n)
        return y * np.where(k == 0, np.sqrt(1 / (4 * n)), np.sqrt(1 / (2 * n))) if norm else y
    if kind == 3:
        if norm:
            return x @ (np.where(j == 0, np.sqrt(1 / n), np.sqrt(2 / n)) * np.cos(np.pi * j * (k + 0.5) / n))
        return x @ (np.where(j == 0, 1.0, 2.0) * np.cos(np.pi * j * (k + 0.5) / n))
    y = 2 * x @ np.cos(np.pi * (j + 0.5) * (k + 0.5) / n)
    return y / np.sqrt(2 * n) if norm else y


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_cosine_transforms(tf, dtype, kind, norm):
    if kind == 1 and norm:
        with pytest.raises(ValueError, match="Normalization is not supported for the Type-I DCT"):
            tf.signal.dct(tf.ones([3]), type=1, norm="ortho")
        return
    for shape in ((4,), (2, 3, 7), (2, 16)):
        x = real(dtype, *shape)
        n = shape[-1]
        for y in ways(tf, lambda x: tf.signal.dct(x, type=kind, norm=norm), x):
            assert y.dtype.name == dtype
            near(y, cosine_transform(x.astype("float64"), kind, norm), dtype)
        inverse = {1: 1, 2: 3, 3: 2, 4: 4}[kind]
        for y in ways(tf, lambda x: tf.signal.idct(x, type=kind, norm=norm), x):
            near(y, cosine_transform(x.astype("float64"), inverse, norm), dtype)
        for length in (2, n, n + 3):
            used = np.concatenate([x, np.zeros((*shape[:-1], 3))], -1)[..., :length]
            for y in ways(tf, lambda x, length=length: tf.signal.dct(x, type=kind, n=length, norm=norm), x):
                near(y, cosine_transform(used.astype("float64"), kind, norm), dtype)


def test_errors_of_cosine_transforms(tf):
    x = tf.ones([4])
    with pytest.raises(NotImplementedError, match="axis must be -1"):
        tf.signal.dct(x, axis=0)
    with pytest.raises(ValueError, match="n should be a positive integer or None"):
        tf.signal.dct(x, n=0)
    with pytest.raises(ValueError, match="Types I, II, III and IV"):
        tf.signal.dct(x, type=5)
    with pytest.raises(ValueError, match="Unknown normalization"):
        tf.signal.idct(x, norm="backward")
    with pytest.raises(ValueError, match="requires the dimension to be greater than one"):
        tf.signal.dct(tf.ones([1]), type=1)


def frames_of(x, length, step, pad_end=False, value=0):
    n = x.shape[-1]
    count = -(-n // step) if pad_end else max(0, 1 + (n - length) // step)
    padded = np.concatenate([x, np.full((*x.shape[:-1], length + step), value, x.dtype)], -1)
    rows = [padded[..., i * step : i * step + length] for i in range(count)]
    return np.stack(rows, -2) if rows else np.zeros((*x.shape[:-1], 0, length), x.dtype)


@pytest.mark.parametrize(("length", "step"), [(3, 2), (4, 4), (6, 4), (2, 5), (1, 1), (20, 3), (12, 8)])
@pytest.mark.parametrize("pad_end", [False, True])
def test_frames(tf, length, step, pad_end):
    for x in (np.arange(11.0), np.arange(24).reshape(2, 12), np.zeros((2, 0, 5), "float32")):
        for y in ways(tf, lambda x: tf.signal.frame(x, length, step, pad_end=pad_end, pad_value=7), x):
            np.testing.assert_array_equal(y, frames_of(x, length, step, pad_end, 7))
        moved = np.moveaxis(x, -1, 0)
        for y in ways(tf, lambda x: tf.signal.frame(x, length, step, pad_end=pad_end, axis=0), moved):
            np.testing.assert_array_equal(y, np.moveaxis(frames_of(x, length, step, pad_end), (-2, -1), (0, 1)))


def test_frames_of_unknown_length(tf):
    x = np.arange(12.0)
    run = tf.function(
        lambda x, length, step: tf.signal.frame(x, length, step),
        input_signature=[tf.TensorSpec([None], tf.float64), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)],
    )
    np.testing.assert_array_equal(run(x, 4, 3), frames_of(x, 4, 3))
    np.testing.assert_array_equal(run(x, 4, 2), frames_of(x, 4, 2))
    with pytest.raises(ValueError, match="rank"):
        tf.signal.frame(x, [4], 3)
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        tf.signal.frame(1.0, 4, 3)

    @tf.function
    def shapes(x):
        assert tf.signal.frame(x, 4, 2).shape.as_list() == [2, 4, 4]
        assert tf.signal.frame(x, 4, 2, pad_end=True).shape.as_list() == [2, 5, 4]
        return x

    shapes(tf.zeros([2, 10]))


@pytest.mark.parametrize("pad_end", [False, True])
def test_frames_of_unknown_length_keep_the_other_sizes(tf, pad_end):
    @tf.function
    def shapes(x):
        frames = tf.signal.frame(x, 4, 2, pad_end=pad_end)
        assert frames.shape.as_list() == [2, None, 4]
        moved = tf.signal.frame(tf.transpose(x), 4, 3, pad_end=pad_end, axis=0)
        assert moved.shape.as_list() == [None, 4, 2]
        assert tf.signal.stft(x, 8, 2, pad_end=pad_end).shape.as_list() == [2, None, 5]
        return frames

    run = shapes.get_concrete_function(tf.TensorSpec([2, None]))
    x = np.arange(18, dtype="float32").reshape(2, 9)
    np.testing.assert_array_equal(run(tf.constant(x)), frames_of(x, 4, 2, pad_end))


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_overlap_and_add(tf, step, dtype):
    for shape in ((3, 4), (2, 1, 5, 4), (0, 3, 4)):
        x = (10 * RNG.normal(size=shape)).astype(dtype)
        frames = shape[-2]
        total = np.zeros((*shape[:-2], (frames - 1) * step + 4), dtype)
        for i in range(frames):
            total[..., i * step : i * step + 4] += x[..., i, :]
        for y in ways(tf, lambda x: tf.signal.overlap_and_add(x, step), x):
            np.testing.assert_allclose(y, total, rtol=1e-5, atol=1e-5)
    dynamic = tf.function(
        tf.signal.overlap_and_add, input_signature=[tf.TensorSpec(None, x.dtype), tf.TensorSpec([], tf.int32)]
    )
    ones = np.ones((2, 3, 4), dtype)
    np.testing.assert_allclose(dynamic(ones, 4), np.ones((2, 12)))
    with pytest.raises(ValueError, match="frame_step must be an integer"):
        tf.signal.overlap_and_add(x, 1.5)
    with pytest.raises(ValueError, match=r"Shape \(3,\) must have rank at least 2"):
        tf.signal.overlap_and_add([1.0, 2.0, 3.0], 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 33])
def test_windows(tf, dtype, n):
    near_enough = {"rtol": 2e-3, "atol": 2e-3} if dtype == "float16" else {"rtol": 2e-5, "atol": 2e-6}
    sin, cos = np.sin, np.cos
    k = np.arange(n)
    periodic = n if n % 2 == 0 else n - 1
    cases = [
        (tf.signal.hann_window, {}, 0.5 - 0.5 * cos(2 * np.pi * k / periodic) if n > 1 else [1.0]),
        (tf.signal.hann_window, {"periodic": False}, np.hanning(n)),
        (tf.signal.hamming_window, {}, 0.54 - 0.46 * cos(2 * np.pi * k / periodic) if n > 1 else [1.0]),
        (tf.signal.hamming_window, {"periodic": False}, np.hamming(n)),
        (tf.signal.vorbis_window, {}, sin(np.pi / 2 * sin(np.pi * (k + 0.5) / n) ** 2)),
        (tf.signal.kaiser_window, {"beta": 5.0}, np.kaiser(n, 5.0)),
    ]
    for function, options, expected in cases:
        window = function(n, dtype=tf.as_dtype(dtype), **options)
        assert window.dtype.name == dtype
        np.testing.assert_allclose(window.numpy().astype("float64"), expected, **near_enough)
        if n > 1 or "kaiser" not in function.__name__:
            run = tf.function(lambda n, function=function, options=options: function(n, dtype=tf.as_dtype(dtype), **options))
            np.testing.assert_allclose(run(tf.constant(n)).numpy().astype("float64"), expected, **near_enough)
    if n % 2 == 0:
        sums = np.cumsum(np.kaiser(n // 2 + 1, 12.0))
        half = np.sqrt(sums[:-1] / sums[-1])
        window = tf.signal.kaiser_bessel_derived_window(n, dtype=tf.as_dtype(dtype))
        np.testing.assert_allclose(window.numpy().astype("float64"), np.concatenate([half, half[::-1]]), **near_enough)


@pytest.mark.parametrize("n", [1, 4, 5])
@pytest.mark.parametrize("name", ["hann", "hamming", "kaiser", "vorbis", "kaiser_bessel_derived"])
def test_lengths_of_windows_while_tracing(tf, name, n):
    shapes = []

    @tf.function
    def f():
        shapes.append(tuple(getattr(tf.signal, f"{name}_window")(2 * n).shape))

    f()
    assert shapes == [(2 * n,)]


def test_errors_of_windows(tf):
    for function in (tf.signal.hann_window, tf.signal.kaiser_window, tf.signal.vorbis_window):
        with pytest.raises(ValueError, match="dtype must be a floating point type"):
            function(4, dtype=tf.int32)
        with pytest.raises(ValueError, match="rank 0"):
            function([4])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("length", "step", "fft_length"), [(8, 4, None), (6, 3, None), (8, 2, 16), (5, 5, 5)])
def test_short_time_transforms(tf, dtype, length, step, fft_length):
    x = real(dtype, 2, 40)
    n = fft_length or 1 << (length - 1).bit_length()
    window = tf.signal.hann_window(length, dtype=tf.float64).numpy()
    for pad_end in (False, True):
        expected = np.fft.rfft(frames_of(x.astype("float64"), length, step, pad_end) * window, n)
        for y in ways(tf, lambda x, pad_end=pad_end: tf.signal.stft(x, length, step, fft_length, pad_end=pad_end), x):
            near(y, expected, dtype)
    spectra = tf.signal.stft(x, length, step, fft_length, window_fn=None)
    near(spectra, np.fft.rfft(frames_of(x.astype("float64"), length, step), n), dtype)
    if step < length:
        inverse = tf.signal.inverse_stft_window_fn(step)
        for y in ways(tf, lambda z: tf.signal.inverse_stft(z, length, step, fft_length, window_fn=inverse), tf.signal.stft(x, length, step, fft_length)):
            near(y[:, length : 40 - length], x[:, length : 40 - length], dtype)
    plain = tf.signal.inverse_stft(spectra, length, step, fft_length, window_fn=None)
    total = np.zeros((2, (spectra.shape[1] - 1) * step + length))
    for i in range(spectra.shape[1]):
        total[:, i * step : i * step + length] += x[:, i * step : i * step + length]
    near(plain, total, dtype)
    shorter = tf.signal.inverse_stft(spectra, length - 2, step, n, window_fn=None)
    assert shorter.shape == (2, (spectra.shape[1] - 1) * step + length - 2)
    longer = tf.signal.inverse_stft(spectra, n + 2, step, n, window_fn=None)
    assert longer.shape == (2, (spectra.shape[1] - 1) * step + n + 2)


def test_gradient_of_short_time_transforms(tf):
    x = real("float64", 20)

    def power(x):
        return tf.reduce_sum(tf.abs(tf.signal.stft(x, 6, 3)) ** 2)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x)
        return tape.gradient(y, x)

    for got in ways(tf, gradient, x):
        near(got, numeric_gradient(lambda x: power(tf.constant(x)).numpy(), x, np.ones(())), "float32")


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", ["vorbis_window", "kaiser_bessel_derived_window", None])
def test_modified_cosine_transforms(tf, norm, window):
    x = real("float64", 2, 48)
    function = window and getattr(tf.signal, window)
    n = 8
    weights = np.full(n, np.sqrt(0.5)) if window is None else function(n, dtype=tf.float64).numpy()
    j, k = np.arange(n)[:, None], np.arange(n // 2)
    basis = np.cos(2 * np.pi / n * (j + 0.5 + n / 4) * (k + 0.5)) * (2.0 if norm is None else np.sqrt(4 / n))
    expected = (frames_of(x, n, n // 2) * weights) @ basis
    for y in ways(tf, lambda x: tf.signal.mdct(x, n, window_fn=function, norm=norm), x):
        near(y, expected, "float64")
    for y in (tf.signal.inverse_mdct, tf.function(tf.signal.inverse_mdct)):
        near(y(tf.constant(expected), window_fn=function, norm=norm)[:, 4:-4], x[:, 4:-4], "float64")
    with pytest.raises(ValueError, match="The frame length must be a multiple of 4"):
        tf.signal.mdct(x, 6)


def test_mel(tf):
    def mel(f):
        return 2595 * np.log10(1 + f / 700)

    bins, count, rate, low, high = 6, 33, 8000, 125.0, 3800.0
    edges = np.linspace(mel(low), mel(high), bins + 2)
    m = mel(np.linspace(0, rate / 2, count))[:, None]
    rising, falling = (m - edges[:-2]) / np.diff(edges)[:-1], (edges[2:] - m) / np.diff(edges)[1:]
    expected = np.maximum(0, np.minimum(rising, falling))
    expected[0] = 0
    for dtype in ("float32", "float64"):
        matrix = tf.signal.linear_to_mel_weight_matrix(bins, count, rate, low, high, tf.as_dtype(dtype))
        np.testing.assert_allclose(matrix, expected, atol=1e-3 if dtype == "float32" else 1e-4)
    run = tf.function(lambda n, rate: tf.signal.linear_to_mel_weight_matrix(bins, n, rate, low, high))
    np.testing.assert_allclose(run(tf.constant(count), tf.constant(8000.0)), expected, atol=1e-3)
    assert tf.signal.linear_to_mel_weight_matrix().shape == (129, 20)
    for arguments, words in (
        ({"num_mel_bins": 0}, "num_mel_bins must be positive. Got: 0"),
        ({"lower_edge_hertz": -1.0}, "lower_edge_hertz must be non-negative"),
        ({"lower_edge_hertz": 4000.0}, "lower_edge_hertz 4000.0 >= upper_edge_hertz 3800.0"),
        ({"sample_rate": -8000}, "sample_rate must be positive"),
        ({"upper_edge_hertz": 4001.0}, "Nyquist"),
        ({"dtype": tf.int32}, "dtype must be a floating point type"),
    ):
        with pytest.raises(ValueError, match=words):
            tf.signal.linear_to_mel_weight_matrix(**arguments)


def test_cepstral_coefficients(tf):
    x = real("float64", 2, 3, 10)
    for y in ways(tf, tf.signal.mfccs_from_log_mel_spectrograms, x):
        near(y, cosine_transform(x, 2) / np.sqrt(20), "float64")
    with pytest.raises(ValueError, match="num_mel_bins must be positive"):
        tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))


def test_old_names(tf):
    x = tf.constant(complexes("complex64", 2, 4, 4))
    old = tf.compat.v1
    np.testing.assert_array_equal(old.fft(x), tf.signal.fft(x))
    np.testing.assert_array_equal(old.ifft2d(x), tf.signal.ifft2d(x))
    np.testing.assert_array_equal(old.spectral.fft3d(x), tf.signal.fft3d(x))
    np.testing.assert_array_equal(old.spectral.dct([1.0, 2.0]), tf.signal.dct([1.0, 2.0]))
    np.testing.assert_array_equal(old.signal.rfft([1.0, 2.0]), tf.signal.rfft([1.0, 2.0]))


@pytest.mark.superset("TensorFlow has no kernel of these for a CPU")
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_transforms_over_given_axes(tf, norm):
    x = real("float64", 3, 4, 5)
    z = tf.constant(x + 1j * x[::-1])
    for axes, lengths in (([0], None), ([1, 2], None), (None, None), ([2, 0], [4, 3])):
        sizes = lengths or [x.shape[i] for i in (axes or range(3))]
        options = {"axes": axes, "fft_length": sizes, "norm": norm}
        near(tf.signal.fftnd(z, **options), np.fft.fftn(z.numpy(), s=sizes, axes=axes or (0, 1, 2), norm=norm), "float64")
        near(tf.signal.ifftnd(z, **options), np.fft.ifftn(z.numpy(), s=sizes, axes=axes or (0, 1, 2), norm=norm), "float64")
        half = np.fft.rfftn(x, s=sizes, axes=axes or (0, 1, 2), norm=norm)
        near(tf.signal.rfftnd(tf.constant(x), **options), half, "float64")
        near(
            tf.signal.irfftnd(tf.constant(half), **options),
            np.fft.irfftn(half, s=sizes, axes=axes or (0, 1, 2), norm=norm),
            "float64",
        )
    near(tf.fftnd(z, [3], [0]), np.fft.fft(z.numpy(), axis=0), "float64")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # TensorFlow takes the logarithm of 0
def test_frames_and_steps_of_no_samples(tf):
    x = tf.ones([2, 32])
    assert tf.signal.stft(x, 0, 4).shape == [2, 9, 0]
    for inverse in (lambda: tf.signal.overlap_and_add(x, 0), lambda: tf.signal.inverse_stft(tf.complex(x, x), 8, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Paddings must be non-negative: 0 -"):
            inverse()


def test_negative_lengths_of_transforms(tf):
    for transform, value, lengths in ((tf.signal.rfft, [4], [-1]), (tf.signal.rfft2d, [4, 4], [-1, 2])):
        call = lambda transform=transform, value=value, lengths=lengths: transform(tf.ones(value), lengths)
        for run in (call, tf.function(call)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"fft_length\[0\] must >= 0, but got: -1"):
                run()
    with pytest.raises(ValueError, match="Dimension -2 must be >= 0"):
        tf.signal.rfft(tf.ones([4]), [-2])
