"""Compressed data by zlib, and image files of other formats than PNG and BMP by Pillow."""

from __future__ import annotations

import threading
import zlib
from io import BytesIO

_MISSING = "Pillow reads and writes this kind of image. Install it with `pip install tracefn[image]`."
_NO_FORMAT = "This Pillow cannot read {} files: it needs a plugin for them."

# Pillow's switch for truncated files is global.
_truncated = threading.Lock()


def _pillow():
    try:
        from PIL import Image, ImageFile  # optional: an extra of the package
    except ImportError as e:
        raise ImportError(_MISSING) from e
    return Image, ImageFile


def inflate(data: bytes, most: int) -> bytes | None:
    """At most that many bytes of decompressed data; None if they are damaged."""
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return None


def deflate(data: bytes, level: int) -> bytes:
    """Compressed data. Level -1 is zlib's default."""
    return zlib.compress(data, level)


# zlib's `wbits` for a format, and what its errors start with.
_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}
_ERROR_START = "Error "


def decompress(format: str, data: bytes) -> bytes | str:
    """The data in all members of a gzip file, or in a zlib stream; what is wrong with them if they are damaged.

    Data that are cut off give as much as there is; what follows a zlib stream does not count.

    Args:
      format: "ZLIB" or "GZIP".
      data: the compressed data.
    """
    parts = []
    while data:
        stream = zlib.decompressobj(_WINDOWS[format])
        try:
            parts.append(stream.decompress(data))
        except zlib.error as e:
            return str(e).removeprefix(_ERROR_START).replace(" while decompressing data", "")
        data = stream.unused_data if format == "GZIP" else b""
    return b"".join(parts)


def compress(format: str, data: bytes) -> bytes:
    """The data as one member of a gzip file, or as a zlib stream.

    Args:
      format: "ZLIB" or "GZIP".
      data: the data.
    """
    stream = zlib.compressobj(wbits=_WINDOWS[format])
    return stream.compress(data) + stream.flush()


def _opened(format, data):
    Image, _ = _pillow()
    Image.init()
    if format not in Image.OPEN:
        raise ImportError(_NO_FORMAT.format(format))
    return Image.open(BytesIO(data), formats=[format])


def _picture(frames, channels):
    width, height = frames[0].size
    return len(frames), height, width, channels, b"".join(frame.tobytes() for frame in frames)


def read_jpeg(data: bytes, channels: int, ratio: int, recover_truncated: bool):
    """(1, height, width, channels, pixels), or None if the file is damaged.

    Args:
      data: the file.
      channels: 1, 3, or 0 for gray if the file is gray, else RGB.
      ratio: 1, 2, 4 or 8: the image is made smaller by it.
      recover_truncated: whether missing lines are left gray.
    """
    _, ImageFile = _pillow()
    try:
        with _truncated, _opened("JPEG", data) as image:
            channels = channels or (1 if image.mode == "L" else 3)
            mode = "L" if channels == 1 else "RGB"
            image.draft(mode, (max(image.width // ratio, 1), max(image.height // ratio, 1)))
            ImageFile.LOAD_TRUNCATED_IMAGES = recover_truncated
            try:
                image.load()
            finally:
                ImageFile.LOAD_TRUNCATED_IMAGES = False
            return _picture([image if image.mode == mode else image.convert(mode)], channels)
    except ImportError:
        raise
    except Exception:  # Pillow's readers raise many classes for files that are damaged
        return None


def _opaque(frame):
    """A frame of a GIF file on black."""
    Image, _ = _pillow()
    black = Image.new("RGBA", frame.size, (0, 0, 0, 255))
    black.alpha_composite(frame.convert("RGBA"))
    return black.convert("RGB")


def read(format: str, data: bytes, all_frames: bool):
    """(frames, height, width, channels, pixels), or None if the file is damaged.

    Args:
      format: "GIF" or "WEBP".
      data: the file.
      all_frames: whether all frames are read, or the first one only.
    """
    try:
        with _opened(format, data) as image:
            frames = []
            alpha = image.mode in ("RGBA", "LA", "PA") or getattr(image, "is_animated", False)
            mode = "RGB" if format == "GIF" or not alpha else "RGBA"
            for i in range(getattr(image, "n_frames", 1) if all_frames else 1):
                image.seek(i)
                frames.append(_opaque(image) if format == "GIF" else image.convert(mode))
            return _picture(frames, len(mode))
    except ImportError:
        raise
    except Exception:  # as above
        return None


def write_jpeg(pixels, size, quality, progressive, optimize, chroma_downsampling, inches, x_density, y_density, xmp):
    """A JPEG file.

    Args:
      pixels: bytes.
      size: (height, width, channels), with 1 or 3 channels.
      quality: 0 to 100.
      progressive, optimize, chroma_downsampling: as in TensorFlow's EncodeJpeg.
      inches: whether densities are per inch; else per centimeter.
      x_density, y_density: pixels per unit.
      xmp: bytes of metadata, or none.
    """
    Image, _ = _pillow()
    height, width, channels = size
    image = Image.frombytes("L" if channels == 1 else "RGB", (width, height), pixels)
    unit = 1 if inches else 2.54
    to = BytesIO()
    image.save(
        to,
        "JPEG",
        quality=max(quality, 1),  # Pillow takes 0 for its default; libjpeg takes 0 for 1
        progressive=bool(progressive),
        optimize=bool(optimize),
        subsampling=2 if chroma_downsampling else 0,
        dpi=(x_density * unit, y_density * unit),
        **({"xmp": xmp} if xmp else {}),
    )
    return to.getvalue()
