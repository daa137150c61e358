// Splits a product into tasks: directly if the operands stay in the cache or are read about once, else with packed
// operands.
#include "ops/linalg/gemm/gemm.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "base/poll.h"
#include "ops/kernel_table.h"
#include "ops/linalg/gemm/cache_sizes.h"
#include "ops/linalg/gemm/packed_columns.h"

namespace tracefn {
namespace {

// Nanoseconds of a multiply-add of floats, and of reading a byte that is read once.
constexpr double kMultiplyAdd = 0.018, kByte = 0.0125;
// Tasks of a product are even and write to different places, so shorter shards pay than parallel_for assumes.
constexpr double kShorterShards = 2;
// Tasks that a large product has at least.
constexpr std::int64_t kLeastTasks = 32;
// The rows of a task, for which A stays in the L2 cache beside columns of B; rounded up to tiles.
constexpr std::int64_t kRowsOfTask = 72;
// Nanoseconds of a task of a product whose operands are read in place.
constexpr double kDirectTask = 12'000;
// The longest call of a kernel.
constexpr double kLongestCall = 500'000;

std::int64_t pieces(std::int64_t n, std::int64_t length) { return (n + length - 1) / length; }

// A product under way.
struct Work {
  const Gemm& g;
  const GemmKernel& kernel;
  ShardRunner* shards;
  std::int64_t size;  // of an element of C

  char* c(std::int64_t row, std::int64_t column) const {
    return static_cast<char*>(g.c) + (row * g.ldc + column) * size;
  }
  // Where an operand has its element of a row and a step.
  const char* at(const GemmMatrix& x, std::int64_t row, std::int64_t step) const {
    return static_cast<const char*>(x.data) + (row * x.row + step * x.step) * size;
  }
  void finish(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) const {
    if (g.finish.finish) g.finish.finish(g.finish.context, row, column, rows, columns, c(row, column), g.ldc);
  }
  int threads() const { return shards ? shards->num_threads() : 1; }
  // f(task) for tasks [0, n) of `cost` nanoseconds.
  template <typename F>
  void for_tasks(std::int64_t n, double cost, const F& f) const {
    auto run = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i);
    };
    if (shards && n > 1) {
      shards->parallel_for(n, cost * kShorterShards, run);
    } else {
      run(0, n);
    }
  }
};

// The parts of the result that tasks compute, row by row.
struct Grid {
  std::int64_t m, n, rows, columns;  // of the result; of a task
  std::int64_t across() const { return pieces(n, columns); }
  std::int64_t tasks() const { return pieces(m, rows) * across(); }
  template <typename F>
  void at(std::int64_t task, const F& f) const {
    const std::int64_t row = task / across() * rows, column = task % across() * columns;
    f(row, std::min(rows, m - row), column, std::min(columns, n - column));
  }
};

double cost_of(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return kMultiplyAdd * static_cast<double>(gemm_size(dtype)) / 4 * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k);
}

