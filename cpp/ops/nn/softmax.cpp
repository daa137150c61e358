// Softmax, LogSoftmax and the cross entropies, row by row in the cache; half is computed as float.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/fusable.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/nn/softmax_rows.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// f(std::type_identity<T>()) for float or double.
template <typename F>
void with_wide(DType dtype, const F& f) {
  dtype == DType::kFloat ? f(std::type_identity<float>()) : f(std::type_identity<double>());
}

// f(tile, first row, number of rows) for all rows of n elements, on several threads.
template <typename T, typename F>
void for_tiles(const KernelContext& c, std::int64_t rows, std::int64_t n, const F& f) {
  constexpr double kElement = 0.15 * sizeof(T), kRow = 10;  // nanoseconds
  const std::int64_t at_once = SoftmaxRows<T>::rows_at_once(n);
  c.parallel_for(rows, kElement * static_cast<double>(n) + kRow, [&](std::int64_t begin, std::int64_t end) {
    SoftmaxRows<T> tile;
    for (std::int64_t r = begin; r < end; r += at_once) f(tile, r, std::min(at_once, end - r));
  });
}

void infer_softmax(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.set_output(0, c.shape(0));
}

void check_softmax(const KernelContext& c) {
  if (c.input(0).rank() < 1) invalid_argument("logits must have >= 1 dimension, got ", c.input(0).shape().text());
}

template <bool logarithm>
void softmax(KernelContext& c) {
  Tensor x = as_float(c.input(0)), y = wide_output(c.output(0));
  std::int64_t n = x.dim(x.rank() - 1);
  if (x.num_elements() == 0) return;
  with_wide(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    for_tiles<T>(c, x.num_elements() / n, n, [&](SoftmaxRows<T>& tile, std::int64_t r, std::int64_t count) {
      T* to = y.mutable_data<T>() + r * n;
      tile.take(x.data<T>() + r * n, count, n, logarithm ? nullptr : to);
      if (logarithm) {
        tile.find_log_totals();
        tile.logarithms(to);
      } else {
        tile.divide(to, true);
      }
    });
  });
  round_output(y, c.output(0));
}

Operand last_axis() { return build::ints({-1}); }
Operand row_sum(const Operand& x) { return build::sum(x, last_axis(), true); }
Operand as_column(const Operand& x) { return emit1("ExpandDims", {x, build::scalar(DType::kInt32, -1)}); }

void infer_cross_entropy(InferContext& c) {
  Shape both = c.shape(0);
  if (c.shape(0).has_rank() && c.shape(1).has_rank()) {
    const Shape& a = c.shape(0);
    const Shape& b = c.shape(1);
    for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
      std::int64_t x = a[a.rank() - i], y = b[b.rank() - i];
      if (x != 1 && y != 1) require_equal(x, y);
    }
    both = broadcast(a, b);
    if (both.rank() != 2) invalid_argument("Shape must be rank 2 but is rank ", both.rank());
  } else {
    both = Shape::of_rank(2);
  }
  c.set_output(0, Shape({both[0]}));
  c.set_output(1, std::move(both));
}

// Rows of a matrix that may have one row, or one column, for all: in place, or copied for one thread.
template <typename T>
class BroadcastRows {
 public:
  BroadcastRows(const Tensor& t, const Shape& shape) : data_(t.data<T>()), n_(shape[1]) {
    const std::int64_t rows = t.rank() == 2 ? t.dim(0) : 1, columns = t.rank() > 0 ? t.dim(t.rank() - 1) : 1;
    row_ = rows == shape[0] && rows != 1 ? columns : 0;
    column_ = columns == n_ && columns != 1 ? 1 : 0;
    in_place_ = t.shape() == shape;
  }
  const T* rows(std::int64_t r, std::int64_t count) {
    if (in_place_) return data_ + r * n_;
    copy_.resize(static_cast<std::size_t>(count * n_));
    for (std::int64_t i = 0; i < count; ++i)
      in_slices(n_, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k)
          copy_[static_cast<std::size_t>(i * n_ + k)] = data_[(r + i) * row_ + k * column_];
      });
    return copy_.data();
  }

 private:
  const T* data_;
  std::int64_t n_, row_, column_;
  bool in_place_;
  std::vector<T> copy_;
};

