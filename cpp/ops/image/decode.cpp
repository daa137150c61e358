// Ops that read image files: each reads all formats that TensorFlow's reads, whatever its name says.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/image/bmp.h"
#include "ops/image/image_codecs.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/jpeg_size.h"
#include "ops/image/png.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// channels: 0 is that of the file.
std::int64_t channels_attr(const InferContext& c) {
  const std::int64_t channels = c.attr("channels").i();
  if (channels < 0) invalid_argument("channels must be non-negative, got ", channels);
  return channels == 0 ? kUnknownDim : channels;
}
void infer_image(InferContext& c) {
  c.require_rank(0, 0);
  c.set_output(0, Shape({kUnknownDim, kUnknownDim, channels_attr(c)}));
}
void infer_gif(InferContext& c) {
  c.require_rank(0, 0);
  c.set_output(0, Shape({kUnknownDim, kUnknownDim, kUnknownDim, 3}));
}
void infer_webp(InferContext& c) {
  c.require_rank(0, 0);
  c.set_output(0, Shape({kUnknownDim, kUnknownDim, kUnknownDim, channels_attr(c)}));
}
void infer_any_image(InferContext& c) {
  c.require_rank(0, 0);
  const std::int64_t channels = channels_attr(c);
  c.set_output(0, c.attr("expand_animations").b() ? Shape::unknown() : Shape({kUnknownDim, kUnknownDim, channels}));
}
void infer_crop(InferContext& c) {
  c.require_rank(0, 0);
  const std::int64_t channels = channels_attr(c);
  c.require_rank(1, 1);
  require_size(dim_of(c.shape(1), 0), 4);
  std::int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* window = c.value(1)) {
    height = std::max(window->int_at(2), kUnknownDim);
    width = std::max(window->int_at(3), kUnknownDim);
  }
  c.set_output(0, Shape({height, width, channels}));
}

// Which op reads: they differ in the formats and shapes that they accept.
struct Request {
  std::string_view op;
  std::int64_t channels = 3;
  DType dtype = DType::kUInt8;
  bool expand_animations = true;
  JpegOptions jpeg;

  explicit Request(const KernelContext& c) : op(c.op().name()) {
    const OpSignature& signature = c.op().signature;
    auto has = [&](std::string_view name) { return signature.attr_index(name) >= 0; };
    if (has("ratio")) read_jpeg_attrs(c);
    if (has("dtype")) dtype = c.attr("dtype").type();
    if (has("expand_animations")) expand_animations = c.attr("expand_animations").b();
    if (has("channels")) channels = c.attr("channels").i();
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
      invalid_argument("`channels` must be 0, 1, 3 or 4 but got ", channels);
    jpeg.channels = channels;
  }

  bool is_gif() const { return op == "DecodeGif"; }
  bool crops() const { return op == "DecodeAndCropJpeg"; }
  // Error(kInvalidArgument) if the op does not read the format.
  void refuse(std::string_view format, std::string_view function) const {
    if (op == "DecodeBmp")
      invalid_argument("Trying to decode ", format, " format using DecodeBmp op. Use `", function,
                       "` or `decode_image` instead.");
    refuse_crop(format);
  }
  void refuse_crop(std::string_view format) const {
    if (crops()) invalid_argument("DecodeAndCropJpeg operation can run on JPEG only, but detected ", format, ".");
  }

 private:
  void read_jpeg_attrs(const KernelContext& c) {
    jpeg.ratio = c.attr("ratio").i();
    if (jpeg.ratio != 1 && jpeg.ratio != 2 && jpeg.ratio != 4 && jpeg.ratio != 8)
      invalid_argument("ratio must be 1, 2, 4, or 8, got ", jpeg.ratio);
    jpeg.recover_truncated = c.attr("try_recover_truncated").b();
    const std::string& dct = c.attr("dct_method").s();
    if (!dct.empty() && dct != "INTEGER_FAST" && dct != "INTEGER_ACCURATE")
      invalid_argument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
    if (!c.attr("fancy_upscaling").b())
      fail(ErrorKind::kUnimplemented, "JPEG files are always read with fancy_upscaling = true.");
  }
};

// Pixels of 8 bits as the request's dtype.
Tensor tensor_of(const Request& request, const Shape& shape, const std::uint8_t* pixels) {
  Tensor out(request.dtype, shape);
  const std::int64_t n = out.num_elements();
  if (request.dtype == DType::kUInt8) {
    std::copy(pixels, pixels + n, out.mutable_data<std::uint8_t>());
  } else if (request.dtype == DType::kUInt16) {
    std::uint16_t* to = out.mutable_data<std::uint16_t>();
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::uint16_t>(pixels[i] * 256);
  } else {
    float* to = out.mutable_data<float>();
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(pixels[i]) * (1.0f / 255);
  }
  return out;
}

