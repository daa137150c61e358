// Ops that change the shape and share the memory: Reshape, Squeeze, ExpandDims.
#include <algorithm>

#include "ops/array/array_families.h"
#include "ops/contents.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// The known factor of the product of the dimensions, and the unknown factors.
struct PartialProduct {
  std::int64_t known = 1;
  Dims unknown;
  explicit PartialProduct(const Shape& shape) {
    Dims dims;
    for (std::int64_t d : shape.dims()) (d < 0 ? unknown : dims).push_back(d);
    known = Shape(std::move(dims)).num_elements();
  }
};

// The one unknown dimension of `to`, from what `from` has beyond the others: equal symbols cancel out.
std::int64_t open_dim(PartialProduct from, const PartialProduct& to) {
  for (std::int64_t d : to.unknown) {
    if (d == kUnknownDim) continue;
    const auto same = std::find(from.unknown.begin(), from.unknown.end(), d);
    if (same == from.unknown.end()) return kUnknownDim;
    from.unknown.erase(same);
  }
  // With zero elements the unknown one is 1 if another is 0, which symbols may be.
  if (to.known == 0 || (from.known == 0 && to.unknown.size() > 1)) return kUnknownDim;
  if (from.unknown.empty() && from.known % to.known == 0) return from.known / to.known;
  return from.unknown.size() == 1 && from.known == to.known ? from.unknown[0] : kUnknownDim;
}

void infer_reshape(InferContext& c) {
  if (!c.running()) c.require_rank(1, 1);
  const Shape& in = c.shape(0);
  Shape out = c.shape_value(1, true);
  if (!in.has_rank() || !out.has_rank()) return c.set_output(0, std::move(out));
  PartialProduct from(in), to(out);
  if (from.unknown.empty() && to.unknown.empty()) {
    if (from.known != to.known)
      invalid_argument("Cannot reshape a tensor with ", from.known, " elements to shape ", out.text(), " (", to.known,
                       " elements)");
  } else if (to.unknown.empty() && from.unknown.size() == 1 && from.known > 0) {
    if (to.known % from.known != 0)
      invalid_argument("Dimension size must be evenly divisible by ", from.known, " but is ", to.known);
  } else if (from.unknown.empty() && to.unknown.size() == 1 && to.known > 0 && from.known % to.known != 0) {
    invalid_argument("Dimension size must be evenly divisible by ", to.known, " but is ", from.known);
  }
  if (std::count(to.unknown.begin(), to.unknown.end(), kUnknownDim) == 1)
    for (int i = 0; i < out.rank(); ++i)
      if (out[i] == kUnknownDim) out[i] = open_dim(from, to);
  c.set_output(0, std::move(out));
}

void reshape(KernelContext& c) {
  const Tensor& sizes = c.input(1);
  if (sizes.rank() > 1) invalid_argument("sizes input must be 1-D, not ", sizes.shape().text());
  std::int64_t n = c.input(0).num_elements();
  Shape shape;
  std::int64_t missing = -1;
  check_rank(static_cast<std::size_t>(sizes.num_elements()));
  for (std::int64_t i = 0; i < sizes.num_elements(); ++i) {
    std::int64_t d = sizes.int_at(i);
    if (d == -1) {
      if (missing >= 0) invalid_argument("Only one input size may be -1, not both ", missing, " and ", i);
      missing = i;
      d = 1;
    } else if (d < 0) {
      invalid_argument("Size ", i, " must be non-negative, not ", d);
    }
    shape.push_back(d);
  }
  std::int64_t product = shape.num_elements();
  if (missing >= 0) {
    std::int64_t rest = product > 0 ? n / product : 0;
    // If another size is 0, TensorFlow chooses 1.
    if (product == 0 && n == 0) rest = 1;
    shape[static_cast<int>(missing)] = rest;
    if (product == 0 ? n != 0 : rest * product != n)
      invalid_argument("Input to reshape is a tensor with ", n,
                       " values, but the requested shape requires a multiple of ", product);
  } else if (product != n) {
    invalid_argument("Input to reshape is a tensor with ", n, " values, but the requested shape has ", product);
  }
  c.set_output(0, c.take_input(0).reshaped(std::move(shape)));
}

void reshape_like_input(GradContext& c) { c.to_input(0, build::reshape(c.dy(0), build::shape_of(c.input(0)))); }

