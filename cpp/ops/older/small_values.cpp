// Thin ops: ListDiff, InTopK, ToBool, Empty, DeepCopy, Fact, Print, PlaceholderWithDefault.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_set>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/debug/print_sink.h"
#include "ops/gradient.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/strings/value_format.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_list_diff(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  c.set_output(0, Shape({kUnknownDim}));
  c.set_output(1, Shape({kUnknownDim}));
}

// A NaN equals nothing, so that it always stays.
template <typename T>
void differences(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  using Key = std::remove_cvref_t<decltype(compute_value(T()))>;
  std::unordered_set<Key> without;
  in_slices(y.num_elements(), 30, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) without.insert(compute_value(y.data<T>()[i]));
  });
  std::vector<std::int64_t> kept;
  in_slices(x.num_elements(), 30, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (!without.contains(compute_value(x.data<T>()[i]))) kept.push_back(i);
  });
  const auto n = static_cast<std::int64_t>(kept.size());
  Tensor& out = c.allocate_output(0, x.dtype(), Shape({n}));
  Tensor& places = c.allocate_output(1, c.attr("out_idx").type(), Shape({n}));
  T* to = out.mutable_data<T>();
  for (std::int64_t i = 0; i < n; ++i) to[i] = x.data<T>()[kept[static_cast<std::size_t>(i)]];
  if (places.dtype() == DType::kInt32) {
    std::copy(kept.begin(), kept.end(), places.mutable_data<std::int32_t>());
  } else {
    std::copy(kept.begin(), kept.end(), places.mutable_data<std::int64_t>());
  }
}

void list_diff(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) invalid_argument("x should be a 1D vector.");
  if (c.input(1).rank() != 1) invalid_argument("y should be a 1D vector.");
  if (x.dtype() == DType::kString) return differences<std::string>(c);
  if (x.dtype() == DType::kBool || is_complex(x.dtype()) || size_of(x.dtype()) == 0) no_kernel();
  with_number(x.dtype(), [&]<typename T>(std::type_identity<T>) { differences<T>(c); });
}

// InTopK: k is an attribute or an input.

void infer_in_top_k(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  if (c.num_inputs() > 2) c.require_rank(2, 0);
  c.set_output(0, Shape({merge_dims(dim_of(c.shape(0), 0), dim_of(c.shape(1), 0))}));
}

void check_in_top_k(const KernelContext& c) {
  const Tensor &predictions = c.input(0), &targets = c.input(1);
  if (predictions.rank() != 2) invalid_argument("predictions must be 2-dimensional");
  if (targets.rank() != 1) invalid_argument("targets must be 1-dimensional");
  if (predictions.dim(0) != targets.dim(0))
    invalid_argument("First dimension of predictions ", predictions.dim(0), " must match length of targets ",
                     targets.dim(0));
  if (c.num_inputs() > 2 && c.input(2).rank() != 0)
    invalid_argument("k must be 0-D, got shape ", c.input(2).shape().text());
}

// Whether fewer than k numbers of x are larger than `limit` and all are finite. A block is counted without branches,
// lane by lane, so that it vectorizes; most rows are decided by their first blocks.
bool has_fewer_larger(const float* x, std::int64_t n, float limit, std::int64_t k) {
  constexpr std::int64_t kLanes = 8, kBlock = 64;
  constexpr float kMost = std::numeric_limits<float>::max();
  std::int64_t larger = 0;
  for (std::int64_t j = 0; j < n && larger < k;) {
    std::int32_t found[kLanes] = {}, odd[kLanes] = {};
    const std::int64_t end = std::min(n, j + kBlock);
    for (; j + kLanes <= end; j += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        found[lane] += x[j + lane] > limit ? 1 : 0;
        odd[lane] += std::abs(x[j + lane]) <= kMost ? 0 : 1;
      }
    for (; j < end; ++j) {
      found[0] += x[j] > limit ? 1 : 0;
      odd[0] += std::abs(x[j]) <= kMost ? 0 : 1;
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (odd[lane]) return false;
      larger += found[lane];
    }
  }
  return larger < k;
}

void in_top_k(KernelContext& c) {
  const Tensor &predictions = c.input(0), &targets = c.input(1);
  const std::int64_t k = c.num_inputs() > 2 ? c.input(2).int_at(0) : c.attr("k").i();
  const std::int64_t rows = predictions.dim(0), classes = predictions.dim(1);
  bool* out = c.output(0).mutable_data<bool>();
  c.parallel_for(rows, 2.0 * static_cast<double>(classes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* row = predictions.data<float>() + i * classes;
      const std::int64_t target = targets.int_at(i);
      out[i] = target >= 0 && target < classes && has_fewer_larger(row, classes, row[target], k);
    }
  });
}

// ToBool: of a scalar, whether it is not zero or empty; of another tensor, whether it has elements.
void to_bool(KernelContext& c) {
  const Tensor& x = c.input(0);
  bool result = x.num_elements() > 0;
  if (x.rank() == 0) {
    switch (x.dtype()) {
      case DType::kString:
        result = !x.item<std::string>().empty();
        break;
      case DType::kBool:
        result = x.item<bool>();
        break;
      case DType::kFloat:
        result = x.item<float>() != 0;
        break;
      case DType::kDouble:
        result = x.item<double>() != 0;
        break;
      case DType::kInt8:
      case DType::kInt16:
      case DType::kInt32:
      case DType::kInt64:
      case DType::kUInt8:
        result = x.int_at(0) != 0;
        break;
      default:
        invalid_argument(runtime_name(x.dtype()), " cannot be converted to a boolean");
    }
  }
  *c.output(0).mutable_data<bool>() = result;
}

