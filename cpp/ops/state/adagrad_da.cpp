// ResourceApplyAdagradDA, ResourceSparseApplyAdagradDA: Adagrad by dual averaging (J. Duchi, E. Hazan and Y. Singer,
// "Adaptive subgradient methods for online learning and stochastic optimization", 2011). With the sums g of gradients
// and gg of their squares at step T: var = -sign(g) lr max(|g| - l1 T, 0) / (l2 T lr + sqrt(gg)).
#include <algorithm>
#include <array>
#include <cmath>

#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/type_sets.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Inputs: var, gradient_accumulator, gradient_squared_accumulator, grad, [indices,] lr, l1, l2, global_step.
template <bool kSparse>
constexpr std::size_t kFirstNumber = kSparse ? 5 : 4;

template <bool kSparse>
void infer_rows(InferContext& c) {
  Shape shape = handle_info(c, 0).shape;
  for (std::size_t i = 1; i < 3; ++i) shape = merge(shape, handle_info(c, i).shape);
  for (std::size_t i = kFirstNumber<kSparse>; i < kFirstNumber<kSparse> + 4; ++i) c.require_rank(i, 0);
  if constexpr (kSparse) {
    c.require_rank(4, 1);
  } else {
    merge(shape, c.shape(3));
  }
}

void check_rows(const Shape& var, const Tensor& grad, const Tensor& indices) {
  if (var.rank() < 1) invalid_argument("var must be at least 1 dimensional");
  if (indices.rank() != 1) invalid_argument("indices must be one-dimensional");
  if (grad.rank() != var.rank())
    invalid_argument("var and grad must have the same number of dimensions: ", var.text(), " vs. ",
                     grad.shape().text());
  for (int d = 1; d < var.rank(); ++d)
    if (var[d] != grad.dim(d)) invalid_argument("var and grad must match in dimension ", d);
  if (grad.dim(0) != indices.dim(0)) invalid_argument("grad must be the same size as indices in the first dimension.");
  for (std::int64_t i = 0; i < indices.dim(0); ++i)
    if (indices.int_at(i) < 0 || indices.int_at(i) >= var[0])
      invalid_argument("Index ", indices.int_at(i), " at offset ", i, " in indices is out of range");
}

template <bool kSparse>
void step(KernelContext& c) {
  const Tensor& grad = c.input(3);
  std::array<VariableResource*, 3> variables{};
  for (std::size_t i = 0; i < 3; ++i) {
    variables[i] = &variable_input(c, i);
    if (variables[i]->dtype() != grad.dtype()) invalid_argument("DType of variable handle and value does not match.");
  }
  if (grad.dtype() != DType::kFloat && grad.dtype() != DType::kDouble) no_kernel();
  constexpr std::size_t first = kFirstNumber<kSparse>;
  for (std::size_t i = first; i < first + 4; ++i)
    if (c.input(i).rank() != 0)
      invalid_argument(c.op().signature.inputs[i].name, " is not a scalar: ", c.input(i).shape().text());
  VariableResource::update_together({variables.data(), 3}, [&](std::span<Tensor* const> values) {
    const Shape& shape = values[0]->shape();
    for (std::size_t i = 1; i < 3; ++i)
      if (!(values[i]->shape() == shape))
        invalid_argument("var and ", c.op().signature.inputs[i].name, " do not have the same shape", shape.text(), " ",
                         values[i]->shape().text());
    if constexpr (kSparse) {
      check_rows(shape, grad, c.input(4));
    } else if (!(grad.shape() == shape)) {
      invalid_argument("var and grad do not have the same shape", shape.text(), " ", grad.shape().text());
    }
    auto run = [&]<typename T>(std::type_identity<T>) {
      const T lr = c.input(first).item<T>(), l1 = c.input(first + 1).item<T>(), l2 = c.input(first + 2).item<T>();
      const T steps = static_cast<T>(c.input(first + 3).item<std::int64_t>());
      T *x = values[0]->mutable_data<T>(), *sums = values[1]->mutable_data<T>(),
        *squares = values[2]->mutable_data<T>();
      auto update = [&](std::int64_t at, T g) {
        sums[at] += g;
        squares[at] += g * g;
        const T size = l1 > 0 ? std::max(std::abs(sums[at]) - l1 * steps, T(0)) : std::abs(sums[at]);
        const T down = lr * (sums[at] > 0 ? -size : size);
        x[at] = down / (l2 * steps * lr + std::sqrt(squares[at]));
      };
      const T* g = grad.data<T>();
      if constexpr (kSparse) {
        const std::int64_t rows = grad.dim(0), columns = rows ? grad.num_elements() / rows : 0;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) update(c.input(4).int_at(i) * columns + j, g[i * columns + j]);
      } else {
        c.parallel_for(grad.num_elements(), 5, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) update(i, g[i]);
        });
      }
    };
    if (grad.dtype() == DType::kFloat) {
      run(std::type_identity<float>());
    } else {
      run(std::type_identity<double>());
    }
  });
}

constexpr std::string_view kTypes = "T: " TRACEFN_NUMBERS;

}  // namespace

void register_adagrad_da(Registry& r) {
  r.add({.name = "ResourceApplyAdagradDA",
         .inputs = {"var: resource", "gradient_accumulator: resource", "gradient_squared_accumulator: resource",
                    "grad: T", "lr: T", "l1: T", "l2: T", "global_step: int64"},
         .attrs = {kTypes, "use_locking: bool = false"},
         .stateful = true,
         .doc = "One step of Adagrad by dual averaging, from the sums of all gradients and of their squares.",
         .infer = infer_rows<false>,
         .kernel = step<false>,
         .grad = not_differentiable});
  r.add({.name = "ResourceSparseApplyAdagradDA",
         .inputs = {"var: resource", "gradient_accumulator: resource", "gradient_squared_accumulator: resource",
                    "grad: T", "indices: Tindices", "lr: T", "l1: T", "l2: T", "global_step: int64"},
         .attrs = {kTypes, "Tindices: {int32, int64}", "use_locking: bool = false"},
         .stateful = true,
         .doc = "One step of Adagrad by dual averaging on the rows of the variables at `indices`.",
         .infer = infer_rows<true>,
         .kernel = step<true>,
         .grad = not_differentiable});
}

}  // namespace tracefn