// The number of tasks of a product whose operands are read in place.
std::int64_t even_tasks(double cost) {
  const double wanted = std::clamp(cost / kDirectTask, 1.0, static_cast<double>(kLeastTasks));
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

// y += x, of floats or doubles.
void add_to(char* y, const char* x, std::int64_t n, std::int64_t size) {
  auto add = [&]<typename T>(T) {
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(y)[i] += reinterpret_cast<const T*>(x)[i];
  };
  size == 4 ? add(0.0f) : add(0.0);
}

// The longest products of one call of a kernel that sums along the depth; between calls signals are heard.
constexpr std::int64_t kStepsOfCall = std::int64_t{1} << 16;

// Rows by rows: the many are read once, a task takes some of them.
bool multiply_rows(const Work& w) {
  const Gemm& g = w.g;
  if (!is_rows_by_rows(g.a.matrix, g.b.matrix, g.m, g.n, g.k)) return false;
  const bool swapped = g.m < g.n;
  const GemmMatrix &many = swapped ? g.b.matrix : g.a.matrix, &few = swapped ? g.a.matrix : g.b.matrix;
  const std::int64_t rows = swapped ? g.n : g.m, columns = swapped ? g.m : g.n;
  const double cost = std::max(static_cast<double>(rows * g.k * w.size) * kByte, cost_of(g.dtype, g.m, g.n, g.k));
  constexpr std::int64_t kStepOfRows = 16, kMostRows = 1024;
  const std::int64_t length = std::min(rounded_up(pieces(rows, even_tasks(cost)), kStepOfRows), kMostRows);
  const std::int64_t tasks = pieces(rows, length);
  w.for_tasks(tasks, cost / static_cast<double>(tasks), [&](std::int64_t task) {
    const std::int64_t from = task * length, count = std::min(length, rows - from);
    for (std::int64_t p = 0; p < g.k; p += kStepsOfCall) {
      if (p) poll();
      w.kernel.rows_by_rows({w.at(many, from, p), many.row, w.at(few, 0, p), few.row,
                             swapped ? w.c(0, from) : w.c(from, 0), swapped ? 1 : g.ldc, swapped ? g.ldc : 1, count,
                             columns, std::min(kStepsOfCall, g.k - p), g.add || p > 0});
    }
    swapped ? w.finish(0, from, columns, count) : w.finish(from, 0, count, columns);
  });
  return true;
}

// A vector by rows: the matrix is read once.
bool multiply_vector(const Work& w) {
  const Gemm& g = w.g;
  const GemmMatrix &a = g.a.matrix, &b = g.b.matrix;
  const bool row = g.m == 1 && (a.step == 1 || g.k == 1), column = g.n == 1 && g.ldc == 1 && (b.step == 1 || g.k == 1);
  if (g.add || !(row || column)) return false;
  const GemmMatrix& matrix = row ? b : a;
  const void* x = row ? a.data : b.data;
  const std::int64_t n = row ? g.n : g.m;
  // Short shards of columns would read little of each row, and memory is slow where a row is left.
  const double bytes = static_cast<double>(g.k) * static_cast<double>(n) * static_cast<double>(w.size);
  const std::int64_t least = 2048 / w.size;
  constexpr std::int64_t kMostColumns = 4096, kSteps = 1 << 13;
  const int tasks = w.threads() > 1 ? 2 * w.threads() : 1;
  const std::int64_t length = std::clamp<std::int64_t>(rounded_up(pieces(n, tasks), least), least, kMostColumns);
  w.for_tasks(pieces(n, length), bytes * kByte / static_cast<double>(pieces(n, length)), [&](std::int64_t task) {
    const std::int64_t from = task * length, count = std::min(length, n - from);
    char* y = static_cast<char*>(g.c) + from * w.size;
    alignas(64) char partial[kMostColumns * 8];
    for (std::int64_t p = 0; p < g.k; p += kSteps) {
      if (p) poll();
      w.kernel.vector_by_rows(static_cast<const char*>(x) + p * w.size, w.at(matrix, from, p), matrix.step,
                              p ? partial : y, std::min(kSteps, g.k - p), count);
      if (p) add_to(y, partial, count, w.size);
    }
    row ? w.finish(0, from, 1, count) : w.finish(from, 0, count, 1);
  });
  return true;
}

// Whether the first cache keeps a line of each of so many steps, which are `stride` bytes apart: strides with a large
// power of two in them share few of its sets.
bool keeps_steps(std::int64_t stride, std::int64_t steps) {
  constexpr std::int64_t kSetsBytes = 4096, kLine = 64, kWays = 8;
  return steps <= kWays * kSetsBytes / std::max(std::gcd(stride, kSetsBytes), kLine);
}

// Whether packing B costs more than it gains: it is read a few times, or stays in the cache. Tiles of fewer rows read
// it more often. A transposed B is packed anyway, in each task.
bool is_direct(const Work& w) {
  const Gemm& g = w.g;
  if (!w.kernel.direct || !g.a.is_matrix() || !g.b.is_matrix()) return false;
  constexpr std::int64_t kFewColumns = 64;
  const std::int64_t cache = cache_sizes().second_level, bytes = g.k * g.n * w.size;
  if (g.m * g.k * w.size > cache && g.n > kFewColumns) return false;
  if (g.m <= (bytes <= cache ? 6 : 4) * w.kernel.tile_rows) return true;
  constexpr std::int64_t kManyTiles = 48;
  if (!keeps_steps(g.b.matrix.step * w.size, std::min(g.k, gemm_depth(w.size))) &&
      g.m >= kManyTiles * w.kernel.tile_rows)
    return false;
  return bytes <= (g.b.matrix.row != 1 ? cache / 32 : w.kernel.tile_rows < 8 ? cache / 8 : cache / 2);
}

void multiply_directly(const Work& w) {
  const Gemm& g = w.g;
  const double cost = cost_of(g.dtype, g.m, g.n, g.k);
  // Along the longer side, since each task reads the operand along the other side; but B is not to be packed twice.
  Grid grid{g.m, g.n, g.m, g.n};
  const std::int64_t tasks = even_tasks(cost);
  if (g.m >= g.n && g.b.matrix.row == 1) {
    grid.rows = rounded_up(pieces(g.m, tasks), w.kernel.tile_rows);
  } else {
    grid.columns = rounded_up(pieces(g.n, tasks), w.kernel.tile_columns);
  }
  w.for_tasks(grid.tasks(), cost / static_cast<double>(grid.tasks()), [&](std::int64_t task) {
    grid.at(task, [&](std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
      const GemmMatrix &a = g.a.matrix, &b = g.b.matrix;
      const std::int64_t unit = gemm_depth(w.size);
      const double longest = kLongestCall / cost_of(g.dtype, rows, columns, unit);
      const std::int64_t depth = std::max<std::int64_t>(static_cast<std::int64_t>(longest), 1) * unit;
      for (std::int64_t p = 0; p < g.k; p += depth) {
        if (p) poll();
        w.kernel.direct({{w.at(a, row, p), a.row, a.step},
                         {w.at(b, column, p), b.row, b.step},
                         w.c(row, column),
                         g.ldc,
                         rows,
                         columns,
                         std::min(depth, g.k - p),
                         g.add || p > 0});
      }
      w.finish(row, column, rows, columns);
    });
  });
}

// Part of a product: some columns of B, which are packed at once, for some steps.
struct Pass {
  std::int64_t column, columns, step, depth;
};

// How A is read: rows in place while they stay in a cache, across pages from the L2 cache only, or are read a few
// times.
bool is_a_in_place(const Work& w) {
  const Gemm& g = w.g;
  if (!w.kernel.direct || !g.a.is_matrix()) return false;
  constexpr std::int64_t kFewColumns = 256;
  const std::int64_t bytes = g.m * g.k * w.size, cache = cache_sizes().second_level;
  constexpr std::int64_t kNearSteps = 1024;
  if (g.a.matrix.row == 1) return bytes <= cache || g.a.matrix.step * w.size <= kNearSteps;
  return bytes <= 4 * cache || g.n <= kFewColumns;
}

// Whether columns of B can be read in place, whole vectors at a time.
bool has_b_in_place(const Work& w) {
  const Gemm& g = w.g;
  return w.kernel.direct && g.b.is_matrix() && g.b.matrix.row == 1 && g.n % w.kernel.lanes == 0;
}

// The rows of A of one task, for one block of steps after the other.
class RowsOfA {
 public:
  // With `b_passes_by` the columns of B of the products to come do not stay in the L2 cache.
  RowsOfA(const Work& w, std::int64_t row, std::int64_t rows, bool b_passes_by = false)
      : w_(w), row_(row), rows_(rows), b_passes_by_(b_passes_by) {
    const GemmRuns& runs = w.g.a.runs;
    if (runs.find) {
      starts_ = std::make_unique_for_overwrite<const void*[]>(static_cast<std::size_t>(w.g.k / runs.length * rows));
      runs.find(runs.context, row, rows, starts_.get(), rows);
    } else if (!w.g.a.pieces.find && !is_a_in_place(w)) {
      packed_ = Buffer::allocate(DType::kUInt8, rounded_up(rows, w.kernel.tile_rows) * gemm_depth(w.size) * w.size);
    }
  }

  // The steps of the products to come, which are added to what C holds or not; rows of C are `ldc` elements apart.
  void take(std::int64_t step, std::int64_t depth, std::int64_t ldc, bool add) {
    const std::int64_t height = w_.kernel.tile_rows;
    GemmBlock& block = block_ = {};
    if (starts_) {
      const std::int64_t length = w_.g.a.runs.length;
      block.a_runs = {starts_.get() + step / length * rows_, rows_, step % length, length};
    } else if (w_.g.a.pieces.find) {
      find_pieces(step, depth);
    } else if (packed_) {
      pack_operand(w_.g.a, w_.g.dtype, w_.kernel.pack_a, row_, rows_, step, depth, packed_->data());
      block.a = packed_->data();
      block.a_row = 1;
      block.a_step = height;
      block.a_panel = height * depth;
    } else {
      const GemmMatrix& x = w_.g.a.matrix;
      block.a = w_.at(x, row_, step);
      block.a_row = x.row;
      block.a_step = x.step;
      block.a_panel = height * x.row;
    }
    block.ldc = ldc;
    block.rows = rows_;
    block.depth = depth;
    block.add = add;
  }

  // C (+)= these rows and steps times packed columns of B; c is the element of the first row and column.
  void multiply(const void* b, char* c, std::int64_t columns) {
    const std::int64_t width = w_.kernel.tile_columns;
    multiply(b, width, width * block_.depth, c, columns);
  }
  // The same for columns of B in place, `step` elements from step to step.
  void multiply_in_place(const void* b, std::int64_t step, char* c, std::int64_t columns) {
    multiply(b, step, w_.kernel.tile_columns, c, columns);
  }

 private:
  void multiply(const void* b, std::int64_t step, std::int64_t panel, char* c, std::int64_t columns) {
    block_.b = b;
    block_.b_step = step;
    block_.b_panel = panel;
    block_.b_passes_by = b_passes_by_;
    block_.columns = columns;
    if (!w_.g.a.pieces.find) {
      block_.c = c;
      return w_.kernel.block(block_);
    }
    for (const Group& group : groups_) {
      block_.a_pieces = {pieces_.data() + group.piece, group.pieces, w_.g.a.pieces.stride, group.first};
      block_.rows = group.rows;
      block_.c = c + group.row * block_.ldc * w_.size;
      w_.kernel.block(block_);
    }
  }

  // Rows of this task in one group: from row `row` of the task on, `first` of the group.
  struct Group {
    std::int64_t row, first, rows;
    std::int64_t piece, pieces;
  };

  void find_pieces(std::int64_t step, std::int64_t depth) {
    const GemmPieces& in_pieces = w_.g.a.pieces;
    groups_.clear();
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows_;) {
      const std::int64_t group = (row_ + row) / in_pieces.length, first = (row_ + row) % in_pieces.length;
      const std::int64_t rows = std::min(in_pieces.length - first, rows_ - row);
      pieces_.resize(std::max(pieces_.size(), static_cast<std::size_t>(count + depth)));
      const std::int64_t found = in_pieces.find(in_pieces.context, group, step, depth, pieces_.data() + count);
      groups_.push_back({row, first, rows, count, found});
      count += found;
      row += rows;
    }
  }

  const Work& w_;
  const std::int64_t row_, rows_;
  const bool b_passes_by_;
  GemmBlock block_{};
  Ref<Buffer> packed_;
  std::unique_ptr<const void*[]> starts_;
  std::vector<Group> groups_;
  std::vector<GemmPiece> pieces_;
};

