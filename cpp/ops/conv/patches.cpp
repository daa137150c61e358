// Copies tiles of the implicit matrix of patches, and multiplies them.
#include "ops/conv/patches.h"

#include <cstring>

#include "base/poll.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

// Nanoseconds of a multiply-add.
constexpr double kCost = 0.03;
constexpr std::int64_t kTileBytes = 256 << 10, kFewestRows = 16, kMostRows = 512, kRowStep = 8;

std::int64_t size_in_bytes(DType dtype) { return static_cast<std::int64_t>(size_of(dtype)); }

// Uninitialized memory for a tile.
struct Scratch {
  explicit Scratch(std::int64_t bytes) : memory(DType::kUInt8, Shape({std::max<std::int64_t>(bytes, 1)})) {}
  char* data() { return memory.mutable_data<char>(); }
  Tensor memory;
};

std::int64_t rows_of_tile(std::int64_t rows, std::int64_t bytes_of_row) {
  std::int64_t most = std::clamp(kTileBytes / std::max<std::int64_t>(bytes_of_row, 1), kFewestRows, kMostRows);
  most = std::min(most, std::max(kFewestRows, rows / 8));
  return most / kRowStep * kRowStep;
}

// The place of a row.
struct Place {
  std::int64_t image;
  std::array<std::int64_t, 3> at;
};
Place place_of(const Patches& p, std::int64_t row) {
  Place place{};
  for (std::size_t i = 3; i-- > 0;) {
    place.at[i] = row % p.axes[i].count;
    row /= p.axes[i].count;
  }
  place.image = row;
  return place;
}
void advance(const Patches& p, Place& place) {
  for (std::size_t i = 3; i-- > 0;) {
    if (++place.at[i] < p.axes[i].count) return;
    place.at[i] = 0;
  }
  ++place.image;
}

bool consecutive_offsets(const PatchAxis& axis) {
  for (std::size_t t = 1; t < axis.offsets.size(); ++t)
    if (axis.offsets[t] != axis.offsets[0] + static_cast<std::int64_t>(t)) return false;
  return true;
}

// Copies elements [from, to) of a run of `n` elements that starts at element `start` of a row of `width` elements:
// zeros where the run leaves the row.
void copy_run(const char* row, std::int64_t width, std::int64_t start, std::int64_t from, std::int64_t to,
              std::int64_t size, char* out) {
  const std::int64_t first = std::clamp(-start, from, to), last = std::clamp(width - start, first, to);
  if (first > from) std::memset(out, 0, static_cast<std::size_t>((first - from) * size));
  if (last > first)
    std::memcpy(out + (first - from) * size, row + (start + first) * size,
                static_cast<std::size_t>((last - first) * size));
  if (to > last) std::memset(out + (last - from) * size, 0, static_cast<std::size_t>((to - last) * size));
}

void multiply(MatMulKernel kernel, const void* a, const void* b, void* c, std::int64_t m, std::int64_t k,
              std::int64_t n, std::int64_t lda, std::int64_t ldb, std::int64_t ldc, int transpose) {
  if (!kernel(a, b, c, m, k, n, lda, ldb, ldc, transpose, poll_stops)) std::rethrow_exception(take_stop());
}

}  // namespace

bool Patches::are_pixels() const {
  for (const PatchAxis& axis : axes)
    if (axis.taps() != 1 || axis.offsets[0] != 0 || axis.step != 1 || axis.count != axis.size) return false;
  return true;
}

Patches input_patches(const ConvSizes& s, const Tensor& images, std::int64_t group) {
  Patches p{.images = images.data<char>() + group * s.filter_channels * size_in_bytes(images.dtype()),
            .dtype = images.dtype(),
            .batch = s.batch,
            .pixel = s.in_channels,
            .channels = s.filter_channels,
            .axes = {}};
  for (std::size_t i = 0; i < 3; ++i) {
    PatchAxis& axis = p.axes[i];
    axis = {.size = s.in[i], .count = s.out[i], .step = s.axes[i].stride, .offsets = {}};
    for (std::int64_t t = 0; t < s.filter[i]; ++t) axis.offsets.push_back(t * s.axes[i].dilation - s.axes[i].before);
  }
  return p;
}