const std::uint8_t* bytes_of(const Picture& picture) {
  return reinterpret_cast<const std::uint8_t*>(picture.pixels.data());
}

constexpr std::string_view kBadJpeg = "jpeg::Uncompress failed. Invalid JPEG data or crop window.";

// The window (y, x, height, width) of a picture.
Picture cropped(const Picture& p, const Tensor& window) {
  if (window.rank() != 1) invalid_argument("crop_window must be 1-D, got shape ", window.shape().text());
  if (window.dim(0) != 4) invalid_argument("crop_size must have four elements ", window.shape().text());
  const std::int64_t y = window.int_at(0), x = window.int_at(1), height = window.int_at(2), width = window.int_at(3);
  if (y < 0 || x < 0 || height <= 0 || width <= 0 || y + height > p.height || x + width > p.width)
    invalid_argument(kBadJpeg);
  Picture crop{.height = height, .width = width, .channels = p.channels};
  for (std::int64_t row = y; row < y + height; ++row)
    crop.pixels.append(p.pixels, static_cast<std::size_t>((row * p.width + x) * p.channels),
                       static_cast<std::size_t>(width * p.channels));
  return crop;
}

Tensor decode_jpeg(const KernelContext& c, const Request& request, std::string_view file) {
  if (request.channels == 4) invalid_argument("JPEG does not support 4 channels");
  if (request.op == "DecodeBmp") request.refuse("JPEG", "decode_jpeg");
  std::optional<Picture> picture = image_codecs().read_jpeg(file, request.jpeg);
  if (!picture) invalid_argument(kBadJpeg);
  if (request.crops()) picture = cropped(*picture, c.input(1));
  Shape shape({picture->height, picture->width, picture->channels});
  if (request.is_gif()) shape = Shape({1, shape[0], shape[1], shape[2]});
  return tensor_of(request, shape, bytes_of(*picture));
}

Tensor decode_png(const Request& request, std::string_view file) {
  const std::optional<PngHeader> header = read_png_header(file);
  if (!header) invalid_argument("Invalid PNG. Failed to initialize decoder.");
  constexpr std::int64_t kMostSide = 1 << 27, kMost = 1 << 29;
  if (header->width >= kMostSide || header->height >= kMostSide || header->width * header->height >= kMost)
    invalid_argument("PNG size too large for int: ", header->width, " by ", header->height);
  request.refuse("PNG", "decode_png");
  const int channels = request.channels ? static_cast<int>(request.channels) : header->channels();
  const bool bytes = request.dtype == DType::kUInt8;
  const auto pixels = read_png(file, *header, channels, !bytes);
  if (!pixels) invalid_argument("Invalid PNG data, size ", file.size());
  Shape shape({header->height, header->width, channels});
  if (request.is_gif()) shape = Shape({1, shape[0], shape[1], shape[2]});
  Tensor out(request.dtype, shape);
  if (bytes) {
    std::transform(pixels->begin(), pixels->end(), out.mutable_data<std::uint8_t>(),
                   [](std::uint16_t v) { return static_cast<std::uint8_t>(v); });
  } else if (request.dtype == DType::kUInt16) {
    std::copy(pixels->begin(), pixels->end(), out.mutable_data<std::uint16_t>());
  } else {
    std::transform(pixels->begin(), pixels->end(), out.mutable_data<float>(),
                   [](std::uint16_t v) { return static_cast<float>(v) * (1.0f / 65535); });
  }
  return out;
}

Tensor decode_gif(const Request& request, std::string_view file) {
  if (request.channels != 0 && request.channels != 3)
    invalid_argument("channels must be 0 or 3 for GIF, got ", request.channels);
  request.refuse("GIF", "decode_gif");
  const std::optional<Picture> picture = image_codecs().read("GIF", file, request.expand_animations);
  if (!picture) invalid_argument("Invalid GIF data (size ", file.size(), "), failed to open gif file");
  const bool single = request.op == "DecodePng" || request.op == "DecodeJpeg";
  if (single && picture->frames != 1)
    invalid_argument("Got ", picture->frames,
                     " frames, but animated gifs can only be decoded by tf.io.decode_gif or "
                     "tf.io.decode_image");
  Shape shape({picture->height, picture->width, picture->channels});
  if (!single && request.expand_animations) shape = Shape({picture->frames, shape[0], shape[1], shape[2]});
  return tensor_of(request, shape, bytes_of(*picture));
}