// Columns of B that are multiplied at once: half of the L2 cache.
std::int64_t columns_at_once(const Work& w) {
  const std::int64_t panel = gemm_depth(w.size) * w.kernel.tile_columns * w.size;
  return std::max(cache_sizes().second_level / 2 / panel, std::int64_t{2}) * w.kernel.tile_columns;
}

// Groups of rows in pieces are not cut, unless they are long: a tile has rows of one group.
std::int64_t rows_of_task(const Work& w) {
  const std::int64_t length = w.g.a.pieces.length;
  if (length == 0 || length > 2 * kRowsOfTask) return rounded_up(kRowsOfTask, w.kernel.tile_rows);
  return rounded_up(kRowsOfTask, length);
}

// Some columns of B, packed once for all tasks, which take rows of C, and only if there are few of them, also columns.
void multiply_shared(const Work& w, const Pass& pass) {
  const Gemm& g = w.g;
  const std::int64_t width = w.kernel.tile_columns, unit = gemm_depth(w.size), group = columns_at_once(w);
  Grid grid{g.m, pass.columns, rows_of_task(w), pass.columns};
  if (const std::int64_t down = pieces(g.m, grid.rows); down < kLeastTasks) {
    grid.columns = rounded_up(pieces(pass.columns, pieces(kLeastTasks, down)), width);
    grid.columns = std::max(grid.columns, rounded_up(2 * kRowsOfTask, width));
  }
  PackedColumns b(g, w.kernel, pass.column, pass.columns, pass.step, pass.depth);
  const bool is_last = pass.step + pass.depth == g.k;
  const bool passes_by = pass.columns * pass.depth * w.size > cache_sizes().second_level / 2;
  const double cost = cost_of(g.dtype, g.m, pass.columns, pass.depth) / static_cast<double>(grid.tasks());
  w.for_tasks(grid.tasks(), cost, [&](std::int64_t task) {
    grid.at(task, [&](std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
      RowsOfA a(w, row, rows, passes_by);
      for (std::int64_t i = 0; i < b.blocks(); ++i) {
        const char* panels = b.block(i);
        const std::int64_t step = pass.step + i * unit;
        a.take(step, b.depth_of(i), g.ldc, g.add || step > 0);
        for (std::int64_t j = column; j < column + columns; j += group) {
          const std::int64_t now = std::min(group, column + columns - j);
          a.multiply(panels + j * b.depth_of(i) * w.size, w.c(row, pass.column + j), now);
          if (is_last && i + 1 == b.blocks()) w.finish(row, pass.column + j, rows, now);
          poll();
        }
      }
    });
  });
}

