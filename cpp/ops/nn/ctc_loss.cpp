// CTCLoss: the negative log-likelihood of label sequences whose alignment with the inputs is unknown, and its gradient.
// Graves et al., "Connectionist temporal classification", 2006; equation numbers are those of A. Graves, "Supervised
// Sequence Labelling with Recurrent Neural Networks", 2012, chapter 7.
#include <cmath>
#include <limits>
#include <vector>

#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/nn/log_sum.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

using ClassLabels = std::vector<std::int32_t>;

void infer_ctc_loss(InferContext& c) {
  c.require_rank(0, 3);
  c.require_rank(1, 2);
  c.require_rank(2, 1);
  c.require_rank(3, 1);
  require_equal(dim_of(c.shape(1), 0), dim_of(c.shape(2), 0));
  const std::int64_t batch = merge_dims(dim_of(c.shape(0), 1), dim_of(c.shape(3), 0));
  Shape gradient = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(3);
  gradient[1] = batch;
  c.set_output(0, Shape({batch}));
  c.set_output(1, gradient);
}

void check_ctc_loss(const KernelContext& c) {
  const Tensor &inputs = c.input(0), &indices = c.input(1), &values = c.input(2), &lengths = c.input(3);
  if (inputs.rank() != 3) invalid_argument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) invalid_argument("sequence_length is not a vector");
  if (indices.rank() != 2) invalid_argument("labels_indices is not a matrix");
  if (indices.dim(1) <= 1) invalid_argument("labels_indices second dimension must be >= 1. Received ", indices.dim(1));
  if (values.rank() != 1) invalid_argument("labels_values is not a vector");
  if (inputs.dim(0) == 0) invalid_argument("Max time or first dimension of input cannot be 0.");
  if (lengths.dim(0) != inputs.dim(1))
    invalid_argument("len(sequence_length) != batch_size.  len(sequence_length):  ", lengths.dim(0),
                     " batch_size: ", inputs.dim(1));
  if (indices.dim(0) != values.dim(0))
    invalid_argument("labels_indices and labels_values must contain the same number of rows, but saw shapes: ",
                     indices.shape().text(), " vs. ", values.shape().text());
  if (inputs.dim(1) == 0) invalid_argument("batch_size must not be 0");
  if (inputs.dim(2) == 0) invalid_argument("num_classes must not be 0");
}

std::string joined(const ClassLabels& labels) {
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) text += concat(i ? "," : "", labels[i]);
  return text;
}

// The label sequences of the batch, from the elements of a sparse matrix.
std::vector<ClassLabels> sequences(const Tensor& indices, const Tensor& values, std::int64_t batch) {
  const std::int64_t n = indices.dim(0), columns = indices.dim(1);
  auto at = [&](std::int64_t i, std::int64_t j) { return indices.data<std::int64_t>()[i * columns + j]; };
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < n; ++i) longest = std::max(longest, at(i, 1) + 1);
  std::vector<ClassLabels> found(static_cast<std::size_t>(batch));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string here =
        concat("label SparseTensor is not valid: indices[", i, "] = [", at(i, 0), ",", at(i, 1), "]");
    if (at(i, 0) < 0 || at(i, 0) >= batch || at(i, 1) < 0)
      invalid_argument(here, " is out of bounds: need 0 <= index < [", batch, ",", longest, "]");
    if (i > 0 && at(i, 0) == at(i - 1, 0) && at(i, 1) == at(i - 1, 1)) invalid_argument(here, " is repeated");
    if (i > 0 && (at(i, 0) < at(i - 1, 0) || (at(i, 0) == at(i - 1, 0) && at(i, 1) < at(i - 1, 1))))
      invalid_argument(here,
                       " is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
                       "create a correctly ordered copy.\n\n");
    found[static_cast<std::size_t>(at(i, 0))].push_back(values.data<std::int32_t>()[i]);
  }
  return found;
}

