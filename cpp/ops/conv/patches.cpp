// Copies and packs blocks of the implicit matrix of patches, and multiplies them.
#include "ops/conv/patches.h"

#include <cstring>

#include "base/poll.h"
#include "ops/kernel_table.h"
#include "ops/linalg/gemm/packed_columns.h"

namespace tracefn {
namespace {

std::int64_t size_in_bytes(DType dtype) { return static_cast<std::int64_t>(size_of(dtype)); }

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

// Elements of a row that lie side by side in the images: those of a tap, or of taps side by side.
struct Run {
  std::int64_t plane, line;  // offsets of the tap
  std::int64_t column;       // of the first tap, times the channels of a pixel
  std::int64_t first, last;  // which elements of the run
};
// As many runs as fit: packers must not allocate.
struct Runs {
  std::array<Run, 128> runs;
  std::size_t count = 0;
  std::int64_t elements = 0;

  const Run* begin() const { return runs.data(); }
  const Run* end() const { return runs.data() + count; }
};

// The runs of elements [from, from + depth), or of the first of them.
Runs runs_of(const Patches& p, std::int64_t from, std::int64_t depth) {
  const auto& [planes, lines, columns] = p.axes;
  const bool joined = p.pixel == p.channels && consecutive_offsets(columns);
  const std::int64_t each = joined ? 1 : columns.taps(), length = joined ? columns.taps() * p.channels : p.channels;
  Runs runs;
  for (std::int64_t i = from / length; i * length < from + depth && runs.count < runs.runs.size(); ++i) {
    auto at = [](const PatchAxis& axis, std::int64_t tap) { return axis.offsets[static_cast<std::size_t>(tap)]; };
    const std::int64_t line = i / each;
    const Run run{.plane = at(planes, line / lines.taps()),
                  .line = at(lines, line % lines.taps()),
                  .column = at(columns, i % each) * p.pixel,
                  .first = std::max<std::int64_t>(from - i * length, 0),
                  .last = std::min(from + depth - i * length, length)};
    runs.runs[runs.count++] = run;
    runs.elements += run.last - run.first;
  }
  return runs;
}

// Elements [from, to) of a run that starts at element `start` of a line of `width` elements: zeros where it leaves it.
void copy_run(const char* line, std::int64_t width, std::int64_t start, std::int64_t from, std::int64_t to,
              std::int64_t size, char* out) {
  const std::int64_t first = std::clamp(-start, from, to), last = std::clamp(width - start, first, to);
  if (first > from) std::memset(out, 0, static_cast<std::size_t>((first - from) * size));
  if (last > first)
    std::memcpy(out + (first - from) * size, line + (start + first) * size,
                static_cast<std::size_t>((last - first) * size));
  if (to > last) std::memset(out + (last - from) * size, 0, static_cast<std::size_t>((to - last) * size));
}

// Where the line under a run starts in the images; negative in the padding.
std::int64_t line_start(const Patches& p, const Place& place, const Run& run) {
  const auto& [planes, lines, columns] = p.axes;
  const std::int64_t plane = place.at[0] * planes.step + run.plane, line = place.at[1] * lines.step + run.line;
  if (plane < 0 || plane >= planes.size || line < 0 || line >= lines.size) return -1;
  return ((place.image * planes.size + plane) * lines.size + line) * columns.size * p.pixel;
}

void copy_runs(const Patches& p, const Runs& runs, Place place, std::int64_t rows, char* out, std::int64_t stride) {
  const std::int64_t size = size_in_bytes(p.dtype), width = p.axes[2].size * p.pixel;
  auto* images = static_cast<const char*>(p.images);
  // Channels of other groups lie between those of a pixel.
  const std::int64_t gap = p.pixel - p.channels;
  for (std::int64_t r = 0; r < rows; ++r, advance(p, place), out += stride * size) {
    const std::int64_t x = place.at[2] * p.axes[2].step * p.pixel;
    char* to = out;
    for (const Run& run : runs) {
      const std::int64_t start = line_start(p, place, run);
      if (start < 0) {
        std::memset(to, 0, static_cast<std::size_t>((run.last - run.first) * size));
      } else {
        copy_run(images + start * size, width - gap, x + run.column, run.first, run.last, size, to);
      }
      to += (run.last - run.first) * size;
    }
  }
}

// The rows of the patches, in pieces that a small buffer holds.
constexpr std::int64_t kPieceBytes = 16 << 10;

struct RowsPacker {
  const Patches& p;
  const GemmKernel& kernel;