// C has so few rows that each task packs columns of B for itself: they are read again from the L2 cache.
void multiply_few_rows(const Work& w) {
  const Gemm& g = w.g;
  const std::int64_t width = w.kernel.tile_columns, unit = gemm_depth(w.size), group = columns_at_once(w);
  Grid grid{g.m, g.n, g.m, std::max(rounded_up(pieces(g.n, kLeastTasks), width), 2 * width)};
  const double cost = cost_of(g.dtype, g.m, g.n, g.k) / static_cast<double>(grid.tasks());
  w.for_tasks(grid.tasks(), cost, [&](std::int64_t task) {
    grid.at(task, [&](std::int64_t, std::int64_t, std::int64_t column, std::int64_t columns) {
      RowsOfA a(w, 0, g.m);
      Ref<Buffer> b = Buffer::allocate(DType::kUInt8, rounded_up(std::min(columns, group), width) * unit * w.size);
      for (std::int64_t step = 0; step < g.k; step += unit) {
        const std::int64_t depth = std::min(unit, g.k - step);
        a.take(step, depth, g.ldc, g.add || step > 0);
        for (std::int64_t j = column; j < column + columns; j += group) {
          const std::int64_t now = std::min(group, column + columns - j);
          pack_operand(g.b, g.dtype, w.kernel.pack_b, j, now, step, depth, b->data());
          a.multiply(b->data(), w.c(0, j), now);
          poll();
        }
      }
      w.finish(0, column, g.m, columns);
    });
  });
}