// The labels with blanks before, between and after them.
ClassLabels with_blanks(const ClassLabels& given, std::int64_t b, std::int32_t classes, bool collapse) {
  if (given.empty()) invalid_argument("Labels length is zero in batch ", b);
  ClassLabels kept;
  bool ended = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (collapse && i > 0 && given[i] == given[i - 1]) continue;
    if (given[i] >= classes - 1) {
      ended = true;
    } else if (ended) {
      invalid_argument("Saw a non-null label (index >= num_classes - 1) following a null label, batch: ", b,
                       " num_classes: ", classes, " labels: ", joined(given), " labels seen so far: ", joined(kept));
    } else {
      kept.push_back(given[i]);
    }
  }
  ClassLabels path(2 * kept.size() + 1, classes - 1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] < 0) invalid_argument("All labels must be nonnegative integers, batch: ", b, " labels: ", joined(kept));
    path[2 * i + 1] = kept[i];
  }
  return path;
}

// One sequence: log-probabilities of its classes at each time, and the path of labels and blanks.
struct Alignment {
  const ClassLabels& path;
  std::vector<double> log_y;  // [time, classes]
  std::int64_t time, classes;
  bool merge;

  std::int64_t size() const { return static_cast<std::int64_t>(path.size()); }
  std::int32_t label(std::int64_t u) const { return path[static_cast<std::size_t>(u)]; }
  bool blank(std::int64_t u) const { return label(u) == classes - 1; }
  double log_of(std::int64_t t, std::int64_t u) const {
    return log_y[static_cast<std::size_t>(t * classes + label(u))];
  }
  // Whether the path may go from place u to u + 2 in one step.
  bool skips(std::int64_t u) const { return !blank(u) && !(merge && label(u) == label(u + 2)); }
  bool stays(std::int64_t u) const { return merge || blank(u); }
  // Places that can be reached at time t, and from which the end can be reached.
  std::int64_t first(std::int64_t t) const { return std::max<std::int64_t>(0, size() - 2 * (time - t)); }
  std::int64_t last(std::int64_t t) const { return std::min(size(), 2 * (t + 1)); }

  // Equations 7.5 to 7.9: the log-probability of arriving at each place.
  std::vector<double> forward() const {
    std::vector<double> a(static_cast<std::size_t>(time * size()), kLogZero);
    auto cell = [&](std::int64_t t, std::int64_t u) -> double& { return a[static_cast<std::size_t>(t * size() + u)]; };
    for (std::int64_t u = 0; u < std::min<std::int64_t>(2, size()); ++u) cell(0, u) = log_of(0, u);
    for (std::int64_t t = 1; t < time; ++t)
      for (std::int64_t u = first(t); u < last(t); ++u) {
        double sum = stays(u) ? cell(t - 1, u) : kLogZero;
        if (u > 0) sum = log_sum(sum, cell(t - 1, u - 1));
        if (u > 1 && skips(u - 2) && !blank(u)) sum = log_sum(sum, cell(t - 1, u - 2));
        cell(t, u) = sum + log_of(t, u);
      }
    return a;
  }

  // Equations 7.13 to 7.15: the log-probability of what follows each place.
  std::vector<double> backward() const {
    std::vector<double> b(static_cast<std::size_t>(time * size()), kLogZero);
    auto cell = [&](std::int64_t t, std::int64_t u) -> double& { return b[static_cast<std::size_t>(t * size() + u)]; };
    for (std::int64_t u = std::max<std::int64_t>(0, size() - 2); u < size(); ++u) cell(time - 1, u) = 0;
    for (std::int64_t t = time - 2; t >= 0; --t)
      for (std::int64_t u = first(t); u < last(t); ++u) {
        double sum = stays(u) ? cell(t + 1, u) + log_of(t + 1, u) : kLogZero;
        if (u + 1 < size()) sum = log_sum(sum, cell(t + 1, u + 1) + log_of(t + 1, u + 1));
        if (u + 2 < size() && skips(u)) sum = log_sum(sum, cell(t + 1, u + 2) + log_of(t + 1, u + 2));
        cell(t, u) = sum;
      }
    return b;
  }
};

