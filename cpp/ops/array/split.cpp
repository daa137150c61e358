// Ops that split a tensor: Split, SplitV, Unpack. Pieces along the first axis share memory if that is cheap.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Output i = x with indices [begins, begins + sizes[i]) along `axis`.
void cut(KernelContext& c, const Tensor& x, int axis, const Dims& sizes) {
  View from = View::whole(x.shape());
  std::int64_t begin = 0;
  PolledSteps polled;
  for (std::size_t i = 0; i < sizes.size(); ++i, polled.step()) {
    if (sizes.size() == 1) {
      c.set_output(0, x);
    } else if (axis == 0) {
      c.set_output(i, leading_rows(x, begin, begin + sizes[i]));
    } else {
      Shape shape = x.shape();
      shape[axis] = sizes[i];
      Tensor& out = c.allocate_output(i, x.dtype(), shape);
      from.offset = begin * from.strides[static_cast<std::size_t>(axis)];
      copy_strided(c, x.dtype(), shape.dims(), x.raw(), from, out.mutable_raw(), View::whole(shape));
    }
    begin += sizes[i];
  }
}

int read_axis(const Tensor& split_dim, int rank) {
  if (split_dim.num_elements() != 1 || split_dim.rank() > 1)
    invalid_argument("split_dim must be a scalar but has rank ", split_dim.rank());
  std::int64_t axis = split_dim.int_at(0);
  if (axis < -rank || axis >= rank)
    invalid_argument("-input rank(-", rank, ") <= split_dim < input rank (", rank, "), but got ", axis);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The axis of a shape rule, or -1; `input` counts from 0 in the words of TensorFlow's message.
int known_axis(const InferContext& c, std::size_t input, const Shape& in) {
  std::optional<std::int64_t> axis = c.int_value(input);
  if (!axis || !in.has_rank()) return -1;
  if (*axis < -in.rank() || *axis >= in.rank())
    invalid_argument("Dimension size, given by scalar input ", *axis, " must be in range [", -in.rank(), ", ",
                     in.rank(), ")");
  return static_cast<int>(*axis < 0 ? *axis + in.rank() : *axis);
}

void set_all(InferContext& c, const Shape& shape) {
  for (std::size_t i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
}

void infer_split(InferContext& c) {
  const Shape& in = c.shape(1);
  std::int64_t n = c.attr("num_split").i();
  int axis = known_axis(c, 0, in);
  if (axis < 0) return set_all(c, in.has_rank() ? Shape::of_rank(in.rank()) : Shape::unknown());
  Shape out = in;
  if (in[axis] >= 0) {
    if (in[axis] % n != 0)
      invalid_argument("Dimension size must be evenly divisible by ", n, " but is ", in[axis],
                       "\n\tNumber of ways to split should evenly divide the split dimension");
    out[axis] = in[axis] / n;
  } else if (n != 1) {
    out[axis] = kUnknownDim;
  }
  set_all(c, out);
}

void split(KernelContext& c) {
  const Tensor& x = c.input(1);
  int axis = read_axis(c.input(0), x.rank());
  std::int64_t n = c.attr("num_split").i();
  if (x.dim(axis) % n != 0)
    invalid_argument("Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
                     " (size = ", x.dim(axis), ") and num_split ", n);
  cut(c, x, axis, Dims(static_cast<std::size_t>(n), x.dim(axis) / n));
}

void infer_split_v(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank(1, 1);
  std::int64_t n = static_cast<std::int64_t>(c.num_outputs());
  if (c.shape(1).has_rank() && c.shape(1)[0] >= 0 && c.shape(1)[0] != n)
    invalid_argument("Length of size_splits should be equal to num_outputs");
  int axis = known_axis(c, 2, in);
  if (axis < 0) return set_all(c, in.has_rank() ? Shape::of_rank(in.rank()) : Shape::unknown());
  Shape out = in;
  const Tensor* sizes = c.value(1);
  if (!sizes) {
    if (n > 1) out[axis] = kUnknownDim;
    return set_all(c, out);
  }
  std::int64_t sum = 0, missing = -1;
  std::string text;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t d = index_at(*sizes, i);
    text += concat(i ? "," : "", d);
    if (d == -1 && missing >= 0) invalid_argument("size_splits can only have one -1");
    if (d == -1) {
      missing = i;
    } else {
      sum += d;
    }
  }
  if (in[axis] >= 0 && (missing >= 0 ? sum > in[axis] : sum != in[axis]))
    invalid_argument("can't split axis of size ", in[axis], " into pieces of size [", text, "]");
  for (std::int64_t i = 0; i < n; ++i) {
    out[axis] = i != missing ? index_at(*sizes, i) : in[axis] < 0 ? kUnknownDim : in[axis] - sum;
    c.set_output(static_cast<std::size_t>(i), out);
  }
}

void split_v(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& given = c.input(1);
  std::int64_t n = static_cast<std::int64_t>(c.num_outputs());
  int axis = read_axis(c.input(2), x.rank());
  if (given.rank() != 1 || given.num_elements() != n)
    invalid_argument("size of the split_tensor must be 1-D and have the same elements as outputs got ", given.rank(),
                     " -D and ", given.num_elements(), " elements");
  Dims sizes;
  std::int64_t sum = 0, missing = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t d = index_at(given, i);
    if (d == -1) {
      if (missing >= 0) invalid_argument("There can only be one -1 in the input.");
      missing = i;
      d = 0;
    } else if (d < 0) {
      invalid_argument("Split size at index ", i, " must be >= 0. Got: ", d);
    }
    if (__builtin_add_overflow(sum, d, &sum)) invalid_argument("The split sizes are too large.");
    sizes.push_back(d);
  }
  if (n == 1 && missing < 0 && sum != x.dim(axis))
    invalid_argument("If there is only one output, it must have the same size as the input. Input size: ", x.dim(axis),
                     " output size: ", sum);
  if (missing < 0 ? sum != x.dim(axis) : sum > x.dim(axis))
    invalid_argument(
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be ",
        "less than the size of the input along split_dim if not fully specified.  Got: ", sum);
  if (missing >= 0) sizes[static_cast<std::size_t>(missing)] = x.dim(axis) - sum;
  cut(c, x, axis, sizes);
}