// Whether C is so small, and the depth so long, that threads share out the depth.
bool is_deep(const Work& w) {
  constexpr std::int64_t kLeastUnits = 4, kLeastTasks = 2, kSmallResult = 16 << 10;
  const Gemm& g = w.g;
  return g.m * g.n * w.size <= kSmallResult && g.k >= kLeastUnits * gemm_depth(w.size) &&
         cost_of(g.dtype, g.m, g.n, g.k) >= kLeastTasks * kDirectTask;
}

// Tasks sum some steps each, and their sums are added in order, as they are elsewhere.
void multiply_deep(const Work& w) {
  const Gemm& g = w.g;
  constexpr std::int64_t kMostParts = 64;
  const std::int64_t unit = gemm_depth(w.size), units = pieces(g.k, unit), width = w.kernel.tile_columns;
  // B is read for few rows.
  const bool in_place = has_b_in_place(w);
  const std::int64_t part_bytes = rounded_up(g.m * g.n * w.size, 64);
  const Ref<Buffer> parts = Buffer::allocate(DType::kUInt8, std::min(units, kMostParts) * part_bytes);
  auto* sums = static_cast<char*>(parts->data());
  const double cost = cost_of(g.dtype, g.m, g.n, unit);
  for (std::int64_t from = 0; from < units; from += kMostParts) {
    const std::int64_t count = std::min(kMostParts, units - from);
    w.for_tasks(count, cost, [&](std::int64_t task) {
      const std::int64_t step = (from + task) * unit, depth = std::min(unit, g.k - step);
      Ref<Buffer> packed;
      if (!in_place) {
        packed = Buffer::allocate(DType::kUInt8, rounded_up(g.n, width) * depth * w.size);
        pack_operand(g.b, g.dtype, w.kernel.pack_b, 0, g.n, step, depth, packed->data());
      }
      constexpr std::int64_t kRows = 2 * kRowsOfTask;
      for (std::int64_t row = 0; row < g.m; row += kRows) {
        RowsOfA a(w, row, std::min(kRows, g.m - row));
        a.take(step, depth, g.n, false);
        char* c = sums + task * part_bytes + row * g.n * w.size;
        if (in_place) {
          a.multiply_in_place(w.at(g.b.matrix, 0, step), g.b.matrix.step, c, g.n);
        } else {
          a.multiply(packed->data(), c, g.n);
        }
      }
      poll();
    });
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t row = 0; row < g.m; ++row) {
        const char* part = sums + i * part_bytes + row * g.n * w.size;
        if (g.add || from + i > 0) {
          add_to(w.c(row, 0), part, g.n, w.size);
        } else {
          std::memcpy(w.c(row, 0), part, static_cast<std::size_t>(g.n * w.size));
        }
      }
  }
  w.finish(0, 0, g.m, g.n);
}

