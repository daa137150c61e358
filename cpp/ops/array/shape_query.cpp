// Ops on shapes: Shape, ShapeN, Size, Rank, BroadcastArgs and BroadcastGradientArgs.
#include <array>

#include "ops/array/array_families.h"
#include "ops/contents.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// An integer written as int32 or int64, whichever the tensor holds.
void put_int(Tensor& t, std::int64_t i, std::int64_t value) {
  if (t.dtype() == DType::kInt64) {
    t.mutable_data<std::int64_t>()[i] = value;
    return;
  }
  if (value > INT32_MAX)
    invalid_argument("The size ", value, " does not fit in an int32 shape; ask for out_type int64.");
  t.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
}

void infer_shape(InferContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i)
    c.set_output(i, c.shape(i).has_rank() ? Shape({c.shape(i).rank()}) : Shape::of_rank(1));
}

void shape(KernelContext& c) {
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    const Shape& s = c.input(i).shape();
    for (int axis = 0; axis < s.rank(); ++axis) put_int(c.output(i), axis, s[axis]);
  }
}

void size(KernelContext& c) { put_int(c.output(0), 0, c.input(0).num_elements()); }
void rank(KernelContext& c) { put_int(c.output(0), 0, c.input(0).rank()); }

Shape shape_contents(const ContentsContext& c) { return c.shape(c.output); }

Shape size_contents(const ContentsContext& c) {
  const Shape shape = c.shape(0);
  if (!shape.is_fully_known()) return Shape::unknown();
  std::int64_t n = 1;
  for (std::int64_t d : shape.dims())
    if (__builtin_mul_overflow(n, d, &n)) return Shape::unknown();
  return Shape({n});
}

Shape rank_contents(const ContentsContext& c) {
  const Shape shape = c.shape(0);
  return shape.has_rank() ? Shape({shape.rank()}) : Shape::unknown();
}

Shape as_shape(const Tensor& t) {
  if (t.rank() != 1) invalid_argument("In[0] must be a vector.", t.shape().text());
  Dims dims;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) dims.push_back(t.int_at(i));
  return Shape(std::move(dims));
}

void infer_broadcast_args(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  std::int64_t a = c.shape(0).has_rank() ? c.shape(0)[0] : kUnknownDim;
  std::int64_t b = c.shape(1).has_rank() ? c.shape(1)[0] : kUnknownDim;
  c.set_output(0, Shape({a < 0 || b < 0 ? kUnknownDim : std::max(a, b)}));
}

Shape broadcast_contents(const ContentsContext& c) {
  const Shape a = c.contents(0), b = c.contents(1);
  return can_broadcast(a, b) ? broadcast(a, b) : Shape::unknown();
}

void broadcast_args(KernelContext& c) {
  Shape out = broadcast(as_shape(c.input(0)), as_shape(c.input(1)));
  for (int i = 0; i < out.rank(); ++i) put_int(c.output(0), i, out[i]);
}

// By operand: the axes of the broadcast shape along which it was broadcast, axes of size 1 on both sides included.
std::array<Dims, 2> gradient_axes(const Tensor& s0, const Tensor& s1) {
  const Shape s[2] = {as_shape(s0), as_shape(s1)};
  std::array<Dims, 2> axes;
  if (s[0] == s[1]) return axes;
  const int rank = broadcast(s[0], s[1]).rank();
  for (std::size_t j = 0; j < 2; ++j) {
    const int missing = rank - s[j].rank();
    for (int i = 0; i < rank; ++i)
      if (i < missing || s[j][i - missing] == 1) axes[j].push_back(i);
  }
  return axes;
}

void infer_gradient_args(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  const Tensor *s0 = c.value(0), *s1 = c.value(1);
  const bool known = s0 && s1 && (c.running() || can_broadcast(as_shape(*s0), as_shape(*s1)));
  std::array<Dims, 2> axes;
  if (known) axes = gradient_axes(*s0, *s1);
  for (std::size_t j = 0; j < 2; ++j)
    c.set_output(j, known ? Shape({static_cast<std::int64_t>(axes[j].size())}) : Shape::of_rank(1));
}

void broadcast_gradient_args(KernelContext& c) {
  const std::array<Dims, 2> axes = gradient_axes(c.input(0), c.input(1));
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < axes[j].size(); ++i) put_int(c.output(j), static_cast<std::int64_t>(i), axes[j][i]);
  }
}

}  // namespace

void register_shape_query(Registry& r) {
  r.add({.name = "Shape",
         .inputs = {"input: T"},
         .outputs = {"output: out_type"},
         .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
         .facts = {.measures = true, .contents = shape_contents},
         .doc = "The shape of a tensor, as a vector.",
         .infer = infer_shape,
         .kernel = shape,
         .grad = not_differentiable});
  r.add({.name = "ShapeN",
         .python = "shape_n(input, out_type)",
         .inputs = {"input: N * T"},
         .outputs = {"output: N * out_type"},
         .attrs = {"N: int >= 1", "T: type", "out_type: {int32, int64} = DT_INT32"},
         .facts = {.measures = true, .contents = shape_contents},
         .doc = "The shapes of several tensors, each as a vector.",
         .infer = infer_shape,
         .kernel = shape,
         .grad = not_differentiable});
  r.add({.name = "Size",
         .inputs = {"input: T"},
         .outputs = {"output: out_type"},
         .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
         .facts = {.measures = true, .contents = size_contents},
         .doc = "The number of elements of a tensor.",
         .infer = infer::scalar,
         .kernel = size,
         .grad = not_differentiable});
  r.add({.name = "Rank",
         .inputs = {"input: T"},
         .outputs = {"output: int32"},
         .attrs = {"T: type"},
         .facts = {.measures = true, .contents = rank_contents},
         .doc = "The number of dimensions of a tensor.",
         .infer = infer::scalar,
         .kernel = rank,
         .grad = not_differentiable});
  r.add({.name = "BroadcastArgs",
         .inputs = {"s0: T", "s1: T"},
         .outputs = {"r0: T"},
         .attrs = {"T: {int32, int64} = DT_INT32"},
         .facts = {.contents = broadcast_contents},
         .doc = "The shape that tensors of the two given shapes broadcast to.",
         .infer = infer_broadcast_args,
         .kernel = broadcast_args,
         .grad = not_differentiable});
  r.add({.name = "BroadcastGradientArgs",
         .inputs = {"s0: T", "s1: T"},
         .outputs = {"r0: T", "r1: T"},
         .attrs = {"T: {int32, int64} = DT_INT32"},
         .doc = "For each of the two shapes, the axes over which a gradient of the broadcast shape must be summed.",
         .infer = infer_gradient_args,
         .kernel = broadcast_gradient_args,
         .grad = not_differentiable});
}

}  // namespace tracefn
