// MatMul and BatchMatMulV2: checks, batch broadcasting and sharding. Products of floating-point numbers are in gemm/,
// the others in matmul.kernels.cpp.
#include <complex>

#include "base/poll.h"
#include "ir/graph.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/linalg/gemm/product_result.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/linalg/product_elements.h"
#include "ops/no_kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_matmul(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  auto dim = [&](std::size_t i, int axis) { return dim_of(c.shape(i), axis); };
  bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  require_equal(dim(0, ta ? 0 : 1), dim(1, tb ? 1 : 0));
  c.set_output(0, Shape({dim(0, ta ? 1 : 0), dim(1, tb ? 0 : 1)}));
}

// Broadcasting with the words of TensorFlow's shape rules.
Shape broadcast_batches(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i)
    if (a[a.rank() - i] != 1 && b[b.rank() - i] != 1) require_equal(a[a.rank() - i], b[b.rank() - i]);
  return broadcast(a, b);
}

void infer_batch_matmul(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  const Shape& a = c.shape(0);
  const Shape& b = c.shape(1);
  if (!a.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  bool ta = c.attr("adj_x").b(), tb = c.attr("adj_y").b();
  require_equal(a[a.rank() - (ta ? 2 : 1)], b[b.rank() - (tb ? 1 : 2)]);
  std::int64_t m = a[a.rank() - (ta ? 1 : 2)], n = b[b.rank() - (tb ? 2 : 1)];
  Shape out;
  if (a.rank() > 2 || b.rank() > 2) out = broadcast_batches(batch_of(a), batch_of(b));
  out.push_back(m);
  out.push_back(n);
  c.set_output(0, std::move(out));
}

template <typename Real>
Tensor conjugated(const Tensor& x) {
  Tensor out(x.dtype(), x.shape());
  const Real* from = x.data<Real>();
  Real* to = out.mutable_data<Real>();
  in_slices(x.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      to[2 * i] = from[2 * i];
      to[2 * i + 1] = -from[2 * i + 1];
    }
  });
  return out;
}

// The operand of a product of floating-point numbers: `transposed` for one whose rows are the matrix's columns.
GemmOperand operand(const Tensor& t, std::int64_t index, std::int64_t rows, std::int64_t steps, bool transposed) {
  const char* data =
      static_cast<const char*>(t.raw()) + index * rows * steps * static_cast<std::int64_t>(size_of(t.dtype()));
  return {.matrix = {data, transposed ? 1 : steps, transposed ? rows : 1}};
}

// Whether the products of all batches are one: those of A, one after the other, with the same B.
bool is_one_product(const SmallVector<std::int64_t, 4>& offsets_a, const SmallVector<std::int64_t, 4>& offsets_b) {
  for (std::size_t i = 0; i < offsets_a.size(); ++i)
    if (offsets_a[i] != static_cast<std::int64_t>(i) || offsets_b[i] != 0) return false;
  return true;
}

// The sizes of a product, and which operands are transposed.
struct ProductSizes {
  std::int64_t m, n, k;
  bool ta, tb;
};

// So many multiply-adds are done on one thread without further ado.
constexpr std::int64_t kShort = 1 << 19;

bool is_short(const ProductSizes& s) { return s.m * s.n > 0 && s.k > 0 && s.m <= kShort / s.n / s.k; }

// One product, on this thread. Precondition: it is short, and the dtype's products can be computed in place.
struct ShortProduct {
  DType dtype;
  ProductSizes sizes;
  bool in_place;  // else the sums have another order

