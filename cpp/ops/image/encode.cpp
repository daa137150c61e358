// Ops that write image files.
#include <limits>

#include "ops/image/image_codecs.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/png.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::int64_t kMostPixels = std::numeric_limits<std::int32_t>::max();

void infer_pngs(InferContext& c) {
  c.require_rank_at_least(0, 3);
  const Shape& images = c.shape(0);
  if (!images.has_rank()) return c.set_output(0, Shape::unknown());
  Shape out;
  for (int i = 0; i + 3 < images.rank(); ++i) out.push_back(images[i]);
  c.set_output(0, std::move(out));
}

void infer_jpeg(InferContext& c) {
  c.require_rank(0, 3);
  c.set_output(0, Shape());
}

void check_pngs(const KernelContext& c) {
  const std::int64_t compression = c.attr("compression").i();
  if (compression < -1 || compression > 9) invalid_argument("compression should be in [-1,9], got ", compression);
  const Tensor& images = c.input(0);
  const int rank = images.rank();
  if (rank < 3) invalid_argument("images must be at least rank 3", images.shape().text());
  if (images.num_elements() >= kMostPixels) invalid_argument("image cannot have >= int32 max elements");
  const std::int64_t width = images.dim(rank - 2), channels = images.dim(rank - 1);
  if (static_cast<double>(width) * static_cast<double>(channels) >= static_cast<double>(kMostPixels / 2))
    invalid_argument("image too wide to encode");
  if (channels < 1 || channels > 4) invalid_argument("image must have 1, 2, 3, or 4 channels, got ", channels);
}

void pngs(KernelContext& c) {
  const Tensor& images = c.input(0);
  Tensor& out = c.output(0);
  const int rank = images.rank();
  const std::int64_t height = images.dim(rank - 3), width = images.dim(rank - 2), channels = images.dim(rank - 1),
                     level = c.attr("compression").i();
  const std::size_t bytes = size_of(images.dtype()),
                    image = static_cast<std::size_t>(height * width * channels) * bytes;
  std::string* to = out.mutable_data<std::string>();
  for (std::int64_t i = 0; i < out.num_elements(); ++i) {
    if (image == 0) fail(ErrorKind::kInternal, "PNG encoding failed at the following flattened batch indices: ", i);
    to[i] = write_png(images.data<char>() + static_cast<std::size_t>(i) * image, height, width,
                      static_cast<int>(channels), static_cast<int>(8 * bytes), level);
  }
}

void require_image(const Tensor& image) {
  if (image.rank() != 3) invalid_argument("image must be 3-dimensional", image.shape().text());
  if (image.num_elements() >= kMostPixels) invalid_argument("Cannot encode images with >= max int32 elements");
}
void require_quality(std::int64_t quality) {
  if (quality < 0 || quality > 100) invalid_argument("quality must be in [0,100], got ", quality);
}
void require_channels(const Tensor& image) {
  if (image.dim(2) != 1 && image.dim(2) != 3)
    invalid_argument("image must have 1 or 3 channels, got ", image.shape().text());
}

void check_jpeg(const KernelContext& c) {
  require_quality(c.attr("quality").i());
  const Tensor& image = c.input(0);
  require_image(image);
  const std::string& format = c.attr("format").s();
  if (format.empty()) return require_channels(image);
  const std::int64_t channels = format == "grayscale" ? 1 : 3;
  if (image.dim(2) != channels)
    invalid_argument("format ", format, " expects ", channels, " channels, got ", image.shape().text());
}

void check_variable_quality(const KernelContext& c) {
  require_image(c.input(0));
  const Tensor& quality = c.input(1);
  if (quality.rank() != 0) invalid_argument("quality must be scalar: ", quality.shape().text());
  require_quality(quality.item<std::int32_t>());
  require_channels(c.input(0));
}

void write(KernelContext& c, const JpegFormat& format) {
  const Tensor& image = c.input(0);
  constexpr std::int64_t kMostSide = 65535;
  if (image.num_elements() == 0 || image.dim(0) > kMostSide || image.dim(1) > kMostSide)
    fail(ErrorKind::kInternal, "JPEG encoding failed");
  const Picture picture{.height = image.dim(0),
                        .width = image.dim(1),
                        .channels = image.dim(2),
                        .pixels = std::string(image.data<char>(), static_cast<std::size_t>(image.num_elements()))};
  *c.output(0).mutable_data<std::string>() = image_codecs().write_jpeg(picture, format);
}

void jpeg(KernelContext& c) {
  write(c, {.quality = c.attr("quality").i(),
            .progressive = c.attr("progressive").b(),
            .optimize = c.attr("optimize_size").b(),
            .chroma_downsampling = c.attr("chroma_downsampling").b(),
            .inches = c.attr("density_unit").s() == "in",
            .x_density = c.attr("x_density").i(),
            .y_density = c.attr("y_density").i(),
            .xmp = c.attr("xmp_metadata").s()});
}

void variable_quality(KernelContext& c) { write(c, {.quality = c.input(1).item<std::int32_t>()}); }

}  // namespace

void register_encoders(Registry& r) {
  r.add({.name = "EncodePng",
         .inputs = {"image: T"},
         .outputs = {"contents: string"},
         .attrs = {"compression: int = -1", "T: {uint8, uint16} = DT_UINT8"},
         .doc = "PNG files with the pixels of images.\n\n"
                "image is a uint8 or uint16 tensor [..., height, width, channels] with 1 (gray), 2 (gray and alpha), 3 "
                "(RGB) or 4 (RGBA) channels; compression an int from 0 to 9, or -1 for zlib's default. The result is a "
                "string tensor with a file for each image. Raises InvalidArgumentError if shapes do not fit.",
         .infer = infer_pngs,
         .check = check_pngs,
         .kernel = pngs,
         .grad = without_gradient});
  r.add(
      {.name = "EncodeJpeg",
       .python = "image.encode_jpeg(image, format, quality, progressive, optimize_size, chroma_downsampling, "
                 "density_unit, x_density, y_density, xmp_metadata)",
       .aliases = {"io.encode_jpeg"},
       .inputs = {"image: uint8"},
       .outputs = {"contents: string"},
       .attrs = {"format: {'', 'grayscale', 'rgb'} = ''", "quality: int = 95", "progressive: bool = false",
                 "optimize_size: bool = false", "chroma_downsampling: bool = true", "density_unit: {'in', 'cm'} = 'in'",
                 "x_density: int = 300", "y_density: int = 300", "xmp_metadata: string = ''"},
       .doc = "A JPEG file with the pixels of an image.\n\n"
              "image is a uint8 tensor [height, width, channels] with 1 or 3 channels; quality an int from 0 to 100. "
              "The result is a scalar string. Needs Pillow, which tracefn[image] installs: ImportError without it. "
              "Raises InvalidArgumentError if the shape or the quality does not fit.",
       .infer = infer_jpeg,
       .check = check_jpeg,
       .kernel = jpeg,
       .grad = without_gradient});
  r.add({.name = "EncodeJpegVariableQuality",
         .inputs = {"images: uint8", "quality: int32"},
         .outputs = {"contents: string"},
         .doc = "A JPEG file with the pixels of an image, of a quality from 0 to 100.",
         .infer = infer_jpeg,
         .check = check_variable_quality,
         .kernel = variable_quality,
         .grad = without_gradient});
}

}  // namespace tracefn