void copy_patches(const Patches& p, std::int64_t row, std::int64_t rows, std::int64_t from, std::int64_t depth,
                  void* matrix) {
  const std::int64_t size = size_in_bytes(p.dtype);
  const auto& [planes, lines, columns] = p.axes;
  // Taps that lie side by side are copied at once.
  const bool joined = p.pixel == p.channels && consecutive_offsets(columns);
  const std::int64_t runs = joined ? 1 : columns.taps(), length = joined ? columns.taps() * p.channels : p.channels;
  const std::int64_t width = columns.size * p.pixel;
  auto* images = static_cast<const char*>(p.images);
  auto* out = static_cast<char*>(matrix);
  Place place = place_of(p, row);
  for (std::int64_t r = 0; r < rows; ++r, advance(p, place)) {
    const std::int64_t x = place.at[2] * columns.step;
    std::int64_t at = 0;  // the run's first element
    for (std::int64_t tap : planes.offsets) {
      const std::int64_t plane = place.at[0] * planes.step + tap;
      for (std::int64_t line_tap : lines.offsets) {
        const std::int64_t line = place.at[1] * lines.step + line_tap;
        const bool inside = plane >= 0 && plane < planes.size && line >= 0 && line < lines.size;
        const std::int64_t start = ((place.image * planes.size + plane) * lines.size + line) * width * size;
        for (std::int64_t i = 0; i < runs; ++i, at += length) {
          const std::int64_t first = std::max<std::int64_t>(from - at, 0), last = std::min(from + depth - at, length);
          if (first >= last) continue;
          if (!inside) {
            std::memset(out, 0, static_cast<std::size_t>((last - first) * size));
          } else if (joined) {
            copy_run(images + start, width, (x + columns.offsets[0]) * p.pixel, first, last, size, out);
          } else {
            const std::int64_t column = x + columns.offsets[static_cast<std::size_t>(i)];
            const bool in_line = column >= 0 && column < columns.size;
            const auto bytes = static_cast<std::size_t>((last - first) * size);
            in_line ? static_cast<void>(std::memcpy(out, images + start + (column * p.pixel + first) * size, bytes))
                    : static_cast<void>(std::memset(out, 0, bytes));
          }
          out += (last - first) * size;
        }
      }
    }
  }
}

void multiply_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb, std::int64_t columns,
                      const PlacedRows& to) {
  const std::int64_t rows = p.rows(), depth = p.depth(), size = size_in_bytes(p.dtype);
  const MatMulKernel kernel = kernel_table().array.matmul[slot(p.dtype)];
  bool in_order = true;
  for (std::size_t i = 0; i < 3; ++i)
    in_order = in_order && to.first[i] == 0 && to.step[i] == 1 && to.size[i] == p.axes[i].count;
  const bool pixels = p.are_pixels();
  const std::int64_t tile = rows_of_tile(rows, depth * size), tiles = (rows + tile - 1) / tile;
  const double cost = kCost * static_cast<double>(tile) * static_cast<double>(depth) * static_cast<double>(columns);
  c.parallel_for(tiles, cost, [&](std::int64_t begin, std::int64_t end) {
    Scratch patches(pixels ? 0 : tile * depth * size), product(in_order ? 0 : tile * columns * size);
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t row = t * tile, count = std::min(tile, rows - row);
      const char* a = static_cast<const char*>(p.images) + row * p.pixel * size;
      if (!pixels) {
        copy_patches(p, row, count, 0, depth, patches.data());
        a = patches.data();
      }
      const std::int64_t lda = pixels ? p.pixel : depth;
      auto* images = static_cast<char*>(to.images);
      if (in_order) {
        multiply(kernel, a, b, images + row * to.pixel * size, count, depth, columns, lda, ldb, to.pixel, 0);
      } else {
        multiply(kernel, a, b, product.data(), count, depth, columns, lda, ldb, columns, 0);
        Place place = place_of(p, row);
        for (std::int64_t r = 0; r < count; ++r, advance(p, place)) {
          std::int64_t at = place.image;
          for (std::size_t i = 0; i < 3; ++i) at = at * to.size[i] + to.first[i] + place.at[i] * to.step[i];
          std::memcpy(images + at * to.pixel * size, product.data() + r * columns * size,
                      static_cast<std::size_t>(columns * size));
        }
      }
      poll();
    }
  });
}