  ShortProduct(DType d, const ProductSizes& s) : dtype(d), sizes(s) {
    const auto [left, right] = operands(nullptr, nullptr);
    in_place = s.m > 1 && s.n > 1 && !is_rows_by_rows(left, right, s.m, s.n, s.k);
  }
  std::pair<GemmMatrix, GemmMatrix> operands(const void* a, const void* b) const {
    const ProductSizes& s = sizes;
    return {{a, s.ta ? 1 : s.k, s.ta ? s.m : 1}, {b, s.tb ? s.k : 1, s.tb ? 1 : s.n}};
  }
  void run(const GemmKernel& kernel, const void* a, const void* b, void* to) const {
    const auto [left, right] = operands(a, b);
    const ProductSizes& s = sizes;
    if (in_place) return kernel.direct({left, right, to, s.n, s.m, s.n, s.k, false});
    gemm({.dtype = dtype, .m = s.m, .n = s.n, .k = s.k, .a = {left}, .b = {right}, .c = to, .ldc = s.n}, nullptr);
  }
};

// Many short products, each on one thread.
void multiply_each(KernelContext& c, const Tensor& a, const Tensor& b, const ShortProduct& product,
                   const SmallVector<std::int64_t, 4>& offsets_a, const SmallVector<std::int64_t, 4>& offsets_b) {
  const ProductSizes& s = product.sizes;
  const GemmKernel& kernel = kernel_table().gemm.of[slot(a.dtype())];
  ProductResult result(c, c.output(0));
  const auto size = static_cast<std::int64_t>(size_of(a.dtype()));
  const auto *from_a = static_cast<const char*>(a.raw()), *from_b = static_cast<const char*>(b.raw());
  auto* to = static_cast<char*>(result.sums(0));
  const auto batches = static_cast<std::int64_t>(offsets_a.size());
  constexpr double kStart = 20, kMultiplyAdd = 0.04;  // nanoseconds
  c.parallel_for(batches, kStart + kMultiplyAdd * static_cast<double>(s.m * s.n * s.k),
                 [&](std::int64_t begin, std::int64_t end) {
                   PolledSteps polled;
                   for (std::int64_t i = begin; i < end; ++i, polled.step()) {
                     const auto at = static_cast<std::size_t>(i);
                     product.run(kernel, from_a + offsets_a[at] * s.m * s.k * size,
                                 from_b + offsets_b[at] * s.n * s.k * size, to + i * s.m * s.n * size);
                     result.finish(i * s.m * s.n, s.m, s.n, s.n);
                   }
                 });
}

void multiply_floating(KernelContext& c, const Tensor& a, const Tensor& b, const ProductSizes& s) {
  const Shape& shape = c.output(0).shape();
  auto offsets_a = batch_offsets(a.shape(), shape), offsets_b = batch_offsets(b.shape(), shape);
  auto batches = static_cast<std::int64_t>(offsets_a.size());
  const bool one = !s.ta && is_one_product(offsets_a, offsets_b);
  if (batches > 1 && !one && is_short(s) && kernel_table().gemm.of[slot(a.dtype())].direct)
    return multiply_each(c, a, b, ShortProduct(a.dtype(), s), offsets_a, offsets_b);
  ProductResult result(c, c.output(0));
  std::int64_t m = s.m;
  if (one) {
    m *= batches;
    batches = 1;
  }
  auto product = [&](std::int64_t batch) {
    auto i = static_cast<std::size_t>(batch);
    return Gemm{.dtype = a.dtype(),
                .m = m,
                .n = s.n,
                .k = s.k,
                .a = operand(a, offsets_a[i], m, s.k, s.ta),
                .b = operand(b, offsets_b[i], s.n, s.k, !s.tb)};
  };
  auto run = [&](std::int64_t batch, ShardRunner* shards) {
    Gemm g = product(batch);
    const ProductPart part{result, batch * m * s.n, s.n};
    part.set(g);
    gemm(g, shards);
  };
  // Long products are shared out themselves.
  constexpr double kLong = 1e6;
  const double cost = gemm_cost(product(0));
  if (batches == 1 || cost > kLong) {
    for (std::int64_t i = 0; i < batches; ++i) run(i, c.shards_);
  } else {
    c.parallel_for(batches, cost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) run(i, nullptr);
    });
  }
}

