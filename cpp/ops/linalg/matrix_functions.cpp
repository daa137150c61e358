// Functions of matrices: MatrixSquareRoot, MatrixLogarithm. Computed in double precision by square_root.kernels.h and
// matrix_logarithm.kernels.cpp.
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/linalg/matrix_ops.h"
#include "ops/linalg/matrix_shapes.h"
#include "ops/linalg/wide_matrices.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

template <auto function>
void apply(KernelContext& c) {
  const Shape& shape = c.input(0).shape();
  const std::int64_t n = rows_of(shape);
  if (c.output(0).num_elements() == 0) return;
  const Tensor a = in_double(c.input(0));
  Tensor x = double_output(c.output(0));
  for_each_matrix(c, batch_of(shape).num_elements(), 60 * cubed(n), [&](std::int64_t i) {
    KeepSubnormals keep;
    (decompositions(a.dtype()).*function)(matrix_at(a, i, n * n), matrix_at(x, i, n * n), n);
  });
  round_doubles(x, c.output(0));
}

// The Kronecker product of batches of square matrices of one size.
Operand kronecker(const Operand& a, const Operand& b, const Operand& batch, const Operand& n) {
  auto one = build::scalar(DType::kInt32, 1), none = build::scalar(DType::kInt32, 0);
  auto shape = [&](std::initializer_list<Operand> sizes) {
    SmallVector<Operand, 4> parts;
    for (const Operand& size : sizes) parts.push_back(size);
    Operand inner = emit_all("Pack", std::span<const Operand>(parts.data(), parts.size()))[0];
    return emit1("ConcatV2", {batch, inner, none});
  };
  Operand square = n * n;
  Operand product = build::reshape(a, shape({n, one, n, one})) * build::reshape(b, shape({one, n, one, n}));
  return build::reshape(product, shape({square, square}));
}

// From A = R R: dA = R dR + dR R, a linear equation for the elements of dR.
void grad_square_root(GradContext& c) {
  const Operand& r = c.output(0);
  auto part = [](const Operand& shape, int begin, int end, int begin_mask, int shrink) {
    return emit1("StridedSlice", {shape, build::ints({begin}), build::ints({end}), build::ints({1})},
                 {{"begin_mask", begin_mask}, {"shrink_axis_mask", shrink}});
  };
  Operand shape = build::shape_of(r);
  Operand batch = part(shape, 0, -2, 1, 0), n = part(shape, -1, 0, 0, 1);
  Operand identity = matrix::identity_like(r);
  Operand equations = kronecker(identity, matrix::transpose(r), batch, n) + kronecker(r, identity, batch, n);
  Operand column = emit1(
      "ConcatV2", {batch, emit1("Pack", {n * n, build::scalar(DType::kInt32, 1)}), build::scalar(DType::kInt32, 0)});
  Operand right = build::reshape(matrix::transpose(c.dy(0)), column);
  c.to_input(0, matrix::transpose(build::reshape(emit1("MatrixSolve", {equations, right}), shape)));
}

}  // namespace

void register_matrix_functions(Registry& r) {
  r.add({.name = "MatrixSquareRoot",
         .python = "linalg.sqrtm(input)",
         .aliases = {"matrix_square_root"},
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {double, float, half, complex64, complex128}"},
         .doc =
             "The square root of each matrix in a tensor [..., n, n]: output @ output = input.\n\nReal matrices must "
             "have a real root: no negative eigenvalues. The method is A. Bjorck, S. Hammarling, \"A Schur method "
             "for the square root of a matrix\" (1983).",
         .infer = infer_square,
         .check = check_square,
         .kernel = apply<&DecompositionKernels::square_root>,
         .grad = grad_square_root});
  r.add({.name = "MatrixLogarithm",
         .python = "linalg.logm(input)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {complex64, complex128}"},
         .doc = "The principal logarithm of each complex matrix in a tensor [..., n, n]: the inverse of "
                "tf.linalg.expm.\n\nThe method is N. J. Higham, \"Functions of Matrices\" (2008), chapter 11.",
         .infer = infer_square,
         .check = check_square,
         .kernel = apply<&DecompositionKernels::logarithm>,
         .grad = without_gradient});
}

}  // namespace tracefn