namespace {

// target += x
void add(DType dtype, void* target, const void* x, std::int64_t n) {
  kernel_table().elementwise.binary[kAdd][slot(dtype)](target, x, target, n, 0);
}

}  // namespace

// The result's rows are shared out as slices, and if these are few, the places as chunks, whose products are added in
// order: all of this depends only on the sizes.
void multiply_transposed_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb,
                                 std::int64_t columns, void* out, std::int64_t ldc) {
  constexpr std::int64_t kShortestSlice = 64, kPieces = 16, kShortestChunk = 1024;
  const std::int64_t rows = p.rows(), depth = p.depth(), size = size_in_bytes(p.dtype);
  const MatMulKernel kernel = kernel_table().array.matmul[slot(p.dtype)];
  const std::int64_t slices = std::clamp<std::int64_t>(depth / kShortestSlice, 1, kPieces);
  const std::int64_t slice = (depth + slices - 1) / slices;
  const std::int64_t chunks = std::clamp<std::int64_t>(std::min(kPieces / slices, rows / kShortestChunk), 1, kPieces);
  const std::int64_t chunk = (rows + chunks - 1) / chunks;
  const std::int64_t tile = rows_of_tile(chunk, std::min(slice, depth) * size);
  Scratch parts(chunks > 1 ? chunks * depth * columns * size : 0);
  const double cost = kCost * static_cast<double>(chunk) * static_cast<double>(slice) * static_cast<double>(columns);
  c.parallel_for(slices * chunks, cost, [&](std::int64_t begin, std::int64_t end) {
    Scratch patches(tile * slice * size), product(slice * columns * size);
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t from = piece % slices * slice, count = std::min(slice, depth - from);
      const std::int64_t first = piece / slices * chunk, last = std::min(first + chunk, rows);
      if (count <= 0) continue;
      const std::int64_t stride = chunks > 1 ? columns : ldc;
      char* to = chunks > 1 ? parts.data() + (piece / slices * depth + from) * columns * size
                            : static_cast<char*>(out) + from * ldc * size;
      for (std::int64_t row = first; row < last; row += tile) {
        const std::int64_t places = std::min(tile, last - row);
        copy_patches(p, row, places, from, count, patches.data());
        const char* right = static_cast<const char*>(b) + row * ldb * size;
        if (row == first) {
          multiply(kernel, patches.data(), right, to, count, places, columns, count, ldb, stride, 1);
        } else {
          multiply(kernel, patches.data(), right, product.data(), count, places, columns, count, ldb, columns, 1);
          for (std::int64_t i = 0; i < count; ++i)
            add(p.dtype, to + i * stride * size, product.data() + i * columns * size, columns);
        }
        poll();
      }
    }
  });
  if (chunks == 1) return;
  c.parallel_for(depth, 0.5 * static_cast<double>(chunks * columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      char* to = static_cast<char*>(out) + i * ldc * size;
      std::memcpy(to, parts.data() + i * columns * size, static_cast<std::size_t>(columns * size));
      for (std::int64_t k = 1; k < chunks; ++k)
        add(p.dtype, to, parts.data() + (k * depth + i) * columns * size, columns);
    }
  });
}

}  // namespace tracefn
