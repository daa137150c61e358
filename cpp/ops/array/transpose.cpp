// Transpose and ConjugateTranspose: any permutation of dimensions, moved in square blocks.
#include "ops/array/transpose.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// The output's sizes and the input strides of its dimensions, with adjacent dimensions merged if they move together.
struct Layout {
  Dims sizes, strides;

  Layout(const Shape& in, std::span<const int> perm) {
    Dims in_strides(static_cast<std::size_t>(in.rank()));
    std::int64_t stride = 1;
    for (int i = in.rank() - 1; i >= 0; --i) {
      in_strides[static_cast<std::size_t>(i)] = stride;
      stride *= in[i];
    }
    for (int axis : perm) {
      std::int64_t size = in[axis], step = in_strides[static_cast<std::size_t>(axis)];
      if (size == 1) continue;
      if (!sizes.empty() && strides.back() == step * size) {
        sizes.back() *= size;
        strides.back() = step;
      } else {
        sizes.push_back(size);
        strides.push_back(step);
      }
    }
  }
};

// A square of 16-byte vectors of T, transposed in registers: each step interleaves the first half of the rows with the
// second one.
template <typename T>
struct Square {
  static constexpr int kSide = 16 / sizeof(T);
  typedef T Row __attribute__((vector_size(16)));

  template <int... i>
  static Row low(Row a, Row b, std::integer_sequence<int, i...>) {
    return __builtin_shuffle(a, b, Row{static_cast<T>(i / 2 + i % 2 * kSide)...});
  }
  template <int... i>
  static Row high(Row a, Row b, std::integer_sequence<int, i...>) {
    return __builtin_shuffle(a, b, Row{static_cast<T>(kSide / 2 + i / 2 + i % 2 * kSide)...});
  }

  static void move(const T* x, std::int64_t x_row, T* y, std::int64_t y_row) {
    constexpr auto lanes = std::make_integer_sequence<int, kSide>();
    Row rows[kSide], next[kSide];
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) std::memcpy(&rows[i], x + i * x_row, sizeof(Row));
#pragma GCC unroll 4
    for (int step = 1; step < kSide; step *= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < kSide / 2; ++i) {
        next[2 * i] = low(rows[i], rows[i + kSide / 2], lanes);
        next[2 * i + 1] = high(rows[i], rows[i + kSide / 2], lanes);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kSide; ++i) rows[i] = next[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) std::memcpy(y + i * y_row, &rows[i], sizeof(Row));
  }
};

// A square with a cache line to a side: each line of x is read, and each line of y written, once and whole, whatever
// the strides are.
template <typename T, std::int64_t kSide>
void move_square(const T* x, T* y, std::int64_t x_column, std::int64_t y_row) {
  T lines[kSide][kSide];
  for (std::int64_t j = 0; j < kSide; ++j) std::memcpy(lines[j], x + j * x_column, sizeof lines[j]);
  T turned[kSide][kSide];
  if constexpr (sizeof(T) <= 8) {
    constexpr std::int64_t kPart = Square<T>::kSide;
    for (std::int64_t i = 0; i < kSide; i += kPart)
      for (std::int64_t j = 0; j < kSide; j += kPart) Square<T>::move(&lines[j][i], kSide, &turned[i][j], kSide);
  } else {
    for (std::int64_t i = 0; i < kSide; ++i)
      for (std::int64_t j = 0; j < kSide; ++j) turned[i][j] = lines[j][i];
  }
  for (std::int64_t i = 0; i < kSide; ++i) std::memcpy(y + i * y_row, turned[i], sizeof turned[i]);
}

// Rows that are columns of x, by squares.
template <typename T>
void transpose_plane(const T* x, T* y, std::int64_t rows, std::int64_t columns, std::int64_t x_column,
                     std::int64_t y_row) {
  constexpr std::int64_t kSide = 64 / sizeof(T), kRows = 16 * kSide;
  PolledSteps polled;
  for (std::int64_t i0 = 0; i0 < rows; i0 += kRows) {
    const std::int64_t i1 = std::min(rows, i0 + kRows), whole = i0 + (i1 - i0) / kSide * kSide;
    for (std::int64_t j0 = 0; j0 < columns; j0 += kSide) {
      polled.step();
      const std::int64_t j1 = std::min(columns, j0 + kSide);
      std::int64_t i = i0;
      if (j1 - j0 == kSide)
        for (; i < whole; i += kSide) move_square<T, kSide>(x + i + j0 * x_column, y + i * y_row + j0, x_column, y_row);
      for (; i < i1; ++i)
        for (std::int64_t j = j0; j < j1; ++j) y[i * y_row + j] = x[i + j * x_column];
    }
  }
}