  static void pack(const void* context, std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth,
                   void* panels) noexcept {
    static_cast<const RowsPacker*>(context)->pack_rows(row, rows, step, depth, static_cast<char*>(panels));
  }

  void pack_rows(std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth, char* panels) const {
    const std::int64_t size = gemm_size(p.dtype), height = kernel.tile_rows;
    const std::int64_t piece = std::max<std::int64_t>(kPieceBytes / (height * size), 1);
    for (std::int64_t from = 0; from < depth;) {
      const Runs runs = runs_of(p, step + from, std::min(piece, depth - from));
      const std::int64_t count = runs.elements;
      Place place = place_of(p, row);
      for (std::int64_t i = 0; i < rows; i += height) {
        const std::int64_t taken = std::min(height, rows - i);
        pack_panel(runs, place, taken, count, panels + (i * depth + from * height) * size);
        for (std::int64_t k = 0; k < taken; ++k) advance(p, place);
      }
      from += count;
    }
  }

 private:
  void pack_panel(const Runs& runs, const Place& place, std::int64_t rows, std::int64_t count, char* panel) const {
    if (rows == kernel.tile_rows && is_regular(runs, place, rows)) return pack_in_place(runs, place, rows, panel);
    alignas(64) char buffer[kPieceBytes];
    copy_runs(p, runs, place, rows, buffer, count);
    kernel.pack_a({buffer, count, 1}, rows, count, panel);
  }

  // Whether the places are in one line and all runs inside the images.
  bool is_regular(const Runs& runs, const Place& place, std::int64_t rows) const {
    const PatchAxis& columns = p.axes[2];
    if (place.at[2] + rows > columns.count) return false;
    const std::int64_t first = place.at[2] * columns.step * p.pixel, last = first + (rows - 1) * columns.step * p.pixel;
    const std::int64_t width = columns.size * p.pixel - (p.pixel - p.channels);
    for (const Run& run : runs)
      if (line_start(p, place, run) < 0 || first + run.column + run.first < 0 || last + run.column + run.last > width)
        return false;
    return true;
  }

  void pack_in_place(const Runs& runs, const Place& place, std::int64_t rows, char* panel) const {
    const std::int64_t size = size_in_bytes(p.dtype), stride = p.axes[2].step * p.pixel;
    for (const Run& run : runs) {
      const std::int64_t start = line_start(p, place, run) + place.at[2] * stride + run.column + run.first;
      kernel.pack_a({static_cast<const char*>(p.images) + start * size, stride, 1}, rows, run.last - run.first, panel);
      panel += (run.last - run.first) * rows * gemm_size(p.dtype);
    }
  }
};

// Where the runs of rows are in the images, or zeros for those in the padding.
class RunFinder {
 public:
  explicit RunFinder(const Patches& p)
      : p_(p),
        size_(size_in_bytes(p.dtype)),
        joined_(p.has_joined_taps()),
        zeros_(static_cast<std::size_t>(p.run() * size_)) {}

  // Long runs are read in place as fast as packed ones, and short ones where packing would copy them one by one; a
  // table of many runs would not stay in the cache.
  static bool pays(const Patches& p) {
    constexpr std::int64_t kShortest = 16, kMostRuns = 128;
    const bool floats = p.dtype == DType::kFloat || p.dtype == DType::kDouble;
    return floats && (p.channels >= kShortest || p.has_joined_taps()) && p.depth() / p.run() <= kMostRuns;
  }
  GemmRuns runs() const { return {this, p_.run(), find}; }

 private:
  static void find(const void* context, std::int64_t row, std::int64_t rows, const void** to,
                   std::int64_t stride) noexcept {
    static_cast<const RunFinder*>(context)->find_runs(row, rows, to, stride);
  }

  // Line by line of places.
  void find_runs(std::int64_t row, std::int64_t rows, const void** to, std::int64_t stride) const {
    const auto& [planes, lines, columns] = p_.axes;
    while (rows > 0) {
      const Place place = place_of(p_, row);
      const std::int64_t count = std::min(rows, columns.count - place.at[2]);
      const void** starts = to;
      for (std::int64_t plane : planes.offsets)
        for (std::int64_t line : lines.offsets) {
          const std::int64_t start =
              line_start(p_, place, {.plane = plane, .line = line, .column = 0, .first = 0, .last = 0});
          for (std::int64_t tap = 0; tap < (joined_ ? 1 : columns.taps()); ++tap) {
            const std::int64_t column = columns.offsets[static_cast<std::size_t>(tap)];
            find_run(start, place.at[2] * columns.step + column, count, starts);
            starts += stride;
          }
        }
      row += count;
      rows -= count;
      to += count;
    }
  }

