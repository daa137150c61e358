"""`tensorflow.python.layers.convolutional`: convolutions, under all of their names."""

from __future__ import annotations

from tracefn.python.layers._legacy import forwarding

_CLASSES = ("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D", "Conv2DTranspose", "Conv3DTranspose")
_FUNCTIONS = ("conv1d", "conv2d", "conv3d", "separable_conv2d", "conv2d_transpose", "conv3d_transpose")
_ALIASES = {name.replace("Conv", "Convolution"): name for name in _CLASSES}
_ALIASES |= {name.replace("conv", "convolution"): name for name in _FUNCTIONS}
for _n in (2, 3):
    _ALIASES |= {f"{kind}{_n}D": f"Conv{_n}DTranspose" for kind in ("Deconvolution", "Deconv")}
    _ALIASES |= {f"{kind}{_n}d": f"conv{_n}d_transpose" for kind in ("deconvolution", "deconv")}

__getattr__ = forwarding("convolutional", _ALIASES)
