// SparseMatMul: the product of two dense matrices that may hold many zeros, as float.
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/linalg/gemm/gemm.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"

namespace tracefn {
namespace {

void check_product(const KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (a.rank() != 2) invalid_argument("a is not a matrix");
  if (b.rank() != 2) invalid_argument("b is not a matrix");
  if (a.dim(c.attr("transpose_a").b() ? 0 : 1) != b.dim(c.attr("transpose_b").b() ? 1 : 0))
    invalid_argument("Matrix size incompatible: a: ", a.shape().text(), ", b: ", b.shape().text());
}

// Zeros are multiplied like other numbers: dense products are fast.
void dense_product(KernelContext& c) {
  const bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  const Tensor a = as_float(c.input(0)), b = as_float(c.input(1));
  Tensor& out = c.output(0);
  const std::int64_t m = out.dim(0), n = out.dim(1), k = a.dim(ta ? 0 : 1);
  if (out.num_elements() == 0) return;
  if (k == 0) return out.fill_zeros();
  const GemmMatrix left{a.raw(), ta ? 1 : k, ta ? m : 1}, right{b.raw(), tb ? k : 1, tb ? 1 : n};
  gemm({.dtype = DType::kFloat, .m = m, .n = n, .k = k, .a = {left}, .b = {right}, .c = out.mutable_raw(), .ldc = n},
       c.shards_);
}

void infer_dense_product(InferContext& c) {
  const bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  auto dim = [&](std::size_t i, int axis) { return c.shape(i).has_rank() ? c.shape(i)[axis] : kUnknownDim; };
  if (!c.running()) require_equal(dim(0, ta ? 0 : 1), dim(1, tb ? 1 : 0));
  c.set_output(0, Shape({dim(0, ta ? 1 : 0), dim(1, tb ? 0 : 1)}));
}

void grad_dense_product(GradContext& c) {
  const bool ta = c.attr("transpose_a").b(), tb = c.attr("transpose_b").b();
  const Operand a = build::cast(c.input(0), DType::kFloat), b = build::cast(c.input(1), DType::kFloat);
  auto multiply = [&](const Operand& x, const Operand& y, bool tx, bool ty, std::size_t i) {
    c.to_input(i, build::cast(emit1("MatMul", {x, y}, {{"transpose_a", tx}, {"transpose_b", ty}}), c.input(i).dtype()));
  };
  const Operand dy = c.dy(0);
  ta ? multiply(b, dy, tb, true, 0) : multiply(dy, b, false, !tb, 0);
  tb ? multiply(dy, a, true, ta, 1) : multiply(a, dy, !ta, false, 1);
}

}  // namespace

void register_dense_product(Registry& r) {
  r.add({.name = "SparseMatMul",
         .inputs = {"a: Ta", "b: Tb"},
         .outputs = {"product: float"},
         .attrs = {"transpose_a: bool = false", "transpose_b: bool = false", "a_is_sparse: bool = false",
                   "b_is_sparse: bool = false", "Ta: {float, bfloat16} = DT_FLOAT", "Tb: {float, bfloat16} = DT_FLOAT"},
         .doc = "The product of two dense matrices. That one has many zeros is a hint without effect.",
         .infer = infer_dense_product,
         .check = check_product,
         .kernel = dense_product,
         .grad = grad_dense_product});
}

}  // namespace tracefn
