// Ops that permute elements within their dimensions: ReverseV2, ReverseSequence, Roll, InvertPermutation.
#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

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

// Which axes ReverseV2 reverses.
SmallVector<bool, 8> reversed_axes(const Tensor& axes, int rank) {
  SmallVector<bool, 8> reversed(static_cast<std::size_t>(rank), false);
  for (std::int64_t i = 0; i < axes.num_elements(); ++i) {
    std::int64_t axis = axes.int_at(i);
    if (axis < -rank || axis >= rank)
      invalid_argument("'axis'[", i, "] = ", axis, " is out of valid range [0, ", rank - 1);
    if (axis < 0) axis += rank;
    if (reversed[static_cast<std::size_t>(axis)]) invalid_argument("axis ", axis, " specified more than once.");
    reversed[static_cast<std::size_t>(axis)] = true;
  }
  return reversed;
}

void infer_reverse(InferContext& c) {
  c.require_rank(1, 1);
  if (c.value(1) && c.shape(0).has_rank() && c.shape(0).rank() > 0) reversed_axes(*c.value(1), c.shape(0).rank());
  c.set_output(0, c.shape(0));
}

void check_reverse(const KernelContext& c) {
  if (c.input(1).rank() != 1) invalid_argument("'dims' must be 1-dimension, not ", c.input(1).rank());
}

void reverse(KernelContext& c) {
  const Tensor& x = c.input(0);
  // A scalar has no order, regardless of the axes.
  SmallVector<bool, 8> reversed;
  if (x.rank() > 0) reversed = reversed_axes(c.input(1), x.rank());
  View from = View::whole(x.shape());
  for (int i = 0; i < x.rank(); ++i) {
    std::size_t k = static_cast<std::size_t>(i);
    if (!reversed[k] || x.dim(i) == 0) continue;
    from.offset += (x.dim(i) - 1) * from.strides[k];
    from.strides[k] = -from.strides[k];
  }
  Tensor& out = c.output(0);
  copy_strided(c, x.dtype(), x.shape().dims(), x.raw(), from, out.mutable_raw(), View::whole(x.shape()));
}

struct SequenceAxes {
  int batch, sequence;
};

SequenceAxes sequence_axes(const Attr& batch, const Attr& sequence, int rank) {
  if (batch.i() == sequence.i()) invalid_argument("batch_dim == seq_dim == ", sequence.i());
  if (sequence.i() >= rank || sequence.i() < 0)
    invalid_argument("seq_dim must be < input rank ( ", sequence.i(), " vs. ", rank, ")");
  if (batch.i() >= rank || batch.i() < 0)
    invalid_argument("batch_dim must be < input rank ( ", batch.i(), " vs. ", rank, ")");
  return {static_cast<int>(batch.i()), static_cast<int>(sequence.i())};
}

void infer_reverse_sequence(InferContext& c) {
  c.require_rank(1, 1);
  Shape out = c.shape(0);
  if (out.has_rank()) {
    SequenceAxes axes = sequence_axes(c.attr("batch_dim"), c.attr("seq_dim"), out.rank());
    if (c.shape(1).has_rank() && c.shape(1)[0] >= 0) {
      require_equal(out[axes.batch], c.shape(1)[0]);
      out[axes.batch] = c.shape(1)[0];
    }
  }
  c.set_output(0, std::move(out));
}

void check_reverse_sequence(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& lengths = c.input(1);
  if (lengths.rank() != 1) invalid_argument("seq_lens input must be 1-dim, not ", lengths.rank());
  SequenceAxes axes = sequence_axes(c.attr("batch_dim"), c.attr("seq_dim"), x.rank());
  std::int64_t batches = x.dim(axes.batch), n = x.dim(axes.sequence);
  if (lengths.num_elements() != batches)
    invalid_argument("Length of seq_lengths != input.dims(", axes.batch, "), (", lengths.num_elements(), " vs. ",
                     batches, ")");
  for (std::int64_t b = 0; b < batches; ++b) {
    if (lengths.int_at(b) < 0) invalid_argument("seq_lens(", b, ") < 0");
    if (lengths.int_at(b) > n) invalid_argument("seq_lens(", b, ") > input.dims(", axes.sequence, ")");
  }
}