// A product is sharded into pieces of about this many nanoseconds and at least this many rows or columns, a multiple of
// the kernels' tile; and at most this many pieces.
constexpr double kPieceCost = 50'000, kCostOfMultiplyAdd = 0.02;
constexpr std::int64_t kLeastLength = 64, kStepOfLength = 32, kMostPieces = 16;

void multiply_others(KernelContext& c, const Tensor& a, const Tensor& b, const ProductSizes& s) {
  Tensor& out = c.output(0);
  MatMulKernel kernel = kernel_table().array.matmul[slot(a.dtype())];
  if (!kernel) no_kernel();
  auto offsets_a = batch_offsets(a.shape(), out.shape()), offsets_b = batch_offsets(b.shape(), out.shape());
  auto size = static_cast<std::int64_t>(size_of(a.dtype()));
  auto* pa = static_cast<const char*>(a.raw());
  auto* pb = static_cast<const char*>(b.raw());
  auto* pc = static_cast<char*>(out.mutable_raw());
  double cost = kCostOfMultiplyAdd * static_cast<double>(s.k) * static_cast<double>(s.m) * static_cast<double>(s.n);
  // A piece of the result: rows of one batch, or columns.
  auto piece = [&](std::int64_t batch, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    auto at = static_cast<std::size_t>(batch);
    require_done(kernel(pa + (offsets_a[at] * s.m * s.k + row * (s.ta ? 1 : s.k)) * size,
                        pb + (offsets_b[at] * s.k * s.n + column * (s.tb ? s.k : 1)) * size,
                        pc + ((batch * s.m + row) * s.n + column) * size, rows, s.k, columns, s.ta ? s.m : s.k,
                        s.tb ? s.k : s.n, s.n, (s.ta ? 1 : 0) | (s.tb ? 2 : 0), poll_stops));
  };
  auto batches = static_cast<std::int64_t>(offsets_a.size());
  if (batches == 1) {
    // The kernel packs both operands again for each piece: few pieces, along the longer side.
    bool by_columns = s.n >= s.m;
    std::int64_t length = by_columns ? s.n : s.m;
    auto most = static_cast<std::int64_t>(cost / kPieceCost);
    most = std::clamp<std::int64_t>(most, 1, kMostPieces);
    std::int64_t step = std::max((length + most - 1) / most, kLeastLength);
    step = (step + kStepOfLength - 1) / kStepOfLength * kStepOfLength;
    std::int64_t pieces = (length + step - 1) / step;
    c.parallel_for(pieces, cost / static_cast<double>(pieces), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::int64_t from = i * step, count = std::min(step, length - from);
        by_columns ? piece(0, 0, s.m, from, count) : piece(0, from, count, 0, s.n);
      }
    });
  } else {
    c.parallel_for(batches, cost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) piece(i, 0, s.m, 0, s.n);
    });
  }
}

// Output 0 = product of the batches of a and b, whose last two dimensions are matrices. Shapes have been checked.
void multiply(KernelContext& c, const Tensor& a, const Tensor& b, bool ta, bool tb) {
  Tensor& out = c.output(0);
  const Shape& shape = out.shape();
  if (out.num_elements() == 0) return;
  const ProductSizes sizes{shape[shape.rank() - 2], shape[shape.rank() - 1], a.dim(a.rank() - (ta ? 2 : 1)), ta, tb};
  if (sizes.k == 0) return out.fill_zeros();
  if (!kernel_table().gemm.of[slot(a.dtype())].block) return multiply_others(c, a, b, sizes);
  // Small operands of 16 bits are widened at once, and the products read them in place; larger ones when they are
  // packed.
  constexpr std::int64_t kSmall = 1 << 18;
  if (a.num_elements() + b.num_elements() <= kSmall) return multiply_floating(c, as_float(a), as_float(b), sizes);
  multiply_floating(c, a, b, sizes);
}