// The rows of C that each thread has at least in multiply_long.
constexpr std::int64_t kLeastRowsOfThread = 16;

// Whether the depth is far longer than the rows of B, which are adjacent in memory, and all threads get rows of C.
// Where there are many of these, it pays to pack long rows of B once for all threads.
bool is_long(const Work& w) {
  constexpr std::int64_t kLeastUnits = 8, kLongRow = 1024, kLongestRow = 4096;
  const Gemm& g = w.g;
  return has_b_in_place(w) && !g.a.runs.find && g.n * w.size <= (g.m <= 2 * kRowsOfTask ? kLongestRow : kLongRow) &&
         g.m >= kLeastRowsOfThread * std::max(w.threads(), 2) && g.k >= kLeastUnits * gemm_depth(w.size);
}

// Tasks are begun in the order of the steps, whichever shard they run in. One adds to its rows of C what its steps give
// as soon as the task before it of the same rows has, so threads need not wait for each other after some steps.
void multiply_long(const Work& w) {
  const Gemm& g = w.g;
  const std::int64_t unit = gemm_depth(w.size), height = w.kernel.tile_rows;
  // What the tasks of one pass read of B stays in the L2 cache.
  const std::int64_t steps = 8 * unit * g.n * w.size <= cache_sizes().second_level ? 2 * unit : unit;
  const std::int64_t rows = std::min(rounded_up(pieces(g.m, w.threads()), height), rows_of_task(w));
  const std::int64_t down = pieces(g.m, rows), passes = pieces(g.k, steps);
  std::atomic<std::int64_t> begun{0};
  std::vector<std::atomic<std::int64_t>> passed(static_cast<std::size_t>(down));
  const double cost = cost_of(g.dtype, rows, g.n, steps);
  // Rows of B across more pages than that are not found again fast enough: each task packs them.
  constexpr std::int64_t kMostInPlace = 30 * 4096;
  const std::int64_t block_bytes = unit * g.n * w.size;
  const bool packs = block_bytes > kMostInPlace, passes_by = packs && block_bytes > cache_sizes().second_level / 2;
  w.for_tasks(down * passes, cost, [&](std::int64_t) {
    const std::int64_t task = begun.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t pass = task / down, row = task % down * rows, count = std::min(rows, g.m - row);
    std::atomic<std::int64_t>& before = passed[static_cast<std::size_t>(task % down)];
    RowsOfA a(w, row, count, passes_by);
    Ref<Buffer> packed;
    if (packs) packed = Buffer::allocate(DType::kUInt8, rounded_up(g.n, w.kernel.tile_columns) * unit * w.size);
    for (std::int64_t step = pass * steps; step < std::min(g.k, (pass + 1) * steps); step += unit) {
      const std::int64_t depth = std::min(unit, g.k - step);
      a.take(step, depth, g.ldc, g.add || step > 0);
      if (packs) pack_operand(g.b, g.dtype, w.kernel.pack_b, 0, g.n, step, depth, packed->data());
      // If the task before fails, this poll throws.
      while (before.load(std::memory_order_acquire) < pass) {
        poll();
        std::this_thread::yield();
      }
      if (packs) {
        a.multiply(packed->data(), w.c(row, 0), g.n);
      } else {
        a.multiply_in_place(w.at(g.b.matrix, 0, step), g.b.matrix.step, w.c(row, 0), g.n);
      }
      poll();
    }
    if (pass + 1 == passes) w.finish(row, 0, count, g.n);
    before.store(pass + 1, std::memory_order_release);
  });
}