// Moves rows x columns elements; a block at a time, so that both sides stay in the cache.
template <typename T>
void move_plane(const T* x, T* y, std::int64_t rows, std::int64_t columns, std::int64_t x_row, std::int64_t x_column,
                std::int64_t y_row) {
  if constexpr (std::is_trivially_copyable_v<T>)
    if (x_row == 1 && x_column != 1) return transpose_plane(x, y, rows, columns, x_column, y_row);
  if (x_column == 1) {
    in_slices(rows, copy_cost<T> * static_cast<double>(columns) + 1, [&](std::int64_t begin, std::int64_t end) {
      copy_rows(x + begin * x_row, x_row, y + begin * y_row, y_row, end - begin, columns);
    });
    return;
  }
  constexpr std::int64_t kBlock = sizeof(T) <= 8 ? 32 : 16;
  PolledSteps polled;
  for (std::int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    std::int64_t i1 = std::min(rows, i0 + kBlock);
    for (std::int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      polled.step();
      std::int64_t j1 = std::min(columns, j0 + kBlock);
      for (std::int64_t i = i0; i < i1; ++i)
        for (std::int64_t j = j0; j < j1; ++j) y[i * y_row + j] = x[i * x_row + j * x_column];
    }
  }
}

template <typename T>
void move(const KernelContext& c, const T* x, T* y, const Layout& layout) {
  std::size_t rank = layout.sizes.size();
  if (rank == 0) {
    *y = *x;
    return;
  }
  std::size_t last = rank - 1;
  std::int64_t columns = layout.sizes[last], x_column = layout.strides[last];
  // The plane's other dimension is the one that is contiguous in the input, if the last is not.
  std::size_t other = last;
  for (std::size_t i = 0; i < last; ++i)
    if (layout.strides[i] == 1) other = i;
  if (other == last && last > 0) other = last - 1;
  std::int64_t rows = other == last ? 1 : layout.sizes[other];
  std::int64_t x_row = other == last ? 0 : layout.strides[other];
  Dims y_strides(rank, 1);
  for (std::size_t i = last; i > 0; --i) y_strides[i - 1] = y_strides[i] * layout.sizes[i];
  std::int64_t y_row = y_strides[other];
  std::int64_t planes = 1;
  for (std::size_t i = 0; i < last; ++i)
    if (i != other) planes *= layout.sizes[i];
  auto move_rows = [&](std::int64_t plane, std::int64_t begin, std::int64_t end) {
    std::int64_t from = 0, to = 0, rest = plane;
    for (std::size_t i = last; i-- > 0;) {
      if (i == other) continue;
      from += rest % layout.sizes[i] * layout.strides[i];
      to += rest % layout.sizes[i] * y_strides[i];
      rest /= layout.sizes[i];
    }
    move_plane(x + from + begin * x_row, y + to + begin * y_row, end - begin, columns, x_row, x_column, y_row);
  };
  const double cost = std::is_trivially_copyable_v<T> ? 0.1 * sizeof(T) + 0.1 : 20;
  if (planes == 1) {
    // In groups, so that all but the last rows are in squares.
    constexpr std::int64_t kGroup = 64;
    c.parallel_for(
        (rows + kGroup - 1) / kGroup, cost * static_cast<double>(columns * kGroup),
        [&](std::int64_t begin, std::int64_t end) { move_rows(0, begin * kGroup, std::min(rows, end * kGroup)); });
  } else {
    c.parallel_for(planes, cost * static_cast<double>(columns * rows), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) move_rows(p, 0, rows);
    });
  }
}

// The permutation given by an input.
SmallVector<int, 8> read_permutation(const Tensor& perm, int rank) {
  if (perm.rank() != 1) invalid_argument("perm must be rank 1, got shape ", perm.shape().text());
  if (perm.num_elements() != rank)
    invalid_argument("transpose expects a vector of size ", rank, ". But input(1) is a vector of size ",
                     perm.num_elements());
  SmallVector<int, 8> out;
  std::vector<bool> seen(static_cast<std::size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    std::int64_t axis = perm.int_at(i);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) invalid_argument(perm.int_at(i), " is out of range [0 .. ", rank, ")");
    seen[static_cast<std::size_t>(axis)] = true;
    out.push_back(static_cast<int>(axis));
  }
  for (int i = 0; i < rank; ++i)
    if (!seen[static_cast<std::size_t>(i)]) {
      std::string text;
      for (int p : out) text += concat(text.empty() ? "" : ",", p);
      invalid_argument(i, " is missing from {", text, "}.");
    }
  return out;
}

