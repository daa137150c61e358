"""Samples of Fourier transforms, sound, and special functions."""

import numpy as np

from support.sample_values import f32, grid, i32

COMPLEX = np.array([[1 + 2j, -0.5 - 1j, 3j, 2], [0.25, -1j, 1 + 1j, -2]], np.complex64)
_CUBE = (grid(2, 2, 3) + 1j * grid(2, 2, 3)[::-1]).astype(np.complex64)
WAV = np.array(
    b"RIFF,\0\0\0WAVEfmt \x10\0\0\0\1\0\2\0\x40\x1f\0\0\0\x7d\0\0\4\0\x10\0data\x08\0\0\0\0\0\xff\x7f\0\x80\1\0", object
)
_SOUND = ((np.arange(40) * 7 % 17 - 8) / 8).astype(np.float32).reshape(20, 2)
_GAMMA = [{"a": f32(0.5, 2, 7), "x": f32(0.25, 3, 20)}, {"a": np.float32(2), "x": f32([0.5, 1], [2, 8])}]
_PLACES = [{"x": f32(0.25, 1, 3, 9)}]
_OF_AXES = [
    {"input": COMPLEX, "fft_length": i32(2, 3), "axes": i32(0, 1)},
    {"input": COMPLEX, "fft_length": i32(2), "axes": i32(0)},
]

CALLS: dict[str, list[dict]] = {
    "FFT": [{"input": COMPLEX}, {"input": COMPLEX[0, :3].copy()}],
    "IFFT": [{"input": COMPLEX}],
    "FFT2D": [{"input": COMPLEX}],
    "IFFT2D": [{"input": COMPLEX}],
    "FFT3D": [{"input": _CUBE}],
    "IFFT3D": [{"input": _CUBE}],
    "RFFT": [{"input": grid(2, 4), "fft_length": i32(4)}, {"input": grid(5), "fft_length": i32(5)}],
    "IRFFT": [{"input": COMPLEX, "fft_length": i32(6)}, {"input": COMPLEX, "fft_length": i32(7)}],
    "RFFT2D": [{"input": grid(2, 3, 4), "fft_length": i32(3, 4)}],
    "IRFFT2D": [{"input": COMPLEX, "fft_length": i32(2, 6)}],
    "RFFT3D": [{"input": grid(2, 3, 4), "fft_length": i32(2, 3, 4)}],
    "IRFFT3D": [{"input": _CUBE, "fft_length": i32(2, 2, 4)}],
    "FFTND": _OF_AXES,
    "IFFTND": _OF_AXES,
    "RFFTND": [
        {"input": grid(3, 4), "fft_length": i32(3, 4), "axes": i32(0, 1)},
        {"input": grid(3, 4), "fft_length": i32(4, 3), "axes": i32(1, 0)},
    ],
    "IRFFTND": [
        {"input": COMPLEX, "fft_length": i32(2, 6), "axes": i32(0, 1)},
        {"input": COMPLEX, "fft_length": i32(2), "axes": i32(0)},
    ],
    "BatchFFT": [{"input": COMPLEX}],
    "BatchIFFT": [{"input": COMPLEX}],
    "BatchFFT2D": [{"input": COMPLEX}],
    "BatchIFFT2D": [{"input": COMPLEX}],
    "BatchFFT3D": [{"input": _CUBE}],
    "BatchIFFT3D": [{"input": _CUBE}],
    "DecodeWav": [{"contents": WAV}, {"contents": WAV, "desired_channels": 1, "desired_samples": 4}],
    "EncodeWav": [{"audio": _SOUND, "sample_rate": np.int32(8000)}],
    "AudioSpectrogram": [
        {"input": _SOUND, "window_size": 8, "stride": 4},
        {"input": _SOUND, "window_size": 5, "stride": 3, "magnitude_squared": True},
    ],
    "Mfcc": [{"spectrogram": np.abs(grid(2, 3, 33)), "sample_rate": np.int32(16000)}],
    **dict.fromkeys(
        "BesselI0 BesselI1 BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos "
        "FresnelSin Spence".split(),
        _PLACES,
    ),
    "Igamma": _GAMMA,
    "Igammac": _GAMMA,
    "IgammaGradA": _GAMMA,
    "Betainc": [
        {"a": f32(0.5, 2), "b": f32(1.5, 3), "x": f32(0.25, 0.75)},
        {"a": np.float32(2), "b": np.float32(3), "x": f32(0.25, 0.75)},
    ],
}

# TensorFlow has no kernels of these for a CPU.
NOT_RUN = {f"{kind}FFTND" for kind in ("", "I", "R", "IR")}
NOT_RUN |= {f"Batch{kind}FFT{axes}" for kind in ("", "I") for axes in ("", "2D", "3D")}