// Concatenates the gradients of the pieces; `axis` is an input of the op.
Operand joined(GradContext& c, const Operand& axis) {
  if (c.num_outputs() == 1) return c.dy(0);
  Operands args;
  for (std::size_t j = 0; j < c.num_outputs(); ++j) args.push_back(c.dy(j));
  args.push_back(axis);
  return emit_all("ConcatV2", args)[0];
}

void infer_unpack(InferContext& c) {
  const Shape& in = c.shape(0);
  if (!in.has_rank()) return set_all(c, Shape::unknown());
  std::int64_t axis = c.attr("axis").i(), rank = in.rank(), n = c.attr("num").i();
  if (axis < -rank || axis >= rank) invalid_argument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
  if (axis < 0) axis += rank;
  if (in[static_cast<int>(axis)] >= 0 && in[static_cast<int>(axis)] != n)
    invalid_argument("Dimension must be ", n, " but is ", in[static_cast<int>(axis)]);
  Dims dims = in.dims();
  dims.erase(dims.begin() + axis);
  set_all(c, Shape(std::move(dims)));
}

void unpack(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t axis = c.attr("axis").i(), rank = x.rank(), n = c.attr("num").i();
  if (axis < -rank || axis >= rank) invalid_argument("axis = ", axis, " not in [", -rank, ", ", rank, ")");
  if (axis < 0) axis += rank;
  if (x.dim(static_cast<int>(axis)) != n)
    invalid_argument("Input shape axis ", axis, " must equal ", n, ", got shape ", x.shape().text());
  if (n == 0) return;
  Dims dims = x.shape().dims();
  dims.erase(dims.begin() + axis);
  Shape shape(std::move(dims));
  cut(c, x, static_cast<int>(axis), Dims(static_cast<std::size_t>(n), 1));
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, c.output(j).reshaped(shape));
}

}  // namespace

void register_split(Registry& r) {
  r.add({.name = "Split",
         .inputs = {"split_dim: int32", "value: T"},
         .outputs = {"output: num_split * T"},
         .attrs = {"num_split: int >= 1", "T: type"},
         .facts = {.moves = "T"},
         .raw_names = {"split_dim:axis"},
         .doc = "The tensor split into num_split equal pieces along an axis.",
         .infer = infer_split,
         .kernel = split,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) { c.to_input(1, joined(c, c.input(0))); }});
  r.add({.name = "SplitV",
         .inputs = {"value: T", "size_splits: Tlen", "split_dim: int32"},
         .outputs = {"output: num_split * T"},
         .attrs = {"num_split: int >= 1", "T: type", "Tlen: {int8, int32, int64} = DT_INT64"},
         .facts = {.moves = "T"},
         .raw_names = {"split_dim:axis"},
         .doc = "The tensor split into pieces of the given sizes along an axis. One size may be -1: it takes the rest.",
         .infer = infer_split_v,
         .kernel = split_v,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) { c.to_input(0, joined(c, c.input(2))); }});
  r.add({.name = "Unpack",
         .inputs = {"value: T"},
         .outputs = {"output: num * T"},
         .attrs = {"num: int >= 0", "T: type", "axis: int = 0"},
         .facts = {.moves = "T"},
         .doc = "The slices of the tensor along an axis, with that axis removed.",
         .infer = infer_unpack,
         .kernel = unpack,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) {
           Operands parts;
           for (std::size_t j = 0; j < c.num_outputs(); ++j) parts.push_back(c.dy(j));
           if (!parts.empty()) c.to_input(0, emit_all("Pack", parts, {{"axis", c.attr("axis")}})[0]);
         }});
}

}  // namespace tracefn
