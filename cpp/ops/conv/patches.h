// The patches of images that a convolution multiplies by its filter: an implicit matrix with a row for each place of
// the window. It is read in place in the images, or packed block by block while it is multiplied.
#pragma once

#include <optional>

#include "ops/conv/conv_shapes.h"
#include "ops/linalg/gemm/product_result.h"

namespace tracefn {

// The places of a window along one spatial dimension: place i has its taps at i * step + offsets[t], which is padding
// outside [0, size).
struct PatchAxis {
  std::int64_t size = 1, count = 1, step = 1;
  SmallVector<std::int64_t, 8> offsets{0};

  std::int64_t taps() const { return static_cast<std::int64_t>(offsets.size()); }
  // Which of `places` places, [first, last), have a tap inside that the first of them has at `at`.
  std::pair<std::int64_t, std::int64_t> inside(std::int64_t at, std::int64_t places) const;
};

// Row r belongs to a place, in the order of batch, depth, height, width; its elements are those of the taps, in the
// same order, each with its channels.
struct Patches {
  const void* images = nullptr;  // with the channels last, from the first channel of the patches on
  DType dtype = DType::kFloat;
  std::int64_t batch = 1;
  std::int64_t pixel = 1;     // channels of the images
  std::int64_t channels = 1;  // channels of the patches
  std::array<PatchAxis, 3> axes;

  std::int64_t rows() const { return batch * axes[0].count * axes[1].count * axes[2].count; }
  std::int64_t taps() const { return axes[0].taps() * axes[1].taps() * axes[2].taps(); }
  std::int64_t depth() const { return taps() * channels; }
  // Whether row r is simply row r of the images.
  bool are_pixels() const;
  // Whether the taps along a line lie side by side, and none of them in the padding of a line.
  bool has_joined_taps() const;
  // The elements that lie side by side wherever the place is: those of a tap, or of joined taps.
  std::int64_t run() const { return channels * (has_joined_taps() ? axes[2].taps() : 1); }
};

// The patches that the places of the window leave, of one group's channels.
Patches input_patches(const ConvSizes& s, const Tensor& images, std::int64_t group);

// Joins the taps of patches of few channels: they are read from a copy of the images then, in which the padding of
// lines is written out. Returns what the patches' images must outlive; nothing if it does not pay.
std::optional<Tensor> join_taps(const KernelContext& c, Patches& p);

// What patches are multiplied by: for each tap, a matrix in memory; `step` is the stride along the patches' channels.
struct TapMatrices {
  const void* data = nullptr;
  SmallVector<std::int64_t, 16> taps;  // where each starts
  std::int64_t row = 1, step = 1;      // strides along its columns, and along the channels
};

// to = the patches times `columns` columns, a row for each place.
void multiply_patches(const KernelContext& c, const Patches& p, const TapMatrices& b, std::int64_t columns,
                      const ProductPart& to);
// to = the transposed patches times a matrix with a row for each place.
void multiply_transposed_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb,
                                 std::int64_t columns, const ProductPart& to);

}  // namespace tracefn