  // One run of `count` places, the first of which has it at `column` of a line.
  void find_run(std::int64_t line, std::int64_t column, std::int64_t count, const void** starts) const {
    const PatchAxis& columns = p_.axes[2];
    const std::int64_t inside = line < 0 ? 0 : count;
    const auto [first, last] = joined_ ? std::pair(std::int64_t{0}, inside) : columns.inside(column, inside);
    std::fill_n(starts, first, zeros_.data());
    const char* at = static_cast<const char*>(p_.images) + (line + column * p_.pixel) * size_;
    const std::int64_t apart = columns.step * p_.pixel * size_;
    for (std::int64_t i = first; i < last; ++i) starts[i] = at + i * apart;
    std::fill_n(starts + last, count - last, zeros_.data());
  }

  const Patches& p_;
  const std::int64_t size_;
  const bool joined_;
  const std::vector<char> zeros_;
};

// The transposed patches: their elements are the rows, the places the steps.
struct ElementsPacker {
  const Patches& p;
  const GemmKernel& kernel;

  static void pack(const void* context, std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth,
                   void* panels) noexcept {
    static_cast<const ElementsPacker*>(context)->pack_elements(row, rows, step, depth, static_cast<char*>(panels));
  }

  void pack_elements(std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth, char* panels) const {
    const std::int64_t size = size_in_bytes(p.dtype), height = kernel.tile_rows;
    alignas(64) char buffer[kPieceBytes];
    // Several panels of some places at a time.
    const std::int64_t most = std::max<std::int64_t>(kPieceBytes / 64 / (height * gemm_size(p.dtype)), 1) * height;
    for (std::int64_t i = 0; i < rows; i += most) {
      const std::int64_t taken = std::min(most, rows - i), piece = kPieceBytes / (taken * size);
      const Runs runs = runs_of(p, row + i, taken);  // all of them: at most 64 elements, or one panel
      for (std::int64_t from = 0; from < depth; from += piece) {
        const std::int64_t count = std::min(piece, depth - from);
        copy_runs(p, runs, place_of(p, step + from), count, buffer, taken);
        for (std::int64_t j = 0; j < taken; j += height)
          kernel.pack_a({buffer + j * size, 1, taken}, std::min(height, taken - j), count,
                        panels + ((i + j) * depth + from * height) * gemm_size(p.dtype));
      }
    }
  }
};

// The lines of images under one run, for the transposed patches.
class LineFinder {
 public:
  explicit LineFinder(const Patches& p)
      : p_(p), size_(size_in_bytes(p.dtype)), taps_of_line_(p.has_joined_taps() ? 1 : p.axes[2].taps()) {}

  // A tile starts again with each line, which should keep it busy for some 40 cycles.
  static bool pays(const Patches& p, const GemmKernel& kernel) {
    constexpr std::int64_t kLeast = 1024;
    const bool floats = p.dtype == DType::kFloat || p.dtype == DType::kDouble;
    return floats && (p.channels >= kernel.tile_rows || p.has_joined_taps()) &&
           p.axes[2].count * std::min(kernel.tile_rows, p.run()) * kernel.tile_columns >= kLeast;
  }
  GemmPieces pieces() const { return {this, p_.run(), p_.axes[2].step * p_.pixel, find}; }

 private:
  static std::int64_t find(const void* context, std::int64_t run, std::int64_t step, std::int64_t depth,
                           GemmPiece* to) noexcept {
    return static_cast<const LineFinder*>(context)->find_lines(run, step, depth, to);
  }

