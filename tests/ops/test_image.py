"""Image ops beyond their samples: files, errors, sizes that are hostile, and what interpolation keeps."""

import math
import sys

import numpy as np
import pytest
import tracefn as tf
from support.families.image import GIF, JPEG, WEBP, bmp, png

PIXELS = np.random.default_rng(0).integers(0, 256, (5, 7, 4), np.uint8)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_png_files_keep_pixels(channels, dtype):
    pixels = (PIXELS.astype(np.uint32) * (1 if dtype == "uint8" else 257)).astype(dtype)[..., :channels]
    file = tf.image.encode_png(pixels)
    np.testing.assert_array_equal(tf.image.decode_png(file, dtype=dtype), pixels)
    np.testing.assert_array_equal(tf.image.decode_png(png(pixels), dtype=dtype), pixels)


def test_png_files_of_all_filters_and_kinds():
    image = pytest.importorskip("PIL.Image")
    from io import BytesIO

    ramp = (np.add.outer(np.arange(40) * 3, np.arange(50) * 5) % 256).astype(np.uint8)
    color = np.stack([ramp, ramp.T[:40].repeat(2, 1)[:, :50] if ramp.T.shape[0] >= 40 else ramp, 255 - ramp], -1)
    pictures = {
        "L": image.fromarray(ramp),
        "RGB": image.fromarray(np.ascontiguousarray(color)),
        "P": image.fromarray(np.ascontiguousarray(color)).quantize(16),
        "1": image.fromarray(ramp).convert("1"),
    }
    for mode, picture in pictures.items():
        file = BytesIO()
        picture.save(file, "PNG")
        wanted = np.asarray(picture.convert("RGB" if mode in ("P", "RGB") else "L"))
        found = np.asarray(tf.image.decode_png(file.getvalue()))
        np.testing.assert_array_equal(found.reshape(wanted.shape), wanted, err_msg=mode)


@pytest.mark.parametrize("cut", range(0, 110, 7))
def test_damaged_files_are_errors(cut):
    for file in (png(PIXELS[..., :3]), JPEG, GIF, WEBP, bmp(PIXELS[..., :3])):
        if cut < len(file):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.image.decode_image(file[:cut])


def test_files_of_noise_are_errors():
    random = np.random.default_rng(1)
    for start in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"RIFF0000WEBP"):
        for size in (1, 40, 400):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.image.decode_image(start + random.bytes(size))


def test_a_png_file_says_more_than_it_has():
    file = bytearray(png(PIXELS[..., :1]))
    file[16:20] = (999).to_bytes(4, "big")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to initialize decoder"):
        tf.image.decode_png(bytes(file))


def test_bmp_files_keep_pixels():
    np.testing.assert_array_equal(tf.image.decode_bmp(bmp(PIXELS[..., :3])), PIXELS[..., :3])
    top_down = bytearray(bmp(PIXELS[::-1, :, :3]))
    top_down[22:26] = (-5).to_bytes(4, "little", signed=True)
    np.testing.assert_array_equal(tf.image.decode_bmp(bytes(top_down)), PIXELS[..., :3])