template <typename T>
void cross_entropy_rows(KernelContext& c, const Tensor& logits, const Tensor& labels, Tensor& loss, Tensor& backprop) {
  const std::int64_t n = backprop.dim(1);
  for_tiles<T>(c, backprop.dim(0), n, [&](SoftmaxRows<T>& tile, std::int64_t r, std::int64_t count) {
    BroadcastRows<T> x(logits, backprop.shape()), p(labels, backprop.shape());
    T* y = backprop.mutable_data<T>() + r * n;
    tile.take(x.rows(r, count), count, n, y);
    tile.find_log_totals();
    tile.cross_entropy(p.rows(r, count), y, loss.mutable_data<T>() + r);
  });
}

void check_cross_entropy(const KernelContext& c) {
  const Shape& a = c.input(0).shape();
  const Shape& b = c.input(1).shape();
  Shape shape;
  try {
    shape = broadcast(a, b);
  } catch (const Error&) {
    invalid_argument("logits and labels must be broadcastable: logits_size=", a.text(), " labels_size=", b.text());
  }
  if (shape.rank() != 2)
    invalid_argument("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
}

void cross_entropy(KernelContext& c) {
  Tensor logits = as_float(c.input(0)), labels = as_float(c.input(1));
  Tensor loss = wide_output(c.output(0)), backprop = wide_output(c.output(1));
  loss.fill_zeros();
  if (backprop.num_elements() > 0) {
    with_wide(logits.dtype(),
              [&]<typename T>(std::type_identity<T>) { cross_entropy_rows<T>(c, logits, labels, loss, backprop); });
  }
  round_output(loss, c.output(0));
  round_output(backprop, c.output(1));
}

// The gradient with respect to the logits: dy's share of the first derivative, and of the second if the first was
// itself differentiated.
Operand logits_gradient(GradContext& c) {
  Operand gradient = as_column(c.dy(0)) * c.output(1);
  if (!c.has_dy(1)) return gradient;
  Operand p = emit1("Softmax", {c.input(0)});
  Operand g = c.dy(1);
  return gradient + (g - row_sum(g * p)) * p;
}

void grad_cross_entropy(GradContext& c) {
  Operand logits = logits_gradient(c);
  c.to_input(0, build::unbroadcast(logits, c.input(0), c.output(1)));
  // The first derivative's own dependence on the labels is ignored, as in TensorFlow.
  Operand labels = as_column(c.dy(0)) * -emit1("LogSoftmax", {c.input(0)});
  c.to_input(1, build::unbroadcast(labels, c.input(1), c.output(1)));
}

// Whether reductions over the last axis run row by row.
bool has_rows(const Node&, std::span<const OutputInfo* const> inputs) {
  const DType dtype = inputs[0]->dtype;
  const Shape& shape = inputs[0]->shape;
  if (dtype != DType::kFloat && dtype != DType::kDouble) return false;
  if (!shape.has_rank() || shape.rank() < 1) return false;
  const std::int64_t n = shape[shape.rank() - 1];
  return n >= kShortestRow && n <= kLongestRow;
}

Operand over_rows(const char* op, const Operand& x) { return emit1(op, {x, build::ints({-1})}, {{"keep_dims", true}}); }

constexpr Expansion kExpandedSoftmax{has_rows, [](const Node&, std::span<const Operand> inputs) {
                                       const Operand below = inputs[0] - over_rows("Max", inputs[0]);
                                       const Operand powers = emit1("Exp", {below});
                                       return powers * emit1("Reciprocal", {over_rows("Sum", powers)});
                                     }};
constexpr Expansion kExpandedLogSoftmax{has_rows, [](const Node&, std::span<const Operand> inputs) {
                                          const Operand below = inputs[0] - over_rows("Max", inputs[0]);
                                          return below - emit1("Log", {over_rows("Sum", emit1("Exp", {below}))});
                                        }};

void infer_sparse(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  Shape logits = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(2);
  std::int64_t labels = dim_of(c.shape(1), 0);
  require_equal(logits[0], labels);
  if (logits[0] == kUnknownDim || labels >= 0) logits[0] = labels;
  c.set_output(0, Shape({logits[0]}));
  c.set_output(1, std::move(logits));
}

template <typename T>
void sparse_rows(KernelContext& c, const Tensor& logits, const Tensor& labels, Tensor& loss, Tensor& backprop) {
  const std::int64_t n = backprop.dim(1);
  for_tiles<T>(c, backprop.dim(0), n, [&](SoftmaxRows<T>& tile, std::int64_t r, std::int64_t count) {
    const T* x = logits.data<T>() + r * n;
    T* y = backprop.mutable_data<T>() + r * n;
    tile.take(x, count, n, y);
    tile.find_log_totals();
    tile.divide(y, false);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t label = labels.int_at(r + i);
      loss.mutable_data<T>()[r + i] = tile.log_total(i) - (x[i * n + label] - tile.most(i));
      y[i * n + label] -= T(1);
    }
  });
}

