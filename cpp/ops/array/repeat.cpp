// Ops that repeat elements: Tile and BroadcastTo.
#include "ops/array/array_families.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_tile(InferContext& c) {
  c.require_rank(1, 1);
  Shape in = c.shape(0);
  if (!in.has_rank()) {
    if (!c.shape(1).has_rank() || c.shape(1)[0] < 0) return c.set_output(0, Shape::unknown());
    in = Shape::of_rank(static_cast<int>(c.shape(1)[0]));
  }
  if (c.shape(1).has_rank() && c.shape(1)[0] >= 0 && c.shape(1)[0] != in.rank())
    invalid_argument("Shape must be rank ", in.rank(), " but is rank ", c.shape(1)[0]);
  Shape multiples = c.shape_value(1, true);
  Shape out = Shape::of_rank(in.rank());
  if (multiples.has_rank() && multiples.rank() == in.rank())
    for (int i = 0; i < in.rank(); ++i)
      if (in[i] >= 0 && multiples[i] >= 0 && __builtin_mul_overflow(in[i], multiples[i], &out[i]))
        invalid_argument("The tiled dimension ", i, " is too large.");
  c.set_output(0, std::move(out));
}

void tile(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& multiples = c.input(1);
  if (multiples.rank() != 1) invalid_argument("Expected multiples to be 1-D, but got shape ", multiples.shape().text());
  if (multiples.num_elements() != x.rank())
    invalid_argument("Expected multiples argument to be a vector of length ", x.rank(), " but got length ",
                     multiples.num_elements());
  // Each dimension of the output is two: repetitions, with input stride 0, and the input's own.
  Dims sizes, strides, to_strides;
  View whole = View::whole(x.shape());
  Shape shape = x.shape();
  bool same = true;
  for (int i = 0; i < x.rank(); ++i) {
    std::int64_t m = multiples.int_at(i);
    if (m < 0) invalid_argument("Expected multiples[", i, "] >= 0, but got ", m);
    same = same && m == 1;
    if (__builtin_mul_overflow(shape[i], m, &shape[i])) invalid_argument("The tiled dimension ", i, " is too large.");
    sizes.push_back(m);
    sizes.push_back(x.dim(i));
    strides.push_back(0);
    strides.push_back(whole.strides[static_cast<std::size_t>(i)]);
  }
  if (same) return c.set_output(0, c.take_input(0));
  Tensor& out = c.allocate_output(0, x.dtype(), shape);
  View to = View::whole(Shape(sizes));
  copy_strided(c, x.dtype(), sizes, x.raw(), {0, strides}, out.mutable_raw(), to);
}

// Splits repetitions from elements, and sums over the repetitions.
void grad_tile(GradContext& c) {
  Operand shape = build::shape_of(c.input(0));
  Operand both[] = {build::cast(c.input(1), DType::kInt32), shape};
  Operand pairs = build::reshape(emit_all("Pack", both, {{"axis", 1}})[0], build::ints({-1}));
  Operand axes =
      emit1("Range", {build::scalar(DType::kInt32, 0), emit1("Size", {pairs}), build::scalar(DType::kInt32, 2)});
  c.to_input(0, build::reshape(build::sum(build::reshape(c.dy(0), pairs), axes), shape));
}

void infer_broadcast_to(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank(1, 1);
  Shape out = c.shape_value(1, true);
  if (!out.has_rank() && c.shape(1).has_rank() && c.shape(1)[0] >= 0)
    out = Shape::of_rank(static_cast<int>(c.shape(1)[0]));
  if (!in.has_rank() || !out.has_rank()) return c.set_output(0, std::move(out));
  if (in.rank() > out.rank()) invalid_argument("Shape must be at most rank ", out.rank(), " but is rank ", in.rank());
  for (int i = 1; i <= in.rank(); ++i) {
    std::int64_t from = in[in.rank() - i];
    std::int64_t& to = out[out.rank() - i];
    if (from > 1) require_equal(from, to);
    if (to < 0 && from > 1) to = from;
  }
  c.set_output(0, std::move(out));
}

void broadcast_to(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& sizes = c.input(1);
  if (sizes.rank() != 1) invalid_argument("shape must be a vector of {int32,int64}, got shape ", sizes.shape().text());
  check_rank(static_cast<std::size_t>(sizes.num_elements()));
  Shape shape;
  for (std::int64_t i = 0; i < sizes.num_elements(); ++i) {
    if (sizes.int_at(i) < 0) invalid_argument("Dimension ", sizes.int_at(i), " must be >= 0");
    shape.push_back(sizes.int_at(i));
  }
  if (x.shape() == shape) return c.set_output(0, c.take_input(0));
  int missing = shape.rank() - x.rank();
  if (missing < 0)
    invalid_argument("Rank of input (", x.rank(), ") must be no greater than rank of output shape (", shape.rank(),
                     ").");
  View from = View::whole(x.shape());
  Dims strides(static_cast<std::size_t>(shape.rank()), 0);
  for (int i = 0; i < x.rank(); ++i) {
    if (x.dim(i) == shape[i + missing]) {
      strides[static_cast<std::size_t>(i + missing)] = from.strides[static_cast<std::size_t>(i)];
    } else if (x.dim(i) != 1) {
      invalid_argument("Incompatible shapes: ", x.shape().text(), " vs. ", shape.text());
    }
  }
  Tensor& out = c.allocate_output(0, x.dtype(), shape);
  if (x.num_elements() == 0) return;
  copy_strided(c, x.dtype(), shape.dims(), x.raw(), {0, strides}, out.mutable_raw(), View::whole(shape));
}

}  // namespace

void register_repeat(Registry& r) {
  r.add({.name = "Tile",
         .python = "tile(input, multiples)",
         .inputs = {"input: T", "multiples: Tmultiples"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tmultiples: {int32, int64} = DT_INT32"},
         .facts = {.moves = "T"},
         .doc = "The tensor repeated multiples[i] times along dimension i.\n\nOutput dimension i has size "
                "input.shape[i] * multiples[i]. Raises InvalidArgumentError if the length of `multiples` is not the "
                "rank of the tensor, or if an element of it is negative.",
         .infer = infer_tile,
         .kernel = tile,
         .allocation = Allocation::kShared,
         .grad = grad_tile});
  r.add(
      {.name = "BroadcastTo",
       .python = "broadcast_to(input, shape)",
       .inputs = {"input: T", "shape: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tidx: {int32, int64} = DT_INT32"},
       .facts = {.moves = "T"},
       .doc = "The tensor broadcast to a shape.\n\nRaises InvalidArgumentError if it does not broadcast to that shape.",
       .infer = infer_broadcast_to,
       .kernel = broadcast_to,
       .allocation = Allocation::kShared,
       .grad = [](GradContext& c) { c.to_input(0, build::unbroadcast(c.dy(0), c.input(0), c.output(0))); }});
}

}  // namespace tracefn