Tensor decode_bmp(const Request& request, std::string_view file) {
  if (request.channels == 1) invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got ", request.channels);
  if (request.op != "DecodeBmp" && request.op != "DecodeImage") {
    request.refuse_crop("BMP");
    invalid_argument(
        "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: ",
        request.op);
  }
  const Picture picture = read_bmp(file, request.channels);
  return tensor_of(request, Shape({picture.height, picture.width, picture.channels}), bytes_of(picture));
}

Tensor decode_webp(const Request& request, std::string_view file) {
  if (request.channels == 1) invalid_argument("WebP only supports 3 or 4 channels");
  if (request.dtype != DType::kUInt8) invalid_argument("WebP only supports uint8 for dtype");
  const std::optional<Picture> picture = image_codecs().read("WEBP", file, request.expand_animations);
  if (!picture) invalid_argument("Failed to decode WebP header.");
  if (request.channels != 0 && request.channels != picture->channels)
    invalid_argument("Number of channels requested does not match input");
  Shape shape({picture->height, picture->width, picture->channels});
  if (request.expand_animations) shape = Shape({picture->frames, shape[0], shape[1], shape[2]});
  return tensor_of(request, shape, bytes_of(*picture));
}

using namespace std::string_view_literals;
bool is_jxl(std::string_view file) {
  return file.starts_with("\xff\x0a"sv) || file.starts_with("\0\0\0\x0cJXL \r\n\x87\n"sv);
}

void decode(KernelContext& c) {
  const Request request(c);
  const Tensor& contents = c.input(0);
  if (contents.rank() != 0) invalid_argument("`contents` must be scalar but got shape", contents.shape().text());
  const std::string_view file = contents.item<std::string>();
  if (file.empty()) invalid_argument("Input is empty.");
  if (file.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    invalid_argument("Input contents are too large for int: ", file.size());
  if (file.starts_with("\xff\xd8\xff")) {
    c.set_output(0, decode_jpeg(c, request, file));
  } else if (file.starts_with("\x89PNG\r\n\x1a\n")) {
    c.set_output(0, decode_png(request, file));
  } else if (file.starts_with("GIF8")) {
    c.set_output(0, decode_gif(request, file));
  } else if (file.starts_with("BM")) {
    c.set_output(0, decode_bmp(request, file));
  } else if (file.size() > 12 && file.starts_with("RIFF") && file.substr(8, 4) == "WEBP") {
    c.set_output(0, decode_webp(request, file));
  } else if (is_jxl(file)) {
    fail(ErrorKind::kUnimplemented, "JPEG XL files are not read.");
  } else {
    invalid_argument("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.");
  }
}

void infer_jpeg_shape(InferContext& c) {
  c.require_rank(0, 0);
  c.set_output(0, Shape({3}));
}
void check_jpeg_shape(const KernelContext& c) {
  const Tensor& contents = c.input(0);
  if (contents.rank() != 0) invalid_argument("contents must be scalar, got shape ", contents.shape().text());
}
void jpeg_shape(KernelContext& c) {
  const std::string& file = c.input(0).item<std::string>();
  const std::optional<JpegSize> size = read_jpeg_size(file);
  if (!size) invalid_argument("Invalid JPEG data, size ", file.size());
  const std::int64_t numbers[] = {size->height, size->width, size->channels};
  for (int i = 0; i < 3; ++i) {
    if (c.output(0).dtype() == DType::kInt64) {
      c.output(0).mutable_data<std::int64_t>()[i] = numbers[i];
    } else {
      c.output(0).mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(numbers[i]);
    }
  }
}

}  // namespace