def test_frames_of_animations():
    assert tf.image.decode_gif(GIF)[:, 0, 0].numpy().tolist() == [[255, 0, 0], [0, 255, 0]]
    assert tf.image.decode_image(GIF, expand_animations=False).shape == (2, 3, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got 2 frames, but animated gifs"):
        tf.image.decode_png(GIF)
    assert tf.image.decode_webp(WEBP).shape == (1, 2, 3, 3)


def test_jpeg_files():
    x = np.full((16, 24, 3), 90, np.uint8)
    file = tf.image.encode_jpeg(x, quality=100)
    assert tf.image.extract_jpeg_shape(file).numpy().tolist() == [16, 24, 3]
    np.testing.assert_allclose(tf.image.decode_jpeg(file), x, atol=1)
    assert tf.image.decode_jpeg(file, ratio=2).shape == (8, 12, 3)
    assert tf.image.decode_jpeg(file, channels=1).shape == (16, 24, 1)
    assert tf.image.decode_and_crop_jpeg(file, [2, 3, 4, 5]).shape == (4, 5, 3)
    assert bool(tf.image.is_jpeg(file))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data or crop window"):
        tf.image.decode_and_crop_jpeg(file, [2, 3, 40, 5])


def test_without_pillow_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install tracefn\[image\]"):
        tf.image.decode_jpeg(JPEG)
    assert tf.image.decode_png(png(PIXELS)).shape == (5, 7, 4)


def test_decoding_in_a_graph():
    @tf.function
    def f(file):
        image = tf.image.decode_png(file, channels=3)
        assert image.shape.as_list() == [None, None, 3]
        return tf.image.resize(image, [4, 4])

    assert f(png(PIXELS)).shape == (4, 4, 3)
    assert [node.op for node in f.get_concrete_function(tf.TensorSpec([], tf.string)).graph.as_graph_def().node][1] == "DecodePng"


@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic", "area", "lanczos3", "mitchellcubic", "gaussian"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_a_uniform_image_stays_uniform(method, channels):
    x = tf.fill([1, 6, 9, channels], 3.0)
    for size in ([1, 1], [3, 20], [13, 4], [6, 9]):
        np.testing.assert_allclose(tf.image.resize(x, size, method=method), np.full([1, *size, channels], 3.0), rtol=1e-5)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_threads_and_channels_do_not_change_results(channels):
    x = np.random.default_rng(2).random((3, 65, 47, channels), np.float32)
    for method in ("bilinear", "bicubic", "area", "nearest"):
        whole = tf.image.resize(x, [90, 31], method=method).numpy()
        parts = [tf.image.resize(x[..., k : k + 1], [90, 31], method=method) for k in range(channels)]
        np.testing.assert_array_equal(whole, np.concatenate(parts, -1))


def test_infinities_stay_in_images_of_the_same_size():
    x = tf.constant([[[[math.inf], [1.0]], [[2.0], [-math.inf]]]])
    np.testing.assert_array_equal(tf.image.resize(x, [2, 2]), x)


def test_empty_batches():
    x = tf.zeros([0, 4, 5, 3])
    for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3"):
        assert tf.image.resize(x, [2, 3], method=method).shape == (0, 2, 3, 3)
    assert tf.image.crop_and_resize(tf.zeros([1, 4, 5, 3]), tf.zeros([0, 4]), tf.zeros([0], tf.int32), [2, 3]).shape == (
        0,
        2,
        3,
        3,
    )
    assert tf.image.non_max_suppression(tf.zeros([0, 4]), tf.zeros([0]), 3).shape == (0,)
    assert tf.image.rgb_to_hsv(tf.zeros([0, 3])).shape == (0, 3)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e30, -1e30])
def test_hostile_numbers_crash_nothing(value):
    x = tf.fill([1, 4, 5, 3], value)
    raw = tf.raw_ops
    raw.DrawBoundingBoxes(images=x, boxes=tf.fill([1, 2, 4], value))
    raw.AdjustHue(images=x, delta=value)
    raw.AdjustSaturation(images=x, scale=value)
    raw.RGBToHSV(images=x)
    raw.HSVToRGB(images=x)
    raw.ExtractGlimpseV2(input=x, size=[2, 2], offsets=tf.fill([1, 2], value), noise="zero", uniform_noise=False)
    for interpolation in ("NEAREST", "BILINEAR"):
        for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
            raw.ImageProjectiveTransformV3(
                images=tf.zeros([1, 4, 5, 3], tf.uint8),
                transforms=tf.fill([1, 8], value),
                output_shape=[3, 3],
                interpolation=interpolation,
                fill_mode=mode,
                fill_value=value,
            )
    raw.NonMaxSuppressionV5(
        boxes=tf.fill([3, 4], value),
        scores=tf.fill([3], value),
        max_output_size=2,
        iou_threshold=0.5,
        score_threshold=value,
        soft_nms_sigma=0.5,
    )
    if value > 0:
        raw.ScaleAndTranslate(images=x, size=[2, 2], scale=[value, value], translation=[value, value])
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Scale must be greater than zero"):
            raw.ScaleAndTranslate(images=x, size=[2, 2], scale=[value, value], translation=[value, value])


def test_the_old_correspondence_of_pixels():
    v1 = tf.compat.v1.image
    x = tf.reshape(tf.range(4.0), [1, 1, 4, 1])
    assert v1.resize(x, [1, 2])[0, 0, :, 0].numpy().tolist() == [0, 2]
    assert v1.resize(x, [1, 2], align_corners=True)[0, 0, :, 0].numpy().tolist() == [0, 3]
    assert v1.resize_bilinear(x, [1, 2], half_pixel_centers=True)[0, 0, :, 0].numpy().tolist() == [0.5, 2.5]
    assert v1.resize(x, [1, 2], v1.ResizeMethod.NEAREST_NEIGHBOR)[0, 0, :, 0].numpy().tolist() == [0, 2]
    assert v1.resize_images(tf.cast(x, tf.uint8), [1, 4]).dtype == tf.uint8
    assert v1.flip_left_right is tf.image.flip_left_right
    with pytest.raises(ValueError, match="Resize method is not implemented: lanczos3"):
        v1.resize(x, [1, 2], "lanczos3")
    with pytest.raises(AttributeError, match="stateless_random_hue"):
        _ = v1.stateless_random_hue