template <typename T>
void ctc_loss_as(KernelContext& c) {
  const Tensor& inputs = c.input(0);
  const std::int64_t time = inputs.dim(0), batch = inputs.dim(1), classes = inputs.dim(2);
  const std::vector<ClassLabels> given = sequences(c.input(1), c.input(2), batch);
  const auto* lengths = c.input(3).data<std::int32_t>();
  const bool ignore = c.attr("ignore_longer_outputs_than_inputs").b(), merge = c.attr("ctc_merge_repeated").b();
  for (std::int64_t b = 0; b < batch; ++b)
    if (lengths[b] > time) invalid_argument("sequence_length(", b, ") <= ", time);
  for (std::int64_t b = 0; b < batch; ++b)
    if (lengths[b] < 0) invalid_argument("seq_len(", b, ") < 0");
  std::vector<ClassLabels> paths;
  for (std::int64_t b = 0; b < batch; ++b) {
    const ClassLabels& labels = given[static_cast<std::size_t>(b)];
    paths.push_back(
        with_blanks(labels, b, static_cast<std::int32_t>(classes), c.attr("preprocess_collapse_repeated").b()));
    if (!ignore && static_cast<std::int64_t>(labels.size()) > lengths[b])
      invalid_argument("Not enough time for target transition sequence (required: ", labels.size(),
                       ", available: ", lengths[b], ")", b,
                       "You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs");
  }
  const T* x = inputs.data<T>();
  T* loss = c.output(0).mutable_data<T>();
  T* gradient = c.output(1).mutable_data<T>();
  std::fill(loss, loss + batch, T{0});
  std::fill(gradient, gradient + inputs.num_elements(), T{0});
  c.parallel_for(
      batch, 50 * static_cast<double>(time) * static_cast<double>(classes), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
          const auto i = static_cast<std::size_t>(b);
          const std::int64_t length = lengths[b];
          if (length == 0 || static_cast<std::int64_t>(given[i].size()) > length) continue;
          Alignment alignment{paths[i], std::vector<double>(static_cast<std::size_t>(length * classes)), length,
                              classes, merge};
          for (std::int64_t t = 0; t < length; ++t)
            log_softmax(x + (t * batch + b) * classes, classes, alignment.log_y.data() + t * classes);
          const std::vector<double> forward = alignment.forward(), backward = alignment.backward();
          const std::int64_t size = alignment.size();
          double likelihood = kLogZero;
          for (std::int64_t u = 0; u < size; ++u)
            likelihood =
                log_sum(likelihood, forward[static_cast<std::size_t>(u)] + backward[static_cast<std::size_t>(u)]);
          loss[b] = static_cast<T>(-likelihood);
          std::vector<double> expected(static_cast<std::size_t>(classes));
          for (std::int64_t t = 0; t < length; ++t) {  // equation 7.28
            std::fill(expected.begin(), expected.end(), kLogZero);
            for (std::int64_t u = 0; u < size; ++u) {
              double& sum = expected[static_cast<std::size_t>(alignment.label(u))];
              const auto place = static_cast<std::size_t>(t * size + u);
              sum = log_sum(sum, forward[place] + backward[place]);
            }
            for (std::int64_t k = 0; k < classes; ++k) {
              const double y = std::exp(alignment.log_y[static_cast<std::size_t>(t * classes + k)]);
              const double used =
                  likelihood == kLogZero ? 0 : std::exp(expected[static_cast<std::size_t>(k)] - likelihood);
              gradient[(t * batch + b) * classes + k] = static_cast<T>(y - used);
            }
          }
        }
      });
}

void ctc_loss(KernelContext& c) {
  if (c.input(0).dtype() == DType::kFloat) return ctc_loss_as<float>(c);
  ctc_loss_as<double>(c);
}

void grad_ctc_loss(GradContext& c) {
  const Operand kept =
      emit1("PreventGradient", {c.output(1)},
            {{"message", Attr(std::string("Currently there is no way to take the second  derivative of ctc_loss due to "
                                          "the fused implementation's interaction  with tf.gradients()"))}});
  c.to_input(0, emit1("ExpandDims", {c.dy(0), build::scalar(DType::kInt32, -1)}) * kept);
}

}  // namespace

void register_ctc_loss(Registry& r) {
  r.add(
      {.name = "CTCLoss",
       .inputs = {"inputs: T", "labels_indices: int64", "labels_values: int32", "sequence_length: int32"},
       .outputs = {"loss: T", "gradient: T"},
       .attrs = {"preprocess_collapse_repeated: bool = false", "ctc_merge_repeated: bool = true",
                 "ignore_longer_outputs_than_inputs: bool = false", "T: {float, double} = DT_FLOAT"},
       .doc =
           "The negative log-likelihood of each label sequence given logits [time, batch, classes], and its gradient. "
           "The last class is the blank.",
       .infer = infer_ctc_loss,
       .check = check_ctc_loss,
       .kernel = ctc_loss,
       .grad = grad_ctc_loss});
}

}  // namespace tracefn