void check_sparse(const KernelContext& c) {
  const Tensor& labels = c.input(1);
  const Shape& shape = c.input(0).shape();
  if (shape.rank() != 2) invalid_argument("logits must be 2-D, but got shape ", shape.text());
  if (labels.rank() != 1) invalid_argument("labels must be 1-D, but got shape ", labels.shape().text());
  if (labels.dim(0) != shape[0])
    invalid_argument("logits and labels must have the same first dimension, got logits shape ", shape.text(),
                     " and labels shape ", labels.shape().text());
  if (shape[1] <= 0) invalid_argument("Must have at least one class, but got logits shape ", shape.text());
  std::int64_t least = 0, most = 0;
  for (std::int64_t i = 0; i < labels.num_elements(); ++i) {
    least = std::min(least, labels.int_at(i));
    most = std::max(most, labels.int_at(i));
  }
  if (least >= 0 && most < shape[1]) return;
  std::string all;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(labels.num_elements(), 100); ++k)
    all += concat(k ? " " : "", labels.int_at(k));
  invalid_argument("Received a label value of ", least < 0 ? least : most, " which is outside the valid range of [0, ",
                   shape[1], ").  Label values: ", all);
}

void sparse_cross_entropy(KernelContext& c) {
  const Tensor& labels = c.input(1);
  Tensor logits = as_float(c.input(0));
  Tensor loss = wide_output(c.output(0)), backprop = wide_output(c.output(1));
  if (backprop.num_elements() > 0) {
    with_wide(logits.dtype(),
              [&]<typename T>(std::type_identity<T>) { sparse_rows<T>(c, logits, labels, loss, backprop); });
  }
  round_output(loss, c.output(0));
  round_output(backprop, c.output(1));
}

}  // namespace

void register_softmax(Registry& r) {
  constexpr std::string_view types = "T: {half, bfloat16, float, double}";
  r.add({.name = "Softmax",
         .inputs = {"logits: T"},
         .outputs = {"softmax: T"},
         .attrs = {types},
         .facts = {.cannot_fail = true, .expansion = &kExpandedSoftmax},
         .doc = "The softmax along the last axis: exp(logits) / sum(exp(logits)).",
         .infer = infer_softmax,
         .check = check_softmax,
         .kernel = softmax<false>,
         .grad = [](GradContext& c) {
           Operand y = c.output(0), dy = c.dy(0);
           c.to_input(0, (dy - row_sum(dy * y)) * y);
         }});
  r.add({.name = "LogSoftmax",
         .inputs = {"logits: T"},
         .outputs = {"logsoftmax: T"},
         .attrs = {types},
         .facts = {.expansion = &kExpandedLogSoftmax},
         .doc = "The logarithm of the softmax along the last axis, computed without overflow.",
         .infer = infer_softmax,
         .check = check_softmax,
         .kernel = softmax<true>,
         .grad = [](GradContext& c) {
           Operand dy = c.dy(0);
           c.to_input(0, dy - row_sum(dy) * emit1("Exp", {c.output(0)}));
         }});
  r.add({.name = "SoftmaxCrossEntropyWithLogits",
         .inputs = {"features: T", "labels: T"},
         .outputs = {"loss: T", "backprop: T"},
         .attrs = {types},
         .doc = "The cross entropy of each row's labels with the softmax of its logits, and the gradient with respect "
                "to the logits.",
         .infer = infer_cross_entropy,
         .check = check_cross_entropy,
         .kernel = cross_entropy,
         .grad = grad_cross_entropy});
  r.add({.name = "SparseSoftmaxCrossEntropyWithLogits",
         .inputs = {"features: T", "labels: Tlabels"},
         .outputs = {"loss: T", "backprop: T"},
         .attrs = {types, "Tlabels: {int32, int64} = DT_INT64"},
         .doc = "Like SoftmaxCrossEntropyWithLogits, but a label is the index of the row's class.",
         .infer = infer_sparse,
         .check = check_sparse,
         .kernel = sparse_cross_entropy,
         .grad = [](GradContext& c) { c.to_input(0, logits_gradient(c)); }});
}

}  // namespace tracefn