  std::int64_t find_lines(std::int64_t number, std::int64_t from, std::int64_t depth, GemmPiece* to) const {
    const auto& [planes, lines, columns] = p_.axes;
    auto offset = [](const PatchAxis& axis, std::int64_t i) { return axis.offsets[static_cast<std::size_t>(i)]; };
    const std::int64_t column = offset(columns, number % taps_of_line_), line = number / taps_of_line_;
    const Run run{.plane = offset(planes, line / lines.taps()),
                  .line = offset(lines, line % lines.taps()),
                  .column = 0,
                  .first = 0,
                  .last = 0};
    std::int64_t count = 0;
    for (std::int64_t step = 0; step < depth;) {
      const Place place = place_of(p_, from + step);
      const std::int64_t places = std::min(depth - step, columns.count - place.at[2]);
      const std::int64_t start = line_start(p_, place, run), first_column = place.at[2] * columns.step + column;
      const auto [first, last] = columns.inside(first_column, start < 0 ? 0 : places);
      if (first < last)
        to[count++] = {
            static_cast<const char*>(p_.images) + (start + (first_column + first * columns.step) * p_.pixel) * size_,
            step + first, last - first};
      step += places;
    }
    return count;
  }

  const Patches& p_;
  const std::int64_t size_, taps_of_line_;
};

// The matrices of the taps, one after the other.
struct TapsPacker {
  const TapMatrices& b;
  std::int64_t channels;
  DType dtype;
  const GemmKernel& kernel;

  static void pack(const void* context, std::int64_t column, std::int64_t columns, std::int64_t step,
                   std::int64_t depth, void* panels) noexcept {
    static_cast<const TapsPacker*>(context)->pack_columns(column, columns, step, depth, static_cast<char*>(panels));
  }

  void pack_columns(std::int64_t column, std::int64_t columns, std::int64_t step, std::int64_t depth,
                    char* panels) const {
    const std::int64_t width = kernel.tile_columns, size = gemm_size(dtype);
    for (std::int64_t j = 0; j < columns; j += width) {
      char* panel = panels + j * depth * size;
      for (std::int64_t at = step; at < step + depth;) {
        const std::int64_t tap = at / channels, channel = at % channels;
        const std::int64_t count = std::min(channels - channel, step + depth - at);
        const std::int64_t start = b.taps[static_cast<std::size_t>(tap)] + (column + j) * b.row + channel * b.step;
        kernel.pack_b({static_cast<const char*>(b.data) + start * size_in_bytes(dtype), b.row, b.step},
                      std::min(width, columns - j), count, panel);
        panel += count * width * size;
        at += count;
      }
    }
  }
};

// Whether the taps' matrices are one matrix.
bool is_one_matrix(const TapMatrices& b, std::int64_t channels) {
  for (std::size_t t = 1; t < b.taps.size(); ++t)
    if (b.taps[t] != b.taps[0] + static_cast<std::int64_t>(t) * channels * b.step) return false;
  return true;
}

bool is_integer_product(DType dtype) { return dtype == DType::kInt32; }

// Integers, which wrap around: simple loops, shared out by rows.
void multiply_integers(const KernelContext& c, const Patches& p, const TapMatrices& b, std::int64_t columns,
                       const ProductPart& to) {
  auto* out = static_cast<std::int32_t*>(to.result.sums(to.first));
  const std::int64_t depth = p.depth();
  std::vector<Runs> pieces;
  for (std::int64_t from = 0; from < depth; from += pieces.back().elements)
    pieces.push_back(runs_of(p, from, depth - from));
  const double cost = static_cast<double>(depth) * static_cast<double>(columns);
  c.parallel_for(p.rows(), cost, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint32_t> patch(static_cast<std::size_t>(depth));
    for (std::int64_t row = begin; row < end; ++row) {
      auto* elements = reinterpret_cast<char*>(patch.data());
      for (const Runs& runs : pieces) {
        copy_runs(p, runs, place_of(p, row), 1, elements, depth);
        elements += runs.elements * size_in_bytes(p.dtype);
      }
      auto* sums = reinterpret_cast<std::uint32_t*>(out + row * to.stride);
      std::fill_n(sums, columns, 0u);
      for (std::int64_t k = 0; k < depth; ++k) {
        const std::int64_t start = b.taps[static_cast<std::size_t>(k / p.channels)] + k % p.channels * b.step;
        auto* from = static_cast<const std::uint32_t*>(b.data) + start;
        const std::uint32_t x = patch[static_cast<std::size_t>(k)];
        for (std::int64_t j = 0; j < columns; ++j) sums[j] += x * from[j * b.row];
        if (k % 64 == 0) poll();
      }
    }
    to.result.finish(to.first + begin * to.stride, end - begin, columns, to.stride);
  });
}

}  // namespace

