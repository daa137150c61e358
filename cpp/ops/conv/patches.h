// The patches of images that a convolution multiplies by its filter: an implicit matrix with a row for each place of
// the window, of which only tiles are ever stored.
#pragma once

#include "ops/conv/conv_shapes.h"

namespace tracefn {

// The places of a window along one spatial dimension: place i has its taps at i * step + offsets[t], which is padding
// outside [0, size).
struct PatchAxis {
  std::int64_t size = 1, count = 1, step = 1;
  SmallVector<std::int64_t, 8> offsets{0};

  std::int64_t taps() const { return static_cast<std::int64_t>(offsets.size()); }
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
};

// The patches that the places of the window leave, of one group's channels.
Patches input_patches(const ConvSizes& s, const Tensor& images, std::int64_t group);

// Rows [row, row + rows) of patches, elements [from, from + depth) of each, as a matrix.
void copy_patches(const Patches& p, std::int64_t row, std::int64_t rows, std::int64_t from, std::int64_t depth,
                  void* matrix);

// Where row r of a product belongs in images with the channels last.
struct PlacedRows {
  void* images = nullptr;  // from the first channel of the product on
  std::int64_t pixel = 1;
  std::array<std::int64_t, 3> size{1, 1, 1}, first{0, 0, 0}, step{1, 1, 1};
};

// The product of the patches and a matrix b with `columns` columns, a row for each place.
void multiply_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb, std::int64_t columns,
                      const PlacedRows& to);
// The product of the transposed patches and a matrix with a row for each place.
void multiply_transposed_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb,
                                 std::int64_t columns, void* out, std::int64_t ldc);

}  // namespace tracefn