void infer_transpose(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank(1, 1);
  const Tensor* perm = c.value(1);
  int rank = -1;
  if (in.has_rank()) {
    rank = in.rank();
  } else if (c.shape(1).has_rank() && c.shape(1)[0] >= 0) {
    rank = static_cast<int>(c.shape(1)[0]);
  }
  if (rank < 0) return c.set_output(0, Shape::unknown());
  if (c.shape(1).has_rank() && c.shape(1)[0] >= 0 && c.shape(1)[0] != rank)
    invalid_argument("Dimension must be ", rank, " but is ", c.shape(1)[0]);
  Shape out = Shape::of_rank(rank);
  if (perm && in.has_rank()) {
    for (int i = 0; i < rank; ++i) {
      std::int64_t axis = perm->int_at(i);
      if (axis < -rank || axis >= rank) invalid_argument("perm dim ", axis, " is out of range of input rank ", rank);
      out[i] = in[static_cast<int>(axis < 0 ? axis + rank : axis)];
    }
  } else if (rank <= 1 && in.has_rank()) {
    out = in;
  }
  c.set_output(0, std::move(out));
}

bool in_order(std::span<const int> perm) {
  for (std::size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<int>(i)) return false;
  return true;
}

void transpose(KernelContext& c) {
  SmallVector<int, 8> perm = read_permutation(c.input(1), c.input(0).rank());
  std::span<const int> order(perm.data(), perm.size());
  if (in_order(order)) return c.set_output(0, c.take_input(0));
  c.set_output(0, transposed(c, c.input(0), order));
}

template <typename Real>
void conjugate(Tensor& t) {
  Real* parts = t.mutable_data<Real>();
  for (std::int64_t i = 0; i < t.num_elements(); ++i) parts[2 * i + 1] = -parts[2 * i + 1];
}

void check_transpose(const KernelContext& c) { read_permutation(c.input(1), c.input(0).rank()); }

void conjugate_transpose(KernelContext& c) {
  SmallVector<int, 8> perm = read_permutation(c.input(1), c.input(0).rank());
  Tensor& out = c.output(0);
  transpose_into(c, c.input(0), std::span<const int>(perm.data(), perm.size()), out);
  if (out.dtype() == DType::kComplex64) conjugate<float>(out);
  if (out.dtype() == DType::kComplex128) conjugate<double>(out);
}

}  // namespace

void transpose_into(const KernelContext& c, const Tensor& x, std::span<const int> perm, Tensor& out) {
  if (out.num_elements() == 0) return;
  Layout layout(x.shape(), perm);
  with_element(x.dtype(),
               [&]<typename T>(std::type_identity<T>) { move(c, x.data<T>(), out.mutable_data<T>(), layout); });
}

Tensor transposed(const KernelContext& c, const Tensor& x, std::span<const int> perm) {
  Dims dims;
  for (int axis : perm) dims.push_back(x.dim(axis));
  Tensor out(x.dtype(), Shape(std::move(dims)));
  transpose_into(c, x, perm, out);
  return out;
}

void register_transpose(Registry& r) {
  r.add({.name = "Transpose",
         .inputs = {"x: T", "perm: Tperm"},
         .outputs = {"y: T"},
         .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
         .facts = {.cannot_fail = true, .scopes = "transpose", .moves = "T"},
         .doc = "x with its dimensions permuted: dimension i of the result is dimension perm[i] of x.",
         .infer = infer_transpose,
         .kernel = transpose,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("Transpose", {c.dy(0), emit1("InvertPermutation", {c.input(1)})}));
         }});
  r.add({.name = "ConjugateTranspose",
         .inputs = {"x: T", "perm: Tperm"},
         .outputs = {"y: T"},
         .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
         .doc = "The complex conjugate of x with its dimensions permuted, as in Transpose.",
         .infer = infer_transpose,
         .check = check_transpose,
         .kernel = conjugate_transpose,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("ConjugateTranspose", {c.dy(0), emit1("InvertPermutation", {c.input(1)})}));
         }});
}

}  // namespace tracefn