std::pair<std::int64_t, std::int64_t> PatchAxis::inside(std::int64_t at, std::int64_t places) const {
  auto before = [&](std::int64_t distance) {
    return std::clamp<std::int64_t>((distance + step - 1) / step, 0, places);
  };
  const std::int64_t first = at >= 0 ? 0 : before(-at), last = at >= size ? 0 : before(size - at);
  return {first, std::max(first, last)};
}

bool Patches::are_pixels() const {
  for (const PatchAxis& axis : axes)
    if (axis.taps() != 1 || axis.offsets[0] != 0 || axis.step != 1 || axis.count != axis.size) return false;
  return true;
}

bool Patches::has_joined_taps() const {
  const PatchAxis& columns = axes[2];
  return pixel == channels && consecutive_offsets(columns) && columns.offsets[0] >= 0 &&
         (columns.count - 1) * columns.step + columns.offsets.back() < columns.size;
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

std::optional<Tensor> join_taps(const KernelContext& c, Patches& p) {
  // The copy costs little beside the product, and wide pixels are long runs by themselves.
  constexpr std::int64_t kWide = 16;
  PatchAxis& columns = p.axes[2];
  const bool floats = p.dtype == DType::kFloat || p.dtype == DType::kDouble;
  if (!floats || p.channels >= kWide || p.pixel != p.channels || columns.taps() < 2 || !consecutive_offsets(columns) ||
      p.has_joined_taps())
    return std::nullopt;
  const std::int64_t before = std::max<std::int64_t>(-columns.offsets[0], 0);
  const std::int64_t reach = before + (columns.count - 1) * columns.step + columns.offsets.back() + 1;
  if (reach <= 0 || reach > 2 * columns.size + kWide) return std::nullopt;
  const std::int64_t lines = p.batch * p.axes[0].size * p.axes[1].size, pixel = p.pixel * size_in_bytes(p.dtype);
  Tensor padded(p.dtype, Shape({lines, reach, p.pixel}));
  const std::int64_t width = columns.size * pixel;
  auto* to = padded.mutable_data<char>();
  auto* from = static_cast<const char*>(p.images);
  c.parallel_for(lines, 0.1 * static_cast<double>(reach * pixel), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      copy_run(from + i * width, width, -before * pixel, 0, reach * pixel, 1, to + i * reach * pixel);
  });
  p.images = padded.raw();
  columns.size = reach;
  for (std::int64_t& offset : columns.offsets) offset += before;
  return padded;
}

void multiply_patches(const KernelContext& c, const Patches& p, const TapMatrices& b, std::int64_t columns,
                      const ProductPart& to) {
  if (is_integer_product(p.dtype)) return multiply_integers(c, p, b, columns, to);
  const GemmKernel& kernel = kernel_table().gemm.of[slot(p.dtype)];
  const RowsPacker rows{p, kernel};
  const TapsPacker taps{b, p.channels, p.dtype, kernel};
  std::optional<RunFinder> finder;
  Gemm g{.dtype = p.dtype, .m = p.rows(), .n = columns, .k = p.depth()};
  to.set(g);
  if (p.are_pixels()) {
    g.a.matrix = {p.images, p.pixel, 1};
  } else if (RunFinder::pays(p)) {
    g.a.runs = finder.emplace(p).runs();
  } else {
    g.a.packer = {&rows, RowsPacker::pack};
  }
  if (is_one_matrix(b, p.channels)) {
    g.b.matrix = {static_cast<const char*>(b.data) + b.taps[0] * size_in_bytes(p.dtype), b.row, b.step};
  } else {
    g.b.packer = {&taps, TapsPacker::pack};
  }
  gemm(g, c.shards_);
}

void multiply_transposed_patches(const KernelContext& c, const Patches& p, const void* b, std::int64_t ldb,
                                 std::int64_t columns, const ProductPart& to) {
  const GemmKernel& kernel = kernel_table().gemm.of[slot(p.dtype)];
  const ElementsPacker elements{p, kernel};
  const LineFinder lines(p);
  Gemm g{.dtype = p.dtype, .m = p.depth(), .n = columns, .k = p.rows()};
  to.set(g);
  if (p.are_pixels()) {
    g.a.matrix = {p.images, 1, p.pixel};
  } else if (LineFinder::pays(p, kernel)) {
    g.a.pieces = lines.pieces();
  } else {
    g.a.packer = {&elements, ElementsPacker::pack};
  }
  g.b.matrix = {b, 1, ldb};
  gemm(g, c.shards_);
}

}  // namespace tracefn