void register_decoders(Registry& r) {
  const std::string_view channels = "channels: int = 0";
  const std::vector<std::string_view> jpeg = {channels,
                                              "ratio: int = 1",
                                              "fancy_upscaling: bool = true",
                                              "try_recover_truncated: bool = false",
                                              "acceptable_fraction: float = 1.0",
                                              "dct_method: string = ''"};
  auto add = [&](OpRecord record) {
    if (record.inputs.empty()) record.inputs = {"contents: string"};
    if (record.outputs.empty()) record.outputs = {"image: uint8"};
    record.kernel = decode;
    record.allocation = Allocation::kByValues;
    record.grad = without_gradient;
    r.add(record);
  };
  add({.name = "DecodePng",
       .python = "image.decode_png(contents, channels, dtype)",
       .aliases = {"io.decode_png"},
       .outputs = {"image: dtype"},
       .attrs = {channels, "dtype: {uint8, uint16} = DT_UINT8"},
       .doc =
           "The pixels of a PNG file.\n\n"
           "contents is a scalar string; channels an int: 0 for those of the file, 1 for gray, 3 for RGB, 4 for RGBA; "
           "dtype uint8 or uint16. The result has the shape [height, width, channels]. JPEG files, and GIF files of "
           "one frame, are read, too. Raises InvalidArgumentError if the file is damaged or has another format.",
       .infer = infer_image});
  add({.name = "DecodeJpeg",
       .python = "image.decode_jpeg(contents, channels, ratio, fancy_upscaling, try_recover_truncated, "
                 "acceptable_fraction, dct_method)",
       .aliases = {"io.decode_jpeg"},
       .attrs = jpeg,
       .doc = "The pixels of a JPEG file.\n\n"
              "contents is a scalar string; channels an int: 0 for those of the file, 1 for gray, 3 for RGB; ratio an "
              "int, 1, 2, 4 or 8, by which the image is made smaller. The result is a uint8 tensor of shape [height, "
              "width, channels]. PNG files, and GIF files of one frame, are read, too. Needs Pillow, which "
              "tracefn[image] installs: ImportError without it. Its transform is INTEGER_ACCURATE, whatever dct_method "
              "says. Raises InvalidArgumentError if the file is damaged or has another format, UnimplementedError if "
              "fancy_upscaling is false.",
       .infer = infer_image});
  add({.name = "DecodeAndCropJpeg",
       .python = "image.decode_and_crop_jpeg(contents, crop_window, channels, ratio, fancy_upscaling, "
                 "try_recover_truncated, acceptable_fraction, dct_method)",
       .aliases = {"io.decode_and_crop_jpeg"},
       .inputs = {"contents: string", "crop_window: int32"},
       .attrs = jpeg,
       .doc = "A window of the pixels of a JPEG file.\n\n"
              "crop_window is an int32 vector (y, x, height, width) of pixels; the rest is as for decode_jpeg. The "
              "result is a uint8 tensor of shape [height, width, channels]. Raises InvalidArgumentError if the file is "
              "damaged or no JPEG file, or if the window is not inside the image.",
       .infer = infer_crop});
  add({.name = "DecodeBmp",
       .python = "image.decode_bmp(contents, channels)",
       .aliases = {"io.decode_bmp"},
       .attrs = {channels},
       .doc =
           "The pixels of a BMP file of 8, 24 or 32 bits without compression.\n\n"
           "contents is a scalar string; channels an int: 0 for those of the file, 3 for RGB, 4 for RGBA. The result "
           "is a uint8 tensor of shape [height, width, channels]. Raises InvalidArgumentError if the file is damaged "
           "or has another format.",
       .infer = infer_image});
  add({.name = "DecodeGif",
       .python = "image.decode_gif(contents)",
       .aliases = {"io.decode_gif"},
       .doc = "The frames of a GIF file.\n\n"
              "contents is a scalar string. The result is a uint8 tensor of shape [frames, height, width, 3]. JPEG and "
              "PNG files are read as one frame. Needs Pillow, which tracefn[image] installs: ImportError without it. "
              "Raises InvalidArgumentError if the file is damaged or has another format.",
       .infer = infer_gif});
  add({.name = "DecodeWebP",
       .python = "image.decode_webp(contents, channels, dtype)",
       .aliases = {"io.decode_webp"},
       .outputs = {"image: dtype"},
       .attrs = {channels, "dtype: {uint8} = DT_UINT8"},
       .doc =
           "The frames of a WebP file.\n\n"
           "contents is a scalar string; channels an int: 0, or those of the file, which are 3 or 4. The result is a "
           "uint8 tensor of shape [frames, height, width, channels]. Needs Pillow, which tracefn[image] installs: "
           "ImportError without it. Raises InvalidArgumentError if the file is damaged or has other channels.",
       .infer = infer_webp});
  add({.name = "DecodeImage",
       .outputs = {"image: dtype"},
       .attrs = {channels, "dtype: {uint8, uint16, float} = DT_UINT8", "expand_animations: bool = true"},
       .doc = "The pixels, or the frames, of a file of any of the formats.",
       .infer = infer_any_image});
  r.add({.name = "ExtractJpegShape",
         .python = "image.extract_jpeg_shape(contents, output_type)",
         .aliases = {"io.extract_jpeg_shape"},
         .inputs = {"contents: string"},
         .outputs = {"image_shape: output_type"},
         .attrs = {"output_type: {int32, int64} = DT_INT32"},
         .doc = "The height, width and channels of a JPEG file, read from its header.\n\n"
                "contents is a scalar string; output_type int32 or int64. The result is a vector of 3 numbers. Raises "
                "InvalidArgumentError if the file is damaged or has another format.",
         .infer = infer_jpeg_shape,
         .check = check_jpeg_shape,
         .kernel = jpeg_shape,
         .grad = without_gradient});
}

}  // namespace tracefn