void infer_empty(InferContext& c) {
  c.require_rank(0, 1);
  c.set_output(0, c.result_shape(0));
}

void check_empty(const KernelContext& c) {
  if (c.input(0).rank() != 1)
    invalid_argument("shape must be a vector of int32, got shape ", c.input(0).shape().text());
}

void empty(KernelContext& c) { c.output(0).fill_zeros(); }

void deep_copy(KernelContext& c) { c.set_output(0, c.input(0).copy()); }

void fact(KernelContext& c) { *c.output(0).mutable_data<std::string>() = "0! == 1"; }

// How often a Print has printed.
class Printed final : public RefCounted {
 public:
  std::int64_t next() { return count_.fetch_add(1); }

 private:
  std::atomic<std::int64_t> count_{0};
};

void print(KernelContext& c) {
  const std::int64_t most = c.attr("first_n").i();
  if (most >= 0) {
    Ref<RefCounted>& state = c.state();
    if (!state) state = Ref<RefCounted>(new Printed());
    if (static_cast<Printed*>(state.get())->next() >= most) return c.set_output(0, c.take_input(0));
  }
  std::string text = c.attr("message").s();
  for (std::size_t i = 1; i < c.num_inputs(); ++i)
    text += concat("[", summarize_value(c.input(i), c.attr("summarize").i()), "]");
  print_to("stderr", text + "\n");
  c.set_output(0, c.take_input(0));
}

void infer_default(InferContext& c) {
  const Shape& declared = c.attr("shape").shape();
  if (c.running()) return c.set_output(0, c.shape(0));
  (void)merge_or_explain(c.shape(0), declared);
  c.set_output(0, declared);
}

void pass_on(KernelContext& c) { c.set_output(0, c.take_input(0)); }

void grad_pass_on(GradContext& c) { c.to_input(0, c.raw_dy(0)); }

}  // namespace

void register_small_values(Registry& r) {
  r.add({.name = "ListDiff",
         .inputs = {"x: T", "y: T"},
         .outputs = {"out: T", "idx: out_idx"},
         .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
         .doc = "The elements of the vector x that are not in y, in their order, and their places.",
         .infer = infer_list_diff,
         .kernel = list_diff,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "InTopK",
         .inputs = {"predictions: float", "targets: T"},
         .outputs = {"precision: bool"},
         .attrs = {"k: int", "T: {int32, int64} = DT_INT32"},
         .doc = "For each row of predictions, whether fewer than k elements are larger than that of the target class. "
                "False if a prediction is not finite, or the class does not exist.",
         .infer = infer_in_top_k,
         .check = check_in_top_k,
         .kernel = in_top_k,
         .grad = not_differentiable});
  r.add({.name = "InTopKV2",
         .inputs = {"predictions: float", "targets: T", "k: T"},
         .outputs = {"precision: bool"},
         .attrs = {"T: {int32, int64} = DT_INT32"},
         .doc = "InTopK, whose k is an input.",
         .infer = infer_in_top_k,
         .check = check_in_top_k,
         .kernel = in_top_k,
         .grad = not_differentiable});
  r.add({.name = "ToBool",
         .inputs = {"input: T"},
         .outputs = {"output: bool"},
         .attrs = {"T: type"},
         .doc = "Of a scalar, whether it is not zero, or not the empty string; of another tensor, whether it has "
                "elements.",
         .infer = infer::scalar,
         .kernel = to_bool,
         .grad = not_differentiable});
  r.add({.name = "Empty",
         .inputs = {"shape: int32"},
         .outputs = {"output: dtype"},
         .attrs = {"dtype: type", "init: bool = false"},
         .stateful = true,
         .doc = "A tensor of a shape. Its elements are zeros, whether or not `init` asks for that.",
         .infer = infer_empty,
         .check = check_empty,
         .kernel = empty,
         .grad = not_differentiable});
  r.add({.name = "DeepCopy",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: type"},
         .stateful = true,
         .doc = "A copy of the tensor, with memory of its own.",
         .infer = infer::same_as_first,
         .kernel = deep_copy,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
  r.add({.name = "Fact",
         .outputs = {"fact: string"},
         .doc = "A string that says something about factorials: an example.",
         .infer = infer::scalar,
         .kernel = fact,
         .grad = not_differentiable});
  r.add({.name = "Print",
         .inputs = {"input: T", "data: U"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "U: list(type) >= 0", "message: string = ''", "first_n: int = -1", "summarize: int = 3"},
         .stateful = true,
         .doc = "The input, after the message and the values of `data` were printed to the standard error stream, for "
                "the first `first_n` times, or always if that is negative.",
         .infer = infer::same_as_first,
         .kernel = print,
         .allocation = Allocation::kShared,
         .grad = grad_pass_on,
         .keeps_state = true});
  r.add({.name = "PlaceholderWithDefault",
         .inputs = {"input: dtype"},
         .outputs = {"output: dtype"},
         .attrs = {"dtype: type", "shape: shape"},
         .facts = {.fed = true},
         .doc = "The input, unless a caller feeds another value.",
         .infer = infer_default,
         .kernel = pass_on,
         .allocation = Allocation::kShared,
         .grad = grad_pass_on});
}

}  // namespace tracefn