// The axes that Squeeze removes, as far as they are known: without squeeze_dims all of size 1.
Shape squeezed(const Shape& in, const std::vector<std::int64_t>& dims, bool running) {
  std::vector<bool> wanted(static_cast<std::size_t>(in.rank()), dims.empty());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < -in.rank() || dims[i] >= in.rank()) {
      if (running)
        invalid_argument("Tried to squeeze dim index ", dims[i], " for tensor with ", in.rank(), " dimensions.");
      invalid_argument("squeeze_dims[", i, "] not in [", -in.rank(), ",", in.rank(), ").");
    }
    wanted[static_cast<std::size_t>(dims[i] < 0 ? dims[i] + in.rank() : dims[i])] = true;
  }
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    if (!wanted[static_cast<std::size_t>(i)] || (dims.empty() && in[i] != 1)) {
      out.push_back(in[i]);
    } else if (in[i] >= 0 && in[i] != 1) {
      invalid_argument("Can not squeeze dim[", i, "], expected a dimension of 1, got ", in[i]);
    }
  }
  return out;
}

void infer_squeeze(InferContext& c) {
  const Shape& in = c.shape(0);
  const std::vector<std::int64_t>& dims = c.attr("squeeze_dims").ints();
  // With unknown sizes and no given axes, the number removed is unknown.
  if (!in.has_rank() || (dims.empty() && !in.is_fully_known())) return c.set_output(0, Shape::unknown());
  c.set_output(0, squeezed(in, dims, false));
}

void squeeze(KernelContext& c) {
  Shape shape = squeezed(c.input(0).shape(), c.attr("squeeze_dims").ints(), true);
  c.set_output(0, c.take_input(0).reshaped(std::move(shape)));
}

void infer_expand_dims(InferContext& c) {
  const Shape& in = c.shape(0);
  std::optional<std::int64_t> dim = c.int_value(1);
  if (!in.has_rank() || !dim) {
    return c.set_output(0, Shape::unknown());
  }
  if (*dim < -in.rank() - 1 || *dim > in.rank())
    invalid_argument("dim ", *dim, " not in the interval [", -in.rank() - 1, ", ", in.rank(), "].");
  Dims dims = in.dims();
  dims.insert(dims.begin() + (*dim < 0 ? *dim + in.rank() + 1 : *dim), 1);
  c.set_output(0, Shape(std::move(dims)));
}

void expand_dims(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).num_elements() != 1) invalid_argument("'dim' must be a tensor with a single value");
  std::int64_t dim = c.input(1).int_at(0);
  if (dim < -x.rank() - 1 || dim > x.rank())
    invalid_argument("Tried to expand dim index ", dim, " for tensor with ", x.rank(), " dimensions.");
  Dims dims = x.shape().dims();
  dims.insert(dims.begin() + (dim < 0 ? dim + x.rank() + 1 : dim), 1);
  check_rank(dims.size());
  c.set_output(0, c.take_input(0).reshaped(Shape(std::move(dims))));
}

}  // namespace

void register_reshape(Registry& r) {
  r.add({.name = "Reshape",
         .inputs = {"tensor: T", "shape: Tshape"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tshape: {int32, int64} = DT_INT32"},
         .facts = {.cannot_fail = true, .contents = contents::of_input, .moves = "T"},
         .doc = "The elements of `tensor` with another shape. One size may be -1: it is computed from the others.",
         .infer = infer_reshape,
         .kernel = reshape,
         .allocation = Allocation::kShared,
         .grad = reshape_like_input});
  r.add({.name = "Squeeze",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "squeeze_dims: list(int) >= 0 = []"},
         .facts = {.cannot_fail = true, .contents = contents::of_input, .moves = "T"},
         .raw_names = {"squeeze_dims:axis"},
         .doc = "The tensor with its dimensions of size 1 removed: all of them, or only the given ones.",
         .infer = infer_squeeze,
         .kernel = squeeze,
         .allocation = Allocation::kShared,
         .grad = reshape_like_input});
  r.add({.name = "ExpandDims",
         .inputs = {"input: T", "dim: Tdim"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tdim: {int32, int64} = DT_INT32"},
         .facts = {.cannot_fail = true, .contents = contents::of_input, .moves = "T"},
         .raw_names = {"dim:axis"},
         .doc = "The tensor with a dimension of size 1 inserted at the given axis.",
         .infer = infer_expand_dims,
         .kernel = expand_dims,
         .allocation = Allocation::kShared,
         .grad = reshape_like_input});
}

}  // namespace tracefn