void multiply_packed(const Work& w) {
  const Gemm& g = w.g;
  if (is_deep(w)) return multiply_deep(w);
  if (is_long(w)) return multiply_long(w);
  if (g.m <= 2 * kRowsOfTask) return multiply_few_rows(w);
  // What is packed at once stays in the last cache, which others use too; a large product needs little more memory.
  constexpr std::int64_t kMostPacked = std::int64_t{4} << 20;
  const std::int64_t unit = gemm_depth(w.size), width = w.kernel.tile_columns;
  const std::int64_t elements = std::min(std::max(cache_sizes().last_level, kMostPacked / 4), kMostPacked) / w.size;
  const std::int64_t depth = std::min(g.k, std::max(elements / 1024 / unit, std::int64_t{1}) * unit);
  const std::int64_t columns = std::max(elements / depth / width, std::int64_t{4}) * width;
  for (std::int64_t column = 0; column < g.n; column += columns)
    for (std::int64_t step = 0; step < g.k; step += depth)
      multiply_shared(w, {column, std::min(columns, g.n - column), step, std::min(depth, g.k - step)});
}

}  // namespace

bool is_rows_by_rows(const GemmMatrix& a, const GemmMatrix& b, std::int64_t m, std::int64_t n, std::int64_t k) {
  if (k > 1 && (a.step != 1 || b.step != 1)) return false;
  constexpr std::int64_t kFewRows = 16, kShortDepth = 256;
  const std::int64_t few = std::min(m, n);
  return few == 1 || (few <= kFewRows && k >= kShortDepth);
}

double gemm_cost(const Gemm& g) { return cost_of(g.dtype, g.m, g.n, g.k); }

void gemm(const Gemm& g, ShardRunner* shards) {
  if (g.m == 0 || g.n == 0) return;
  const GemmKernel& kernel = kernel_table().gemm.of[slot(g.dtype)];
  const Work w{g, kernel, shards, gemm_size(g.dtype)};
  if (g.a.is_matrix() && g.b.is_matrix() && kernel.direct && (multiply_rows(w) || multiply_vector(w))) return;
  if (is_direct(w)) return multiply_directly(w);
  multiply_packed(w);
}

}  // namespace tracefn