void reverse_sequence(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& lengths = c.input(1);
  SequenceAxes axes = sequence_axes(c.attr("batch_dim"), c.attr("seq_dim"), x.rank());
  std::int64_t batches = x.dim(axes.batch), n = x.dim(axes.sequence);
  Tensor& out = c.output(0);
  View whole = View::whole(x.shape());
  std::int64_t step = whole.strides[static_cast<std::size_t>(axes.sequence)];
  PolledSteps polled;
  for (std::int64_t b = 0; b < batches; ++b, polled.step()) {
    View to = whole, from = whole;
    Dims sizes = x.shape().dims();
    sizes[static_cast<std::size_t>(axes.batch)] = 1;
    to.offset = from.offset = b * whole.strides[static_cast<std::size_t>(axes.batch)];
    // The first part reversed, then the rest unchanged.
    std::int64_t length = lengths.int_at(b);
    sizes[static_cast<std::size_t>(axes.sequence)] = length;
    from.strides[static_cast<std::size_t>(axes.sequence)] = -step;
    from.offset += (length - 1) * step;
    copy_strided(c, x.dtype(), sizes, x.raw(), from, out.mutable_raw(), to);
    to.offset += length * step;
    sizes[static_cast<std::size_t>(axes.sequence)] = n - length;
    copy_strided(c, x.dtype(), sizes, x.raw(), to, out.mutable_raw(), to);
  }
}

void infer_roll(InferContext& c) {
  c.require_rank_at_least(0, 1);
  for (std::size_t i = 1; i < 3; ++i)
    if (c.shape(i).has_rank() && c.shape(i).rank() > 1)
      invalid_argument("Shape must be at most rank 1 but is rank ", c.shape(i).rank());
  if (!c.running()) merge_or_explain(c.shape(1), c.shape(2));
  c.set_output(0, c.shape(0));
}

void roll(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& shifts = c.input(1);
  const Tensor& axes = c.input(2);
  if (x.rank() < 1) invalid_argument("input must be 1-D or higher");
  if (shifts.rank() > 1) invalid_argument("shift must be a scalar or a 1-D vector. Found: ", shifts.shape().text());
  if (axes.rank() > 1) invalid_argument("axis must be a scalar or a 1-D vector. Found: ", axes.shape().text());
  if (!(shifts.shape() == axes.shape())) invalid_argument("shift and axis must have the same size");
  Dims shift(static_cast<std::size_t>(x.rank()), 0);
  for (std::int64_t i = 0; i < axes.num_elements(); ++i) {
    std::int64_t axis = axes.int_at(i);
    if (axis < 0) axis += x.rank();
    if (axis < 0 || axis >= x.rank()) invalid_argument("axis ", axis, " is out of range");
    std::int64_t n = std::max<std::int64_t>(x.dim(static_cast<int>(axis)), 1);
    std::int64_t& sum = shift[static_cast<std::size_t>(axis)];
    sum = ((sum + shifts.int_at(i) % n) % n + n) % n;
  }
  // One axis at a time: two blocks are swapped.
  Tensor current = x;
  View whole = View::whole(x.shape());
  for (std::size_t k = 0; k < shift.size(); ++k) {
    if (shift[k] == 0) continue;
    Tensor next(x.dtype(), x.shape());
    Dims sizes = x.shape().dims();
    std::int64_t n = sizes[k];
    View from = whole, to = whole;
    to.offset = shift[k] * whole.strides[k];
    sizes[k] = n - shift[k];
    copy_strided(c, x.dtype(), sizes, current.raw(), from, next.mutable_raw(), to);
    from.offset = (n - shift[k]) * whole.strides[k];
    sizes[k] = shift[k];
    copy_strided(c, x.dtype(), sizes, current.raw(), from, next.mutable_raw(), whole);
    current = std::move(next);
  }
  c.set_output(0, std::move(current));
}

void infer_invert(InferContext& c) {
  c.require_rank(0, 1);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(1));
}

void check_invert(const KernelContext& c) {
  if (c.input(0).rank() != 1) invalid_argument("invert_permutation expects a 1D vector.");
}

