"""Calls of image ops."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from support.sample_values import f32, grid, i32

IMAGES = grid(2, 5, 4, 3)
GRAY = grid(1, 4, 6, 1)
COLORS = np.abs(grid(2, 4, 3)) / np.abs(grid(2, 4, 3)).max()
_RESIZES = [
    {"images": IMAGES, "size": i32(3, 7)},
    {"images": IMAGES, "size": i32(8, 3), "half_pixel_centers": True},
    {"images": GRAY, "size": i32(7, 9), "align_corners": True},
]
_GRADIENTS = [
    {"grads": grid(2, 3, 7, 3), "original_image": IMAGES},
    {"grads": grid(2, 8, 3, 3), "original_image": IMAGES, "half_pixel_centers": True},
]
_MOVED = {"scale": f32(1.5, 0.75), "translation": f32(0.25, -0.5)}
BOXES = f32([0.1, 0.2, 0.7, 0.9], [0.5, 0.0, 1.2, 1.0], [1.0, 0.3, 0.0, 0.8])
PLACES = i32(0, 1, 1)
_BOXES = f32([0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101])
_SCORES = f32(0.9, 0.75, 0.6, 0.95, 0.5, 0.3)
_SUPPRESSION = {"boxes": _BOXES, "scores": _SCORES, "max_output_size": np.int32(3)}
_THRESHOLDS = {"iou_threshold": np.float32(0.5), "score_threshold": np.float32(0.4)}
_SAMPLED = {
    "image_size": i32(40, 50, 3),
    "bounding_boxes": f32([[0.2, 0.2, 0.7, 0.7]]),
}
_TURN = f32([0.9, -0.2, 1.0, 0.2, 0.9, -0.5, 0.01, 0.02])
_SEEN = [
    {
        "images": IMAGES,
        "transforms": _TURN,
        "output_shape": i32(4, 6),
        "interpolation": "BILINEAR",
        "fill_mode": mode,
    }
    for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
]
_PIXELS = (np.arange(4 * 5 * 3).reshape(4, 5, 3) * 4).astype(np.uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels) -> bytes:
    """A PNG file with unfiltered rows."""
    height, width, channels = pixels.shape
    bits = 8 * pixels.itemsize
    header = struct.pack(">IIBBBBB", width, height, bits, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(row.dtype.newbyteorder(">")).tobytes() for row in pixels)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def bmp(pixels) -> bytes:
    """A BMP file with 24 bits for each pixel."""
    height, width, _ = pixels.shape
    rows = b"".join(row[:, ::-1].tobytes() + b"\0" * (-3 * width % 4) for row in pixels[::-1])
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + header + rows


# Of 9 by 8 gray pixels; two frames, and one, of 3 by 2 pixels.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/wAALCAAIAAkBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oA"
    "CAEBAAA/AJoP/9k="
)
GIF = base64.b64decode(
    "R0lGODdhAwACAIEAAP8AAAAAAAAAAAAAACwAAAAAAwACAAAIBgABCBwYEAAh+QQBAAABACwAAAAAAwACAIEA/wAAAAAAAAAAAAAIBgABCBwY"
    "EAA7"
)
WEBP = base64.b64decode("UklGRhwAAABXRUJQVlA4TA8AAAAvAkAAAAcQ/Y/+ByKi/wEA")


def _file(data: bytes):
    return np.array(data, object)


CALLS = {
    "ResizeBilinear": _RESIZES,
    "ResizeNearestNeighbor": _RESIZES,
    "ResizeBicubic": _RESIZES,
    "ResizeArea": [{"images": IMAGES, "size": i32(3, 7)}, {"images": GRAY, "size": i32(2, 4), "align_corners": True}],
    "ResizeBilinearGrad": _GRADIENTS,
    "ResizeBicubicGrad": _GRADIENTS,
    "ResizeNearestNeighborGrad": [
        {"grads": grid(2, 3, 7, 3), "size": i32(5, 4)},
        {"grads": grid(2, 8, 3, 3), "size": i32(5, 4), "half_pixel_centers": True},
    ],
    "ScaleAndTranslate": [
        {"images": IMAGES, "size": i32(6, 3), **_MOVED},
        {"images": IMAGES, "size": i32(6, 3), **_MOVED, "kernel_type": "triangle", "antialias": False},
    ],
    "ScaleAndTranslateGrad": [{"grads": grid(2, 6, 3, 3), "original_image": IMAGES, **_MOVED}],
    "CropAndResize": [
        {"image": IMAGES, "boxes": BOXES, "box_ind": PLACES, "crop_size": i32(3, 2), "extrapolation_value": -1.5},
        {"image": IMAGES, "boxes": BOXES, "box_ind": PLACES, "crop_size": i32(1, 4), "method": "nearest"},
    ],
    "CropAndResizeGradImage": [
        {"grads": grid(3, 3, 2, 3), "boxes": BOXES, "box_ind": PLACES, "image_size": i32(2, 5, 4, 3), "T": "float32"},
    ],
    "CropAndResizeGradBoxes": [{"grads": grid(3, 3, 2, 3), "image": IMAGES, "boxes": BOXES, "box_ind": PLACES}],
    "ExtractImagePatches": [
        {"images": IMAGES, "ksizes": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "rates": [1, 2, 1, 1], "padding": padding}
        for padding in ("SAME", "VALID")
    ],
    "ExtractVolumePatches": [
        {"input": grid(1, 3, 4, 3, 2), "ksizes": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": padding}
        for padding in ("SAME", "VALID")
    ],
    "RGBToHSV": [{"images": COLORS}],
    "HSVToRGB": [{"images": COLORS}],
    "AdjustContrastv2": [{"images": IMAGES, "contrast_factor": np.float32(1.5)}],
    "AdjustHue": [{"images": COLORS, "delta": np.float32(0.3)}],
    "AdjustSaturation": [{"images": COLORS, "scale": np.float32(0.4)}],
    "NonMaxSuppression": [_SUPPRESSION],
    "NonMaxSuppressionV2": [{**_SUPPRESSION, "iou_threshold": np.float32(0.5)}],
    "NonMaxSuppressionV3": [{**_SUPPRESSION, **_THRESHOLDS}],
    "NonMaxSuppressionV4": [{**_SUPPRESSION, **_THRESHOLDS, "pad_to_max_output_size": pad} for pad in (False, True)],
    "NonMaxSuppressionV5": [
        {**_SUPPRESSION, **_THRESHOLDS, "soft_nms_sigma": np.float32(0.5), "pad_to_max_output_size": True},
        {**_SUPPRESSION, **_THRESHOLDS, "soft_nms_sigma": np.float32(0)},
    ],
    "NonMaxSuppressionWithOverlaps": [
        {
            "overlaps": np.abs(grid(6, 6)),
            "scores": _SCORES,
            "max_output_size": np.int32(3),
            "overlap_threshold": np.float32(0.5),
            "score_threshold": np.float32(0.2),
        },
    ],
    "CombinedNonMaxSuppression": [
        {
            "boxes": np.tile(_BOXES.reshape(1, 6, 1, 4) / 4, (2, 1, 1, 1)),
            "scores": np.abs(grid(2, 6, 2)) / 4,
            "max_output_size_per_class": np.int32(2),
            "max_total_size": np.int32(5),
            "iou_threshold": np.float32(0.5),
            "score_threshold": np.float32(0.01),
            "pad_per_class": pad,
        }
        for pad in (False, True)
    ],
    "DrawBoundingBoxes": [{"images": IMAGES, "boxes": f32([[0.1, 0.2, 0.7, 0.9]], [[0.5, 0.0, 1.2, 1.0]])}],
    "DrawBoundingBoxesV2": [
        {"images": GRAY, "boxes": f32([[0.1, 0.2, 0.7, 0.9], [-0.5, 0.0, 0.2, 0.4]]), "colors": f32([0.25], [0.5])},
    ],
    "SampleDistortedBoundingBox": [{**_SAMPLED, "seed": 3, "seed2": 5}],
    "SampleDistortedBoundingBoxV2": [{**_SAMPLED, "min_object_covered": np.float32(0.3), "seed": 3, "seed2": 5}],
    "StatelessSampleDistortedBoundingBox": [
        {**_SAMPLED, "min_object_covered": np.float32(0.3), "seed": i32(1, 2), "max_attempts": 20},
    ],
    "ImageProjectiveTransformV2": [*_SEEN, {**_SEEN[0], "interpolation": "NEAREST"}],
    "ImageProjectiveTransformV3": [{**_SEEN[0], "fill_value": np.float32(2.5)}],
    "ExtractGlimpse": [
        {
            "input": IMAGES,
            "size": i32(2, 3),
            "offsets": f32([0.1, -0.2], [1.5, 0.3]),
            "uniform_noise": False,
            "noise": "zero",
        },
    ],
    "ExtractGlimpseV2": [
        {
            "input": IMAGES,
            "size": i32(2, 3),
            "offsets": f32([0.1, -0.2], [3.5, -1.3]),
            "normalized": False,
            "uniform_noise": False,
            "noise": "zero",
        },
    ],
    "DecodePng": [
        {"contents": _file(png(_PIXELS))},
        {"contents": _file(png(_PIXELS[..., :1])), "channels": 3, "dtype": "uint16"},
        {"contents": _file(png(_PIXELS.astype(np.uint16) * 200)), "channels": 1, "dtype": "uint16"},
    ],
    "DecodeBmp": [{"contents": _file(bmp(_PIXELS))}, {"contents": _file(bmp(_PIXELS)), "channels": 4}],
    "DecodeImage": [
        {"contents": _file(png(_PIXELS)), "dtype": "float32"},
        {"contents": _file(bmp(_PIXELS)), "dtype": "uint16", "expand_animations": False},
    ],
    # Pillow's transform is this one; TensorFlow's default may differ by one in the last bit.
    "DecodeJpeg": [
        {"contents": _file(JPEG), "dct_method": "INTEGER_ACCURATE"},
        {"contents": _file(JPEG), "dct_method": "INTEGER_ACCURATE", "channels": 3},
        {"contents": _file(png(_PIXELS))},
    ],
    "DecodeAndCropJpeg": [
        {"contents": _file(JPEG), "dct_method": "INTEGER_ACCURATE", "crop_window": i32(1, 2, 3, 4)},
    ],
    "DecodeGif": [{"contents": _file(GIF)}, {"contents": _file(png(_PIXELS))}],
    "DecodeWebP": [{"contents": _file(WEBP)}],
    "ExtractJpegShape": [{"contents": _file(JPEG)}],
    "EncodeJpeg": [{"image": _PIXELS}],
    "EncodeJpegVariableQuality": [{"images": _PIXELS, "quality": np.int32(80)}],
    "EncodePng": [{"image": _PIXELS}, {"image": _PIXELS.astype(np.uint16) * 200, "compression": 3}],
}
# Their files have the same pixels as TensorFlow's, and other bytes.
NOT_RUN = {"EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng"}
# Other dtypes of these have no kernel in TensorFlow.
ONE_DTYPE = {"AdjustContrastv2", "AdjustHue", "AdjustSaturation"}