// The product of two matrices on this thread alone, if that is everything.
bool multiply_at_once(KernelContext& c, const Tensor& a, const Tensor& b, bool ta, bool tb) {
  const std::int64_t m = a.dim(ta ? 1 : 0), k = a.dim(ta ? 0 : 1), n = b.dim(tb ? 0 : 1);
  const GemmKernel& kernel = kernel_table().gemm.of[slot(a.dtype())];
  const ProductSizes sizes{m, n, k, ta, tb};
  if (!kernel.direct || !is_short(sizes)) return false;
  ProductResult result(c, c.output(0));
  ShortProduct(a.dtype(), sizes).run(kernel, a.raw(), b.raw(), result.sums(0));
  result.finish(0, m, n, n);
  return true;
}

void check_matmul(const KernelContext& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  if (a.rank() != b.rank())
    invalid_argument("In[0] and In[1] has different ndims: ", a.shape().text(), " vs. ", b.shape().text());
  if (a.rank() != 2) invalid_argument("In[0] and In[1] ndims must be == 2: ", a.rank());
  if (a.dim(ta ? 0 : 1) != b.dim(tb ? 1 : 0))
    invalid_argument("Matrix size-incompatible: In[0]: ", a.shape().text(), ", In[1]: ", b.shape().text());
}

void matmul(KernelContext& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  if (!multiply_at_once(c, a, b, ta, tb)) multiply(c, a, b, ta, tb);
}

void check_batch_matmul(const KernelContext& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  bool ta = c.attr("adj_x").b(), tb = c.attr("adj_y").b();
  for (std::size_t i = 0; i < 2; ++i)
    if (c.input(i).rank() < 2) invalid_argument("In[", i, "] ndims must be >= 2: ", c.input(i).rank());
  try {
    if (a.rank() > 2 || b.rank() > 2) broadcast(batch_of(a.shape()), batch_of(b.shape()));
  } catch (const Error&) {
    invalid_argument("In[0] and In[1] must have compatible batch dimensions: ", a.shape().text(), " vs. ",
                     b.shape().text());
  }
  if (a.dim(a.rank() - (ta ? 2 : 1)) != b.dim(b.rank() - (tb ? 1 : 2)))
    invalid_argument("Matrix size-incompatible: In[0]: ", a.shape().text(), ", In[1]: ", b.shape().text());
}

void batch_matmul(KernelContext& c) {
  Tensor a = c.input(0), b = c.input(1);
  bool ta = c.attr("adj_x").b(), tb = c.attr("adj_y").b();
  for (auto [t, adjoint] : {std::pair(&a, ta), std::pair(&b, tb)}) {
    if (adjoint) *t = conjugate(*t);
  }
  multiply(c, a, b, ta, tb);
}

// With A' and B' for op(A) and op(B): dA' = dy B'^H, dB' = A'^H dy. Each case is one product.
void grad_matmul(GradContext& c) {
  bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  Operand a = build::conj(c.input(0)), b = build::conj(c.input(1)), dy = c.dy(0);
  auto product = [](const Operand& x, const Operand& y, bool tx, bool ty, std::string_view role) {
    return emit1("MatMul", {x, y}, {{"transpose_a", tx}, {"transpose_b", ty}, {role, true}});
  };
  if (c.wanted(0)) c.to_input(0, ta ? product(b, dy, tb, true, "grad_a") : product(dy, b, false, !tb, "grad_a"));
  if (c.wanted(1)) c.to_input(1, tb ? product(dy, a, true, ta, "grad_b") : product(a, dy, !ta, false, "grad_b"));
}

void grad_batch_matmul(GradContext& c) {
  bool ta = c.attr("adj_x").b(), tb = c.attr("adj_y").b();
  Operand a = c.input(0), b = c.input(1), dy = c.dy(0);
  auto product = [](const Operand& x, const Operand& y, bool tx, bool ty) {
    return emit1("BatchMatMulV2", {x, y}, {{"adj_x", tx}, {"adj_y", ty}});
  };
  if (c.wanted(0)) {
    Operand da = ta ? product(b, dy, tb, true) : product(dy, b, false, !tb);
    c.to_input(0, unbroadcast_batch(da, a, b));
  }
  if (c.wanted(1)) {
    Operand db = tb ? product(dy, a, true, ta) : product(a, dy, !ta, false);
    c.to_input(1, unbroadcast_batch(db, b, a));
  }
}

}  // namespace