// Throws for the first number that does not belong there.
template <typename T>
void explain_bad_permutation(std::span<const T> places) {
  const auto n = static_cast<std::int64_t>(places.size());
  std::vector<bool> seen(places.size());
  PolledSteps polled(1 << 14);
  for (T place : places) {
    polled.step();
    const auto at = static_cast<std::int64_t>(place);
    if (at < 0 || at >= n) invalid_argument(at, " is not between 0 and ", n);
    if (seen[static_cast<std::size_t>(at)]) invalid_argument(at, " is duplicated in the input.");
    seen[static_cast<std::size_t>(at)] = true;
  }
}

void invert_permutation(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t n = x.num_elements();
  Tensor& out = c.output(0);
  auto run = [&]<typename T>(std::type_identity<T>) {
    const T* places = x.data<T>();
    T* y = out.mutable_data<T>();
    constexpr double kScan = 0.3, kWrite = 3;  // nanoseconds per element
    std::atomic<bool> bad = false;
    c.parallel_for(n, kScan, [&](std::int64_t begin, std::int64_t end) { std::fill(y + begin, y + end, T{-1}); });
    c.parallel_for(n, kWrite, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::int64_t>(places[i]);
        if (at < 0 || at >= n) return bad.store(true, std::memory_order_relaxed);
        // Several threads write to a place that occurs twice.
        std::atomic_ref(y[at]).store(static_cast<T>(i), std::memory_order_relaxed);
      }
    });
    // n places that are all different fill the result.
    if (!bad)
      c.parallel_for(n, kScan, [&](std::int64_t begin, std::int64_t end) {
        if (std::find(y + begin, y + end, T{-1}) != y + end) bad.store(true, std::memory_order_relaxed);
      });
    if (bad) explain_bad_permutation(x.span<T>());
  };
  x.dtype() == DType::kInt32 ? run(std::type_identity<std::int32_t>()) : run(std::type_identity<std::int64_t>());
}

}  // namespace

void register_reorder(Registry& r) {
  r.add({.name = "ReverseV2",
         .python = "reverse(tensor, axis)",
         .inputs = {"tensor: T", "axis: Tidx"},
         .outputs = {"output: T"},
         .attrs = {"Tidx: {int32, int64} = DT_INT32",
                   "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, "
                   "complex64, complex128, string}"},
         .facts = {.moves = "T"},
         .doc = "The tensor reversed along the given axes.\n\nRaises InvalidArgumentError if an axis is out of range "
                "or repeated.",
         .infer = infer_reverse,
         .check = check_reverse,
         .kernel = reverse,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("ReverseV2", {c.dy(0), c.input(1)}));
         }});
  r.add({.name = "ReverseSequence",
         .inputs = {"input: T", "seq_lengths: Tlen"},
         .outputs = {"output: T"},
         .attrs = {"seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = DT_INT64"},
         .doc = "The tensor with the first seq_lengths[b] elements along seq_dim reversed, for each index b along "
                "batch_dim.",
         .infer = infer_reverse_sequence,
         .check = check_reverse_sequence,
         .kernel = reverse_sequence,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("ReverseSequence", {c.dy(0), c.input(1)},
                               {{"seq_dim", c.attr("seq_dim")}, {"batch_dim", c.attr("batch_dim")}}));
         }});
  r.add(
      {.name = "Roll",
       .python = "roll(input, shift, axis)",
       .inputs = {"input: T", "shift: Tshift", "axis: Taxis"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"},
       .facts = {.moves = "T"},
       .doc =
           "The tensor shifted circularly by `shift` along `axis`: elements that leave at one end enter at the other.",
       .infer = infer_roll,
       .kernel = roll,
       .allocation = Allocation::kShared,
       .grad = [](GradContext& c) {
         c.to_input(0, emit1("Roll", {c.dy(0), build::neg(c.input(1)), c.input(2)}));
       }});
  r.add({.name = "InvertPermutation",
         .python = "math.invert_permutation(x)",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: {int32, int64} = DT_INT32"},
         .doc = "The inverse of a permutation: y[x[i]] = i.\n\nRaises InvalidArgumentError unless x is a vector that "
                "holds each of 0, ..., n - 1 once.",
         .infer = infer_invert,
         .check = check_invert,
         .kernel = invert_permutation,
         .grad = not_differentiable});
}

}  // namespace tracefn
