// SparseDenseCwiseAdd, Mul and Div: the values of a sparse tensor combined with a dense one, broadcast to its shape.
#include <algorithm>

#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void check_cwise(const KernelContext& c) {
  const SparseParts s(c, 0);
  const Tensor& dense = c.input(3);
  if (s.indices.rank() != 2)
    invalid_argument("Input sp_indices should be a matrix but received shape: ", s.indices.shape().text());
  if (s.values.rank() != 1 || s.shape.rank() != 1)
    invalid_argument("Inputs sp_values and sp_shape should be vectors but received shapes: ", s.values.shape().text(),
                     " and ", s.shape.shape().text());
  if (s.values.dim(0) != s.size())
    invalid_argument("The first dimension of values and indices should match. (", s.values.dim(0), " vs. ", s.size(),
                     ")");
  if (s.shape.dim(0) != s.rank())
    invalid_argument("Number of dimensions must match second dimension of indices. Got ", s.shape.dim(0),
                     " dimensions, indices shape: ", s.indices.shape().text());
  require_sizes(s.sizes());
  const int more = static_cast<int>(s.rank()) - dense.rank();
  bool fits = more >= 0;
  for (int d = 0; fits && d < dense.rank(); ++d)
    fits = dense.dim(d) == 1 || dense.dim(d) == s.sizes()[static_cast<std::size_t>(d + more)];
  if (!fits)
    invalid_argument("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
                     dims_text(s.sizes()), " vs. ", dense.shape().text());
}

// The element of the dense tensor for each place; checks the places.
std::vector<std::int64_t> dense_elements(const SparseParts& s, const Tensor& dense) {
  const std::int64_t more = s.rank() - dense.rank();
  std::vector<std::int64_t> steps(static_cast<std::size_t>(s.rank()), 0);
  std::int64_t step = 1;
  for (int d = dense.rank(); d-- > 0; step *= dense.dim(d))
    if (dense.dim(d) != 1) steps[static_cast<std::size_t>(d + more)] = step;
  std::vector<std::int64_t> found(static_cast<std::size_t>(s.size()));
  in_slices(s.size(), kPlaceCost * static_cast<double>(s.rank()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < steps.size(); ++d) {
        const std::int64_t k = s.place(i)[d];
        if (k < 0 || k >= s.sizes()[d])
          invalid_argument("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
        at += k * steps[d];
      }
      found[static_cast<std::size_t>(i)] = at;
    }
  });
  return found;
}

enum class Cwise { kAdd, kMul, kDiv };

template <Cwise how, typename T>
T combined(T x, T y) {
  if constexpr (how == Cwise::kAdd) return add_elements(x, y);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    if constexpr (how == Cwise::kMul)  // in 64 bits: no product of smaller numbers overflows an int on the way
      return static_cast<T>(static_cast<std::uint64_t>(static_cast<U>(x)) * static_cast<U>(y));
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return static_cast<T>(U(0) - static_cast<U>(x));
    return static_cast<T>(x / y);
  } else if constexpr (how == Cwise::kMul) {
    return static_cast<T>(compute_value(x) * compute_value(y));
  } else {
    return static_cast<T>(compute_value(x) / compute_value(y));
  }
}

template <Cwise how>
void cwise(KernelContext& c) {
  const SparseParts s(c, 0);
  const Tensor& dense = c.input(3);
  if (is_complex(dense.dtype())) no_kernel();
  const std::vector<std::int64_t> elements = dense_elements(s, dense);
  with_number(dense.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T *x = s.values.data<T>(), *y = dense.data<T>();
    T* to = c.output(0).mutable_data<T>();
    if constexpr (how == Cwise::kDiv && std::is_integral_v<T>)
      if (std::ranges::any_of(elements, [&](std::int64_t at) { return y[at] == 0; }))
        invalid_argument("SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ");
    in_slices(s.size(), 3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = combined<how>(x[i], y[elements[static_cast<std::size_t>(i)]]);
    });
  });
}

// The places in the dense tensor, and its elements there.
struct DenseSide {
  Operand places, elements, shape;

  explicit DenseSide(const GradContext& c) {
    const Operand &indices = c.input(0), &sizes = c.input(2), &dense = c.input(3);
    shape = build::cast(build::shape_of(dense), DType::kInt64);
    const Operand size_of_sizes = emit1("Size", {sizes}), size_of_shape = emit1("Size", {shape});
    const Operand more = build::reshape(size_of_sizes - size_of_shape, build::ints({1}));
    const Operand axis = build::scalar(DType::kInt32, 0);
    const Operand parts[] = {emit1("Fill", {more, build::scalar(DType::kInt64, 1)}), shape, axis};
    const Operand ratio = emit1("FloorDiv", {sizes, emit_all("ConcatV2", parts)[0]});
    const Operand starts[] = {build::ints({0}), more, axis};
    places =
        emit1("Slice", {emit1("FloorDiv", {indices, ratio}), emit_all("ConcatV2", starts)[0], build::ints({-1, -1})});
    elements = emit1("GatherNd", {dense, places});
  }
  // Places may be repeated: broadcast elements take several values.
  Operand sum(const GradContext& c, const Operand& values) const {
    return emit1("SparseTensorDenseAdd", {places, values, shape, build::zeros_like(c.input(3))});
  }
};

void grad_mul(GradContext& c) {
  const DenseSide dense(c);
  c.to_input(1, c.dy(0) * dense.elements);
  c.to_input(3, dense.sum(c, c.dy(0) * c.input(1)));
}

void grad_div(GradContext& c) {
  const DenseSide dense(c);
  c.to_input(1, c.dy(0) / dense.elements);
  c.to_input(3, dense.sum(c, c.dy(0) * (-c.input(1) / emit1("Square", {dense.elements}))));
}

[[noreturn]] void grad_add(GradContext&) {
  fail(ErrorKind::kNotImplemented, "Gradient for SparseDenseCwiseAdd is not implemented.");
}

OpRecord cwise_record(std::string_view name, std::string_view doc, KernelFn kernel, GradFn grad) {
  return {.name = name,
          .inputs = {"sp_indices: int64", "sp_values: T", "sp_shape: int64", "dense: T"},
          .outputs = {"output: T"},
          .attrs = {"T: " TRACEFN_NUMBERS},
          .doc = doc,
          .infer =
              [](InferContext& c) {
                c.require_rank(0, 2);
                c.set_output(0, Shape({dim_of(c.shape(0), 0)}));
              },
          .check = check_cwise,
          .kernel = kernel,
          .grad = grad};
}

}  // namespace

void register_sparse_cwise(Registry& r) {
  r.add(cwise_record("SparseDenseCwiseAdd",
                     "The values of a sparse tensor plus the elements of a dense one at their places. The dense tensor "
                     "is broadcast to the sparse one's shape.",
                     cwise<Cwise::kAdd>, grad_add));
  r.add(
      cwise_record("SparseDenseCwiseMul",
                   "The values of a sparse tensor times the elements of a dense one at their places. The dense tensor "
                   "is broadcast to the sparse one's shape.",
                   cwise<Cwise::kMul>, grad_mul));
  r.add(cwise_record("SparseDenseCwiseDiv",
                     "The values of a sparse tensor divided by the elements of a dense one at their places. The dense "
                     "tensor is broadcast to the sparse one's shape. Integers round towards zero.",
                     cwise<Cwise::kDiv>, grad_div));
}

}  // namespace tracefn