Tensor conjugate(const Tensor& x) {
  if (x.dtype() == DType::kComplex64) return conjugated<float>(x);
  return x.dtype() == DType::kComplex128 ? conjugated<double>(x) : x;
}

SmallVector<std::int64_t, 4> batch_offsets(const Shape& operand, const Shape& out) {
  int rank = out.rank() - 2, missing = out.rank() - operand.rank();
  Dims strides(static_cast<std::size_t>(rank), 0);
  std::int64_t step = 1, batches = 1;
  for (int i = rank - 1; i >= 0; --i) {
    batches *= out[i];
    if (i < missing) continue;
    if (operand[i - missing] != 1) strides[static_cast<std::size_t>(i)] = step;
    step *= operand[i - missing];
  }
  SmallVector<std::int64_t, 4> offsets(static_cast<std::size_t>(batches), 0);
  for (std::int64_t k = 0; k < batches; ++k) {
    std::int64_t rest = k;
    for (int i = rank - 1; i >= 0; --i) {
      offsets[static_cast<std::size_t>(k)] += rest % out[i] * strides[static_cast<std::size_t>(i)];
      rest /= out[i];
    }
  }
  return offsets;
}

Operand unbroadcast_batch(const Operand& gradient, const Operand& x, const Operand& other) {
  const Shape& a = x.shape();
  const Shape& b = other.shape();
  if (a.has_rank() && b.has_rank()) {
    if (batch_of(a).is_fully_known() && batch_of(a) == batch_of(b)) return gradient;
    if (a.rank() == 2 && b.rank() == 2) return gradient;
  }
  Operand shape = build::shape_of(x);
  auto batch_shape = [](const Operand& s) {
    return emit1("StridedSlice", {s, build::ints({0}), build::ints({-2}), build::ints({1})}, {{"begin_mask", 1}});
  };
  Operand args[] = {batch_shape(shape), batch_shape(build::shape_of(other))};
  Operands axes = emit_all("BroadcastGradientArgs", args);
  return build::reshape(build::sum(gradient, axes[0]), shape);
}

void register_matmul(Registry& r) {
  r.add({.name = "MatMul",
         .inputs = {"a: T", "b: T"},
         .outputs = {"product: T"},
         .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
                   "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, "
                   "complex128}",
                   "grad_a: bool = false", "grad_b: bool = false"},
         .facts = {.cannot_fail = true,
                   .contracts = true,
                   .finishes = true,
                   .scopes = "MatMul",
                   .elements =
                       [](ElementsContext& c) {
                         return product_elements(c, c.node.attr("transpose_a").b(), c.node.attr("transpose_b").b());
                       }},
         .doc = "The product of two matrices, each optionally transposed first.",
         .infer = infer_matmul,
         .check = check_matmul,
         .kernel = matmul,
         .grad = grad_matmul});
  r.add({.name = "BatchMatMulV2",
         .inputs = {"x: T", "y: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
                   "complex128}",
                   "adj_x: bool = false", "adj_y: bool = false", "grad_x: bool = false", "grad_y: bool = false"},
         .facts = {.cannot_fail = true,
                   .contracts = true,
                   .finishes = true,
                   .scopes = "MatMul",
                   .elements =
                       [](ElementsContext& c) {
                         return product_elements(c, c.node.attr("adj_x").b(), c.node.attr("adj_y").b());
                       }},
         .doc = "The matrix products of x and y over their last two dimensions. The other dimensions are batch "
                "dimensions and are broadcast together.\n\nadj_x and adj_y take the adjoint of the matrices first.",
         .infer = infer_batch_matmul,
         .check = check_batch_matmul,
         .kernel = batch_matmul,
         .grad = grad_batch_matmul});
}

}  // namespace tracefn
